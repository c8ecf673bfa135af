/* planned_jobs.c - see planned_jobs.h. */
#include "master/planned_jobs.h"

#include "common/memory.h"
#include "common/packing.h"
#include "master/lineage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* ---- a job ---- */

static struct msg_planned_job pack(const struct msg_planned_job *planned, struct packing *packing)
{
    struct msg_planned_job copy = *planned;

    copy.name = packing_text(packing, planned->name);
    copy.model = packing_text(packing, planned->model);
    copy.ranks =
        packing_bytes(packing, planned->ranks, planned->rank_count * sizeof(*planned->ranks));
    return copy;
}

void job_take_plan(struct planned_job *job, const struct msg_plan *plan,
                   const struct msg_planned_job *planned)
{
    struct packing packing = {NULL, 0};

    (void)pack(planned, &packing);
    packing_begin(&packing);
    job->plan = pack(planned, &packing);
    free(job->plan_memory);
    job->plan_memory = packing.memory;
    job->fast_forward = plan->fast_forward;
    job->time_scale = plan->time_scale;
}

bool job_is_same(const struct planned_job *job, const struct msg_plan *plan,
                 const struct msg_planned_job *planned)
{
    const struct msg_planned_job *before = &job->plan;

    return before->rank_count == planned->rank_count &&
           !memcmp(before->ranks, planned->ranks, planned->rank_count * sizeof(*planned->ranks)) &&
           before->batch_size == planned->batch_size && before->iterations == planned->iterations &&
           !strcmp(before->model, planned->model) && !strcmp(before->name, planned->name) &&
           job->fast_forward == plan->fast_forward && job->time_scale == plan->time_scale;
}

int64_t job_step(const struct planned_job *job)
{
    const int64_t left = job->lineage ? job->lineage->checkpoint : -1;
    const int64_t known = job->checkpoint > left ? job->checkpoint : left;

    if (known < 0 && !job->fast_forward)
        return -1;
    return known >= 0 ? known : job->plan.step;
}

void job_forgive(struct planned_job *job)
{
    job->failures = 0;
    job->forgiven = false;
    job->times_forgiven++;
}

bool job_is_out_of_plan(const struct planned_job *job)
{
    return !job->planned && job->alive == 0;
}

bool job_is_worth_keeping(const struct planned_job *job)
{
    const bool goes_on =
        (job->checkpoint >= 0 || job->failures > 0) && job->stop.why == STOP_PAUSED;

    return job->planned || job->alive > 0 || job->stop_due ||
           (!job->orphan && (job->held || goes_on));
}

/* Whether nothing is left of the job's earlier incarnations but leases of nodes that are gone. */
static bool others_are_fenced(const struct planned_job *job)
{
    const struct incarnation *at = job->lineage ? job->lineage->oldest : NULL;
    size_t fenced = 0;

    for (; at; at = at->newer)
        fenced += at->item == job && at != job->current && incarnation_is_fenced(at);
    return job->alive == fenced + (job->current != NULL);
}

static bool is_settled(const struct planned_job *job)
{
    if (job->planned && job->lost)
        return true;
    if (!others_are_fenced(job))
        return false;
    if (!job->planned || job->held || job->done)
        return !job->current;
    return job->current &&
           (incarnation_is_stable(job->current) || lineage_awaited_node(job->current));
}

/* ---- the table ---- */

struct planned_job *planned_jobs_find(const struct planned_jobs *self, uint64_t number)
{
    struct planned_job *found;

    HASH_FIND(hh, self->by_number, &number, sizeof(number), found);
    return found;
}

struct planned_job *planned_jobs_add(struct planned_jobs *self, uint64_t number)
{
    struct planned_job *job = xcalloc(1, sizeof(*job));

    assert(!planned_jobs_find(self, number));
    job->number = number;
    job->checkpoint = -1;
    job->settled = true;
    HASH_ADD(hh, self->by_number, number, sizeof(job->number), job);
    DL_APPEND(self->all, job);
    return job;
}

void planned_job_accuse(struct planned_job *job, struct worker_node *node)
{
    if (job->accused)
        job->accused->named--;
    if (node)
        node->named++;
    job->accused = node;
}

void planned_jobs_drop(struct planned_jobs *self, struct planned_job *job)
{
    assert(job->settled);
    if (!job->orphan)
        HASH_DEL(self->by_number, job);
    DL_DELETE(self->all, job);
    free(job->plan_memory);
    planned_job_accuse(job, NULL);
    free(job);
}

static void count_as(struct planned_jobs *self, struct planned_job *job, bool settled)
{
    if (settled == job->settled)
        return;
    job->settled = settled;
    if (settled)
        self->unsettled--;
    else
        self->unsettled++;
}

void planned_jobs_orphan(struct planned_jobs *self, struct planned_job *job)
{
    assert(!job->orphan);
    count_as(self, job, true);
    HASH_DEL(self->by_number, job);
    job->orphan = true;
}

void planned_jobs_settle(struct planned_jobs *self, struct planned_job *job)
{
    if (!job->orphan)
        count_as(self, job, is_settled(job));
}

void planned_jobs_clear(struct planned_jobs *self)
{
    struct planned_job *job;
    struct planned_job *next;

    DL_FOREACH_SAFE(self->all, job, next)
    {
        count_as(self, job, true);
        planned_jobs_drop(self, job);
    }
}
