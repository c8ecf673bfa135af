/* disturbance.c - words for disturbances, see decision.h. */
#include "scheduler/engine/decision.h"

static const char *const words[] = {
    [DISTURBANCE_NODE_UP] = "node-up",     [DISTURBANCE_NODE_DRAINING] = "node-draining",
    [DISTURBANCE_NODE_DOWN] = "node-down", [DISTURBANCE_HELD] = "held",
    [DISTURBANCE_SLIPS] = "slips",         [DISTURBANCE_AT_RISK] = "at-risk",
    [DISTURBANCE_BEHIND] = "behind",       [DISTURBANCE_FALLS] = "falls",
    [DISTURBANCE_ORPHANED] = "orphaned",   [DISTURBANCE_LAPSED] = "lapsed"};

const char *disturbance_word(const struct disturbance *self)
{
    if (self->kind == DISTURBANCE_SLIPS && disturbance_withdraws(self))
        return "withdrawn";
    return words[self->kind];
}
