/* link_peers_test.c - a server among peers that are broken, hostile or something else
 * altogether. */
#include "protocol/link.h"
#include "protocol/process_name.h"
#include "tests/protocol/link_ends.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define HALF_HANDSHAKES ((size_t)1000)

struct scene {
    zloop_t *loop;
    struct server_end server;
    struct client_end good; /* a client as it should be */
    const char *endpoint;
    int port;
};

static int set_scene(void **state)
{
    static struct scene scene;

    memset(&scene, 0, sizeof(scene));
    scene.loop = ends_loop();
    server_end_open(&scene.server, scene.loop, "tcp://127.0.0.1:*", NULL);
    scene.endpoint = link_server_endpoint(scene.server.server);
    scene.port = atoi(strrchr(scene.endpoint, ':') + 1);
    *state = &scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *const scene = *state;

    client_end_close(&scene->good);
    server_end_close(&scene->server);
    zloop_destroy(&scene->loop);
    return 0;
}

/* A good client gets its session, whatever other peers are there. */
static void expect_service(struct scene *scene)
{
    const int welcomes = scene->good.welcomes;

    if (!scene->good.client)
        client_end_open(&scene->good, scene->loop, scene->endpoint, "worker", "good", NULL);
    ends_await(scene->loop, &scene->good.welcomes, welcomes + 1);
    scene->server.echo = true;
    client_end_send(&scene->good, 4711);
    ends_await(scene->loop, &scene->good.messages, 1);
    assert_int_equal(scene->good.last_number, 4711);
}

/* ---- what is no ZeroMQ ---- */

static int tcp_connect(const struct scene *scene)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)scene->port)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

struct ending {
    int fd;
    size_t got; /* bytes that came before the end */
};

/* Whether the other side closed the connection; reads what it says. */
static bool has_ended(void *argument)
{
    struct ending *const ending = argument;
    char bytes[256];
    const ssize_t got = recv(ending->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (got > 0)
        ending->got += (size_t)got;
    return got == 0 || (got < 0 && errno != EAGAIN);
}

static void expect_hang_up(struct scene *scene, const char *said, size_t size)
{
    struct ending ending = {tcp_connect(scene), 0};

    assert_int_equal(send(ending.fd, said, size, MSG_NOSIGNAL), (ssize_t)size);
    ends_await_that(scene->loop, has_ended, &ending);
    assert_true(ending.got <= 64); /* ZeroMQ's greeting, and nothing of Rubato */
    (void)close(ending.fd);
}

#define READY(name) TEST_WITH(name, set_scene, clear_scene)

READY(a_browser_is_hung_up_on)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost:6888\r\n"
                                  "User-Agent: some browser, which says a lot of itself\r\n\r\n";

    expect_hang_up(*test_state, request, sizeof(request) - 1);
    expect_service(*test_state);
}

READY(garbage_is_hung_up_on)
{
    static const char greeting[33] = "\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL";
    char garbage[4096];

    for (size_t i = 0; i < sizeof(garbage); i++)
        garbage[i] = (char)(i * 131 + 7);
    expect_hang_up(*test_state, garbage, sizeof(garbage));
    /* Begins like a greeting. */
    memcpy(garbage, greeting, sizeof(greeting));
    expect_hang_up(*test_state, garbage, sizeof(garbage));
    expect_service(*test_state);
}

READY(a_peer_that_says_nothing_is_hung_up_on)
{
    expect_hang_up(*test_state, "", 0);
}

static void half_a_thousand_files(void)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < 4 * HALF_HANDSHAKES) {
        limit.rlim_cur =
            limit.rlim_max < 4 * HALF_HANDSHAKES ? limit.rlim_max : 4 * HALF_HANDSHAKES;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    if (limit.rlim_cur < 2 * HALF_HANDSHAKES + 100)
        skip();
}

