/* announce.c - see announce.h. */
#include "benchmarks/announce.h"

#include "common/memory.h"

#include <stdlib.h>

int announce(engine_t *engine, submissions_t *jobs, struct decision *decision, struct error *error)
{
    const size_t count = submissions_count(jobs);
    struct occurrence *announced = xcalloc(count, sizeof(*announced));
    int status;

    for (size_t i = 0; i < count; i++)
        announced[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                           .submission = submissions_at(jobs, i)};
    status =
        engine_step(engine, announced[0].submission->submit_s, announced, count, decision, error);
    free(announced);
    return status;
}
