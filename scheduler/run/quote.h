/* quote.h - which deadlines a job would be promised: what is quoted is promised if the job is
 * submitted at that moment, and a second less is not. */
#ifndef RUN_QUOTE_H
#define RUN_QUOTE_H

#include "scheduler/engine/engine.h"
#include "scheduler/run/inputs.h"
#include "scheduler/run/simulation.h"

#include <stdbool.h>
#include <stdint.h>

/* A job that might be submitted. */
struct quoted_job {
    const char *model;
    int batch_size;
    int64_t iterations;
    int gpus_max;                     /* 0 for no limit of its own */
    int gpus_min;                     /* the same */
    const struct throughput_row *row; /* how fast it trains, where that is not the table's; NULL */
    int64_t refused_s; /* a deadline that was refused just now: earlier ones are not tried; or 0 */
};

struct quote {
    bool promised;      /* whether any deadline would be */
    int64_t deadline_s; /* the earliest, in seconds of the trace's clock */
    double gpu_s;       /* the least GPU-seconds that end the job by then if it begins at once */
    struct demand_seen seen; /* a second less is denied for jobs to come, which are likely as these
                                were; else zero */
};

/* A run up to a time: the jobs of its trace that have arrived by then are there. */
typedef struct quotes quotes_t;

/* The run that `simulation` describes, up to `at_s`. NULL, with `error`, if it cannot be read, or
 * if its policy promises nothing. */
quotes_t *quotes_new(const struct simulation *simulation, int64_t at_s, struct error *error);
void quotes_destroy(quotes_t **self);

/* The run of `engine`, which `inputs` describes, at `at_s`, where `decision` is its last one and
 * `number` is of no job yet. All are lent. NULL, with `error`, if its policy promises nothing. */
quotes_t *quotes_of(const struct inputs *inputs, engine_t *engine, const struct decision *decision,
                    int64_t at_s, uint64_t number, struct error *error);

/* -1, with `error`, if the job cannot be run, or the run cannot go on. */
int quotes_find(quotes_t *self, const struct quoted_job *job, struct quote *quote,
                struct error *error);

/* Whether the job would be promised that deadline: 1 or 0; -1 with `error`. `*seen` is set where it
 * is denied for jobs to come, else zero. */
int quotes_is_promised(quotes_t *self, const struct quoted_job *job, int64_t deadline_s,
                       struct demand_seen *seen, struct error *error);

/* How many iterations of a job that would not be promised that deadline would be: one more would
 * not. 0 for none. -1 with `error`. */
int quotes_find_iterations(quotes_t *self, const struct quoted_job *job, int64_t deadline_s,
                           int64_t *iterations, struct error *error);

/* The batch size of the table's row `index` of `model`, in rising order; 0 after the last. */
int quotes_batch_size(const quotes_t *self, const char *model, size_t index);

/* GPUs of the cluster, without those of spare nodes. */
int quotes_gpus(const quotes_t *self);

#endif
