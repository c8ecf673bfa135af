/* link_keys_test.c - which peers get a session where keys are needed. */
#include "protocol/keys.h"
#include "protocol/link.h"
#include "tests/protocol/link_ends.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scene {
    zloop_t *loop;
    folder_t *folder;
    keys_t *master;
    keys_t *worker; /* "a" */
    keys_t *other;  /* "b" */
    struct server_end server;
    struct client_end client;
    struct client_end second;
    const char *endpoint;
};

static keys_t *make_and_read(struct scene *scene, const char *role, const char *name)
{
    struct error error = {.text = ""};
    keys_t *keys;

    assert_int_equal(keys_make(folder_path(scene->folder), role, name, &error), 0);
    keys = keys_read(folder_path(scene->folder), name, &error);
    assert_string_equal(error.text, "");
    return keys;
}

static void listen_at(struct scene *scene, const char *endpoint)
{
    server_end_open(&scene->server, scene->loop, endpoint, scene->master);
    scene->endpoint = link_server_endpoint(scene->server.server);
}

static int set_scene(void **state)
{
    static struct scene scene;
    struct error error = {.text = ""};

    memset(&scene, 0, sizeof(scene));
    scene.loop = ends_loop();
    scene.folder = folder_new();
    scene.worker = make_and_read(&scene, "worker", "a");
    scene.other = make_and_read(&scene, "worker", "b");
    assert_int_equal(keys_make(folder_path(scene.folder), "master", "master", &error), 0);
    scene.master = keys_read(folder_path(scene.folder), "master", &error);
    assert_non_null(scene.master);
    listen_at(&scene, "tcp://127.0.0.1:*");
    *state = &scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *const scene = *state;

    client_end_close(&scene->client);
    client_end_close(&scene->second);
    server_end_close(&scene->server);
    zloop_destroy(&scene->loop);
    keys_destroy(&scene->master);
    keys_destroy(&scene->worker);
    keys_destroy(&scene->other);
    folder_destroy(&scene->folder);
    return 0;
}

#define READY(name) TEST_WITH(name, set_scene, clear_scene)

READY(the_right_key_is_welcome)
{
    struct scene *const scene = *test_state;

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    scene->server.echo = true;
    client_end_send(&scene->client, 5);
    ends_await(scene->loop, &scene->client.messages, 1);
    assert_int_equal(scene->client.last_number, 5);
}

READY(a_closed_connection_is_seen_at_once_with_keys_too)
{
    struct scene *const scene = *test_state;

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    client_end_close(&scene->client);
    ends_await(scene->loop, &scene->server.gone, 1);
    assert_string_equal(scene->server.last_cause, "its connection was closed");
}

READY(a_key_speaks_for_its_own_name_and_role_only)
{
    struct scene *const scene = *test_state;

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->other);
    ends_await(scene->loop, &scene->client.refused, 1);
    assert_string_equal(scene->client.last_cause,
                        "it refused: its key is that of worker \"b\", not of worker \"a\"");
    client_end_open(&scene->second, scene->loop, scene->endpoint, "scheduler", "b", scene->other);
    ends_await(scene->loop, &scene->second.refused, 1);
    assert_string_equal(scene->second.last_cause,
                        "it refused: its key is that of worker \"b\", not of scheduler \"b\"");
    assert_int_equal(scene->server.hellos, 0);
    assert_true(link_server_refused(scene->server.server) >= 2);
}

/* ---- a key that floods ---- */

struct flood {
    const struct scene *scene;
    uint64_t at_least;
};

static bool has_flooded(void *argument)
{
    const struct flood *const flood = argument;

    return link_server_excess(flood->scene->server.server) >= flood->at_least;
}