READY(a_thousand_half_finished_handshakes_keep_no_peer_out)
{
    struct scene *const scene = *test_state;
    static int fds[HALF_HANDSHAKES];

    half_a_thousand_files();
    for (size_t i = 0; i < HALF_HANDSHAKES; i++) {
        fds[i] = tcp_connect(scene);
        assert_int_equal(send(fds[i], "\xff\0\0\0\0\0\0\0\x01\x7f\x03", i % 12, MSG_NOSIGNAL),
                         (ssize_t)(i % 12));
    }
    expect_service(scene);
    for (size_t i = 0; i < HALF_HANDSHAKES; i++)
        (void)close(fds[i]);
    assert_int_equal(scene->server.gone, 0);
}

/* ---- ZeroMQ, but no session ---- */

/* A connection whose handshake is done. */
static int tcp_shake_hands(const struct scene *scene)
{
    static const char greeting[64] = "\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL";
    static const char ready[] = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
                                "DEALER";
    const int fd = tcp_connect(scene);

    assert_int_equal(send(fd, greeting, sizeof(greeting), MSG_NOSIGNAL), sizeof(greeting));
    assert_int_equal(send(fd, ready, sizeof(ready) - 1, MSG_NOSIGNAL), sizeof(ready) - 1);
    return fd;
}

READY(those_that_say_no_hello_are_hung_up_on)
{
    struct scene *const scene = *test_state;
    struct ending endings[300];

    for (size_t i = 0; i < COUNT(endings); i++)
        endings[i] = (struct ending){tcp_shake_hands(scene), 0};
    expect_service(scene);
    for (size_t i = 0; i < COUNT(endings); i++) {
        ends_await_that(scene->loop, has_ended, &endings[i]);
        assert_true(endings[i].got > 64); /* more than the greeting: the handshake was done */
        (void)close(endings[i].fd);
    }
    assert_int_equal(link_server_silent(scene->server.server), COUNT(endings));
    assert_int_equal(link_server_strangers(scene->server.server), 0);
    assert_true(link_client_in_session(scene->good.client));
}

/* Half of the files that may be open is left for others. */
READY(too_many_that_say_nothing_go_oldest_first)
{
    struct scene *const scene = *test_state;
    struct rlimit before;
    struct rlimit few;
    int fds[200];
    struct ending first;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){256, before.rlim_max};
    server_end_close(&scene->server);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    server_end_open(&scene->server, scene->loop, "tcp://127.0.0.1:*", NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    scene->endpoint = link_server_endpoint(scene->server.server);
    scene->port = atoi(strrchr(scene->endpoint, ':') + 1);
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = tcp_connect(scene);
    first = (struct ending){fds[0], 0};
    ends_await_that(scene->loop, has_ended, &first);
    expect_service(scene);
    for (size_t i = 0; i < COUNT(fds); i++)
        (void)close(fds[i]);
    assert_true(link_server_silent(scene->server.server) >= COUNT(fds) - 128);
}

static void expect_refusal(struct scene *scene, zsock_t *peer, const char *sentence)
{
    reader_t *reader = raw_receive(scene->loop, peer);
    struct msg_refusal refusal;

    msg_refusal_unpack(reader, &refusal);
    assert_false(reader_failed(reader));
    assert_string_equal(refusal.sentence, sentence);
    reader_destroy(&reader);
}

static void expect_welcome(struct scene *scene, zsock_t *peer, uint64_t session)
{
    reader_t *reader = raw_receive(scene->loop, peer);

    assert_int_equal(reader_type(reader), MSG_WELCOME);
    assert_int_equal(reader_session(reader), session);
    reader_destroy(&reader);
}

READY(a_peer_that_speaks_without_a_hello_is_told_so_once)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);

    for (uint64_t i = 1; i <= 10; i++) {
        struct writer message;

        test_message(1, &message);
        raw_send(peer, 3, i, &message);
    }
    raw_hello(peer, 4, "worker", "late");
    expect_refusal(scene, peer, "say hello first");
    expect_welcome(scene, peer, 4);
    assert_int_equal(scene->server.messages, 0);
    assert_int_equal(link_server_bad(scene->server.server), 10);
    zsock_destroy(&peer);
}

