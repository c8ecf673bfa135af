/* places.h - the places that jobs have in a list, told to those jobs alone that may not know them.
 *
 * Where jobs leave a list here and there, and others come at its end, the first of many keep their
 * places: their records are neither read nor written. All zeros: no job knows its place. */
#ifndef STATE_PLACES_H
#define STATE_PLACES_H

#include "scheduler/state/jobs.h"

struct places {
    size_t known;      /* so many of the list know their places */
    uint64_t *numbers; /* theirs */
    size_t room;
};

void places_close(struct places *self);

/* Each job of `jobs` knows its place. */
void places_tell(struct places *self, const struct jobs *jobs);

/* Whether each job of `jobs` knows the place that it has. Debug builds assert it in each round. */
bool places_hold(const struct jobs *jobs);

#ifdef RUBATO_DEBUG
#define PLACES_ARE_CHECKED true
#else
#define PLACES_ARE_CHECKED false
#endif

/* The jobs of the list from `first` on may be others. */
static inline void places_forget(struct places *self, size_t first)
{
    self->known = first < self->known ? first : self->known;
}

/* Drops the jobs of the list that are no longer live. */
void places_keep_live(struct places *self, struct jobs *jobs);

#endif
