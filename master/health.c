/* health.c - GPUs on which incarnations fail. A part that fails accuses all GPUs that it had, and
 * one that ends well clears them. A node with a GPU that was accused so often in a row is excluded:
 * its scheduler hears that it is down, since it plans whole nodes. A job that fails on another
 * node, too, is to blame itself. */
#include "common/log.h"
#include "master/plan_run_state.h"

#include <inttypes.h>
#include <stdio.h>

static struct log_subject about(const struct worker_node *node, int32_t gpu)
{
    return (struct log_subject){LOG_NONE, LOG_NONE, node->number, gpu};
}

static bool another_is_up(const plan_run_t *self, const struct worker_node *node)
{
    const registry_t *registry = dispatch_registry(self->dispatch);

    for (size_t i = 0; i < registry_count(registry); i++) {
        const struct worker_node *other = registry_at(registry, i);

        if (other != node && other->state == NODE_UP && !other->excluded)
            return true;
    }
    return false;
}

/* The cluster is never without its last node. */
static void exclude(plan_run_t *self, struct worker_node *node, int32_t gpu, const char *cause)
{
    const struct log_subject subject = about(node, gpu);

    if (node->excluded || !another_is_up(self, node))
        return;
    node->excluded = true;
    (void)snprintf(node->cause, sizeof(node->cause),
                   "excluded: GPU %" PRId32 " failed %d times in a row, at last: %.150s", gpu,
                   node->health[gpu].failures, cause);
    log_event(&subject, "excluded", "name=%s failures=%d cause=%s", log_text(node->name),
              node->health[gpu].failures, log_text(cause));
    report_nodes(self);
}

static void accuse(plan_run_t *self, const struct planned_job *job, const struct remote_part *part,
                   const char *cause)
{
    for (size_t i = 0; i < part->gpu_count && part->gpus[i] < part->node->found; i++) {
        const struct log_subject subject = about(part->node, part->gpus[i]);
        struct gpu_health *health = &part->node->health[part->gpus[i]];

        health->several = health->failures > 0 && (health->several || health->job != job->number);
        health->job = job->number;
        health->failures++;
        if (health->failures < self->exclude_after)
            log_event(&subject, "suspect", "failures=%d cause=%s", health->failures,
                      log_text(cause));
        else
            exclude(self, part->node, part->gpus[i], cause);
    }
}

/* What only `job` said against the node does not count. */
static void acquit(plan_run_t *self, struct worker_node *node, const struct planned_job *job)
{
    const struct log_subject subject = about(node, LOG_NONE);
    bool stays = false;

    for (int32_t gpu = 0; gpu < node->found; gpu++) {
        struct gpu_health *health = &node->health[gpu];

        if (!health->several && health->job == job->number)
            health->failures = 0;
        stays = stays || health->failures >= self->exclude_after;
    }
    if (!node->excluded || stays)
        return;
    node->excluded = false;
    node->cause[0] = '\0';
    log_event(&subject, "resumed", "name=%s", log_text(node->name));
    report_nodes(self);
}

void health_failed(plan_run_t *self, struct planned_job *job, const struct incarnation *incarnation)
{
    const struct remote_part *part = incarnation->failed;
    const bool moved = part && job->accused && job->accused != part->node;

    if (!part || self->exclude_after == 0)
        return;
    if (moved)
        acquit(self, job->accused, job);
    else
        accuse(self, job, part, incarnation->cause);
    job->accused = part->node;
    if (!moved && part->node->excluded)
        job->failures = 0; /* it was not its fault, as far as is known */
}

void health_ended_well(const struct incarnation *incarnation)
{
    for (size_t i = 0; i < incarnation->part_count; i++) {
        const struct remote_part *part = &incarnation->parts[i];

        for (size_t k = 0; k < part->gpu_count && part->gpus[k] < part->node->found; k++)
            part->node->health[part->gpus[k]].failures = 0;
    }
}
