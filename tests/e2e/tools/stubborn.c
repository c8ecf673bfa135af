/* stubborn.c - a user's program that does not stop when it is asked to: stubborn JOB ITERATIONS
 * [IGNORED...]
 *
 * The job of row 0 never ends, ignores SIGTERM and SIGINT, and so does a child that it sends into a
 * session of its own. Any other job says that it did all its iterations, and ends well. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *text)
{
    const char *address = getenv("RUBATO_PROGRESS");
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const size_t length = address ? strlen(address) : 0;

    if (fd < 0 || length < 2 || length >= sizeof(to.sun_path))
        exit(1);
    memcpy(to.sun_path + 1, address + 1, length - 1); /* the first byte is a NUL */
    if (sendto(fd, text, strlen(text), 0, (const struct sockaddr *)&to,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
        exit(1);
    (void)close(fd);
}

/* "0", or "RUN-0". */
static bool is_first(const char *job)
{
    const char *const hyphen = strrchr(job, '-');

    return strcmp(hyphen ? hyphen + 1 : job, "0") == 0;
}

static _Noreturn void stay(void)
{
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    for (;;)
        (void)pause();
}

int main(int argc, char **argv)
{
    char text[128];

    if (argc < 3) {
        (void)fprintf(stderr, "stubborn: expected a job and its iterations\n");
        return 2;
    }
    if (is_first(argv[1])) {
        if (fork() == 0) {
            (void)setsid();
            if (fork() == 0)
                stay();
            stay();
        }
        tell("ready");
        tell("stable 0 rate 1");
        stay();
    }
    tell("ready");
    tell("stable 0 rate 6.19");
    (void)snprintf(text, sizeof(text), "checkpoint %s", argv[2]);
    tell(text);
    (void)snprintf(text, sizeof(text), "step %s", argv[2]);
    tell(text);
    return 0;
}
