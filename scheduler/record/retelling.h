/* retelling.h - the occurrences of a step that was read, as the engine is told them again: what was
 * as expected is asked of the engine. */
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

/* Fills it for a step of `count` items at `now_s`, in place of the step before. -1, with `error`,
 * if the engine does not expect what was expected then. */
int retelling_gather(struct retelling *self, engine_t *engine, int64_t now_s,
                     const struct recorded items[], size_t count, struct error *error);
void retelling_free(struct retelling *self);

#endif
