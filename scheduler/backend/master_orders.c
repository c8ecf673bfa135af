/* master_orders.c - the orders of a round as a plan for the master. */
#include "scheduler/backend/backend_master_state.h"

#include "common/memory.h"

#include <stdlib.h>

static enum stop_why stop_why(enum release_why why)
{
    if (why == RELEASE_DONE)
        return STOP_DONE;
    return why == RELEASE_HELD ? STOP_CANCELLED : STOP_PAUSED;
}

static int32_t master_rank(const backend_master_t *self, int rank)
{
    return self->nodes[rank / self->per_node].first_rank + rank % self->per_node;
}

static struct msg_planned_job plan_job(const backend_master_t *self,
                                       const struct assignment *assignment)
{
    const struct job *job = assignment->job;

    for (int i = 0; i < assignment->rank_count; i++)
        assignment->ranks[i] = master_rank(self, assignment->ranks[i]);
    return (struct msg_planned_job){.job = job->submission->number,
                                    .name = job->submission->id,
                                    .model = job->submission->model,
                                    .batch_size = job->submission->batch_size,
                                    .iterations = job->submission->iterations,
                                    .step = assignment->step,
                                    .deadline_s = job->submission->deadline_s,
                                    .overhead_s = assignment->overhead_s,
                                    .rate = assignment->rate,
                                    .rank_count = (size_t)assignment->rank_count,
                                    .ranks = assignment->ranks};
}

static void pack_plan(backend_master_t *self, const struct orders *orders)
{
    struct msg_plan plan = {
        .round = (uint64_t)orders->round,
        .at_s = orders->now_s,
        .fast_forward = self->setting.fast_forward,
        .time_scale = self->setting.time_scale,
        .restart = orders->restart,
        .job_count = orders->assignment_count,
        .jobs = xcalloc(orders->assignment_count + 1, sizeof(*plan.jobs)),
        .stop_count = orders->release_count,
        .stops = xcalloc(orders->release_count + 1, sizeof(*plan.stops)),
    };

    for (size_t i = 0; i < plan.job_count; i++)
        plan.jobs[i] = plan_job(self, &orders->assignments[i]);
    for (size_t i = 0; i < plan.stop_count; i++)
        plan.stops[i] =
            (struct msg_planned_stop){orders->releases[i].job->submission->number,
                                      orders->releases[i].step, stop_why(orders->releases[i].why)};
    if (self->has_plan)
        writer_close(&self->plan);
    msg_plan_pack(&plan, &self->plan);
    self->has_plan = true;
    free(plan.stops);
    free(plan.jobs);
}

/* The plan in force stays here, for a master that loses its session. */
static void send_plan(backend_master_t *self)
{
    struct writer copy;

    msgpack_sbuffer_init(&copy.bytes);
    (void)msgpack_sbuffer_write(&copy.bytes, self->plan.bytes.data, self->plan.bytes.size);
    msgpack_packer_init(&copy.packer, &copy.bytes, msgpack_sbuffer_write);
    self->sent_anew = false;
    link_client_send(self->link, &copy);
}

void orders_resend(backend_master_t *self)
{
    if (self->sent_anew && self->welcome && self->has_plan)
        send_plan(self);
}

void orders_send(backend_master_t *self, const struct orders *orders)
{
    pack_plan(self, orders);
    self->sent_anew = true;
    orders_resend(self);
}
