/* idle.c - see idle.h. */
#include "scheduler/planner/idle.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void idle_close(struct idle *self)
{
    free(self->jobs);
    free(self->rests);
}

static void reserve(struct idle *self, size_t count)
{
    if (count <= self->room)
        return;
    self->room = 2 * count;
    self->jobs = xrealloc(self->jobs, self->room * sizeof(*self->jobs));
    self->rests = xrealloc(self->rests, self->room * sizeof(*self->rests));
}

/* Keeps the jobs that are still in the view, in the order of the round before. Arrivals are other
 * jobs, even where they reuse the records of jobs that are over. Entries that stay in their places
 * are only read, as a copy of the process shares their pages. */
static void keep_known(struct idle *self, const struct view *view)
{
    const size_t known = view->job_count - view->arrival_count;
    size_t kept = 0;

    for (size_t i = 0; i < self->count && kept < known; i++) {
        if (self->jobs[i] != view->jobs[kept])
            continue;
        if (kept < i) {
            self->jobs[kept] = self->jobs[i];
            self->rests[kept] = self->rests[i];
        }
        kept++;
    }
    self->count = kept;
}

static void add_new(struct idle *self, const struct view *view)
{
    reserve(self, view->job_count);
    for (size_t i = self->count; i < view->job_count; i++) {
        self->jobs[i] = view->jobs[i];
        self->rests[i] = (struct rest){0, -1};
        if (i > 0 && self->jobs[i]->arrival < self->jobs[i - 1]->arrival)
            self->is_ordered = false;
    }
    self->count = view->job_count;
}

void idle_open_round(struct idle *self, const struct view *view, int gpus)
{
    if (!self->is_ordered || self->gpus != gpus)
        self->count = 0;
    self->is_ordered = true;
    self->gpus = gpus;
    keep_known(self, view);
    add_new(self, view);
    memset(self->counts, 0, sizeof(self->counts));
    memset(self->resting, 0, sizeof(self->resting));
}

/* The fewest GPUs that the job is planned on; 0 if the cluster has too few. */
static int gpus_least(const struct scaling *scaling)
{
    for (int level = 1; level <= scaling->reach; level++)
        if (scaling->rate[level] > 0)
            return scaling->block[level];
    return 0;
}

bool idle_is(struct idle *self, size_t place)
{
    const struct job *job = self->jobs[place];
    const int least = gpus_least(job->scaling);
    const int class = scaling_class(least);
    const int before = least > 0 ? self->gpus / least + 1 : 0;
    bool rests;

    if (least > 0 && self->counts[class] > 0 && job->arrival < self->last[class])
        return false;
    rests = self->counts[class] >= (size_t)before;
    self->last[class] = job->arrival;
    self->rests[place] = (struct rest){class, rests ? before : -1};
    self->counts[class]++;
    self->resting[class] += rests;
    return rests;
}
