/* client_test.c - a client and a service that answers late, breaks off, is busy or talks nonsense.
 */
#include "tools/service/client.h"

#include "protocol/link.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a service: what becomes of a request is in its verb ---- */

static int asked; /* how often it was asked the request at hand */
static link_peer_t *to_refuse;

static int welcome(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                   struct error *error)
{
    struct writer out;

    (void)owner;
    (void)hello;
    if (reader_close(in, error) < 0)
        return -1;
    msg_client_welcome_pack(&(struct msg_client_welcome){200, "somebody", "submit"}, &out);
    link_peer_send(peer, &out);
    return 0;
}

static void answer(link_peer_t *peer, uint64_t number, enum answer_code code, const char *document)
{
    struct writer out;

    msg_answer_pack(&(struct msg_answer){number, code, document}, &out);
    link_peer_send(peer, &out);
}

static int on_refusal(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    if (to_refuse)
        link_peer_refuse(to_refuse, "not now");
    to_refuse = NULL;
    return 0;
}

static int serve(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    struct msg_request request;

    (void)owner;
    if (type != MSG_REQUEST)
        return reader_close(in, error);
    if (msg_request_unpack(in, &request, error) < 0)
        return -1;
    asked++;
    if (!strcmp(request.verb, "break") && asked == 1) {
        to_refuse = peer;
    } else if (!strcmp(request.verb, "busy") && asked == 1) {
        answer(peer, request.number, ANSWER_BUSY, "{\"error\": \"busy\", \"retry_after_s\": 1}");
    } else if (!strcmp(request.verb, "full")) {
        answer(peer, request.number, ANSWER_BUSY, "{\"error\": \"busy\", \"retry_after_s\": 3600}");
    } else if (!strcmp(request.verb, "nonsense")) {
        answer(peer, request.number, ANSWER_DONE, request.document[2] == '0' ? "[]" : "{");
    } else {
        answer(peer, request.number + 1, ANSWER_DONE, "{}"); /* of no request: passed over */
        answer(peer, request.number, ANSWER_DONE, request.document);
        asked = 0;
    }
    return 0;
}

static void gone(void *owner, link_peer_t *peer, const char *cause)
{
    (void)owner;
    (void)cause;
    if (peer == to_refuse)
        to_refuse = NULL;
}

static int run_service(const char *socket)
{
    const struct link_server_calls calls = {welcome, serve, gone, NULL};
    zloop_t *loop = zloop_new();
    char endpoint[256];
    struct error error;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)snprintf(endpoint, sizeof(endpoint), "ipc://%s", socket);
    if (!link_server_new(loop,
                         &(struct link_server_setting){.endpoint = endpoint, .heartbeat_ms = 200},
                         &calls, NULL, &error))
        return 1;
    (void)zloop_timer(loop, 10, 0, on_refusal, NULL);
    (void)zloop_start(loop);
    return 1;
}

/* ---- what listens there and is no service ---- */

enum stranger {
    STRANGER_SPEAKS,   /* another protocol */
    STRANGER_HANGS_UP, /* as soon as it is connected to */
    STRANGER_TRICKLES, /* a greeting, byte by byte, without an end */
    STRANGER_COUNT
};

static void be_strange(enum stranger kind, int connection)
{
    static const char greeting[10] = {'\xff', 0, 0, 0, 0, 0, 0, 0, 1, '\x7f'};

    if (kind == STRANGER_SPEAKS)
        (void)!write(connection, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
    if (kind == STRANGER_HANGS_UP)
        (void)close(connection);
    for (size_t i = 0; kind == STRANGER_TRICKLES && i < sizeof(greeting); i++)
        (void)!write(connection, greeting + i, 1);
}

/* Connections that are not closed stay open. */
static int run_stranger(const char *socket_path, enum stranger kind)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)unlink(socket_path);
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
    if (bind(listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(listener, 16) < 0)
        return 1;
    for (;;)
        be_strange(kind, accept(listener, NULL, NULL));
}

