/* orders.c - the plan in force, which a decision makes and the source is sent. */
#include "scheduler/capacity/capacity_state.h"

#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

static enum stop_why stop_why(enum freed_why why)
{
    if (why == FREED_DONE)
        return STOP_DONE;
    return why == FREED_PAUSED ? STOP_PAUSED : STOP_CANCELLED;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The GPUs of a holding by the source's numbers, in rising order. -1 with `error`. */
static int find_ranks(const capacity_t *self, const struct decision *decision,
                      const struct holding *holding, int *ranks, struct error *error)
{
    const int count = cluster_ranks(decision->cluster, holding->job, ranks);

    if (count != holding->grant.gpus)
        return error_set(error,
                         "job %s: the layout has %d of its %d GPUs on nodes that it does not hold, "
                         "which no real cluster can do",
                         holding->job->submission->id, holding->grant.gpus - count,
                         holding->grant.gpus);
    for (int i = 0; i < count; i++) {
        const int node = cluster_rank_node(decision->cluster, ranks[i]);
        const struct pool *pool = pool_at(cluster_pools(decision->cluster, NULL), node);

        ranks[i] = self->nodes[node].first_rank + ranks[i] - pool_rank(pool, node);
    }
    qsort(ranks, (size_t)count, sizeof(*ranks), compare_ranks);
    return 0;
}

static struct msg_planned_job plan_job(const struct holding *holding,
                                       const struct trained_job *trained)
{
    const struct submission *submission = holding->job->submission;

    return (struct msg_planned_job){.job = submission->number,
                                    .name = submission->id,
                                    .model = submission->model,
                                    .batch_size = submission->batch_size,
                                    .iterations = submission->iterations,
                                    .step = trained->planned_step,
                                    .deadline_s = submission->deadline_s,
                                    .overhead_s = holding->overhead_s,
                                    .rate = holding->grant.rate,
                                    .rank_count = trained->rank_count,
                                    .ranks = trained->ranks};
}

static int assign(capacity_t *self, const engine_t *engine, const struct decision *decision,
                  struct msg_plan *plan, struct error *error)
{
    int *ranks = xcalloc((size_t)cluster_gpus(decision->cluster), sizeof(*ranks));
    int status = 0;

    for (size_t i = 0; i < decision->holding_count && status == 0; i++) {
        const struct holding *holding = &decision->holdings[i];

        status = find_ranks(self, decision, holding, ranks, error);
        if (status == 0)
            plan->jobs[plan->job_count++] =
                plan_job(holding, trained_jobs_assign(self->jobs, holding, ranks, self->round,
                                                      engine_iterations_done(engine, holding->job),
                                                      decision->restart));
    }
    free(ranks);
    return status;
}

/* Puts the stops into the plan: of jobs that hold no GPU any more, and those of earlier plans that
 * are not confirmed yet. */
static void release(capacity_t *self, const engine_t *engine, const struct decision *decision,
                    struct msg_plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < decision->released_count; i++) {
        const struct release *released = &decision->released[i];

        trained_jobs_stop(self->jobs,
                          &(struct msg_planned_stop){released->job->submission->number,
                                                     engine_iterations_done(engine, released->job),
                                                     stop_why(released->why)});
    }
    for (struct trained_job *job = trained_jobs_first(self->jobs); job; job = job->hh.next)
        count += job->stops;
    plan->stops = xcalloc(count + 1, sizeof(*plan->stops));
    for (struct trained_job *job = trained_jobs_first(self->jobs); job; job = job->hh.next)
        if (job->stops)
            plan->stops[plan->stop_count++] = job->stop;
}

/* Forgets jobs that are over, and neither hold GPUs nor have to be stopped. */
static void forget_over(capacity_t *self, const engine_t *engine)
{
    struct trained_job *next;

    for (struct trained_job *job = trained_jobs_first(self->jobs); job; job = next) {
        next = job->hh.next;
        if (!job->planned && !job->stops && !engine_job(engine, job->number))
            trained_jobs_forget(self->jobs, job);
    }
}

static void pack_plan(capacity_t *self, const struct msg_plan *plan)
{
    if (self->has_plan)
        writer_close(&self->plan);
    msg_plan_pack(plan, &self->plan);
    self->has_plan = self->sent_anew = true;
    self->kept_plan = false;
}

/* Sends the programs, which go before the plan so that no job starts without its own. */
static int send_programs(capacity_t *self)
{
    for (struct trained_job *job = trained_jobs_first(self->jobs); job; job = job->hh.next) {
        const struct msg_program *program;

        if (!job->planned || job->named)
            continue;
        if (self->setting.program_of(self->setting.owner, job->number, &program, &self->unread) < 0)
            return -1;
        job->named = true;
        if (program)
            self->source.program(self->source.self, program);
    }
    return 0;
}

/* Whether the plan may lack jobs that the source holds, which the source would stop. */
static bool is_unsure(const capacity_t *self)
{
    return self->setting.knows && (!self->heard_parts || self->unknown > 0);
}

/* Sends the plan if it is due. The plan stays here, for a source that comes back without it. */
void capacity_send_orders(capacity_t *self)
{
    if (!self->sent_anew || !self->is_attached || !self->has_plan || self->held_back ||
        is_unsure(self))
        return;
    self->sent_anew = false;
    if (self->setting.program_of && send_programs(self) < 0)
        return;
    self->source.order(self->source.self, &self->plan);
}

int capacity_order(capacity_t *self, const engine_t *engine, const struct decision *decision,
                   struct error *error)
{
    struct msg_plan plan = {
        .round = (uint64_t)decision->round,
        .at_s = decision->now_s,
        .fast_forward = self->setting.fast_forward,
        .time_scale = self->setting.time_scale,
        .restart = decision->restart,
        .jobs = xcalloc(decision->holding_count + 1, sizeof(*plan.jobs)),
    };
    int status;

    self->paid = true;
    self->round = plan.round;
    trained_jobs_begin(self->jobs);
    status = assign(self, engine, decision, &plan, error);
    if (status == 0) {
        /* A job may have ended whose GPUs this plan gives to another one. */
        self->changed = self->changed || capacity_has_end(self, engine);
        release(self, engine, decision, &plan);
        forget_over(self, engine);
        pack_plan(self, &plan);
    }
    free(plan.stops);
    free(plan.jobs);
    return status;
}

void capacity_hold_orders(capacity_t *self)
{
    self->held_back = true;
}

void capacity_pass_orders(capacity_t *self)
{
    self->held_back = false;
    capacity_send_orders(self);
}