/* The new connection of the key has no new room. The other key has all of its own. */
READY(a_key_that_floods_loses_its_session)
{
    struct scene *const scene = *test_state;
    struct flood flood = {scene, 900};

    server_end_close(&scene->server);
    ends_limits()->rate_max = 5;
    listen_at(scene, "tcp://127.0.0.1:*");
    scene->server.echo = true;
    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    for (int i = 0; i < 1000; i++)
        client_end_send(&scene->client, i);
    ends_await(scene->loop, &scene->client.gone, 1);
    assert_string_equal(scene->client.last_cause,
                        "it refused: it sends more than 5 messages a second");
    ends_await_that(scene->loop, has_flooded, &flood);
    assert_in_range(scene->server.messages, 4, 50);
    client_end_open(&scene->second, scene->loop, scene->endpoint, "worker", "b", scene->other);
    ends_await(scene->loop, &scene->second.welcomes, 1);
    client_end_send(&scene->second, 4711);
    ends_await(scene->loop, &scene->second.messages, 1);
    assert_int_equal(scene->second.last_number, 4711);
    ends_await(scene->loop, &scene->client.welcomes, 2); /* later it may try again */
}

/* ---- peers that are not answered ---- */

enum safety {
    SAFETY_NONE,
    SAFETY_PASSWORD,
    SAFETY_UNKNOWN_KEY,      /* that expects the right server */
    SAFETY_OTHER_SERVER_KEY, /* a good key that expects another server */
    SAFETY_END,
};

static zsock_t *stranger(const struct scene *scene, const char *endpoint, enum safety safety)
{
    char public_key[KEY_CHARS + 1];
    char secret_key[KEY_CHARS + 1];
    zsock_t *socket;

    assert_int_equal(zmq_curve_keypair(public_key, secret_key), 0);
    switch (safety) {
    case SAFETY_NONE:
        return raw_dealer(endpoint, NULL, NULL, NULL);
    case SAFETY_PASSWORD:
        socket = zsock_new(ZMQ_DEALER);
        zsock_set_plain_username(socket, "admin");
        zsock_set_plain_password(socket, "admin");
        assert_int_equal(zmq_connect(zsock_resolve(socket), endpoint), 0);
        return socket;
    case SAFETY_UNKNOWN_KEY:
        return raw_dealer(endpoint, keys_public(scene->master), public_key, secret_key);
    default:
        return raw_dealer(endpoint, public_key, keys_public(scene->worker),
                          keys_secret(scene->worker));
    }
}

struct knocking {
    const struct scene *scene;
    uint64_t before;
};

static bool was_seen_off(void *argument)
{
    const struct knocking *const knocking = argument;

    return link_server_strangers(knocking->scene->server.server) > knocking->before;
}

/* Each of them, over the network and over a local socket. */
READY(no_peer_without_an_allowed_key_is_answered)
{
    struct scene *const scene = *test_state;
    char local[64];

    (void)snprintf(local, sizeof(local), "ipc://@rubato-keys-test-%ld", (long)getpid());
    for (int i = 0; i < 2 * SAFETY_END; i++) {
        struct knocking knocking = {scene, 0};
        zsock_t *socket;

        if (i == SAFETY_END) {
            server_end_close(&scene->server);
            listen_at(scene, local);
        }
        knocking.before = link_server_strangers(scene->server.server);
        socket = stranger(scene, scene->endpoint, (enum safety)(i % SAFETY_END));
        zsock_set_linger(socket, 0);
        raw_hello(socket, 1, "worker", "a");
        ends_await_that(scene->loop, was_seen_off, &knocking);
        assert_false(raw_has_message(socket));
        assert_int_equal(scene->server.hellos, 0);
        zsock_destroy(&socket);
    }
    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
}

READY(a_client_says_that_its_key_is_not_allowed)
{
    struct scene *const scene = *test_state;

    (void)folder_write(scene->folder, "allowed", "# no key\n");
    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.refused, 1);
    assert_string_equal(scene->client.last_cause, "it does not allow the key of this process");
    assert_int_equal(scene->server.hellos, 0);
}

READY(a_client_says_that_a_server_has_another_key)
{
    struct scene *const scene = *test_state;
    char text[KEY_CHARS + 2];

    (void)snprintf(text, sizeof(text), "%s\n", keys_public(scene->other));
    (void)folder_write(scene->folder, "master.pub", text);
    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.refused, 1);
    assert_string_equal(
        scene->client.last_cause,
        "it ends every handshake: its key is not the expected one, or it is no process of Rubato");
}

/* ---- a key is taken out of the list ---- */

