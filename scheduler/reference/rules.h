/* rules.h - the rules of the published policies for planning, sharing and rounds. A quirk that is
 * put right replaces one of these functions, see quirks.h. Views lead policies to their rules. */
#ifndef REFERENCE_RULES_H
#define REFERENCE_RULES_H

#include "scheduler/reference/artifact.h"
#include "scheduler/reference/planning_rules.h"
#include "scheduler/reference/sharing_rules.h"

struct reference_rules {
    struct loop_rules loop;
    struct planning_rules planning; /* rules of policies that plan as the published policies do */
    struct sharing_rules sharing;   /* rules of the baselines */
};

static inline const struct planning_rules *planning_of(const struct view *view)
{
    const struct reference_rules *rules = view->rules;

    return rules ? &rules->planning : &planning_as_published;
}

static inline const struct sharing_rules *sharing_of(const struct view *view)
{
    return &((const struct reference_rules *)view->rules)->sharing;
}

#endif
