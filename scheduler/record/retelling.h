/* retelling.h - rebuilds the occurrences of a recorded step for the engine: those recorded as
 * expected are asked from the engine. */
#ifndef RECORD_RETELLING_H
#define RECORD_RETELLING_H

#include "common/error.h"
#include "scheduler/engine/engine.h"
#include "scheduler/record/record_reader.h"

struct retelling {
    struct occurrence *items;
    size_t count;
    size_t room;
};

/* Fills in a step of `count` items at `now_s`, replacing the step before. -1, with `error`, if the
 * engine's expectations differ from the recorded ones. */
int retelling_gather(struct retelling *self, engine_t *engine, int64_t now_s,
                     const struct recorded items[], size_t count, struct error *error);
void retelling_free(struct retelling *self);

#endif
