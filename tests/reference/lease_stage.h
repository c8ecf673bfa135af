/* lease_stage.h - a lease book and its jobs, for the test of one stage of chronus without an
 * engine.
 *
 * Leases last 240 s, and admissions are 240 s apart. Slot k begins at 240 k seconds. */
#ifndef TESTS_LEASE_STAGE_H
#define TESTS_LEASE_STAGE_H

#include "scheduler/reference/lease_stages.h"
#include "scheduler/reference/quirks.h"
#include "tests/support/lease_job.h"

#include <stddef.h>
#include <stdint.h>

#define LEASE_STAGE_JOBS 32

/* All fields are for the test to change. */
struct lease_stage {
    struct leasing leasing;
    struct variant variant; /* chronus under the rules of the test */
    struct lease_look look;
    lease_book_t *book;
    struct lease_job stated[LEASE_STAGE_JOBS];       /* the arrived jobs as the test states them */
    struct submission submissions[LEASE_STAGE_JOBS]; /* the same jobs as a trace has them */
    struct job jobs[LEASE_STAGE_JOBS];               /* the same jobs as the engine has them */
    size_t job_count;
};

/* A stage at time 0, after the lease round. `rules` are tags; NULL for the rules of the
 * reference. */
struct lease_stage *lease_stage_new(int gpu_count, const char *rules);
void lease_stage_destroy(struct lease_stage **self);

/* Move to `now_s`, after or before the lease round at that time. */
void lease_stage_behind_round(struct lease_stage *self, int64_t now_s);
void lease_stage_before_round(struct lease_stage *self, int64_t now_s);

/* Lets `jobs` arrive at the same time, and admits or rejects them. */
void lease_stage_admit(struct lease_stage *self, const struct lease_job *jobs, size_t count);

/* Add a job to the waiting or to the running jobs. The job is admitted at the time of the stage,
 * but gets the class `class`, whatever its deadline. */
struct lease *lease_stage_add(struct lease_stage *self, const struct lease_job *job,
                              enum lease_class class);
struct lease *lease_stage_add_running(struct lease_stage *self, const struct lease_job *job,
                                      enum lease_class class);

/* The lease of the job that arrived as number `index`, from 0. */
struct lease *lease_stage_lease(const struct lease_stage *self, size_t index);

/* Plans the slots from `from` up to, but without, `to` for the lease. */
void lease_stage_plan(struct lease_stage *self, struct lease *lease, int64_t from, int64_t to);

/* The ids of the jobs in `list`, in order and with blanks between them. Lent until the next
 * call. */
const char *lease_stage_names(const struct lease_list *list);

#endif
