/* await_exit.c - waits until processes are gone, whatever process's children they are.
 *
 * Exit status 0: all are, 1: one was still there when the deadline had passed; it is named. */
#include "common/number.h"
#include "common/options.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether the process is gone, or a zombie, by `end_ms`. */
static bool await(int64_t pid, int64_t end_ms, struct error *error)
{
    struct pollfd fd = {(int)syscall(SYS_pidfd_open, (pid_t)pid, 0), POLLIN, 0};
    const int64_t left_ms = end_ms - now_ms();
    int ready;

    if (fd.fd < 0 && errno == ESRCH)
        return true;
    if (fd.fd < 0) {
        (void)error_set(error, "%lld: %s", (long long)pid, strerror(errno));
        return false;
    }
    ready = poll(&fd, 1, left_ms > 0 ? (int)left_ms : 0);
    (void)close(fd.fd);
    if (ready <= 0)
        (void)error_set(error, "process %lld is still there", (long long)pid);
    return ready > 0;
}

int main(int argc, char **argv)
{
    int64_t deadline_s = 600;
    const struct option_spec options[] = {
        OPTION_WHOLE("deadline", "SECONDS", &deadline_s, 0, 86400, "for all of them together"),
        OPTION_END,
    };
    const struct command command = {
        .name = "await_exit",
        .summary = "Wait until processes are gone",
        .operands = "PID...",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);
    const int64_t end_ms = now_ms() + 1000 * deadline_s;
    int left = 0;

    for (size_t i = 0; status == 0 && i < operands.count; i++) {
        int64_t pid;

        if (number_parse_whole(operands.items[i], strlen(operands.items[i]), 1, 1000000000, &pid) !=
            NUMBER_OK) {
            status = error_set(&error, "\"%s\" is no process", operands.items[i]);
        } else if (!await(pid, end_ms, &error)) {
            (void)fprintf(stderr, "await_exit: %s\n", error.text);
            left = 1;
        }
    }
    free(operands.items);
    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    return left;
}