/* ---- the tests ---- */

struct bed {
    folder_t *folder;
    const char *socket;
    pid_t service;
    service_client_t *client;
};

/* This program anew: a copy of a process has no threads of libzmq, and may stand still at a lock
 * that one of them held. */
static void start_service(struct bed *bed)
{
    bed->service = fork();
    assert_true(bed->service >= 0);
    if (bed->service == 0) {
        (void)execl("/proc/self/exe", "client_test", bed->socket, NULL);
        _exit(1);
    }
}

static void start_stranger(struct bed *bed, enum stranger kind)
{
    const char number[] = {(char)('0' + kind), '\0'};

    bed->service = fork();
    assert_true(bed->service >= 0);
    if (bed->service == 0) {
        (void)execl("/proc/self/exe", "client_test", bed->socket, number, NULL);
        _exit(1);
    }
}

static void end_service(struct bed *bed)
{
    (void)kill(bed->service, SIGKILL);
    (void)waitpid(bed->service, NULL, 0);
}

/* The socket is there before anything may go through it. */
static int set_bed(void **state)
{
    static struct bed bed;

    bed.folder = folder_new();
    bed.socket = folder_file(bed.folder, "s");
    start_service(&bed);
    while (!folder_has(bed.folder, "s"))
        (void)usleep(1000);
    *state = &bed;
    return 0;
}

static int clear_bed(void **state)
{
    struct bed *bed = *state;

    client_destroy(&bed->client);
    end_service(bed);
    folder_destroy(&bed->folder);
    return 0;
}

static void open_client(struct bed *bed, double timeout_s)
{
    struct error error;

    bed->client =
        client_new(&(struct client_setting){.socket = bed->socket, .timeout_s = timeout_s}, &error);
    assert_non_null(bed->client);
}

static void check_answered(struct bed *bed, const char *verb)
{
    json_t *document = json_pack("{s:s}", "verb", verb);
    struct answer answer;
    struct error error = {.text = ""};

    assert_int_equal(client_ask(bed->client, verb, document, &answer, &error), 0);
    assert_int_equal(answer.code, ANSWER_DONE);
    assert_true(json_equal(answer.object, document));
    json_decref(answer.object);
    json_decref(document);
}

#define READY(name) TEST_WITH(name, set_bed, clear_bed)

READY(one_request_after_the_other_is_answered)
{
    struct bed *bed = *test_state;

    open_client(bed, 600);
    check_answered(bed, "echo");
    check_answered(bed, "echo");
    check_answered(bed, "break");
    check_answered(bed, "echo");
    check_answered(bed, "busy");
}

READY(a_service_that_begins_anew_is_asked_again)
{
    struct bed *bed = *test_state;

    open_client(bed, 600);
    check_answered(bed, "echo");
    end_service(bed);
    start_service(bed);
    check_answered(bed, "echo");
}

READY(a_service_that_stays_busy_says_so)
{
    struct bed *bed = *test_state;
    json_t *document = json_object();
    struct answer answer;
    struct error error;

    open_client(bed, 600);
    assert_int_equal(client_ask(bed->client, "full", document, &answer, &error), 0);
    assert_int_equal(answer.code, ANSWER_BUSY);
    json_decref(answer.object);
    json_decref(document);
}

READY(nonsense_is_told)
{
    struct bed *bed = *test_state;

    open_client(bed, 600);
    for (int i = 0; i < 2; i++) {
        json_t *document = i == 0 ? json_pack("{s:i}", "0", 0) : json_pack("{s:i}", "a", 0);
        struct answer answer;
        struct error error = {.text = ""};

        assert_int_equal(client_ask(bed->client, "nonsense", document, &answer, &error), -1);
        assert_non_null(strstr(error.text, "makes no sense"));
        json_decref(document);
    }
    check_answered(bed, "echo");
}

