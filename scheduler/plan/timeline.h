/* timeline.h - the number of free GPUs from now on, as a step function of time.
 *
 * Each entry holds from its time to the next, the last one for ever; times rise and neighbours
 * differ. A what-if is a copy. Times are doubles (whole seconds) because every length taken from
 * them is multiplied by a rate. The memory belongs to the maker of the timeline: a change writes a
 * second one, which needs room for TIMELINE_ROOM entries more than the first. */
#ifndef PLAN_TIMELINE_H
#define PLAN_TIMELINE_H

#include "scheduler/state/scaling.h"

#include <stdbool.h>

struct timeline_entry {
    double at_s;
    int free_gpus;
    int free_class; /* scaling_class(free_gpus) */
};

struct timeline {
    struct timeline_entry *entries;
    int count;
};

/* From `at_s` on the job holds the GPUs of `level`. */
struct step {
    double at_s;
    int level;
};

/* The future GPUs of one job: steps in order of time, the first of them now; all GPUs are released
 * at `end_s`, even if steps follow. */
struct reservation {
    struct step *steps;
    int count;
    double end_s;
};

#define TIMELINE_ROOM(reservation) ((reservation)->count + 1)

static inline struct timeline_entry timeline_entry(double at_s, int free_gpus)
{
    return (struct timeline_entry){at_s, free_gpus, scaling_class(free_gpus)};
}

/* All GPUs are free from `now_s` on; there must be room for one entry. */
void timeline_clear(struct timeline *self, double now_s, int gpu_count);

/* `to` becomes `self` less, or more, what `reservation` holds at the levels of `scaling`. */
void timeline_reserve(const struct timeline *self, const struct reservation *reservation,
                      const struct scaling *scaling, struct timeline *to);
void timeline_release(const struct timeline *self, const struct reservation *reservation,
                      const struct scaling *scaling, struct timeline *to);

/* `more` GPUs more are free from `at_s` on; a negative number: fewer. */
struct timeline_delta {
    double at_s;
    int more;
};

/* Sets `to` to `self` with all `deltas`, which are in order of time, none before the start. */
void timeline_apply(const struct timeline *self, const struct timeline_delta *deltas, int count,
                    struct timeline *to);

/* The first time after the start at which the timeline, with `reservation` released, changes;
 * `otherwise` if it never does. */
double timeline_search_change_released(const struct timeline *self,
                                       const struct reservation *reservation,
                                       const struct scaling *scaling, double otherwise);

static inline double timeline_first_change_released(const struct timeline *self,
                                                    const struct reservation *reservation,
                                                    const struct scaling *scaling, double otherwise)
{
    const double own_s = reservation->count > 1 ? reservation->steps[1].at_s : reservation->end_s;

    /* Mostly a change of another reservation comes before any of the reservation's own. */
    if (self->count > 1 && self->entries[1].at_s < own_s &&
        self->entries[1].at_s < reservation->end_s)
        return self->entries[1].at_s;
    return timeline_search_change_released(self, reservation, scaling, otherwise);
}

/* Whether every value is in 0 .. gpu_count. */
bool timeline_is_within(const struct timeline *self, int gpu_count);

#endif
