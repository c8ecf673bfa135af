/* quote.h - the deadlines that a job would be promised.
 *
 * A quoted deadline is promised if the job is submitted next, at any of the moments of the
 * question: each was tried, with the submission itself. A deadline one second earlier is refused at
 * one of these moments at least. */
#ifndef RUN_QUOTE_H
#define RUN_QUOTE_H

#include "scheduler/engine/engine.h"
#include "scheduler/run/inputs.h"
#include "scheduler/run/simulation.h"

#include <stdbool.h>
#include <stdint.h>

struct quote {
    bool promised;   /* whether any deadline would be promised; if not: */
    int64_t later_s; /* when a job that comes later would get a promise, NEVER_S for no time soon;
                        of the first job of a call alone */
    int64_t deadline_s;   /* the earliest, in seconds of the engine's clock */
    int64_t refused_at_s; /* moment at which a deadline one second earlier is refused; NEVER_S: none
                             was tried */
    int64_t decided_s;    /* latest time of the verdict: some policies decide in a later round */
    double gpu_s; /* least GPU-seconds that end the job by that deadline if it begins at once */
    struct exposure exposure; /* risk of the job from losses of nodes, as planned; of the first job
                                 of a call alone, where nodes are in reserve */
    struct denial seen; /* why a deadline one second earlier is denied, or every deadline if none is
                           promised; else zero */
};

/* A question about a job, which is told by a submission: its number, time and deadline do not
 * matter. */
struct quoted {
    const struct submission *job; /* lent */
    int64_t refused_s;            /* deadlines up to this one were refused just now; or 0 */
    int64_t asked_s;              /* a deadline to test as well; 0 for none */
    struct quote quote;
    bool asked_promised;
    struct error error; /* why the job cannot be run, or the run cannot go on: "" for no reason */
};

typedef struct quotes quotes_t;

/* Quotes in the run of `simulation` at `at_s`, when the job comes, with the jobs of its trace that
 * have arrived by then. NULL, with `error`, if an input cannot be read, or if the policy makes no
 * promises. */
quotes_t *quotes_new(const struct simulation *simulation, int64_t at_s, struct error *error);
void quotes_destroy(quotes_t **self);

/* Quotes in the run of `engine` with `inputs` after its last `decision`, for an engine that hears
 * of jobs when they come, as in a service. `number` is not yet that of a job. All are lent. NULL,
 * with `error`, if its policy promises nothing. */
quotes_t *quotes_of(const struct inputs *inputs, engine_t *engine, const struct decision *decision,
                    uint64_t number, struct error *error);

/* The job of a service comes at any second from `first_s` to `last_s`, both not before the last
 * decision. Of a longer interval 25 moments are tried, with the first and the last. */
void quotes_set_moments(quotes_t *self, int64_t first_s, int64_t last_s);

/* Quotes for the live job with that number: it is suspended at the moment and comes again at once,
 * with the work done by then. */
void quotes_suspend(quotes_t *self, uint64_t number);

/* The earliest deadlines of `count` jobs, of which one comes, in one search. Each job has its own
 * error. -1, with `error`, if the search fails. */
int quotes_find_all(quotes_t *self, struct quoted quoted[], size_t count, struct error *error);

/* As quotes_find_all for one job; -1 also for the job's own error. */
int quotes_find(quotes_t *self, const struct submission *job, int64_t refused_s,
                struct quote *quote, struct error *error);

/* Whether the job would be promised that deadline: 1 or 0; -1 with `error`. `*seen` is set if the
 * deadline is denied for jobs to come, else to zero. */
int quotes_is_promised(quotes_t *self, const struct submission *job, int64_t deadline_s,
                       struct denial *seen, struct error *error);

/* The most iterations with which a job that is refused that deadline at the last moment would be
 * promised it. 0 if none would. -1 with `error`. */
int quotes_find_iterations(quotes_t *self, const struct submission *job, int64_t deadline_s,
                           int64_t *iterations, struct error *error);

/* Users see the earliest deadline with these confidences, too, in per cent, rising. */
#define QUOTES_CONFIDENCES 3
double quotes_confidence(size_t index);

/* The table of training rates on the cluster, lent. */
const throughput_table_t *quotes_table(const quotes_t *self);

/* The batch size of the table's row `index` of `model`, in rising order; 0 after the last. */
int quotes_batch_size(const quotes_t *self, const char *model, size_t index);

/* GPUs of the cluster, without those of spare nodes. */
int quotes_gpus(const quotes_t *self);

#endif
