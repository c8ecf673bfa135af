/* trained_jobs.h - the jobs that trainers of this run know: what each was planned for, and what the
 * master said of it since. By number, of any 64 bits. */
#ifndef CAPACITY_TRAINED_JOBS_H
#define CAPACITY_TRAINED_JOBS_H

#include "protocol/scheduler_master.h"
#include "scheduler/engine/decision.h"
#include "scheduler/record/cursor.h"
#include "scheduler/record/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

struct trained_job {
    uint64_t number;

    /* The plan in force. */
    bool planned;   /* the job holds GPUs in it */
    bool named;     /* its program was sent in this session with the master */
    bool late;      /* it was to start by an earlier plan, and had not */
    int32_t *ranks; /* of the last plan that it was in; rising */
    size_t rank_count;
    uint64_t moved_round; /* since which it has these */
    int64_t planned_step;
    double expected_rate;
    int overhead_s; /* that was expected */

    /* A stop that is not confirmed yet. */
    bool stops;
    struct msg_planned_stop stop;

    /* The words of the master. */
    bool started;  /* in the round in force */
    bool training; /* stable, and nothing was said against it since */
    bool done;     /* its trainers are done */
    bool told_end; /* ... and said at which step */
    bool dated;    /* ... and were so at `ended_s` of the run's clock */
    double ended_s;
    bool held;  /* is not to be tried again */
    bool waits; /* for the lease of what is left of it elsewhere */
    bool emulated;
    int64_t incarnation; /* of the trainers that were stable last */
    int64_t step;        /* that its trainers were at; -1 if they did not say */
    double heard_s;      /* when they said so, by clock_s */
    int64_t lost;        /* iterations that faults took back since the engine was told */
    int64_t overhead_ms; /* of all its starts in the round in force */
    double rate;
    char cause[256]; /* of the last fault, of waiting, or of holding it; "" without */

    uint32_t told_lost; /* number of the last incarnation whose loss was told, 0 for none */

    /* The occurrences that the engine was told. */
    bool told_failed;
    bool told_done;
    bool told_paid; /* in the round in force */
    int paid_s;     /* for the last start that was reported, which began at `paid_at_s` */
    int64_t paid_at_s;
    double pace;
    double uncredited_s; /* fractions of seconds that were not credited */

    UT_hash_handle hh;
};

typedef struct trained_jobs trained_jobs_t;

trained_jobs_t *trained_jobs_new(void);
void trained_jobs_destroy(trained_jobs_t **self);

/* NULL for a job that was never planned, or is over. */
struct trained_job *trained_jobs_find(const trained_jobs_t *self, uint64_t number);

/* The first of all; hh.next leads on. */
struct trained_job *trained_jobs_first(const trained_jobs_t *self);

/* A plan is in force from here on: no job is in it yet. */
void trained_jobs_begin(trained_jobs_t *self);

/* The job of `holding` is, on `ranks`, which are copied, from `step` on. With `anew` its trainers
 * restart. */
struct trained_job *trained_jobs_assign(trained_jobs_t *self, const struct holding *holding,
                                        const int32_t *ranks, uint64_t round, int64_t step,
                                        bool anew);

/* A session with the master began: it knows no program yet. */
void trained_jobs_unname(trained_jobs_t *self);

/* The job of `stop` holds no GPU any more. Each plan says so until the stop is confirmed. */
void trained_jobs_stop(trained_jobs_t *self, const struct msg_planned_stop *stop);

/* Drops the entry of a job that is over. */
void trained_jobs_forget(trained_jobs_t *self, struct trained_job *job);

/* Takes in what the master says; what it says of jobs that were never planned is not heard. A job
 * that is done was so at `ended_s` of the run's clock. */
void trained_jobs_report(trained_jobs_t *self, const struct msg_job_report *report, double ended_s);
void trained_jobs_progress(trained_jobs_t *self, const struct msg_progress *progress);

/* The entry of `number`, a new one if there is none. */
struct trained_job *trained_jobs_add(trained_jobs_t *self, uint64_t number);

/* All that is known as lines of text, a job each; and a job from such a line. -1 with `error`. */
void trained_jobs_write(const trained_jobs_t *self, struct text *text);
int trained_jobs_read(trained_jobs_t *self, struct cursor *cursor, struct error *error);

/* Real by expected speed of a job that trains, 1 if its report cannot be believed; then `cause`
 * says why. */
double trained_job_pace(struct trained_job *job);

/* Reports that were not believed. */
uint64_t trained_jobs_refused(const trained_jobs_t *self);

#endif
