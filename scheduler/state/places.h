/* places.h - the indices of jobs in a list, which the jobs themselves remember.
 *
 * If jobs leave a long list here and there and others join at its end, the first jobs keep their
 * places, and their records are neither read nor written. All zeros: no job knows its place. */
#ifndef STATE_PLACES_H
#define STATE_PLACES_H

#include "scheduler/state/jobs.h"

struct places {
    size_t known;      /* number of jobs, from the first, that know their places */
    uint64_t *numbers; /* numbers of these jobs */
    size_t room;
};

void places_close(struct places *self);

/* Tells each job of `jobs` its place. */
void places_tell(struct places *self, const struct jobs *jobs);

/* Whether each job of `jobs` knows its right place. Debug builds assert it in each round. */
bool places_hold(const struct jobs *jobs);

#ifdef RUBATO_DEBUG
#define PLACES_ARE_CHECKED true
#else
#define PLACES_ARE_CHECKED false
#endif

/* Notes that other jobs may stand in the list from `first` on. */
static inline void places_forget(struct places *self, size_t first)
{
    self->known = first < self->known ? first : self->known;
}

/* Drops the jobs of the list that are no longer live. */
void places_keep_live(struct places *self, struct jobs *jobs);

#endif
