/* handover.c - see handover.h. */
#include "scheduler/lean/handover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the name of the full one has behind that of the lean one. */
static const char suffix[] = "-full";

/* Whoever hands over, deep below main, has no command line at hand. */
static char **command_line;

void handover_prepare(char **argv)
{
    command_line = argv;
}

void handover(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(suffix));

    if (length > 0) {
        memcpy(path + length, suffix, sizeof(suffix));
        (void)execv(path, command_line);
    }
    (void)fprintf(stderr, "scheduler: scheduler%s cannot be started: %s\n", suffix,
                  strerror(errno));
    exit(2);
}