READY(a_request_that_is_too_long_is_told)
{
    struct bed *bed = *test_state;
    char *text = calloc(1, DOCUMENT_MAX + 1);
    struct answer answer;
    struct error error = {.text = ""};
    json_t *document;

    assert_non_null(text);
    memset(text, 'a', DOCUMENT_MAX);
    document = json_pack("{s:s}", "text", text);
    open_client(bed, 600);
    assert_int_equal(client_ask(bed->client, "echo", document, &answer, &error), -1);
    assert_non_null(strstr(error.text, "bytes"));
    json_decref(document);
    free(text);
    check_answered(bed, "echo");
}

READY(a_service_that_is_not_there_is_named)
{
    struct bed *bed = *test_state;
    struct client_setting setting = {.socket = folder_file(bed->folder, "none"), .timeout_s = 0};
    json_t *document = json_object();
    struct answer answer;
    struct error error = {.text = ""};

    assert_null(client_new(&setting, &error));
    assert_non_null(strstr(error.text, "/none; `rubato up` starts one"));
    end_service(bed);
    open_client(bed, 0); /* the socket is still there */
    assert_int_equal(client_ask(bed->client, "echo", document, &answer, &error), -1);
    assert_non_null(strstr(error.text, bed->socket));
    assert_non_null(strstr(error.text, "`rubato up`"));
    start_service(bed);
    json_decref(document);
}

READY(a_stranger_is_told_and_waited_for_no_longer_than_asked)
{
    static const char *const sentences[STRANGER_COUNT] = {
        [STRANGER_SPEAKS] = "it is no process of Rubato: it does not speak ZMTP 3",
        [STRANGER_HANGS_UP] = "it ends every handshake: it wants --keys, is no process of Rubato, ",
        [STRANGER_TRICKLES] = "no service answers at",
    };
    struct bed *bed = *test_state;

    end_service(bed);
    for (enum stranger kind = 0; kind < STRANGER_COUNT; kind++) {
        const double patience_s = kind == STRANGER_HANGS_UP ? 4 : 1;
        json_t *document = json_object();
        struct answer answer;
        struct error error = {.text = ""};

        assert_int_equal(unlink(bed->socket), 0);
        start_stranger(bed, kind);
        while (!folder_has(bed->folder, "s"))
            (void)usleep(1000);
        open_client(bed, patience_s);
        assert_int_equal(client_ask(bed->client, "echo", document, &answer, &error), -1);
        assert_non_null(strstr(error.text, sentences[kind]));
        client_destroy(&bed->client);
        json_decref(document);
        end_service(bed);
    }
    start_service(bed);
}

/* The first session is another one's; the second begins where the service is after it. */
READY(a_service_in_the_place_of_a_stranger_is_found)
{
    struct bed *bed = *test_state;

    end_service(bed);
    assert_int_equal(unlink(bed->socket), 0);
    start_stranger(bed, STRANGER_HANGS_UP);
    while (!folder_has(bed->folder, "s"))
        (void)usleep(1000);
    open_client(bed, 600);
    end_service(bed);
    start_service(bed);
    check_answered(bed, "echo");
}

READY(long_requests_and_answers_come_whole)
{
    struct bed *bed = *test_state;
    const size_t length = DOCUMENT_MAX - 100;
    char *text = malloc(length + 1);
    struct answer answer;
    struct error error = {.text = ""};
    json_t *document;

    assert_non_null(text);
    memset(text, 'a', length);
    text[length] = '\0';
    document = json_pack("{s:s}", "text", text);
    open_client(bed, 600);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(client_ask(bed->client, "echo", document, &answer, &error), 0);
        assert_true(json_equal(answer.object, document));
        json_decref(answer.object);
    }
    json_decref(document);
    free(text);
}

/* With an argument it is the service at that socket, with two a stranger. */
int main(int argc, char **argv)
{
    if (argc > 2)
        return run_stranger(argv[1], (enum stranger)(argv[2][0] - '0'));
    if (argc > 1)
        return run_service(argv[1]);
    return tests_run(NULL, NULL);
}
