/* experience.h - how slow jobs were beside their profiles, and how long their starts, resizes and
 * moves took beside their charges. An arriving job gets its margins from both. */
#ifndef PLANNER_EXPERIENCE_H
#define PLANNER_EXPERIENCE_H

#include "scheduler/planner/margins.h"
#include "scheduler/planner/stand.h"

/* A promise is at risk without the margin of this confidence at least, however low its own is. */
#define CONFIDENCE_WATCHED 95

/* All zero: there is no experience. */
struct experience {
    struct margins speeds;
    struct margins starts;
};

/* Sets the margins of `job`, which arrives, for a promise that holds with a chance of `confidence`
 * per cent; 0 for margins of 0. */
void experience_margins(const struct experience *self, const struct job *job, double confidence,
                        struct stand *stand);

/* Takes in, in a round, the speed of `job` and the cost of its last change, each once. */
void experience_hear(struct experience *self, const struct job *job, struct stand *stand);

/* experience_hear() for the last time, as `job` ends. */
void experience_hear_end(struct experience *self, const struct job *job, struct stand *stand);

/* Reads or writes the experience; see common/archive.h. */
void experience_archive(struct experience *self, struct archive *archive);

#endif