READY(a_version_that_is_not_ours_is_refused_politely)
{
    static const uint32_t versions[] = {0, WIRE_OLDEST - 1, WIRE_VERSION + 1, UINT32_MAX};
    struct scene *const scene = *test_state;
    zsock_t *peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);

    for (size_t i = 0; i < COUNT(versions); i++) {
        struct writer message;
        char sentence[128];

        msg_hello_pack(&(struct msg_hello){.version = versions[i], .role = "worker", .name = "a"},
                       1, &message);
        writer_text(&message, "whatever that version has more");
        raw_send(peer, i + 1, 1, &message);
        (void)snprintf(sentence, sizeof(sentence),
                       "version %u of the protocol is not spoken here, but %d to %d", versions[i],
                       WIRE_OLDEST, WIRE_VERSION);
        expect_refusal(scene, peer, sentence);
    }
    assert_int_equal(scene->server.hellos, 0);
    /* The later ones say that they speak an older version, too, and will come again. */
    assert_int_equal(link_server_refused(scene->server.server), 2);
    raw_hello(peer, COUNT(versions) + 1, "worker", "a");
    expect_welcome(scene, peer, COUNT(versions) + 1);
    zsock_destroy(&peer);
}

READY(a_hello_that_is_none_is_refused)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);
    struct writer message;

    raw_hello(peer, 1, "worker", "");
    expect_refusal(scene, peer, "HELLO: \"\": a name is " PROCESS_NAME_RULE);
    raw_hello(peer, 2, "", "a");
    expect_refusal(scene, peer, "HELLO: \"\": a name is " PROCESS_NAME_RULE);
    writer_open(&message, MSG_HELLO, 2);
    writer_whole(&message, WIRE_VERSION);
    writer_list(&message, 0);
    raw_send(peer, 3, 1, &message);
    expect_refusal(scene, peer, "HELLO: field 2: a list where a text was expected");
    writer_open(&message, MSG_HELLO, 4);
    writer_whole(&message, WIRE_OLDEST);
    writer_text(&message, "worker");
    writer_text(&message, "a");
    writer_text(&message, "and something more");
    raw_send(peer, 4, 1, &message);
    expect_refusal(scene, peer, "HELLO: field 4: 1 fields too many");
    assert_int_equal(scene->server.gone, 0);
    zsock_destroy(&peer);
}

/* ---- a session, but no good ---- */

static zsock_t *peer_in_session(struct scene *scene, uint64_t session)
{
    zsock_t *const peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);

    raw_hello(peer, session, "worker", "bad");
    expect_welcome(scene, peer, session);
    return peer;
}

static void send_number(zsock_t *peer, uint64_t session, uint64_t sequence, int64_t number)
{
    struct writer message;

    test_message(number, &message);
    raw_send(peer, session, sequence, &message);
}

READY(a_bad_frame_ends_the_session_of_its_sender_only)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *cause;
    } frames[] = {
        {"\xdd\x10\x00\x00\x00", 5, "a list of 268435456 fields where 0 bytes are left"},
        {"", 0, "the message ends where a field is to come"},
        {"hello", 5, "4 bytes after the message"},
        {"\x94\x64\x04\x05\xa0", 5, "message: field 1: a text where a whole number was expected"},
    };
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 1);

    for (size_t i = 0; i < COUNT(frames); i++) {
        raw_send_bytes(peer, frames[i].bytes, frames[i].size);
        ends_await(scene->loop, &scene->server.gone, (int)i + 1);
        assert_string_equal(scene->server.last_cause, frames[i].cause);
        expect_refusal(scene, peer, scene->server.last_cause);
        raw_hello(peer, i + 2, "worker", "bad");
        expect_welcome(scene, peer, i + 2);
    }
    assert_int_equal(link_server_bad(scene->server.server), COUNT(frames));
    expect_service(scene);
    zsock_destroy(&peer);
}

