/* quote.h - which deadlines a job would be promised.
 *
 * What is named is promised if the job is submitted next, at any of the moments that were asked
 * for: each of them was tried, with the submission itself. A second less is refused at one of them
 * at least. */
#ifndef RUN_QUOTE_H
#define RUN_QUOTE_H

#include "scheduler/engine/engine.h"
#include "scheduler/run/inputs.h"
#include "scheduler/run/simulation.h"

#include <stdbool.h>
#include <stdint.h>

struct quote {
    bool promised;      /* whether any deadline would be; if not: */
    int64_t later_s;    /* when one would be to a job that comes then, NEVER_S for no time soon; of
                           the first job of a call alone */
    int64_t deadline_s; /* the earliest, in seconds of the engine's clock */
    int64_t refused_at_s; /* a moment at which a second less is refused; NEVER_S: none was tried */
    int64_t decided_s; /* when that is told, at the latest: by a later round with some policies */
    double gpu_s;      /* the least GPU-seconds that end the job by then if it begins at once */
    struct exposure exposure; /* of the job to the losses of nodes then, as planned; of the first
                                 job of a call alone, where nodes are in reserve */
    struct denial seen; /* a second less is denied so, or any deadline if none is promised; else
                           zero */
};

/* A question about a job, which is told by a submission: its number, time and deadline do not
 * matter. */
struct quoted {
    const struct submission *job; /* lent */
    int64_t refused_s;            /* no deadline up to this one: it was refused just now; or 0 */
    int64_t asked_s;              /* whether this one is promised, too; 0 for no such question */
    struct quote quote;
    bool asked_promised;
    struct error error; /* why the job cannot be run, or the run cannot go on: "" for no reason */
};

typedef struct quotes quotes_t;

/* The run that `simulation` describes, up to `at_s`, when the job comes: the jobs of its trace that
 * have arrived by then are there. NULL, with `error`, if it cannot be read, or if its policy
 * promises nothing. */
quotes_t *quotes_new(const struct simulation *simulation, int64_t at_s, struct error *error);
void quotes_destroy(quotes_t **self);

/* The run of `engine`, which `inputs` describes, after `decision`, its last one; it is told of jobs
 * when they come, as by a service. `number` is of no job yet. All are lent. NULL, with `error`, if
 * its policy promises nothing. */
quotes_t *quotes_of(const struct inputs *inputs, engine_t *engine, const struct decision *decision,
                    uint64_t number, struct error *error);

/* The job of a service comes at any second of these, neither of which is before the last decision.
 * Of a long time 25 moments are tried, the first and the last among them. */
void quotes_set_moments(quotes_t *self, int64_t first_s, int64_t last_s);

/* The job with that number, which is live, is the one that comes: it is suspended at the moment and
 * comes again at once, with the work that it has done by then. */
void quotes_suspend(quotes_t *self, uint64_t number);

/* The earliest deadlines of `count` jobs, of which one comes, asked together. Each has its error.
 * -1, with `error`, if that cannot be asked. */
int quotes_find_all(quotes_t *self, struct quoted quoted[], size_t count, struct error *error);

/* The same for one job; its error is an `error`, too. */
int quotes_find(quotes_t *self, const struct submission *job, int64_t refused_s,
                struct quote *quote, struct error *error);

/* Whether the job would be promised that deadline: 1 or 0; -1 with `error`. `*seen` is set where
 * the deadline is denied for jobs to come, else zero. */
int quotes_is_promised(quotes_t *self, const struct submission *job, int64_t deadline_s,
                       struct denial *seen, struct error *error);

/* How many iterations of a job that would not be promised that deadline at the last moment would
 * be: one more would not. 0 for none. -1 with `error`. */
int quotes_find_iterations(quotes_t *self, const struct submission *job, int64_t deadline_s,
                           int64_t *iterations, struct error *error);

/* A user sees the earliest deadline with these confidences, too, in per cent, rising. */
#define QUOTES_CONFIDENCES 3
double quotes_confidence(size_t index);

/* How fast models train on the cluster, lent. */
const throughput_table_t *quotes_table(const quotes_t *self);

/* The batch size of the table's row `index` of `model`, in rising order; 0 after the last. */
int quotes_batch_size(const quotes_t *self, const char *model, size_t index);

/* GPUs of the cluster, without those of spare nodes. */
int quotes_gpus(const quotes_t *self);

#endif
