/* overhead_table.h - how long each operation of a file of commands took. */
#ifndef MASTER_OVERHEAD_TABLE_H
#define MASTER_OVERHEAD_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum operation_kind {
    OPERATION_START,   /* from its last R or U until all parts are ready */
    OPERATION_GROUP,   /* as its trainers say */
    OPERATION_MOVE,    /* likewise */
    OPERATION_TRAIN,   /* from T until it trains at its rate */
    OPERATION_STOP,    /* from K, U or RE until nothing of it is left, its state saved */
    OPERATION_RESTART, /* until nothing runs any more */
};

#define OPERATION_NO_JOB UINT64_MAX

typedef struct overhead_table overhead_table_t;

overhead_table_t *overhead_table_new(void);
void overhead_table_destroy(overhead_table_t **self);

/* An operation begins; returns its place. */
size_t overhead_table_begin(overhead_table_t *self, enum operation_kind kind, uint64_t job,
                            size_t gpus, int64_t now_us);

/* The operation at `place` is over, at `now_us` or after it took `seconds`. Prints a line about it,
 * unless it was over already. `scale`: emulated seconds to a real second; emulated ones are
 * printed. */
void overhead_table_end(overhead_table_t *self, size_t place, int64_t now_us, double scale,
                        FILE *out);
void overhead_table_took(overhead_table_t *self, size_t place, double seconds, FILE *out);

/* The whole table, "-" for what was never over. */
void overhead_table_print(const overhead_table_t *self, FILE *out);

#endif
