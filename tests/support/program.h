/* program.h - runs a program of Rubato as a user does. */
#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

struct program_result {
    int status; /* exit status; 128 + n if signal n ended it */
    char *out;
    char *err;
};

/* Runs `name` of RUBATO_BIN to its end. `arguments` ends with NULL and does not contain the name.
 * The caller clears the result. */
struct program_result program_run(const char *name, const char *const arguments[]);
void program_result_clear(struct program_result *result);

/* A running program. */
struct program {
    pid_t pid;
    int err; /* reads the stderr of the program */
};

/* Starts `name`. The program ignores SIGINT and SIGUSR1 until it handles them, so that neither
 * signal can come too early. */
struct program program_start(const char *name, const char *const arguments[]);

/* Reads stderr until `text` is in `read_so_far`, which has room for `size` bytes, and sends
 * `signal` again and again until then, unless it is 0. Returns the number of signals sent. The test
 * fails if stderr ends before `text` came. */
int program_await(const struct program *program, const char *text, int signal, char *read_so_far,
                  size_t size);

/* Waits for the end of the program. Returns its status as in struct program_result. */
int program_wait(struct program *program);

#endif
