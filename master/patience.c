/* patience.c - the time that a program has to train at its rate. A program that reports for itself
 * decides when it is stable, and may never say so. The round that waits for it would then never be
 * settled. */
#include "master/dispatch_state.h"

#include <stdio.h>

/* The patience with a program. An emulated trainer waits for the start overhead of its plan, on the
 * clock of the run, which is added. */
static double patience_us(const dispatch_t *self, const struct msg_run *run)
{
    const double patience = (double)self->setting.stable_within_us;

    if (run->time_scale <= 0 || run->overhead_ms <= 0)
        return patience;
    return patience + (double)run->overhead_ms * 1000 / run->time_scale;
}

static void look_at(dispatch_t *self, struct incarnation *incarnation, int64_t now_us)
{
    const double limit_us = patience_us(self, &incarnation->run);
    char cause[NODE_CAUSE_MAX];

    if (incarnation->phase != INCARNATION_BEGUN || incarnation->fault != FAULT_NONE ||
        (double)(now_us - incarnation->begun_us) < limit_us)
        return;
    (void)snprintf(cause, sizeof(cause), "not stable within %g s", limit_us / 1e6);
    incarnation_fail(self, incarnation, FAULT_FAILED, true, cause);
}

void patience_end(dispatch_t *self, const struct worker_node *node, int64_t now_us)
{
    if (self->setting.stable_within_us == 0)
        return;
    for (const struct remote_part *part = node->parts; part; part = part->next)
        if (part->node_rank == 0)
            look_at(self, part->incarnation, now_us);
}
