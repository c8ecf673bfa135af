/* throughput.h - how fast each model trains: iterations/s by global batch size and GPU count, for
 * one type of GPU. */
#ifndef STATE_THROUGHPUT_H
#define STATE_THROUGHPUT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THROUGHPUT_LEVELS_MAX 16
#define THROUGHPUT_GPUS_MAX   65536
#define BATCH_SIZE_MAX        100000000

/* Characters and bytes that a model's name may have. */
#define THROUGHPUT_MODEL_BYTES_MAX 64
#define THROUGHPUT_MODEL_EXPECTED  "a model name of 1 to 64 bytes without control characters"

/* One model at one global batch size. */
struct throughput_row {
    const char *model;
    int batch_size;
    int level_count;
    int gpus[THROUGHPUT_LEVELS_MAX];           /* ascending; the same for all rows of a model */
    double iters_per_s[THROUGHPUT_LEVELS_MAX]; /* NaN where nothing was measured, may be 0 */
    bool marked_nan[THROUGHPUT_LEVELS_MAX];    /* the cell has "nan", and is not empty */
    const char *file; /* of the table, lent; NULL for a row that no table has */
    int64_t line;     /* where the row begins, or has its first count that is no power of two */
};

typedef struct throughput_table throughput_table_t;

/* Reads the table of `gpu_type` below `folder`: the project's own `GPU_TYPE.csv` (columns model,
 * global_batch_size, gpus, iterations_per_s), or the published artifact's layout of one file per
 * model, a row per batch size and a column per GPU count, in `GPU_TYPE/`, in
 * `throughputs_GPU_TYPE/` or in `folder` itself. NULL, with `error` set, if there is none or a cell
 * makes no sense. */
throughput_table_t *throughput_read(const char *folder, const char *gpu_type, struct error *error);
void throughput_destroy(throughput_table_t **self);

bool throughput_is_model_name(const char *text, size_t length);

/* The row of `model` at `batch_size`; NULL if there is none. Lent as long as the table lives. */
const struct throughput_row *throughput_find(const throughput_table_t *self, const char *model,
                                             int batch_size);

/* Keeps the levels of `row` with `gpus_min` to `gpus_max` GPUs; 0 is no limit. */
void throughput_limit(struct throughput_row *row, int gpus_min, int gpus_max);

/* Whether any row is about `model`. */
bool throughput_has_model(const throughput_table_t *self, const char *model);

/* The least GPU-seconds of an iteration, over all numbers of GPUs; INFINITY if none has a rate. */
double throughput_least_gpu_s(const struct throughput_row *row);

size_t throughput_count(const throughput_table_t *self);
const struct throughput_row *throughput_row_at(const throughput_table_t *self, size_t index);

/* The file or folder of the table. */
const char *throughput_source(const throughput_table_t *self);

/* The folder `throughputs` that came with the program, beside it or in its installation; the caller
 * frees it. NULL if there is none. */
char *throughput_default_folder(void);

#endif
