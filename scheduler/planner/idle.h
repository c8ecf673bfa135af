/* idle.h - which waiting jobs a round need not look at: of those without a deadline that never ran.
 *
 * GPUs that are left go to such jobs in the order of their arrival. Of those that begin with the
 * same number of GPUs only the first can get any, as many as there are GPUs for, and one more may
 * be the first that waits for its turn. Others hold nothing and are planned nothing. Such a job
 * rests until enough of those before it are gone: its record is not read meanwhile. */
#ifndef PLANNER_IDLE_H
#define PLANNER_IDLE_H

#include "scheduler/plan/view.h"

/* Of a job of the view. */
struct rest {
    int class;  /* of the GPUs that it begins with, 0 for those that never begin */
    int before; /* it rests if so many of its class come before it; -1 for one that does not rest */
};

/* All zero: no round was yet. */
struct idle {
    const struct job **jobs; /* of the round */
    struct rest *rests;      /* theirs */
    size_t count;
    size_t room;
    int gpus;        /* that there are for them */
    bool is_ordered; /* the jobs are in the order of their arrival: if not, none stays at rest */
    /* By class: */
    size_t counts[SCALING_CLASSES];  /* those that were met in the round */
    size_t resting[SCALING_CLASSES]; /* those of them that rest */
    uint64_t last[SCALING_CLASSES];  /* arrivals */
};

void idle_close(struct idle *self);

/* A round of the jobs of `view`, in which there are `gpus` GPUs. Each job is to be met in order. */
void idle_open_round(struct idle *self, const struct view *view, int gpus);

/* Whether the job at `place` rests, as it did in the round before. */
static inline bool idle_rests(struct idle *self, size_t place)
{
    const struct rest *rest = &self->rests[place];

    if (rest->before < 0 || self->counts[rest->class] < (size_t)rest->before)
        return false;
    self->counts[rest->class]++;
    self->resting[rest->class]++;
    return true;
}

/* Whether the job at `place`, which waits without a deadline, rests from now on. */
bool idle_is(struct idle *self, size_t place);

#endif
