/* quick_probe.h - a job's plan with a level forced now, found without walking over its pieces.
 *
 * If the GPUs that a plan asks for are free throughout, the sums over its pieces collapse into one
 * product, and the two pieces that matter (where the level is reached, where the job ends) are
 * found by bisection. Sums and products round differently; so whenever a comparison is closer than
 * their errors there is no answer, and the caller plans piece by piece. An answer is always the one
 * that plan_deadline and reservation_gpu_seconds would give. */
#ifndef REFERENCE_QUICK_PROBE_H
#define REFERENCE_QUICK_PROBE_H

#include "scheduler/plan/timeline.h"
#include "scheduler/reference/deadline_planner.h"

#include <stdbool.h>
#include <stdint.h>

/* The free GPUs, and for each class from when on that many are free for good. */
struct free_outlook {
    const struct timeline *free;
    double enough_from_s[SCALING_CLASSES]; /* from then on every entry is of this class or above */
};

/* On a cluster of `gpu_count` GPUs: no answer asks for more, and larger classes are left unset. */
void free_outlook_update(struct free_outlook *self, const struct timeline *free, int gpu_count);

/* The changes of a reservation after now; the last one is its end. */
struct own_change {
    double at_s;
    int more; /* GPUs that it holds more from then on; negative: fewer */
};

#define OWN_CHANGES_MAX 7

struct own_changes {
    int held; /* GPUs that it holds now */
    int count;
    struct own_change at[OWN_CHANGES_MAX];
};

/* Returns false if there are more than OWN_CHANGES_MAX changes; `self` is then undefined. */
bool own_changes_of(struct own_changes *self, const struct reservation *reservation,
                    const struct scaling *scaling);

/* The question: to plan `demand`, of a regular scaling, with `forced_level` held now, into what is
 * free once the reservation with the changes `own` is given back; `change_s` is when that first
 * changes. */
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

/* Times as bits, four to each doubling of the time from now: sets without a common bit have no
 * common time. */
typedef uint64_t times_t;

times_t times_at(const struct planning_grid *grid, double at_s);

struct quick_answer {
    /* The answer is valid while the forced piece ends in the first window, free GPUs do not change
     * in the other windows, and the GPUs that it needs are free. */
    struct window forced_end;
    struct window around_start;
    struct window around_end;
    times_t around;       /* both windows */
    double holds_until_s; /* how long the reservation itself holds enough GPUs */
    int class;            /* class of the GPUs that it needs */

    /* How the plan goes on: `level` from `start_s` on, the level below it until then, and done
     * `work_s` seconds later; `behind_s` is the first change after that. */
    int level;
    double start_s;
    double work_s;
    double behind_s;

    double gpu_seconds; /* reservation_gpu_seconds of the plan */
    double end_s;       /* end of the forced piece, if that does all the work alone */
    bool ends_at_once;  /* whether the forced piece does */
};

/* Returns true and the answer, or false if there is no quick answer. */
bool quick_probe(const struct quick_question *question, struct quick_answer *answer);

/* Whether the GPUs that the answer needs after its forced piece are free. */
static inline bool quick_answer_fits(const struct free_outlook *outlook,
                                     const struct quick_answer *answer)
{
    return outlook->enough_from_s[answer->class] <= answer->holds_until_s;
}

/* Whether a look alone shows that `answer` still stands after the free GPUs changed at `times`, if
 * the forced piece lasts as long as it did. */
static inline bool quick_answer_is_untouched(const struct free_outlook *outlook,
                                             const struct quick_answer *answer, times_t times)
{
    return (answer->around & times) == 0 && quick_answer_fits(outlook, answer);
}

/* Whether `answer`, given before the free GPUs changed by `count` deltas in order of time, still
 * stands. */
bool quick_answer_stands(const struct quick_question *question, const struct quick_answer *answer,
                         const struct timeline_delta *changed, int count);

/* Writes the plan that `answer` found into `reservation` (room for 4 steps) and `finish_s`. Returns
 * false if rounding could move its end across a full second. */
bool quick_plan(const struct quick_question *question, const struct quick_answer *answer,
                struct reservation *reservation, double *finish_s);

#endif