READY(a_message_of_several_frames_is_none)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 1);

    for (int i = 0; i < 100; i++)
        assert_int_equal(zmq_send(zsock_resolve(peer), "x", 1, i < 99 ? ZMQ_SNDMORE : 0), 1);
    expect_refusal(scene, peer, "no message: it has not one frame");
    assert_int_equal(scene->server.gone, 1);
    assert_int_equal(link_server_bad(scene->server.server), 1);
    expect_service(scene);
    zsock_destroy(&peer);
}

READY(messages_that_come_again_or_late_have_no_effect)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 9);

    send_number(peer, 9, 2, 100);
    send_number(peer, 9, 2, 101); /* again */
    send_number(peer, 9, 5, 102); /* one was lost on the way */
    send_number(peer, 9, 4, 103); /* late */
    send_number(peer, 8, 6, 104); /* of a session before */
    send_number(peer, 10, 6, 105);
    raw_hello(peer, 9, "worker", "bad"); /* the hello again */
    raw_hello(peer, 3, "worker", "bad"); /* one from before */
    send_number(peer, 9, 6, 106);
    ends_await(scene->loop, &scene->server.messages, 3);
    assert_int_equal(scene->server.last_number, 106);
    assert_int_equal(link_server_repeated(scene->server.server), 6);
    assert_int_equal(scene->server.hellos, 1);
    assert_int_equal(scene->server.gone, 0);
    zsock_destroy(&peer);
}

READY(a_new_hello_begins_a_new_session)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 1);

    raw_hello(peer, 2, "worker", "bad");
    send_number(peer, 1, 50, 1); /* of the session before */
    send_number(peer, 2, 2, 2);
    expect_welcome(scene, peer, 2);
    ends_await(scene->loop, &scene->server.messages, 1);
    assert_int_equal(scene->server.last_number, 2);
    assert_int_equal(scene->server.gone, 1);
    assert_string_equal(scene->server.last_cause, "it said hello again");
    zsock_destroy(&peer);
}

READY(a_peer_that_claims_the_name_of_another_gets_nothing)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 1);
    zsock_t *liar = raw_dealer(scene->endpoint, NULL, NULL, NULL);

    send_number(peer, 1, 2, 1);
    ends_await(scene->loop, &scene->server.messages, 1);
    raw_hello(liar, 1, "worker", "bad");
    expect_refusal(scene, liar, "worker \"bad\" is there already");
    assert_int_equal(scene->server.gone, 0);
    send_number(peer, 1, 3, 2);
    ends_await(scene->loop, &scene->server.messages, 2);
    zsock_destroy(&liar);
    zsock_destroy(&peer);
}

/* Sends until the session is over; what a peer never reads is bounded. */
static int pour(zloop_t *loop, int timer, void *argument)
{
    struct scene *const scene = argument;
    char text[1001];

    (void)loop;
    (void)timer;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (int i = 0; i < 1000 && scene->server.peer; i++) {
        struct writer message;

        msg_goodbye_pack(text, &message);
        link_peer_send(scene->server.peer, &message);
    }
    return 0;
}

READY(a_peer_that_never_reads_is_given_up)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = zsock_new(ZMQ_DEALER);
    int timer;

    zsock_set_rcvhwm(peer, 1);
    assert_int_equal(zmq_connect(zsock_resolve(peer), scene->endpoint), 0);
    raw_hello(peer, 1, "worker", "bad");
    ends_await(scene->loop, &scene->server.hellos, 1);
    timer = zloop_timer(scene->loop, 1, 0, pour, scene);
    ends_await(scene->loop, &scene->server.gone, 1);
    (void)zloop_timer_end(scene->loop, timer);
    assert_string_equal(scene->server.last_cause, "it does not read what it is sent");
    expect_service(scene);
    zsock_destroy(&peer);
}

/* ---- limits ---- */

