/* live_elsewhere.c - see live.h: `scheduler`. */
#include "scheduler/live.h"

#include "common/executable.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIVE "scheduler-live"

/* Becomes LIVE, with the same command line. Returns only if that fails: -1 with `error`. */
static int become(char **words, struct error *error)
{
    char path[PATH_MAX];

    if (executable_beside(LIVE, path, error) < 0)
        return -1;
    (void)execv(path, words);
    return error_set(error, "%s, which runs real clusters, cannot be started: %s", path,
                     strerror(errno));
}

/* Whether the word is --config or an abbreviation of it. */
static bool names_config(const char *word)
{
    return !strncmp(word, "--co", 4);
}

/* Starts the live program at once if the line has --config: the file may be a pipe, which cannot be
 * read twice. */
int live_begin(char **words, struct error *error)
{
    for (size_t i = 1; words[i]; i++)
        if (names_config(words[i]))
            return become(words, error);
    return 0;
}

int live_serve(int argc, char **argv)
{
    struct error error;

    (void)argc;
    (void)become(argv, &error);
    (void)fprintf(stderr, "scheduler --serve: %s\n", error.text);
    return 2;
}

int live_run(const struct testbed *testbed, const struct simulation *simulation, char **words,
             struct simulation_result *result, struct error *error)
{
    (void)testbed;
    (void)simulation;
    (void)result;
    return become(words, error);
}
