/* quick_probe.h - a job's plan with a level forced now, found without a walk over its pieces.
 *
 * If the GPUs that a plan asks for are free throughout, the sums over its pieces collapse into one
 * product, and bisection finds the two pieces that matter: where the level is reached, and where
 * the job ends. Sums and products round differently. Where a comparison is closer than their errors
 * there is no answer, and the caller plans piece by piece. An answer always equals the answer of
 * plan_deadline() and reservation_gpu_seconds(). */
#ifndef REFERENCE_QUICK_PROBE_H
#define REFERENCE_QUICK_PROBE_H

#include "scheduler/plan/timeline.h"
#include "scheduler/reference/deadline_planner.h"

#include <stdbool.h>
#include <stdint.h>

/* The free GPUs, and for each class the time from which so many are free for good. */
struct free_outlook {
    const struct timeline *free;
    double enough_from_s[SCALING_CLASSES]; /* by class: from this time on every entry has at least
                                              this class */
};

/* Computes the outlook on a cluster of `gpu_count` GPUs. Larger classes are left unset, as no
 * answer asks for more. */
void free_outlook_update(struct free_outlook *self, const struct timeline *free, int gpu_count);

/* A change of a reservation after now; the last change is its end. */
struct own_change {
    double at_s;
    int more; /* GPUs by which the reservation grows; negative: shrinks */
};

#define OWN_CHANGES_MAX 7

struct own_changes {
    int held; /* GPUs that the reservation holds now */
    int count;
    struct own_change at[OWN_CHANGES_MAX];
};

/* Returns false if there are more than OWN_CHANGES_MAX changes; `self` is then undefined. */
bool own_changes_of(struct own_changes *self, const struct reservation *reservation,
                    const struct scaling *scaling);

/* The question: what is the plan of `demand`, of a regular scaling, with `forced_level` held now,
 * on the GPUs that are free once the reservation with the changes `own` is given back? These GPUs
 * first change at `change_s`. */
struct quick_question {
    const struct planning_grid *grid;
    const struct free_outlook *outlook;
    const struct deadline_demand *demand;
    const struct own_changes *own;
    int forced_level;
    double change_s;
};

/* Changes between two times, both included. */
struct window {
    double from_s;
    double until_s;
};

/* Times as bits, four to each doubling of the time from now. Sets without a common bit have no
 * common time. */
typedef uint64_t times_t;

times_t times_at(const struct planning_grid *grid, double at_s);

struct quick_answer {
    /* The answer is valid while the forced piece ends in `forced_end`, the free GPUs do not change
     * in the other windows, and the needed GPUs are free. */
    struct window forced_end;
    struct window around_start;
    struct window around_end;
    times_t around;       /* `around_start` and `around_end` */
    double holds_until_s; /* end of the time in which the reservation itself holds enough GPUs */
    int class;            /* class of the needed GPUs */

    /* The rest of the plan: the level below `level` until `start_s`, then `level` for `work_s`
     * seconds. `behind_s` is the first change after the end. */
    int level;
    double start_s;
    double work_s;
    double behind_s;

    double gpu_seconds; /* reservation_gpu_seconds of the plan */
    double end_s;       /* end of the forced piece, if this piece does all the work */
    bool ends_at_once;  /* the forced piece does all the work */
};

/* Returns true and the answer, or false if there is no quick answer. */
bool quick_probe(const struct quick_question *question, struct quick_answer *answer);

/* Whether the GPUs that the answer needs after its forced piece are free. */
static inline bool quick_answer_fits(const struct free_outlook *outlook,
                                     const struct quick_answer *answer)
{
    return outlook->enough_from_s[answer->class] <= answer->holds_until_s;
}

/* Whether a quick look shows that `answer` still stands after the free GPUs changed at `times`,
 * provided that the forced piece lasts as long as before. */
static inline bool quick_answer_is_untouched(const struct free_outlook *outlook,
                                             const struct quick_answer *answer, times_t times)
{
    return (answer->around & times) == 0 && quick_answer_fits(outlook, answer);
}

/* Whether `answer`, given before the free GPUs changed by `count` deltas in order of time, still
 * stands. */
bool quick_answer_stands(const struct quick_question *question, const struct quick_answer *answer,
                         const struct timeline_delta *changed, int count);

/* Writes the plan of `answer` into `reservation`, with room for 4 steps, and `finish_s`. False if
 * rounding could move the plan's end across a full second. */
bool quick_plan(const struct quick_question *question, const struct quick_answer *answer,
                struct reservation *reservation, double *finish_s);

#endif
