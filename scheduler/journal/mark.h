/* mark.h - what a state must have at the least, kept apart from its database in DIR/mark, so that a
 * database that is gone, empty or older than what was acknowledged is noticed.
 *
 * The file has two slots of fixed size, each a line with a check. They are written in turns, so
 * that one of them is whole whatever ends the process. The counts of a commit are handed to the
 * kernel after the commit and written out by and by: a loss of power may leave them behind the
 * database, never before it. Numbers of jobs are reserved in blocks, and a block is on the disk
 * before its first number is given out. */
#ifndef JOURNAL_MARK_H
#define JOURNAL_MARK_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct mark {
    uint64_t run;     /* of the state, 0 in a file without a mark */
    uint64_t commits; /* so many were acknowledged */
    uint64_t digest;  /* of the last of them */
    uint64_t numbers; /* those of jobs up to this one may have been given out */
    bool lost;        /* what is missing was given up: the next start begins after `numbers` */
};

#define MARK "mark"

struct mark_file {
    int fd; /* -1 if it is not open */
    char *path;
    uint64_t turn;
    struct mark mark; /* the last that was written */
};

/* Opens the mark called `name` in `folder`, which is made if it is not there; then, and if neither
 * slot is whole, its run is 0. -1 with `error`. */
int mark_open(struct mark_file *self, const char *folder, const char *name, struct error *error);
void mark_close(struct mark_file *self);

/* Writes `mark`; `durable`: the disk has it when this returns. -1 with `error`. */
int mark_write(struct mark_file *self, const struct mark *mark, bool durable, struct error *error);

#endif
