/* slice_placement.c - the scheme of policies whose jobs take turns on the nodes that the policy
 * chose. */
#include "scheduler/placement/placement.h"

const struct placement placement_gandiva = {
    .name = "gandiva",
    .summary = "the nodes on which the jobs take turns, packed side by side",
    .by_policy = true,
};