READY(a_short_queue_is_full_sooner)
{
    struct scene *const scene = *test_state;

    server_end_close(&scene->server);
    ends_limits()->queue_max = 10;
    server_end_open(&scene->server, scene->loop, "tcp://127.0.0.1:*", NULL);
    scene->endpoint = link_server_endpoint(scene->server.server);
    a_peer_that_never_reads_is_given_up(test_state);
}

READY(a_user_has_so_many_sessions_at_most)
{
    struct scene *const scene = *test_state;
    zsock_t *peers[3];

    server_end_close(&scene->server);
    ends_limits()->sessions_max = COUNT(peers) - 1;
    ends_limits()->shares_names = true;
    server_end_open(&scene->server, scene->loop, "tcp://127.0.0.1:*", NULL);
    scene->endpoint = link_server_endpoint(scene->server.server);
    for (size_t i = 0; i < COUNT(peers); i++) {
        peers[i] = raw_dealer(scene->endpoint, NULL, NULL, NULL);
        raw_hello(peers[i], 1, "read", "same");
        if (i < COUNT(peers) - 1)
            expect_welcome(scene, peers[i], 1);
    }
    expect_refusal(scene, peers[2], "its user has 2 sessions already, which is the most");
    zsock_destroy(&peers[0]);
    ends_await(scene->loop, &scene->server.gone, 1);
    raw_hello(peers[2], 2, "read", "same");
    expect_welcome(scene, peers[2], 2);
    zsock_destroy(&peers[1]);
    zsock_destroy(&peers[2]);
}

/* ---- messages that take long ---- */

#define LONG_MS       10
#define LONG_MESSAGES 100

static int take_long(reader_t *in, struct error *error)
{
    const int64_t end_ms = zclock_mono() + LONG_MS;

    (void)in;
    (void)error;
    while (zclock_mono() < end_ms)
        continue;
    return 0;
}

struct pace {
    const int *messages;
    int before; /* of them, when the timer had its last turn */
    int most;   /* between two turns of it */
};

static int note_pace(zloop_t *loop, int timer, void *argument)
{
    struct pace *const pace = argument;
    const int since = *pace->messages - pace->before;

    (void)loop;
    (void)timer;
    pace->before = *pace->messages;
    pace->most = since > pace->most ? since : pace->most;
    return 0;
}

/* All of them wait to be read; handshakes have their turn where timers have. */
READY(messages_that_take_long_let_timers_have_their_turn)
{
    struct scene *const scene = *test_state;
    struct pace pace = {.messages = &scene->server.messages};
    zsock_t *peer = peer_in_session(scene, 1);
    int timer;

    scene->server.judge = take_long;
    for (int i = 0; i < LONG_MESSAGES; i++)
        send_number(peer, 1, 2 + (uint64_t)i, i);
    timer = zloop_timer(scene->loop, 1, 0, note_pace, &pace);
    ends_await(scene->loop, &scene->server.messages, LONG_MESSAGES);
    (void)zloop_timer_end(scene->loop, timer);
    assert_in_range(pace.most, 1, LONG_MESSAGES / 10);
    zsock_destroy(&peer);
}

/* ---- connections that close ---- */

READY(a_closed_connection_is_seen_at_once)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 1);

    zsock_destroy(&peer);
    ends_await(scene->loop, &scene->server.gone, 1);
    assert_string_equal(scene->server.last_cause, "its connection was closed"); /* not: silent */
}

/* What was said before the end is heard, however late the loop looks. */
READY(what_came_before_the_end_is_read_first)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_in_session(scene, 1);
    struct writer goodbye;

    zsock_set_linger(peer, -1);
    for (uint64_t i = 2; i < 3000; i++)
        send_number(peer, 1, i, (int64_t)i);
    msg_goodbye_pack("enough", &goodbye);
    raw_send(peer, 1, 3000, &goodbye);
    zsock_destroy(&peer);
    ends_await(scene->loop, &scene->server.gone, 1);
    assert_int_equal(scene->server.messages, 2998);
    assert_string_equal(scene->server.last_cause, "it said goodbye: enough");
}

