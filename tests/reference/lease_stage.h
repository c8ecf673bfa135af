/* lease_stage.h - a lease book and its jobs for one stage of chronus on its own, without an engine.
 *
 * Leases last 240 s, and so does the time between admissions; slot k is that from 240 k on. */
#ifndef TESTS_LEASE_STAGE_H
#define TESTS_LEASE_STAGE_H

#include "scheduler/reference/lease_stages.h"
#include "scheduler/reference/quirks.h"
#include "tests/support/lease_job.h"

#include <stddef.h>
#include <stdint.h>

#define LEASE_STAGE_JOBS 32

/* All of it is for the test to change. */
struct lease_stage {
    struct leasing leasing;
    struct variant variant; /* chronus under the rules of the test */
    struct lease_look look;
    lease_book_t *book;
    struct lease_job stated[LEASE_STAGE_JOBS];       /* those that have arrived, */
    struct submission submissions[LEASE_STAGE_JOBS]; /* ... as a trace has them, */
    struct job jobs[LEASE_STAGE_JOBS];               /* ... and what became of them */
    size_t job_count;
};

/* At 0, the lease round over; `rules` are tags, or NULL for those of the reference. */
struct lease_stage *lease_stage_new(int gpu_count, const char *rules);
void lease_stage_destroy(struct lease_stage **self);

/* Moves to `now_s`: after the lease round of that moment, or before it. */
void lease_stage_behind_round(struct lease_stage *self, int64_t now_s);
void lease_stage_before_round(struct lease_stage *self, int64_t now_s);

/* Lets `jobs` arrive together. */
void lease_stage_admit(struct lease_stage *self, const struct lease_job *jobs, size_t count);

/* Adds a job to those that wait, or to those that run, whatever its deadline: as one of that class,
 * with its estimate, need and so on as after an admission at this moment, looked at just now. */
struct lease *lease_stage_add(struct lease_stage *self, const struct lease_job *job,
                              enum lease_class class);
struct lease *lease_stage_add_running(struct lease_stage *self, const struct lease_job *job,
                                      enum lease_class class);

/* The lease of the job that came as number `index`, from 0; and what it holds its place by. */
struct lease *lease_stage_lease(const struct lease_stage *self, size_t index);

/* Plans the slots from `from` to `to` for it, without `to`. */
void lease_stage_plan(struct lease_stage *self, struct lease *lease, int64_t from, int64_t to);

/* The ids in `list`, in their order and with blanks between them. Lent until the next call. */
const char *lease_stage_names(const struct lease_list *list);

#endif
