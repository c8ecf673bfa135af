/* jobs.h - jobs in some order: a list that lends their records. All zeros is an empty one, and its
 * owner frees `items`. */
#ifndef STATE_JOBS_H
#define STATE_JOBS_H

#include "common/list.h"
#include "scheduler/state/job.h"

struct jobs {
    struct job **items;
    size_t count;
    size_t capacity;
};

static inline void jobs_append(struct jobs *self, struct job *job)
{
    list_append(self, job);
}

/* Drops the jobs that are no longer live, or no longer in `state`. */
void jobs_keep_live(struct jobs *self);
void jobs_keep(struct jobs *self, enum job_state state);

/* As jobs_keep if only `others` jobs have another state. The list is searched from both ends, and
 * jobs between these others are not looked at. */
void jobs_drop(struct jobs *self, enum job_state state, size_t others);

/* Sort by submission, or by due end; equal jobs by arrival. */
void jobs_sort_by_arrival(struct jobs *self);
void jobs_sort_by_end(struct jobs *self);

/* The GPUs of the largest holding. */
int jobs_most_gpus(const struct jobs *self);

#endif
