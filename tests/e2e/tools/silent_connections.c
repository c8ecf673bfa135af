/* silent_connections.c - silent_connections COUNT WORDS ADDRESS [UID]: holds as many connections
 * to a service as it can, up to COUNT, and asks for nothing. ADDRESS is the path of a local socket,
 * its name behind an @, or HOST:PORT in numbers.
 *
 * WORDS is how far each connection goes: "nothing", "greeting" (half a handshake of ZMTP) or
 * "handshake" (all of one). A connection that the service closes is made anew, until SIGTERM. With
 * UID, the process is of that user. "full" is printed once each connection was tried. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

static const unsigned char greeting[64] = "\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL";
static const unsigned char ready[30] = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
                                       "DEALER";

union address {
    struct sockaddr any;
    struct sockaddr_un local;
    struct sockaddr_in remote;
};

static _Noreturn void give_up(const char *what)
{
    (void)fprintf(stderr, "silent_connections: %s: %s\n", what, strerror(errno));
    exit(1);
}

static socklen_t address_of(const char *text, union address *address)
{
    const char *const colon = strrchr(text, ':');
    char host[64];

    memset(address, 0, sizeof(*address));
    if (text[0] == '/') {
        address->local.sun_family = AF_UNIX;
        (void)snprintf(address->local.sun_path, sizeof(address->local.sun_path), "%s", text);
        return sizeof(address->local);
    }
    if (text[0] == '@') { /* without a file: the first byte is a NUL, and each other one counts */
        address->local.sun_family = AF_UNIX;
        (void)snprintf(address->local.sun_path + 1, sizeof(address->local.sun_path) - 1, "%s",
                       text + 1);
        return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(text));
    }
    if (!colon)
        give_up(text);
    (void)snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
    address->remote.sin_family = AF_INET;
    address->remote.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    if (inet_pton(AF_INET, host, &address->remote.sin_addr) != 1)
        give_up(text);
    return sizeof(address->remote);
}

/* -1 if the service takes no more now. */
static int connect_to(const union address *address, socklen_t size, const char *words)
{
    const int family = address->any.sa_family;
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        give_up("socket");
    if (connect(fd, &address->any, size) < 0 && errno != EINPROGRESS) {
        (void)close(fd);
        return -1;
    }
    if (family == AF_INET) {
        struct pollfd made = {.fd = fd, .events = POLLOUT};

        (void)poll(&made, 1, 1000);
    }
    if (strcmp(words, "nothing") != 0)
        (void)send(fd, greeting, words[0] == 'g' ? 11 : sizeof(greeting), MSG_NOSIGNAL);
    if (!strcmp(words, "handshake"))
        (void)send(fd, ready, sizeof(ready), MSG_NOSIGNAL);
    return fd;
}

/* Reads and forgets what the service says. Whether the connection is over. */
static bool is_over(int fd)
{
    char said[512];
    ssize_t got;

    do
        got = recv(fd, said, sizeof(said), MSG_DONTWAIT);
    while (got > 0);
    return got == 0 || (errno != EAGAIN && errno != EINTR);
}

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 200L * 1000 * 1000};
    const size_t count = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
    struct rlimit files = {count + 16, count + 16};
    union address address;
    socklen_t size;
    int *fds;

    if (count == 0 || argc > 5) {
        (void)fprintf(stderr, "usage: silent_connections COUNT WORDS ADDRESS [UID]\n");
        return 2;
    }
    if (setrlimit(RLIMIT_NOFILE, &files) < 0)
        give_up("limit of open files");
    if (argc == 5 && setuid((uid_t)strtoul(argv[4], NULL, 10)) < 0)
        give_up("user");
    size = address_of(argv[3], &address);
    fds = malloc(count * sizeof(*fds));
    if (!fds)
        give_up("memory");
    for (size_t i = 0; i < count; i++)
        fds[i] = connect_to(&address, size, argv[2]);
    (void)puts("full");
    (void)fflush(stdout);
    for (;;) {
        for (size_t i = 0; i < count; i++) {
            if (fds[i] >= 0 && is_over(fds[i])) {
                (void)close(fds[i]);
                fds[i] = -1;
            }
            if (fds[i] < 0)
                fds[i] = connect_to(&address, size, argv[2]);
        }
        (void)nanosleep(&pause, NULL);
    }
}
