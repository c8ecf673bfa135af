/* experience.h - how slow jobs were beside their profiles, and how long their starts, resizes and
 * moves took beside what was charged for these: by both a job that comes gets its margins. */
#ifndef PLANNER_EXPERIENCE_H
#define PLANNER_EXPERIENCE_H

#include "scheduler/planner/margins.h"
#include "scheduler/planner/stand.h"

/* A promise is at risk without the margin of this confidence at least, however low its own is. */
#define CONFIDENCE_WATCHED 95

/* All zero: there is none. */
struct experience {
    struct margins speeds;
    struct margins starts;
};

/* The margins of `job`, which comes, for a promise that is to hold with a chance of `confidence`
 * per cent; 0: as profiled. */
void experience_margins(const struct experience *self, const struct job *job, double confidence,
                        struct stand *stand);

/* Hears, at a round, of the speed of `job` and of what its last change cost, each once. */
void experience_hear(struct experience *self, const struct job *job, struct stand *stand);

/* The same for the last time, as `job` ends. */
void experience_hear_end(struct experience *self, const struct job *job, struct stand *stand);

/* See common/archive.h. */
void experience_archive(struct experience *self, struct archive *archive);

#endif
