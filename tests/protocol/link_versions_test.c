/* link_versions_test.c - peers of neighbouring versions have sessions, in the version that both
 * speak. */
#include "protocol/local_link.h"
#include "tests/protocol/link_ends.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATER (WIRE_VERSION + 1)

/* What a server of another version has: its answer to a hello of a version that it does not
 * speak. */
struct other_server {
    zsock_t *router;
    uint32_t speaks;
    bool has_codes; /* of refusals, as from version 5 on */
    bool likes;     /* the hellos of its own version */
    int hellos;
    uint32_t last_version;
};

struct scene {
    zloop_t *loop;
    struct server_end server;
    struct client_end client;
    struct other_server other;
    char endpoint[64];
};

static int set_scene(void **state)
{
    static struct scene scene;
    static int number; /* an endpoint is taken until libzmq has ended the socket before */

    memset(&scene, 0, sizeof(scene));
    scene.loop = ends_loop();
    (void)snprintf(scene.endpoint, sizeof(scene.endpoint), "ipc://@rubato-versions-test-%ld-%d",
                   (long)getpid(), number++);
    *state = &scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *const scene = *state;

    client_end_close(&scene->client);
    server_end_close(&scene->server);
    if (scene->other.router)
        zloop_reader_end(scene->loop, scene->other.router);
    zsock_destroy(&scene->other.router);
    zloop_destroy(&scene->loop);
    return 0;
}

/* ---- a server of this version ---- */

static void say_hello(zsock_t *peer, uint64_t session, uint32_t version)
{
    struct writer message;

    msg_hello_pack(&(struct msg_hello){.version = version, .role = "worker", .name = "a"}, 0,
                   &message);
    raw_send(peer, session, 1, &message);
}

static void expect_welcome(struct scene *scene, zsock_t *peer)
{
    reader_t *reader = raw_receive(scene->loop, peer);

    assert_int_equal(reader_type(reader), MSG_WELCOME);
    reader_destroy(&reader);
}

TEST_WITH(each_version_that_is_spoken_has_sessions, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;

    server_end_open(&scene->server, scene->loop, scene->endpoint, NULL);
    for (uint32_t version = WIRE_OLDEST; version <= WIRE_VERSION; version++) {
        zsock_t *peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);
        struct writer goodbye;

        say_hello(peer, 1, version);
        expect_welcome(scene, peer);
        assert_int_equal(link_peer_version(scene->server.peer), version);
        msg_goodbye_pack("that was all", &goodbye);
        raw_send(peer, 1, 2, &goodbye);
        ends_await(scene->loop, &scene->server.gone, (int)(version - WIRE_OLDEST) + 1);
        zsock_destroy(&peer);
    }
}

TEST_WITH(a_later_one_is_told_what_is_spoken, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);
    struct msg_refusal refusal;
    reader_t *reader;

    server_end_open(&scene->server, scene->loop, scene->endpoint, NULL);
    say_hello(peer, 1, LATER);
    reader = raw_receive(scene->loop, peer);
    msg_refusal_unpack(reader, &refusal);
    assert_false(reader_failed(reader));
    assert_int_equal(refusal.code, REFUSAL_VERSION);
    assert_int_equal(refusal.oldest, WIRE_OLDEST);
    assert_int_equal(refusal.newest, WIRE_VERSION);
    assert_int_equal(msg_refusal_version(&refusal, LATER), WIRE_VERSION);
    reader_destroy(&reader);
    assert_int_equal(link_server_refused(scene->server.server), 0); /* it will be back */
    say_hello(peer, 2, WIRE_VERSION);
    expect_welcome(scene, peer);
    zsock_destroy(&peer);
}

/* ---- a server of another version ---- */

/* The refusals of version 4 have a sentence only. */
static void pack_refusal(const struct other_server *self, bool other_version, struct writer *out)
{
    const char *sentence =
        other_version ? "version 5 of the protocol is not spoken here, but 4" : "not to its liking";

    if (self->has_codes) {
        msg_refusal_pack(&(struct msg_refusal){sentence,
                                               other_version ? REFUSAL_VERSION : REFUSAL_OWNER,
                                               self->speaks, self->speaks},
                         out);
        return;
    }
    writer_open(out, MSG_REFUSED, 1);
    writer_text(out, sentence);
}

