/* hold_thread.c - holds the main thread of a process, and that one alone, until told to let go.
 *
 * What a stuck main loop looks like from outside: sockets stay open and threads that serve them go
 * on. Prints "held" when the thread stands still; lets go and ends when its standard input does. */
#include "common/number.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what)
{
    (void)fprintf(stderr, "hold_thread: %s: %s\n", what, strerror(errno));
    return 1;
}

static void await_end_of_input(void)
{
    char c;

    while (read(STDIN_FILENO, &c, 1) > 0)
        continue;
}

int main(int argc, char **argv)
{
    int64_t pid;
    int status;

    if (argc != 2 ||
        number_parse_whole(argv[1], strlen(argv[1]), 1, 1000000000, &pid) != NUMBER_OK) {
        (void)fprintf(stderr, "hold_thread: expected a process\n");
        return 2;
    }
    /* A thread is held by its own number: those of the other threads differ from that of the
     * process. */
    if (ptrace(PTRACE_SEIZE, (pid_t)pid, NULL, NULL) < 0)
        return fail("cannot attach");
    if (ptrace(PTRACE_INTERRUPT, (pid_t)pid, NULL, NULL) < 0 ||
        waitpid((pid_t)pid, &status, __WALL) < 0 || !WIFSTOPPED(status))
        return fail("cannot interrupt");
    puts("held");
    (void)fflush(stdout);
    await_end_of_input();
    return ptrace(PTRACE_DETACH, (pid_t)pid, NULL, NULL) < 0 ? fail("cannot let go") : 0;
}
