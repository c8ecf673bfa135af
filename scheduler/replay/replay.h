/* replay.h - drives an engine by the record of a run: it is told the same, and must decide the
 * same. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "common/error.h"
#include "scheduler/record/record.h"
#include "scheduler/run/simulation.h"

/* The simulation to run where the setting of a record is all that is known. */
struct simulation replay_simulation(const struct record_setting *recorded);

/* Replays the record at `path` up to the first step that is decided otherwise. Returns 0, with a
 * sentence in `told`, if all decisions are as recorded; 1, with one that tells the step and the
 * difference, if not; -1, with `error`, where the record is damaged, breaks off or cannot be
 * replayed here. */
int replay_run(const char *path, struct error *told, struct error *error);

#endif
