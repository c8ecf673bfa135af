/* link_damage_test.c - damaged messages on a real link: their sender loses the session and may
 * begin another; the other sessions go on. */
#include "common/rng.h"
#include "protocol/link.h"
#include "tests/protocol/link_ends.h"
#include "tests/protocol/samples.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Damaged messages over one connection. */
#define BATCH 100

/* ---- damage ---- */

struct bytes {
    unsigned char data[4096];
    size_t size;
};

static void take(struct bytes *self, const struct sample *sample, uint64_t session,
                 uint64_t sequence)
{
    struct writer message;

    sample->pack(&message);
    writer_stamp(&message, session, sequence);
    assert_true(message.bytes.size <= sizeof(self->data));
    memcpy(self->data, message.bytes.data, message.bytes.size);
    self->size = message.bytes.size;
    writer_close(&message);
}

/* Flips a bit, puts another byte, cuts, lengthens, or splices the end of another message on. */
static void damage(rng_t *rng, struct bytes *self)
{
    const size_t at = rng_below(rng, self->size + 1);
    struct bytes other;

    switch (at == self->size ? 2 : rng_below(rng, 5)) {
    case 0:
        self->data[at] = (unsigned char)(self->data[at] ^ (1U << rng_below(rng, 8)));
        return;
    case 1:
        self->data[at] = (unsigned char)rng_below(rng, 256);
        return;
    case 2:
        if (self->size < sizeof(self->data))
            self->data[self->size++] = (unsigned char)rng_below(rng, 256);
        return;
    case 3:
        self->size = at;
        return;
    default:
        take(&other, &samples[rng_below(rng, sample_count)], 1, 1);
        if (other.size > at)
            memcpy(self->data + at, other.data + at, other.size - at);
        self->size = other.size > at ? other.size : at;
    }
}

/* Any message of any link. */
static int judge(reader_t *in, struct error *error)
{
    int result = error_set(error, "%s is not for this end", msg_type_name(reader_type(in)));

    for (size_t i = 0; i < sample_count && result < 0; i++) {
        struct writer own;
        struct writer again;
        bool is_of_type;

        samples[i].pack(&own);
        is_of_type = own.bytes.data[1] == reader_type(in);
        writer_close(&own);
        if (!is_of_type || reader_failed(in))
            continue;
        result = samples[i].repack(in, &again, error);
        if (result == 0)
            writer_close(&again);
    }
    return result;
}

struct attack {
    zloop_t *loop;
    rng_t rng;
    struct server_end server;
    struct client_end good;
    zsock_t *bad;
    char endpoint[64];
};

static void begin(struct attack *self, const char *name)
{
    memset(self, 0, sizeof(*self));
    self->loop = ends_loop();
    self->rng = rng_new(test_seed(), name);
    (void)snprintf(self->endpoint, sizeof(self->endpoint), "ipc://@rubato-%s-%ld", name,
                   (long)getpid());
}

static void make_damaged(struct attack *self, struct bytes *bytes, uint64_t session,
                         uint64_t sequence)
{
    const uint64_t changes = 1 + rng_below(&self->rng, 3);

    take(bytes, &samples[rng_below(&self->rng, sample_count)], session, sequence);
    for (uint64_t i = 0; i < changes; i++)
        damage(&self->rng, bytes);
}

/* ---- on a server ---- */

/* Waits for the welcome of `session`; what the server says before is about sessions that ended. */
static void await_welcome(struct attack *self, uint64_t session)
{
    bool welcome = false;

    while (!welcome) {
        reader_t *reader = raw_receive(self->loop, self->bad);

        welcome = reader_session(reader) == session && reader_type(reader) == MSG_WELCOME;
        reader_destroy(&reader);
    }
}

/* One connection that says one thing after the other; most of them end its session, so it says
 * hello again before each. A damaged hello may begin a session of any number, but hardly of the
 * last one there is. That one shows that all was read. */
static void send_batch(struct attack *self, long number)
{
    char name[32];
    struct bytes bytes;

    (void)snprintf(name, sizeof(name), "bad-%ld", number);
    self->bad = raw_dealer(self->endpoint, NULL, NULL, NULL);
    for (uint64_t i = 1; i <= BATCH; i++) {
        raw_hello(self->bad, i, "worker", name);
        make_damaged(self, &bytes, i, 2);
        raw_send_bytes(self->bad, bytes.data, bytes.size);
    }
    raw_hello(self->bad, UINT64_MAX, "worker", name);
    await_welcome(self, UINT64_MAX);
    zsock_destroy(&self->bad);
}

