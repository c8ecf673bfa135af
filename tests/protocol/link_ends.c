/* link_ends.c - see link_ends.h. */
#include "tests/protocol/link_ends.h"

#include "tests/support/test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define HEARTBEAT_MS 20000

/* How long anything may take before the test gives up. */
#define GUARD_MS 600000

#define LOOK_MS 2

static int64_t server_heartbeat_ms;
static int64_t client_heartbeat_ms;
static struct link_server_setting limits;
static enum link_peers client_peers;

void ends_set_heartbeats(int64_t server_ms, int64_t client_ms)
{
    server_heartbeat_ms = server_ms;
    client_heartbeat_ms = client_ms;
}

void ends_set_peers(enum link_peers server, enum link_peers client)
{
    limits.peers = server;
    client_peers = client;
}

struct link_server_setting *ends_limits(void)
{
    return &limits;
}

static int end_turn(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    (void)argument;
    return -1;
}

zloop_t *ends_loop(void)
{
    zloop_t *loop;
    int timer;

    zsys_init();
    zsys_handler_set(NULL);
    loop = zloop_new();
    assert_non_null(loop);
    ends_set_heartbeats(HEARTBEAT_MS, HEARTBEAT_MS);
    memset(&limits, 0, sizeof(limits));
    ends_set_peers(LINK_PEERS_SAME_USER, LINK_PEERS_SAME_USER);
    timer = zloop_timer(loop, 0, 1, end_turn, NULL); /* its first turn, see link_server_destroy */
    (void)zloop_start(loop);
    (void)zloop_timer_end(loop, timer);
    return loop;
}

void test_message(int64_t number, struct writer *out)
{
    writer_open(out, TEST_MESSAGE, 1);
    writer_whole(out, number);
}

/* ---- waiting ---- */

struct wait {
    bool (*is_so)(void *argument);
    void *argument;
    int64_t until_ms;
    bool came;
};

static int on_look(zloop_t *loop, int timer, void *argument)
{
    struct wait *const wait = argument;

    (void)loop;
    (void)timer;
    wait->came = wait->is_so(wait->argument);
    return wait->came || zclock_mono() > wait->until_ms ? -1 : 0;
}

void ends_await_that(zloop_t *loop, bool (*is_so)(void *argument), void *argument)
{
    struct wait wait = {is_so, argument, zclock_mono() + GUARD_MS, is_so(argument)};
    int timer;

    if (wait.came)
        return;
    timer = zloop_timer(loop, LOOK_MS, 0, on_look, &wait);
    (void)zloop_start(loop);
    (void)zloop_timer_end(loop, timer);
    assert_true(wait.came);
}

struct count_wait {
    const int *number;
    int at_least;
};

static bool has_reached(void *argument)
{
    const struct count_wait *const wait = argument;

    return *wait->number >= wait->at_least;
}

void ends_await(zloop_t *loop, const int *number, int at_least)
{
    struct count_wait wait = {number, at_least};

    ends_await_that(loop, has_reached, &wait);
}

/* ---- server ---- */

static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    struct server_end *const self = owner;
    struct writer welcome;

    self->hellos++;
    (void)hello;
    (void)snprintf(self->last_role, sizeof(self->last_role), "%s", link_peer_role(peer));
    (void)snprintf(self->last_name, sizeof(self->last_name), "%s", link_peer_name(peer));
    if (self->refuse)
        return error_set(error, "%s", self->refuse);
    if (reader_close(in, error) < 0)
        return -1;
    self->peer = peer;
    msg_bare_pack(MSG_WELCOME, &welcome);
    link_peer_send(peer, &welcome);
    return 0;
}

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    struct server_end *const self = owner;

    self->messages++;
    self->last_type = type;
    if (type == MSG_HEARTBEAT) {
        struct writer answer;

        msg_bare_pack(MSG_HEARTBEAT, &answer);
        link_peer_send(peer, &answer);
        return reader_close(in, error);
    }
    if (self->judge)
        return self->judge(in, error);
    reader_expect(in, TEST_MESSAGE);
    self->last_number = reader_whole(in, INT64_MIN, INT64_MAX);
    if (reader_close(in, error) < 0)
        return -1;
    if (self->echo) {
        struct writer answer;

        test_message(self->last_number, &answer);
        link_peer_send(peer, &answer);
    }
    return 0;
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    struct server_end *const self = owner;

    self->gone++;
    if (self->peer == peer)
        self->peer = NULL;
    (void)snprintf(self->last_cause, sizeof(self->last_cause), "%s", cause);
}

/* A closed socket gives its address up a little later. The wait for that must not be in the loop,
 * from which nothing is taken out while it runs. */
