/* promising.c - see promising.h. */
#include "scheduler/policies/promising.h"

#include <inttypes.h>
#include <stddef.h>

static const char *const objectives[] = {[PROMISE_JOBS] = "promises",
                                         [PROMISE_VALUE] = "value",
                                         [PROMISE_GPU_HOURS] = "gpu-hours",
                                         NULL};

static const struct policy_option items[] = {
    {POLICY_CHOICE(struct promising, objective, "objective", "WHAT", objectives,
                   "rubato: what to promise as much of as possible: jobs, their column value, or "
                   "the GPU-hours that they take at least"),
     .record = RECORD_ALWAYS},
    {POLICY_OPTION(struct promising, spare_nodes, "spare-nodes", "COUNT", 0, 100000,
                   "rubato: promise only what holds if so many nodes are lost at any time"),
     .record = RECORD_ALWAYS},
    {POLICY_OPTION(struct promising, node_loss_s, "node-loss", "SECONDS", 0, 1000000,
                   "rubato, with --spare-nodes: how much work a job loses with a node at most, "
                   "from its last checkpoint to its new start"),
     .record = RECORD_ALWAYS},
    {POLICY_OPTION(struct promising, confidence, "confidence", "PERCENT", 0, CONFIDENCE_MAX,
                   "rubato: promise only what holds with this chance, by how slow jobs are beside "
                   "their profiles; 0 takes profiles as they are"),
     .of_service = "95"},
    {POLICY_OPTION(struct promising, shares, "promise-share", "WHO=SHARE,...", 0, 0,
                   "rubato: how much of the cluster may be promised ahead at one time, as a share "
                   "of its GPU-hours in the --promise-horizon: to all jobs of a user, of @GROUP, "
                   "or with * of each user who is not named"),
     .record = RECORD_NEVER},
    {POLICY_OPTION(struct promising, horizon_s, "promise-horizon", "SECONDS", 1,
                   PROMISE_HORIZON_MAX_S, "time that a --promise-share is a share of"),
     .record = RECORD_NEVER},
    POLICY_OPTIONS_END};

static int settle(void *values, const struct policy_setting *setting, struct error *error)
{
    const struct promising *self = values;

    if (self->spare_nodes < setting->node_count)
        return 0;
    return error_set(error,
                     "expected fewer spare nodes than the cluster has, found %" PRId64 " of %d",
                     self->spare_nodes, setting->node_count);
}

static const struct promising usual = PROMISING_DEFAULT;

const struct policy_options promising_options = {.items = items,
                                                 .usual = &usual,
                                                 .size = sizeof(usual),
                                                 .record_word = "promises",
                                                 .settle = settle};

struct promise_terms promising_terms(const void *values)
{
    const struct promising *self = values;

    return (struct promise_terms){.losses = (int)self->spare_nodes,
                                  .confidence = self->confidence,
                                  .shares = self->shares,
                                  .horizon_s = self->horizon_s};
}
