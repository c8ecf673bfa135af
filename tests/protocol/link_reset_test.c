/* link_reset_test.c - connections that are reset while what came over them waits to be read: the
 * process goes on, the session ends, others are served. */
#include "protocol/link.h"
#include "tests/protocol/link_ends.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More frames than a server lets wait for one peer. */
#define FRAMES ((size_t)2000)

/* Some come before libzmq has read so many that it stops. */
#define RESETS 20

#define INTERVAL_MS 50
#define INTERVALS   10

struct scene {
    zloop_t *loop;
    struct server_end server;
    const char *endpoint;
};

static int set_scene(void **state)
{
    static struct scene scene;

    memset(&scene, 0, sizeof(scene));
    scene.loop = ends_loop();
    ends_set_heartbeats(INTERVAL_MS, 20000);
    server_end_open(&scene.server, scene.loop, "tcp://127.0.0.1:*", NULL);
    scene.endpoint = link_server_endpoint(scene.server.server);
    *state = &scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *const scene = *state;

    server_end_close(&scene->server);
    zloop_destroy(&scene->loop);
    return 0;
}

/* ---- a peer by hand: what libzmq says by itself, byte by byte ---- */

static int tcp_connect(const char *endpoint)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1))};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void send_all(int fd, const void *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

static void receive_all(int fd, void *bytes, size_t size)
{
    assert_int_equal(recv(fd, bytes, size, MSG_WAITALL), (ssize_t)size);
}

/* The greeting and READY of ZMTP 3.0 without keys, both ways. */
static void shake_hands(int fd)
{
    static const unsigned char ready[] = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
                                         "DEALER";
    unsigned char greeting[64] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0, 'N', 'U', 'L', 'L'};
    unsigned char head[2];
    unsigned char command[255];

    send_all(fd, greeting, sizeof(greeting));
    send_all(fd, ready, sizeof(ready) - 1);
    receive_all(fd, greeting, sizeof(greeting));
    receive_all(fd, head, sizeof(head));
    receive_all(fd, command, head[1]);
}

static void send_frames(int fd)
{
    static unsigned char frames[FRAMES][3];

    for (size_t i = 0; i < FRAMES; i++)
        frames[i][1] = 1; /* a message of one byte */
    send_all(fd, frames, sizeof(frames));
}

static void reset(int fd)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
    assert_int_equal(close(fd), 0);
}

/* ---- meanwhile ---- */

static int count_down(zloop_t *loop, int timer, void *argument)
{
    int *const left = argument;

    (void)loop;
    (void)timer;
    return --*left > 0 ? 0 : -1;
}

/* The loop of the server does not turn, while libzmq's own thread does. */
static void let_intervals_pass(void)
{
    zloop_t *loop = zloop_new();
    int left = INTERVALS;

    assert_non_null(loop);
    (void)zloop_timer(loop, INTERVAL_MS, 0, count_down, &left);
    (void)zloop_start(loop);
    zloop_destroy(&loop);
    assert_int_equal(left, 0);
}

static void expect_service(struct scene *scene)
{
    struct client_end good = {0};

    client_end_open(&good, scene->loop, scene->endpoint, "worker", "good", NULL);
    ends_await(scene->loop, &good.welcomes, 1);
    client_end_close(&good);
}

TEST_WITH(a_reset_while_the_server_is_busy, set_scene, clear_scene)
{
    struct scene *const scene = *test_state;

    for (int i = 0; i < RESETS; i++) {
        const int fd = tcp_connect(scene->endpoint);

        shake_hands(fd);
        send_frames(fd);
        reset(fd);
    }
    let_intervals_pass();
    expect_service(scene);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
