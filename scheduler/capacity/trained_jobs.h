/* trained_jobs.h - the jobs that were ever planned in this run, by number: the last plan of each,
 * and the reports on it since. Numbers use all 64 bits. */
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
    bool planned;   /* the job holds GPUs in the plan in force */
    bool named;     /* its program was sent in this session with the master */
    bool late;      /* the job was to start by an earlier plan, and had not */
    int32_t *ranks; /* ranks in its last plan; rising */
    size_t rank_count;
    uint64_t moved_round; /* round since which the job has these ranks */
    int64_t planned_step;
    double expected_rate;
    int overhead_s; /* overhead that was expected */

    /* A stop that is not yet confirmed. */
    bool stops;
    struct msg_planned_stop stop;

    /* The words of the master. */
    bool started;  /* started in the round in force */
    bool training; /* stable, with no later report to the contrary */
    bool done;     /* its trainers reported the end */
    bool told_end; /* ... and said at which step */
    bool dated;    /* `ended_s`, the end on the run's clock, is known */
    double ended_s;
    bool held;  /* the job is not to be tried again */
    bool waits; /* the job waits for the lease of its earlier parts to expire */
    bool emulated;
    int64_t incarnation; /* incarnation of the trainers that were last stable */
    int64_t step;        /* step that trainers last reported; -1 if unknown */
    double heard_s;      /* when they reported it, by clock_s */
    int64_t lost;        /* iterations lost by faults since the engine was told */
    int64_t overhead_ms; /* overhead of all its starts in the round in force */
    double rate;
    char cause[256]; /* cause of the last fault, of waiting, or of holding the job; "" if none */

    uint32_t told_lost; /* number of the last incarnation whose loss was told, 0 for none */

    /* Occurrences that the engine has been told. */
    bool told_failed;
    bool told_done;
    bool told_paid; /* in the round in force */
    int paid_s;     /* seconds of the last reported start, which began at `paid_at_s` */
    int64_t paid_at_s;
    double pace;
    double uncredited_s; /* fractions of seconds not yet credited */

    UT_hash_handle hh;
};

typedef struct trained_jobs trained_jobs_t;

trained_jobs_t *trained_jobs_new(void);
void trained_jobs_destroy(trained_jobs_t **self);

/* The job with that number; NULL if it was never planned, or is over. */
struct trained_job *trained_jobs_find(const trained_jobs_t *self, uint64_t number);

/* The first of all jobs, linked by hh.next. */
struct trained_job *trained_jobs_first(const trained_jobs_t *self);

/* A new plan is in force, at first without jobs. */
void trained_jobs_begin(trained_jobs_t *self);

/* Adds the job of `holding` to the plan, on `ranks`, which are copied, from `step` on. With `anew`
 * its trainers restart. */
struct trained_job *trained_jobs_assign(trained_jobs_t *self, const struct holding *holding,
                                        const int32_t *ranks, uint64_t round, int64_t step,
                                        bool anew);

/* A new session with the master began: it knows no programs yet. */
void trained_jobs_unname(trained_jobs_t *self);

/* The job of `stop` holds no GPU any more. Each plan lists the stop until it is confirmed. */
void trained_jobs_stop(trained_jobs_t *self, const struct msg_planned_stop *stop);

/* Removes a job that is over. */
void trained_jobs_forget(trained_jobs_t *self, struct trained_job *job);

/* Takes in a report of the master; reports on jobs that were never planned are ignored. A done job
 * ended at `ended_s` of the run's clock. */
void trained_jobs_report(trained_jobs_t *self, const struct msg_job_report *report, double ended_s);
void trained_jobs_progress(trained_jobs_t *self, const struct msg_progress *progress);

/* The job with `number`, added if missing. */
struct trained_job *trained_jobs_add(trained_jobs_t *self, uint64_t number);

/* trained_jobs_write: all jobs as lines of text. trained_jobs_read: one job from such a line. -1
 * with `error`. */
void trained_jobs_write(const trained_jobs_t *self, struct text *text);
int trained_jobs_read(trained_jobs_t *self, struct cursor *cursor, struct error *error);

/* Real by expected speed of a job that trains, 1 if its report is implausible; `cause` then says
 * why. */
double trained_job_pace(struct trained_job *job);

/* The number of implausible reports. */
uint64_t trained_jobs_refused(const trained_jobs_t *self);

#endif
