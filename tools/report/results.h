/* results.h - a run, read from its result folder and its trace. Times are seconds of the trace. */
#ifndef REPORT_PAGE_RESULTS_H
#define REPORT_PAGE_RESULTS_H

#include "common/error.h"
#include "tools/audit/case.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULTS_GPUS_MAX  ((int64_t)1048576)
#define RESULTS_POOLS_MAX 64

/* The latest time anywhere in Rubato, which a page can count exactly. */
#define RESULTS_TIME_MAX_S ((int64_t)1000000000000)

/* A pool of nodes. Nodes and GPUs are numbered through all pools. */
struct results_pool {
    const char *name;
    int64_t nodes;
    int64_t gpus;
};

/* A seat: a job held `gpus` neighbouring GPUs from `rank` on. */
struct results_seat {
    int64_t from_s;
    int64_t until_s;
    int64_t rank;
    int64_t gpus;
    size_t job;
};

/* The GPUs of a job from `at_s` on, and why they changed. */
struct results_change {
    int64_t at_s;
    int64_t gpus;
    size_t job;
    size_t pool;
    enum audit_change_reason reason;
};

/* The state of the cluster from `at_s` on. */
struct results_moment {
    int64_t at_s;
    int64_t gpus_up;
    int64_t gpus_used;
    int64_t running;
    int64_t waiting;
    int64_t efficiency_ppm; /* in millionths; -1 where the folder has no efficiency */
};

struct results {
    const char *folder; /* lent */
    json_t *summary;
    bool unchecked;           /* the summary has no checksums of the inputs */
    struct audit_case *given; /* the trace, and the rows of result files about its jobs */
    const struct audit_record **records;   /* record of each job of the trace; NULL for none */
    const struct audit_outcome **outcomes; /* outcome of each job of the trace; NULL for none */
    struct results_pool pools[RESULTS_POOLS_MAX];
    size_t pool_count;
    int64_t gpus;
    int64_t end_s;              /* time of the last round or retirement */
    struct results_seat *seats; /* ordered by start */
    size_t seat_count;
    struct results_change *changes; /* ordered by job, then by time */
    size_t change_count;
    struct results_moment *moments;
    size_t moment_count;
};

/* Reads `folder` and the trace at `trace` or, if `trace` is NULL, the trace that the summary names.
 * Returns -1, with `error`, if a file cannot be read or is invalid. Even then results_close must
 * follow. */
int results_read(struct results *self, const char *folder, const char *trace, struct error *error);
void results_close(struct results *self);

/* The parts of results_read. */
int results_read_summary(struct results *self, struct error *error);
int results_read_layouts(struct results *self, struct error *error);

/* Takes changes and moments from timeline.csv and cluster.csv, if the folder has them. */
int results_take_timeline(struct results *self, struct error *error);

/* Sorts the changes, which are in order of time, by job. */
void results_sort_changes(struct results *self);

/* The pool of the GPU with rank `rank`. */
size_t results_pool_of(const struct results *self, int64_t rank);

/* Sets a sentence about a row of a file: "FOLDER/FILE:LINE: `what` `number`". Returns -1. */
int results_complain(const struct results *self, const char *file, int64_t line, const char *what,
                     int64_t number, struct error *error);

#endif
