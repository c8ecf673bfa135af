/* replay.h - drives an engine by the record of a run: the engine gets the recorded occurrences, and
 * must decide as recorded. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "common/error.h"
#include "scheduler/record/record.h"
#include "scheduler/run/simulation.h"

/* The simulation of a recorded setting. */
struct simulation replay_simulation(const struct record_setting *recorded);

/* Replays the record at `path` up to the first differing decision. Returns 0, with a sentence in
 * `told`, if all decisions are as recorded; 1, with a sentence about the step and the difference,
 * if one differs; -1, with `error`, where the record is damaged, breaks off or cannot be replayed
 * here. */
int replay_run(const char *path, struct error *told, struct error *error);

#endif
