/* reattach.c - parts that an earlier master left on workers, and the plan that says what is wanted
 * of them. Jobs that are planned as they run go on, and their trainers notice nothing. */
#include "common/log.h"
#include "common/memory.h"
#include "master/node_gpus.h"
#include "master/plan_run_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the plan that waits ---- */

static bool is_registered(const plan_run_t *self, const struct msg_planned_job *planned)
{
    for (size_t i = 0; i < planned->rank_count; i++)
        if (!registry_find(dispatch_registry(self->dispatch), planned->ranks[i]))
            return false;
    return true;
}

bool reattach_waits(const plan_run_t *self, const struct msg_plan *plan, int64_t now_us)
{
    if (self->attached || now_us >= dispatch_leases_over_us(self->dispatch))
        return false;
    for (size_t i = 0; i < plan->job_count; i++)
        if (!is_registered(self, &plan->jobs[i]))
            return true;
    return dispatch_gathers(self->dispatch);
}

void reattach_keep_plan(plan_run_t *self, const struct msg_plan *plan)
{
    if (!self->waits)
        log_event(&LOG_ABOUT_NOTHING, "plan-waits", "round=%" PRIu64, plan->round);
    reattach_drop_plan(self);
    msg_plan_pack(plan, &self->waiting);
    self->waits = true;
}

void reattach_drop_plan(plan_run_t *self)
{
    if (self->waits)
        writer_close(&self->waiting);
    self->waits = false;
}

/* ---- jobs ---- */

static int compare_ranks(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* The GPUs of an incarnation in rising order, as a plan names them. */
static int32_t *ranks_of(const struct incarnation *incarnation)
{
    const size_t world = (size_t)incarnation->run.world;
    int32_t *ranks = xcalloc(world, sizeof(*ranks));

    for (size_t i = 0; i < incarnation->part_count; i++) {
        const struct remote_part *part = &incarnation->parts[i];

        for (size_t k = 0; k < part->gpu_count; k++)
            ranks[part->ranks[k]] = node_rank(part->node, part->gpus[k]);
    }
    qsort(ranks, world, sizeof(*ranks), compare_ranks);
    return ranks;
}

/* Restores the fields of the plan that started the incarnation. */
static void take_work(struct planned_job *job, const struct incarnation *incarnation)
{
    const struct msg_run *run = &incarnation->run;
    const struct msg_plan plan = {.fast_forward = run->fast_forward, .time_scale = run->time_scale};
    const struct msg_planned_job planned = {
        .job = run->job,
        .name = run->name,
        .model = run->model,
        .batch_size = run->batch_size,
        .iterations = run->iterations,
        .step = run->step,
        .deadline_s = run->deadline_s,
        .rate = run->rate,
        .rank_count = (size_t)run->world,
        .ranks = ranks_of(incarnation),
    };

    job_take_plan(job, &plan, &planned);
    free(planned.ranks);
}

static void *take_job(void *owner, struct incarnation *incarnation)
{
    const struct log_subject subject = {(int64_t)incarnation->job, incarnation->number, LOG_NONE,
                                        LOG_NONE};
    plan_run_t *self = owner;
    struct planned_job *job = planned_jobs_add(&self->jobs, incarnation->job);

    take_work(job, incarnation);
    incarnation_take_program(incarnation, programs_find(self->programs, job->number));
    job->current = incarnation;
    job->lineage = incarnation->lineage;
    job->last_number = incarnation->number;
    job->alive = 1;
    log_event(&subject, "adopted", "step=%" PRId64, incarnation->step);
    return job;
}

void reattach(plan_run_t *self, int64_t now_us)
{
    if (self->attached)
        return;
    dispatch_adopt(self->dispatch, take_job, self, now_us);
}

void reattach_end(plan_run_t *self)
{
    if (self->attached)
        return;
    self->attached = true;
    reattach_drop_plan(self);
    dispatch_let_go(self->dispatch);
}
