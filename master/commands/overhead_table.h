/* overhead_table.h - how long each operation of a file of commands took. */
#ifndef MASTER_OVERHEAD_TABLE_H
#define MASTER_OVERHEAD_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum operation_kind {
    OPERATION_START,   /* from the last R or U of the round until all parts are ready */
    OPERATION_GROUP,   /* as the trainers of the group report */
    OPERATION_MOVE,    /* as the trainers of the move report */
    OPERATION_TRAIN,   /* from T until the job trains at its rate */
    OPERATION_STOP,    /* from K, U or RE until no part is left and the state is saved */
    OPERATION_RESTART, /* until no job runs any more */
};

#define OPERATION_NO_JOB UINT64_MAX

typedef struct overhead_table overhead_table_t;

overhead_table_t *overhead_table_new(void);
void overhead_table_destroy(overhead_table_t **self);

/* An operation begins; returns its place in the table. */
size_t overhead_table_begin(overhead_table_t *self, enum operation_kind kind, uint64_t job,
                            size_t gpus, int64_t now_us);

/* The operation at `place` is over, at `now_us` or after it took `seconds`. Prints a line about the
 * operation, unless it had ended before. `scale`: emulated seconds in a real second; times are
 * printed in emulated seconds. */
void overhead_table_end(overhead_table_t *self, size_t place, int64_t now_us, double scale,
                        FILE *out);
void overhead_table_took(overhead_table_t *self, size_t place, double seconds, FILE *out);

/* Prints the whole table, "-" for operations that never ended. */
void overhead_table_print(const overhead_table_t *self, FILE *out);

#endif