READY(a_key_that_is_taken_out_loses_its_session)
{
    struct scene *const scene = *test_state;
    char *allowed = folder_read(scene->folder, "allowed");
    char line[128];

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    client_end_open(&scene->second, scene->loop, scene->endpoint, "worker", "b", scene->other);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    ends_await(scene->loop, &scene->second.welcomes, 1);

    (void)snprintf(line, sizeof(line), "%s worker a\n", keys_public(scene->worker));
    (void)folder_write(scene->folder, "allowed", line);
    ends_await(scene->loop, &scene->second.gone, 1);
    assert_string_equal(scene->second.last_cause, "it refused: its key is not allowed");
    assert_int_equal(scene->server.gone, 1);
    ends_await(scene->loop, &scene->second.refused, 1); /* over the same connection */
    client_end_close(&scene->second);
    ends_set_heartbeats(20000, 500); /* so soon it tries again */
    client_end_open(&scene->second, scene->loop, scene->endpoint, "worker", "b", scene->other);
    ends_await(scene->loop, &scene->second.refused, 1); /* over a new one */
    assert_string_equal(scene->second.last_cause, "it does not allow the key of this process");

    /* The key is put in again, and no process needs a restart. */
    (void)folder_write(scene->folder, "allowed", allowed);
    ends_await(scene->loop, &scene->second.welcomes, 1);
    free(allowed);
}

READY(a_key_that_gets_another_name_loses_its_session)
{
    struct scene *const scene = *test_state;
    char line[128];

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    (void)snprintf(line, sizeof(line), "%s worker c\n", keys_public(scene->worker));
    (void)folder_write(scene->folder, "allowed", line);
    ends_await(scene->loop, &scene->client.gone, 1);
    assert_string_equal(scene->client.last_cause,
                        "it refused: its key is that of worker \"c\", not of worker \"a\"");
}

READY(a_list_that_others_may_write_to_allows_no_peer)
{
    struct scene *const scene = *test_state;

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    assert_int_equal(chmod(folder_file(scene->folder, "allowed"), 0666), 0);
    ends_await(scene->loop, &scene->client.gone, 1);
    assert_string_equal(scene->client.last_cause, "it refused: its key is not allowed");
}

READY(a_list_that_is_gone_allows_no_peer)
{
    struct scene *const scene = *test_state;

    client_end_open(&scene->client, scene->loop, scene->endpoint, "worker", "a", scene->worker);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    assert_int_equal(unlink(folder_file(scene->folder, "allowed")), 0);
    ends_await(scene->loop, &scene->client.gone, 1);
}

/* ---- without keys ---- */

READY(other_machines_are_not_spoken_to_without_keys)
{
    static const char *const endpoints[] = {"tcp://*:6888", "tcp://0.0.0.0:6888",
                                            "tcp://10.1.2.3:6888", "tcp://127.evil.example:6888",
                                            "tcp://[::]:6888"};
    struct scene *const scene = *test_state;
    const struct link_server_calls server_calls = {0};
    const struct link_client_calls client_calls = {0};

    for (size_t i = 0; i < COUNT(endpoints); i++) {
        struct error error;
        char sentence[128];

        (void)snprintf(sentence, sizeof(sentence),
                       "%s: an address other than 127.0.0.1 and [::1] needs --keys", endpoints[i]);
        assert_null(link_server_new(
            scene->loop,
            &(struct link_server_setting){.endpoint = endpoints[i], .heartbeat_ms = 1000},
            &server_calls, NULL, &error));
        assert_string_equal(error.text, sentence);
        assert_null(link_client_new(scene->loop,
                                    &(struct link_client_setting){.endpoint = endpoints[i],
                                                                  .heartbeat_ms = 1000,
                                                                  .server = "master"},
                                    &client_calls, NULL, &error));
        assert_string_equal(error.text, sentence);
    }
}

READY(a_client_needs_the_public_key_of_its_server)
{
    struct scene *const scene = *test_state;
    const struct link_client_calls calls = {0};
    struct error error;

    assert_null(link_client_new(scene->loop,
                                &(struct link_client_setting){.endpoint = scene->endpoint,
                                                              .heartbeat_ms = 1000,
                                                              .keys = scene->worker,
                                                              .server = "boss"},
                                &calls, NULL, &error));
    assert_non_null(strstr(error.text, "boss.pub: No such file"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
