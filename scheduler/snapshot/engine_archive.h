/* engine_archive.h - an engine between two steps, written and read back; see common/archive.h.
 *
 * Public structs such as records and layout are written here. An opaque type has a function of its
 * own: plan, prices, scalings, the memory of a policy. */
#ifndef SNAPSHOT_ENGINE_ARCHIVE_H
#define SNAPSHOT_ENGINE_ARCHIVE_H

#include "scheduler/engine/engine.h"
#include "scheduler/snapshot/job_archive.h"

#include <stdbool.h>

/* Whether the policy is one whose engine can be written and read back. */
bool engine_has_archive(const engine_t *self);

/* Writes the whole state between two steps, or reads it into a new engine with the same setting,
 * which then decides as the written engine. Records of jobs that are over are dropped, as after a
 * step. When reading, `find` gives the submissions of all other jobs; an engine that read a broken
 * archive is unusable. */
void engine_archive(engine_t *self, struct archive *archive, submission_find *find,
                    const void *owner);

#endif
