/* contenders.c - see contenders.h. */
#include "scheduler/run/contenders.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool wants_objective(const struct simulation *self)
{
    return self->objective && promise_objective_find(self->objective) != PROMISE_JOBS;
}

/* The names of all policies that keep a plan, with commas between them. */
static void print_planning(char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (const char *const *name = policy_names(); *name && used < room; name++)
        if (policy_find(*name)->keeps_plan)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used > 0 ? ", " : "", *name);
}

int contenders_check(const struct simulation *shared, const struct policy *const policies[],
                     size_t count, struct error *error)
{
    char planning[256];

    for (size_t i = 0; i < count; i++)
        if (policies[i]->keeps_plan)
            return 0;
    print_planning(planning, sizeof(planning));
    if (wants_objective(shared))
        return error_set(error, "--objective %s: no policy of --policies has an objective; add %s",
                         shared->objective, planning);
    if (shared->promising.spare_nodes > 0)
        return error_set(
            error, "--spare-nodes %" PRId64 ": no policy of --policies keeps spare nodes; add %s",
            shared->promising.spare_nodes, planning);
    if (shared->promising.confidence > 0)
        return error_set(error,
                         "--confidence %g: no policy of --policies promises by confidence; add %s",
                         shared->promising.confidence, planning);
    if (shared->promise_share)
        return error_set(error,
                         "--promise-share %s: no policy of --policies promises by shares; add %s",
                         shared->promise_share, planning);
    return 0;
}

void contender_choose(struct simulation *self, const struct policy *policy)
{
    self->policy = policy->name;
    if (policy->keeps_plan)
        return;
    self->objective = NULL;
    self->promising.spare_nodes = 0;
    self->promising.confidence = 0;
    self->promise_share = NULL;
}