TEST(a_server_outlives_damaged_messages)
{
    const long batches = test_times(100000) / BATCH;
    static struct attack attack;

    begin(&attack, "server");
    server_end_open(&attack.server, attack.loop, attack.endpoint, NULL);
    attack.server.judge = judge;
    client_end_open(&attack.good, attack.loop, attack.endpoint, "worker", "good", NULL);
    ends_await(attack.loop, &attack.good.welcomes, 1);
    for (long i = 0; i < batches; i++) {
        struct writer heartbeat;

        msg_bare_pack(MSG_HEARTBEAT, &heartbeat);
        link_client_send(attack.good.client, &heartbeat);
        send_batch(&attack, i);
    }
    assert_true(link_server_bad(attack.server.server) > (uint64_t)batches * BATCH / 2);
    assert_true(attack.server.messages > batches); /* some mean something */
    assert_int_equal(attack.good.gone, 0);
    client_end_close(&attack.good);
    server_end_close(&attack.server);
    zloop_destroy(&attack.loop);
}

/* ---- on a client ---- */

struct false_server {
    struct attack *attack;
    zsock_t *socket;
    zframe_t *client;
    uint64_t session; /* of its last hello */
    uint64_t sequence;
};

/* Whether the client said hello again; reads all that it says. */
static bool said_hello(struct false_server *self)
{
    bool hello = false;

    while (raw_has_message(self->socket)) {
        zmsg_t *message = zmsg_recv(self->socket);
        zframe_t *const frame = zmsg_last(message);
        struct error error;
        reader_t *reader = reader_new(zframe_data(frame), zframe_size(frame), &error);

        assert_non_null(reader);
        if (reader_type(reader) == MSG_HELLO) {
            hello = true;
            self->session = reader_session(reader);
            self->sequence = 0;
            zframe_destroy(&self->client);
            self->client = zmsg_pop(message);
        }
        reader_destroy(&reader);
        zmsg_destroy(&message);
    }
    return hello;
}

static void say(struct false_server *self, const void *bytes, size_t size)
{
    void *const socket = zsock_resolve(self->socket);

    assert_true(
        zmq_send(socket, zframe_data(self->client), zframe_size(self->client), ZMQ_SNDMORE) > 0);
    assert_int_equal(zmq_send(socket, bytes, size, 0), (int)size);
}

/* Answers a hello; whether the client has a session. */
static bool has_begun(void *argument)
{
    struct false_server *const self = argument;

    if (said_hello(self)) {
        struct writer welcome;

        msg_bare_pack(MSG_WELCOME, &welcome);
        writer_stamp(&welcome, self->session, ++self->sequence);
        say(self, welcome.bytes.data, welcome.bytes.size);
        writer_close(&welcome);
    }
    return link_client_in_session(self->attack->good.client);
}

static bool has_no_session(void *argument)
{
    const struct false_server *const self = argument;

    return !link_client_in_session(self->attack->good.client);
}

TEST(a_client_outlives_damaged_messages)
{
    const long sessions = test_times(100000) / 1000;
    static struct attack attack;
    struct false_server server = {.attack = &attack};
    struct bytes bytes;

    begin(&attack, "client");
    server.socket = zsock_new(ZMQ_ROUTER);
    assert_int_equal(zmq_bind(zsock_resolve(server.socket), attack.endpoint), 0);
    client_end_open(&attack.good, attack.loop, attack.endpoint, "worker", "good", NULL);
    attack.good.judge = judge;
    link_client_set_heartbeat(attack.good.client, 20); /* so soon it says hello again */
    for (long i = 0; i < sessions; i++) {
        ends_await_that(attack.loop, has_begun, &server);
        for (int j = 0; j < 10; j++) {
            make_damaged(&attack, &bytes, server.session, ++server.sequence);
            say(&server, bytes.data, bytes.size);
        }
        say(&server, "\xc1", 1); /* ends it for sure */
        ends_await_that(attack.loop, has_no_session, &server);
    }
    assert_true(attack.good.gone >= sessions);
    assert_true(attack.good.messages > 0);
    zframe_destroy(&server.client);
    client_end_close(&attack.good);
    zsock_destroy(&server.socket);
    zloop_destroy(&attack.loop);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
