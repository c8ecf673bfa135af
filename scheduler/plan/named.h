/* named.h - the jobs that plans name. Where plans name few of many jobs, what does not concern
 * those need not be looked at: the others hold nothing, and are as the plans before left them.
 *
 * All zeros: no plan was yet. */
#ifndef PLAN_NAMED_H
#define PLAN_NAMED_H

#include "scheduler/plan/plan.h"
#include "scheduler/state/jobs.h"

struct named {
    bool few;            /* the plan names few: others hold nothing */
    bool were_few;       /* so did the plan before */
    struct jobs last;    /* by the plan, if those are few */
    struct jobs changed; /* by the plan or the one before, if those are few */
};

void named_close(struct named *self);

/* The jobs are otherwise than any plan had them: none of them is left out before the next plan. */
void named_forget(struct named *self);

/* `plan` is the next one, of the jobs `live`, each of which knows its place there. They are in the
 * order of service, as they are for the next plan but for those that leave or come at the end. */
void named_follow(struct named *self, const plan_t *plan, const struct jobs *live);

/* The jobs of which the last plan may have another share than the plan before, in their order; NULL
 * for all. */
static inline const struct jobs *named_changed(const struct named *self)
{
    return self->few && self->were_few ? &self->changed : NULL;
}

/* In the order of service: all jobs of `live` that hold GPUs, and some that do not. */
static inline const struct jobs *named_holders(const struct named *self, const struct jobs *live)
{
    return self->few ? &self->last : live;
}

#endif
