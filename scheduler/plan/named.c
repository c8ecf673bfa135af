/* named.c - see named.h. */
#include "scheduler/plan/named.h"

#include <stdlib.h>

void named_close(struct named *self)
{
    free(self->last.items);
    free(self->changed.items);
}

void named_forget(struct named *self)
{
    self->few = self->were_few = false;
    self->last.count = self->changed.count = 0;
}

/* Merges the jobs named in this round and in the last one. Both lists are in the order of
 * places. */
static void list_changed(struct named *self, const plan_t *plan, const struct jobs *live)
{
    size_t next = 0;

    self->changed.count = 0;
    for (size_t i = 0; i < self->last.count; i++) {
        struct job *job = self->last.items[i];

        if (!job_is_live(job))
            continue;
        for (; next < plan->named_count && plan->named[next] < job->place; next++)
            jobs_append(&self->changed, live->items[plan->named[next]]);
        next += next < plan->named_count && plan->named[next] == job->place;
        jobs_append(&self->changed, job);
    }
    for (; next < plan->named_count; next++)
        jobs_append(&self->changed, live->items[plan->named[next]]);
}

void named_follow(struct named *self, const plan_t *plan, const struct jobs *live)
{
    self->were_few = self->few;
    self->few = !plan->names_all;
    if (self->few && self->were_few)
        list_changed(self, plan, live);
    self->last.count = 0;
    for (size_t i = 0; self->few && i < plan->named_count; i++)
        jobs_append(&self->last, live->items[plan->named[i]]);
}
