/* engine_archive.h - an engine between two steps, written and read back; see common/archive.h.
 *
 * Records and layout are written here, by the shapes that all know. A type that keeps its shape to
 * itself has a function of its own for that: plan, prices, scalings, the memory of a policy. */
#ifndef SNAPSHOT_ENGINE_ARCHIVE_H
#define SNAPSHOT_ENGINE_ARCHIVE_H

#include "scheduler/engine/engine.h"
#include "scheduler/snapshot/job_archive.h"

#include <stdbool.h>

/* Whether the policy is one whose engine can be written and read back. */
bool engine_has_archive(const engine_t *self);

/* Writes the whole state between two steps, or reads it into an engine that is new and of the same
 * setting: it decides as the one that was written. Records of jobs that are over are gone after it,
 * as after a step. `find` gives the submissions of all others, for reading; an engine that read a
 * broken archive is of no use. */
void engine_archive(engine_t *self, struct archive *archive, submission_find *find,
                    const void *owner);

#endif
