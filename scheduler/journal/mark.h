/* mark.h - the acknowledged commits of a state, stored apart from its database in DIR/mark, so that
 * a database that is missing, empty or outdated is noticed.
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
    uint64_t run;     /* id of the run, 0 in a file without a mark */
    uint64_t commits; /* number of acknowledged commits */
    uint64_t digest;  /* digest of the last commit */
    uint64_t numbers; /* job numbers up to this one may have been given out */
    bool lost;        /* missing commits were given up: the next start begins after `numbers` */
};

#define MARK "mark"

struct mark_file {
    int fd; /* -1 if not open */
    char *path;
    uint64_t turn;
    struct mark mark; /* the last mark written */
};

/* Opens the mark called `name` in `folder`, created if missing; its run is 0 if it is new or
 * neither slot is whole. -1 with `error`. */
int mark_open(struct mark_file *self, const char *folder, const char *name, struct error *error);
void mark_close(struct mark_file *self);

/* Writes `mark`; with `durable` it is on disk on return. -1 with `error`. */
int mark_write(struct mark_file *self, const struct mark *mark, bool durable, struct error *error);

#endif
