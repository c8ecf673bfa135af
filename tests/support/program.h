/* program.h - a program of Rubato, run as a user runs it. */
#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

struct program_result {
    int status; /* exit status; 128 + n if signal n ended it */
    char *out;
    char *err;
};

/* Runs `name` of RUBATO_BIN with `arguments` (ended with NULL, the name not among them) to its end.
 * The caller clears the result. */
struct program_result program_run(const char *name, const char *const arguments[]);
void program_result_clear(struct program_result *result);

/* A program that is still running. */
struct program {
    pid_t pid;
    int err; /* what it writes to stderr can be read here */
};

/* Starts it. It ignores SIGINT and SIGUSR1 until it handles them itself, so that neither can come
 * too early. */
struct program program_start(const char *name, const char *const arguments[]);

/* Reads stderr until `text` stands in what was read so far (`size` bytes of room), sending `signal`
 * again and again until then, 0 for none. Returns how many signals that took; the test fails if
 * stderr ends before. */
int program_await(const struct program *program, const char *text, int signal, char *read_so_far,
                  size_t size);

/* Waits for its end; returns the status as above. */
int program_wait(struct program *program);

#endif