void server_end_open(struct server_end *self, zloop_t *loop, const char *endpoint,
                     const keys_t *keys)
{
    struct link_server_setting setting = limits;
    const struct link_server_calls calls = {
        .hello = on_hello, .message = on_message, .gone = on_gone};
    const int64_t until_ms = zclock_mono() + GUARD_MS;
    struct error error = {.text = ""};

    setting.endpoint = endpoint;
    setting.heartbeat_ms = server_heartbeat_ms;
    setting.keys = keys;
    memset(self, 0, sizeof(*self));
    self->loop = loop;
    self->server = link_server_new(loop, &setting, &calls, self, &error);
    while (!self->server && strstr(error.text, "in use") && zclock_mono() < until_ms) {
        (void)poll(NULL, 0, LOOK_MS);
        self->server = link_server_new(loop, &setting, &calls, self, &error);
    }
    if (!self->server)
        fail_msg("%s", error.text);
}

void server_end_close(struct server_end *self)
{
    link_server_destroy(&self->server);
    assert_null(self->server);
}

/* ---- client ---- */

static void pack_hello(void *owner, uint32_t version, struct writer *out)
{
    struct client_end *const self = owner;
    const struct msg_hello hello = {.version = version, .role = self->role, .name = self->name};

    self->hellos++;
    msg_hello_pack(&hello, 0, out);
}

static int on_answer(void *owner, int type, reader_t *in, struct error *error)
{
    struct client_end *const self = owner;

    if (type == MSG_WELCOME)
        self->welcomes++;
    else
        self->messages++;
    if (self->judge && type != MSG_WELCOME)
        return self->judge(in, error);
    if (type == TEST_MESSAGE)
        self->last_number = reader_whole(in, INT64_MIN, INT64_MAX);
    return reader_close(in, error);
}

static bool on_over(void *owner, const char *cause, enum refusal_code refused)
{
    struct client_end *const self = owner;

    self->gone++;
    self->refused += refused != REFUSAL_NONE;
    self->last_code = refused;
    (void)snprintf(self->last_cause, sizeof(self->last_cause), "%s", cause);
    return !self->give_up;
}

void client_end_open(struct client_end *self, zloop_t *loop, const char *endpoint, const char *role,
                     const char *name, const keys_t *keys)
{
    const struct link_client_setting setting = {
        .endpoint = endpoint,
        .heartbeat_ms = client_heartbeat_ms,
        .keys = keys,
        .server = "master",
        .peers = client_peers,
    };
    const struct link_client_calls calls = {pack_hello, on_answer, on_over};
    struct error error = {.text = ""};

    memset(self, 0, sizeof(*self));
    self->role = role;
    self->name = name;
    self->client = link_client_new(loop, &setting, &calls, self, &error);
    assert_string_equal(error.text, "");
    assert_non_null(self->client);
}

void client_end_close(struct client_end *self)
{
    link_client_destroy(&self->client);
    assert_null(self->client);
}

void client_end_send(struct client_end *self, int64_t number)
{
    struct writer message;

    test_message(number, &message);
    link_client_send(self->client, &message);
}

/* ---- an end of another kind ---- */

static void set_text(zsock_t *socket, int option, const char *value)
{
    assert_int_equal(zmq_setsockopt(zsock_resolve(socket), option, value, strlen(value)), 0);
}

zsock_t *raw_dealer(const char *endpoint, const char *server_key, const char *public_key,
                    const char *secret_key)
{
    zsock_t *const socket = zsock_new(ZMQ_DEALER);

    assert_non_null(socket);
    zsock_set_sndhwm(socket, 0);
    if (server_key) {
        set_text(socket, ZMQ_CURVE_SERVERKEY, server_key);
        set_text(socket, ZMQ_CURVE_PUBLICKEY, public_key);
        set_text(socket, ZMQ_CURVE_SECRETKEY, secret_key);
    }
    assert_int_equal(zmq_connect(zsock_resolve(socket), endpoint), 0);
    return socket;
}

void raw_send_bytes(zsock_t *socket, const void *bytes, size_t size)
{
    assert_int_equal(zmq_send(zsock_resolve(socket), bytes, size, 0), (int)size);
}

void raw_send(zsock_t *socket, uint64_t session, uint64_t sequence, struct writer *message)
{
    writer_stamp(message, session, sequence);
    raw_send_bytes(socket, message->bytes.data, message->bytes.size);
    writer_close(message);
}

void raw_hello(zsock_t *socket, uint64_t session, const char *role, const char *name)
{
    struct writer message;

    msg_hello_pack(&(struct msg_hello){.version = WIRE_VERSION, .role = role, .name = name}, 0,
                   &message);
    raw_send(socket, session, 1, &message);
}

bool raw_has_message(zsock_t *socket)
{
    return (zsock_events(socket) & ZMQ_POLLIN) != 0;
}

static bool has_message(void *argument)
{
    return raw_has_message(argument);
}

reader_t *raw_receive(zloop_t *loop, zsock_t *socket)
{
    struct error error = {.text = ""};
    zframe_t *frame;
    reader_t *reader;

    ends_await_that(loop, has_message, socket);
    frame = zframe_recv(socket);
    reader = reader_new(zframe_data(frame), zframe_size(frame), &error);
    assert_string_equal(error.text, "");
    zframe_destroy(&frame);
    return reader;
}
