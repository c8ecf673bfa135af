/* clang-format off */
/* progress.h - what a program reports of its own progress: datagrams of one line of text each, sent
 * to a local socket that belongs to one rank.
 *
 *   ready                  it has started, and says more later
 *   step N                 N iterations of the job are done
 *   stable N rate R        as "step N"; the program trains at R iterations/s from now on
 *   checkpoint N           a checkpoint of step N is on disk
 *   checkpoints-on-signal  on SIGUSR1 it writes a checkpoint and goes on
 *   loss X                 for users
 *
 * Rates and steps are passed on unchecked; only the form of a line is checked. */
/* clang-format on */
#ifndef EXECUTOR_PROGRESS_H
#define EXECUTOR_PROGRESS_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROGRESS_LINE_MAX 256

enum progress_kind {
    PROGRESS_READY,
    PROGRESS_STEP,
    PROGRESS_STABLE,
    PROGRESS_CHECKPOINT,
    PROGRESS_SAVES, /* the program saves checkpoints on a signal */
    PROGRESS_LOSS,
};

struct progress_line {
    enum progress_kind kind;
    int64_t step;
    double value; /* the rate, or the loss */
};

/* Parses one line, with or without its line end; false if it has none of these forms. */
bool progress_parse(const char *line, size_t length, struct progress_line *progress);

typedef struct progress_socket progress_socket_t;

/* A socket with an address of its own. NULL, with `error`, if no socket can be made. */
progress_socket_t *progress_socket_new(struct error *error);
void progress_socket_destroy(progress_socket_t **self);

const char *progress_socket_address(const progress_socket_t *self); /* "@...", the @ for a NUL */

/* Accepts only messages of processes of `user`; the default is the user of this process. */
void progress_socket_hear(progress_socket_t *self, uid_t user);

int progress_socket_descriptor(const progress_socket_t *self);

/* The next message from a process of that user; false if none is waiting. Malformed messages are
 * dropped and counted. */
bool progress_socket_next(progress_socket_t *self, struct progress_line *progress);
int64_t progress_socket_bad(const progress_socket_t *self);

#endif
