/* clang-format off */
/* progress.h - what a program says of itself: datagrams of one line of text each, sent to a local
 * socket that belongs to one rank.
 *
 *   ready                  it has started, and says more later
 *   step N                 N iterations of the job are done
 *   stable N rate R        likewise, and it makes R iterations/s from now on
 *   checkpoint N           a checkpoint of step N is on disk
 *   checkpoints-on-signal  on SIGUSR1 it writes a checkpoint and goes on
 *   loss X                 for users
 *
 * Rates and steps are the program's word, which is passed on as it is; only its form is checked. */
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
    PROGRESS_SAVES, /* on a signal */
    PROGRESS_LOSS,
};

struct progress_line {
    enum progress_kind kind;
    int64_t step;
    double value; /* the rate, or the loss */
};

/* Reads one line, with or without its end; false if it is none of these. */
bool progress_parse(const char *line, size_t length, struct progress_line *progress);

typedef struct progress_socket progress_socket_t;

/* A socket under an address of its own. NULL, with `error`, if there is none to be had. */
progress_socket_t *progress_socket_new(struct error *error);
void progress_socket_destroy(progress_socket_t **self);

const char *progress_socket_address(const progress_socket_t *self); /* "@...", the @ for a NUL */

/* Only what processes of `user` say is heard; without it, of the user of this process. */
void progress_socket_hear(progress_socket_t *self, uid_t user);

int progress_socket_descriptor(const progress_socket_t *self);

/* The next message that a process of that user sent; false if there is none. What is no message is
 * left out and counted. */
bool progress_socket_next(progress_socket_t *self, struct progress_line *progress);
int64_t progress_socket_bad(const progress_socket_t *self);

#endif
