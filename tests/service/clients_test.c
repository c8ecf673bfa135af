/* clients_test.c - the requests of a session: so many may be open, and others are refused as
 * busy. */
#include "scheduler/service/gates.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEARTBEAT_MS 1000
#define OPEN_MAX     2

static zloop_t *loop;
static clients_t *clients;
static gates_t *gates;
static link_client_t *asker;
static int came;     /* requests */
static int answered; /* answers, of which the last is: */
static uint64_t number;
static enum answer_code code;
static char document[512];

static void wake(void *owner)
{
    (void)owner;
    came++;
}

static void say_hello(void *owner, uint32_t version, struct writer *out)
{
    (void)owner;
    msg_hello_pack(&(struct msg_hello){.version = version, .role = "client", .name = "asker"}, 0,
                   out);
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct msg_answer answer;

    (void)owner;
    if (type != MSG_ANSWER)
        return 0;
    if (msg_answer_unpack(in, &answer, error) < 0)
        return -1;
    number = answer.number;
    code = answer.code;
    (void)snprintf(document, sizeof(document), "%s", answer.document);
    answered++;
    return 0;
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    (void)owner;
    (void)refused;
    fail_msg("the session is over: %s", cause);
    return false;
}

static int leave(zloop_t *of, int timer, void *owner)
{
    (void)of;
    (void)timer;
    (void)owner;
    return -1;
}

static void turn(void)
{
    const int timer = zloop_timer(loop, 1, 1, leave, NULL);

    (void)zloop_start(loop);
    (void)zloop_timer_end(loop, timer);
}

FIXTURE(set_up)
{
    static const struct link_client_calls calls = {say_hello, on_message, on_gone};
    char path[64];
    char endpoint[80];
    struct error error;

    (void)snprintf(path, sizeof(path), "@rubato-clients-test-%d", (int)getpid());
    (void)snprintf(endpoint, sizeof(endpoint), "ipc://%s", path);
    loop = zloop_new();
    clients = clients_new(10, OPEN_MAX, wake, NULL);
    gates = gates_new(loop, &(struct gates_setting){.socket = path, .heartbeat_ms = HEARTBEAT_MS},
                      clients, &error);
    assert_non_null(gates);
    asker = link_client_new(loop,
                            &(struct link_client_setting){.endpoint = endpoint,
                                                          .heartbeat_ms = HEARTBEAT_MS,
                                                          .peers = LINK_PEERS_ANY_USER},
                            &calls, NULL, &error);
    assert_non_null(asker);
    while (!link_client_in_session(asker))
        turn();
    return 0;
}

FIXTURE(tear_down)
{
    link_client_destroy(&asker);
    gates_destroy(&gates);
    clients_destroy(&clients);
    zloop_destroy(&loop);
    return 0;
}

static void ask(uint64_t own)
{
    struct writer out;

    msg_request_pack(&(struct msg_request){own, "status", "{}"}, &out);
    link_client_send(asker, &out);
}

static void await(const int *count, int wanted)
{
    while (*count < wanted)
        turn();
}

TEST_WITH(a_session_has_so_many_open_requests, set_up, tear_down)
{
    struct request *request;

    for (uint64_t i = 0; i <= OPEN_MAX; i++)
        ask(i);
    await(&answered, 1);
    assert_int_equal(came, OPEN_MAX);
    assert_int_equal(number, OPEN_MAX);
    assert_int_equal(code, ANSWER_BUSY);
    assert_non_null(strstr(document, "2 requests of this session are not answered yet"));
    assert_non_null(strstr(document, "\"retry_after_s\": 1"));
    request = clients_next(clients);
    clients_answer_text(clients, &request, ANSWER_DONE, "{}");
    ask(OPEN_MAX + 1);
    await(&came, OPEN_MAX + 1);
    clients_limit(clients, OPEN_MAX + 1);
    ask(OPEN_MAX + 2);
    await(&came, OPEN_MAX + 2);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
