/* trained_jobs.h - what the master said of each job: where it stands, how fast it is, what it lost. */
#ifndef BACKEND_TRAINED_JOBS_H
#define BACKEND_TRAINED_JOBS_H

#include "protocol/scheduler_master.h"
#include "scheduler/backend/backend.h"

#include <stdbool.h>
#include <stdint.h>

struct trained_job {
    bool known;
    bool planned;  /* in the plan in force */
    bool started;  /* in the round in force, by a report */
    bool training; /* stable, and nothing was heard against it since */
    bool done;     /* its trainers did all iterations */
    bool held;     /* is not to be tried again */
    bool emulated;
    int64_t planned_step; /* when the plan in force was made */
    int64_t step;         /* that its trainers were at; -1 if they did not say */
    double heard_s;       /* when they said so, by clock_s */
    int64_t lost;         /* iterations that faults took back since they were last asked for */
    int64_t overhead_ms;  /* of all its starts in the round in force */
    double rate;          /* as reported */
    double expected_rate;
    char cause[256]; /* of the last fault, or of holding it; "" without */
};

typedef struct trained_jobs trained_jobs_t;

trained_jobs_t *trained_jobs_new(void);
void trained_jobs_destroy(trained_jobs_t **self);

/* The entry of the job with that number, made if need be; lent until the next call. */
struct trained_job *trained_jobs_at(trained_jobs_t *self, uint64_t job);

/* A plan is in force from here on: nobody is in it yet. */
void trained_jobs_begin(trained_jobs_t *self);
void trained_jobs_assign(trained_jobs_t *self, const struct assignment *assignment);

/* Takes in what the master says. */
void trained_jobs_report(trained_jobs_t *self, const struct msg_job_report *report);
void trained_jobs_progress(trained_jobs_t *self, const struct msg_progress *progress);

/* Real by expected speed of a job that trains, 1 if its report cannot be believed; then `cause` says why. */
double trained_job_pace(struct trained_job *job);

/* Reports that were not believed. */
uint64_t trained_jobs_refused(const trained_jobs_t *self);

#endif