static zsock_t *peer_named(struct scene *scene, int number)
{
    zsock_t *const peer = raw_dealer(scene->endpoint, NULL, NULL, NULL);
    char name[16];

    (void)snprintf(name, sizeof(name), "n%d", number);
    raw_hello(peer, 1, "worker", name);
    expect_welcome(scene, peer, 1);
    return peer;
}

static int open_descriptors(void)
{
    DIR *const folder = opendir("/proc/self/fd");
    int count = -1; /* the folder's own */

    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

/* Several at a time, all of which end before the loop looks, with more messages than it reads in
 * one turn. */
READY(what_came_before_many_ends_is_read_first)
{
    struct scene *const scene = *test_state;
    const int64_t until_ms = zclock_mono() + 600000;
    const int before = open_descriptors();
    zsock_t *peers[6];

    for (size_t i = 0; i < COUNT(peers); i++)
        peers[i] = peer_named(scene, (int)i);
    for (size_t i = 0; i < COUNT(peers); i++) {
        zsock_set_linger(peers[i], -1);
        for (uint64_t j = 2; j < 402; j++)
            send_number(peers[i], 1, j, (int64_t)j);
        zsock_destroy(&peers[i]);
    }
    while (open_descriptors() > before && zclock_mono() < until_ms)
        zclock_sleep(1); /* the threads of libzmq close both ends meanwhile */
    ends_await(scene->loop, &scene->server.gone, COUNT(peers));
    assert_int_equal(scene->server.messages, 400 * COUNT(peers));
}

/* The kernel gives the descriptor of a connection that closed to the next one. */
READY(the_next_connection_does_not_suffer_for_the_last)
{
    struct scene *const scene = *test_state;
    zsock_t *peer = peer_named(scene, 0);

    for (int i = 1; i <= 300; i++) {
        zsock_t *next;

        zsock_destroy(&peer);
        next = peer_named(scene, i);
        send_number(next, 1, 2, i);
        ends_await(scene->loop, &scene->server.messages, i);
        peer = next;
    }
    ends_await(scene->loop, &scene->server.gone, 300);
    send_number(peer, 1, 3, 4711);
    ends_await(scene->loop, &scene->server.messages, 301);
    assert_int_equal(scene->server.gone, 300);
    assert_int_equal(scene->server.last_number, 4711);
    zsock_destroy(&peer);
}

/* ---- a local socket ---- */

/* Connects to the abstract socket `name` as another user; returns whether it was hung up on. */
static int try_as_another(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(name);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    char byte;

    memcpy(address.sun_path + 1, name, length);
    if (setresuid(65534, 65534, 65534) < 0 || fd < 0 ||
        connect(fd, (const struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0)
        return 2;
    return read(fd, &byte, 1) <= 0 ? 0 : 1;
}

struct child {
    pid_t pid;
    int status;
};

static bool has_exited(void *argument)
{
    struct child *const child = argument;

    return waitpid(child->pid, &child->status, WNOHANG) == child->pid;
}

READY(a_local_socket_lets_in_processes_of_the_same_user_only)
{
    struct scene *const scene = *test_state;
    struct server_end server;
    char name[64];
    char endpoint[128];
    struct child child;

    if (geteuid() != 0)
        skip(); /* only root can be another user */
    (void)snprintf(name, sizeof(name), "rubato-peers-test-%ld", (long)getpid());
    (void)snprintf(endpoint, sizeof(endpoint), "ipc://@%s", name);
    server_end_open(&server, scene->loop, endpoint, NULL);
    child.pid = fork();
    assert_true(child.pid >= 0);
    if (child.pid == 0)
        _exit(try_as_another(name));
    ends_await_that(scene->loop, has_exited, &child);
    assert_true(WIFEXITED(child.status));
    assert_int_equal(WEXITSTATUS(child.status), 0);
    client_end_open(&scene->good, scene->loop, endpoint, "worker", "good", NULL);
    ends_await(scene->loop, &scene->good.welcomes, 1);
    client_end_close(&scene->good);
    server_end_close(&server);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