/* Answers what was said to the ROUTER, if it is a hello. */
static void answer(struct other_server *self)
{
    struct error error;
    zframe_t *sender = zframe_recv(self->router);
    zframe_t *frame = zframe_recv(self->router);
    reader_t *reader = reader_new(zframe_data(frame), zframe_size(frame), &error);
    struct writer message;
    struct msg_hello hello;

    assert_non_null(reader);
    if (reader_type(reader) == MSG_HELLO) {
        msg_hello_unpack(reader, &hello);
        self->hellos++;
        self->last_version = hello.version;
        if (hello.version == self->speaks && self->likes)
            msg_bare_pack(MSG_WELCOME, &message);
        else
            pack_refusal(self, hello.version != self->speaks, &message);
        writer_stamp(&message, reader_session(reader), 1);
        (void)zframe_send(&sender, self->router, ZFRAME_MORE);
        (void)zmq_send(zsock_resolve(self->router), message.bytes.data, message.bytes.size, 0);
        writer_close(&message);
    }
    reader_destroy(&reader);
    zframe_destroy(&sender);
    zframe_destroy(&frame);
}

static int on_readable(zloop_t *loop, zsock_t *router, void *argument)
{
    (void)loop;
    while (zsock_events(router) & ZMQ_POLLIN)
        answer(argument);
    return 0;
}

static void open_other(struct scene *scene, const struct other_server *as, const char *endpoint)
{
    scene->other = *as;
    scene->other.router = zsock_new(ZMQ_ROUTER);
    assert_int_equal(zmq_bind(zsock_resolve(scene->other.router), endpoint), 0);
}

static void serve_other(struct scene *scene, const struct other_server *as)
{
    open_other(scene, as, scene->endpoint);
    (void)zloop_reader(scene->loop, scene->other.router, on_readable, &scene->other);
    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", NULL);
}

TEST_WITH(a_server_of_version_4_is_spoken_to_in_that, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;

    serve_other(scene, &(struct other_server){.speaks = 4, .likes = true});
    ends_await(scene->loop, &scene->client.welcomes, 1);
    assert_int_equal(scene->client.gone, 0); /* its owner need not know */
    assert_int_equal(scene->client.hellos, 2);
    assert_int_equal(link_client_version(scene->client.client), 4);
}

TEST_WITH(a_server_of_version_4_may_refuse_all_the_same, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;

    serve_other(scene, &(struct other_server){.speaks = 4});
    ends_await(scene->loop, &scene->client.gone, 1);
    assert_string_equal(scene->client.last_cause, "it refused: not to its liking");
    assert_int_equal(scene->client.last_code, REFUSAL_UNSAID);
    assert_int_equal(scene->client.hellos, 2);
}

TEST_WITH(a_server_of_later_versions_only_is_of_no_use, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;

    serve_other(scene, &(struct other_server){.speaks = LATER, .has_codes = true});
    ends_await(scene->loop, &scene->client.gone, 1);
    assert_int_equal(scene->client.last_code, REFUSAL_VERSION);
    assert_int_equal(scene->client.hellos, 1);
}

TEST_WITH(a_code_says_why, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;

    serve_other(scene, &(struct other_server){.speaks = WIRE_VERSION, .has_codes = true});
    ends_await(scene->loop, &scene->client.gone, 1);
    assert_int_equal(scene->client.last_code, REFUSAL_OWNER);
    assert_int_equal(scene->client.hellos, 1);
}

/* ---- clients without libzmq ---- */

static void pack_local_hello(void *owner, uint32_t version, struct writer *out)
{
    (void)owner;
    msg_hello_pack(&(struct msg_hello){.version = version, .role = "client", .name = "a"}, 0, out);
}

static int on_local_message(void *owner, int type, reader_t *in, struct error *error)
{
    (void)owner;
    (void)type;
    return reader_close(in, error);
}

static bool on_local_gone(void *owner, const char *cause, enum refusal_code refused)
{
    (void)owner;
    fail_msg("%s (%d)", cause, (int)refused);
    return false;
}

TEST_WITH(a_client_of_the_service_speaks_version_4_too, set_scene, clear_scene)
{
    static const struct link_client_calls calls = {pack_local_hello, on_local_message,
                                                   on_local_gone};
    struct scene *const scene = *test_state;
    char folder[] = "/tmp/rubato-versions-XXXXXX";
    char path[64];
    char endpoint[80];
    struct client_place place = {.address = path};
    struct client_name name = {"client", "a"};
    struct error error;
    void *link;

    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/socket", folder);
    (void)snprintf(endpoint, sizeof(endpoint), "ipc://%s", path);
    open_other(scene, &(struct other_server){.speaks = 4, .likes = true}, endpoint);
    link = local_link.open(&place, 60000, &name, &calls, NULL, &error);
    assert_non_null(link);
    while (!local_link.in_session(link)) {
        local_link.turn(link, 1);
        while (zsock_events(scene->other.router) & ZMQ_POLLIN)
            answer(&scene->other);
    }
    assert_int_equal(scene->other.hellos, 2);
    assert_int_equal(scene->other.last_version, 4);
    local_link.close(link);
    zsock_destroy(&scene->other.router);
    (void)unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
