/* launch.c - jobs get GPUs and let go of them: incarnations are started, told to stop, and given
 * up. */
#include "common/memory.h"
#include "master/node_gpus.h"
#include "master/plan_run_state.h"

#include <assert.h>
#include <stdlib.h>

/* The parts of a job: its ranks, which rise, cut where the node changes. */
struct launch_parts {
    struct launch_part *items;
    size_t count;
    int32_t *gpus;
    int32_t *ranks;
};

static int compare_gpus(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* Sorts the GPUs of each part, because a RUN names GPUs in rising order. Ranks rise, too, but
 * need not be in the order of the GPUs. */
static void sort_gpus(const struct launch_parts *parts)
{
    size_t first = 0;

    for (size_t i = 0; i < parts->count; i++) {
        qsort(parts->gpus + first, parts->items[i].gpu_count, sizeof(*parts->gpus), compare_gpus);
        first += parts->items[i].gpu_count;
    }
}

static struct launch_parts parts_of(const plan_run_t *self, const struct planned_job *job)
{
    const registry_t *registry = dispatch_registry(self->dispatch);
    const size_t count = job->plan.rank_count;
    struct launch_parts parts = {xcalloc(count, sizeof(*parts.items)), 0,
                                 xcalloc(count, sizeof(*parts.gpus)),
                                 xcalloc(count, sizeof(*parts.ranks))};

    for (size_t i = 0; i < count; i++) {
        struct worker_node *node = registry_find(registry, job->plan.ranks[i]);

        parts.gpus[i] = node_gpu(node, job->plan.ranks[i]);
        parts.ranks[i] = (int32_t)i;
        if (parts.count == 0 || parts.items[parts.count - 1].node != node) {
            parts.items[parts.count] = (struct launch_part){node, (int32_t)parts.count, 0,
                                                            &parts.gpus[i], &parts.ranks[i]};
            parts.count++;
        }
        parts.items[parts.count - 1].gpu_count++;
    }
    sort_gpus(&parts);
    return parts;
}

static void parts_clear(struct launch_parts *parts)
{
    free(parts->items);
    free(parts->gpus);
    free(parts->ranks);
}

static struct msg_run run_of(const plan_run_t *self, const struct planned_job *job,
                             const struct launch_parts *parts)
{
    const struct msg_planned_job *plan = &job->plan;

    return (struct msg_run){.job = job->number,
                            .name = plan->name,
                            .model = plan->model,
                            .batch_size = plan->batch_size,
                            .iterations = plan->iterations,
                            .step = job_step(job),
                            .deadline_s = plan->deadline_s,
                            .overhead_ms = (int64_t)plan->overhead_s * 1000,
                            .rate = plan->rate,
                            .fast_forward = job->fast_forward,
                            .time_scale = job->time_scale,
                            .nodes = (int32_t)parts->count,
                            .world = (int32_t)plan->rank_count,
                            .program = programs_find(self->programs, job->number)};
}

/* Whether all nodes of the job's GPUs are up; if not, `cause` says why. */
static bool nodes_are_up(plan_run_t *self, const struct planned_job *job, const char **cause)
{
    const registry_t *registry = dispatch_registry(self->dispatch);

    for (size_t i = 0; i < job->plan.rank_count; i++) {
        const struct worker_node *node = registry_find(registry, job->plan.ranks[i]);

        if (!node) {
            *cause = "no worker has registered these GPUs";
            report_nodes(self); /* the scheduler seems not to know the nodes */
            return false;
        }
        if (node->state == WORKER_DOWN || node->state == WORKER_RETURNING || node->excluded) {
            *cause = node->cause[0] ? node->cause : "its node is not up";
            return false;
        }
        if (job->plan.ranks[i] >= node->first_rank + node->gpus) {
            *cause = "its node has fewer GPUs now";
            return false;
        }
    }
    return true;
}

void job_lose(plan_run_t *self, struct planned_job *job, const char *cause)
{
    job->lost = true;
    report_state(self, job, JOB_REPORT_LOST, job_step(job), cause);
}

void job_start(plan_run_t *self, struct planned_job *job, int64_t now_us)
{
    const char *cause;
    struct launch_parts parts;

    assert(!job->current);
    job->lineage = dispatch_lineage(self->dispatch, job->number);
    if (!nodes_are_up(self, job, &cause)) {
        job_lose(self, job, cause);
        return;
    }
    if (job->forgiven)
        job_forgive(job);
    parts = parts_of(self, job);
    job->current = dispatch_start(self->dispatch,
                                  &(struct job_launch){.run = run_of(self, job, &parts),
                                                       .may_begin = true,
                                                       .part_count = parts.count,
                                                       .parts = parts.items,
                                                       .item = job},
                                  now_us);
    job->last_number = job->current->number;
    job->alive++;
    parts_clear(&parts);
}

void job_stop(plan_run_t *self, struct planned_job *job, const struct ending *ending,
              int64_t now_us)
{
    struct incarnation *incarnation = job->current;

    if (!incarnation)
        return;
    job->current = NULL;
    dispatch_stop(self->dispatch, incarnation, ending, now_us);
}
