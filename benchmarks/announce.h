/* announce.h - the first step of an engine that runs a trace: all of its jobs are announced. */
#ifndef BENCHMARKS_ANNOUNCE_H
#define BENCHMARKS_ANNOUNCE_H

#include "scheduler/engine/engine.h"
#include "scheduler/state/submission.h"

/* `jobs` is lent to the engine; `decision` is what the first step decides. -1 with `error`. */
int announce(engine_t *engine, submissions_t *jobs, struct decision *decision, struct error *error);

#endif
