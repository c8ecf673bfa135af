/* idle.h - the waiting jobs that a round need not look at: jobs without a deadline that never ran.
 *
 * Such jobs get leftover GPUs in the order of their arrival. Among jobs that begin with equal
 * numbers of GPUs only the first few can get any, as many jobs as there are GPUs for. One more job
 * may be the first that waits for its turn. Later jobs hold nothing and are planned nothing. A
 * later job rests until enough jobs before it are gone: its record is not read meanwhile. */
#ifndef PLANNER_IDLE_H
#define PLANNER_IDLE_H

#include "scheduler/plan/view.h"

/* The rest of a job of the view. */
struct rest {
    int class;  /* class of the GPUs that the job begins with, 0 if it never begins */
    int before; /* the job rests if so many jobs of its class come before it; -1: it never rests */
};

/* All zero before the first round. */
struct idle {
    const struct job **jobs; /* the jobs of the round */
    struct rest *rests;      /* at the places of `jobs` */
    size_t count;
    size_t room;
    int gpus;        /* GPUs that there are for these jobs */
    bool is_ordered; /* the jobs are in the order of arrival; without that order no job stays at
                        rest */
    /* A number for each class: */
    size_t counts[SCALING_CLASSES];  /* jobs of the class met in the round */
    size_t resting[SCALING_CLASSES]; /* resting jobs among `counts` */
    uint64_t last[SCALING_CLASSES];  /* last arrival number */
};

void idle_close(struct idle *self);

/* Begins a round of the jobs of `view` with `gpus` GPUs. Each job is then to be met in order. */
void idle_open_round(struct idle *self, const struct view *view, int gpus);

/* Whether the job at `place` still rests from the round before. Counts a job that does. */
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
