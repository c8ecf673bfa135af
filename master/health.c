/* health.c - GPUs on which incarnations fail. A part that fails accuses the GPUs that it had, and
 * most of all the GPU on which a rank failed first; a part that ends well clears its GPUs.
 *
 *   - A GPU that was accused so often in a row is left out, and the other GPUs of its node stay in
 *     use.
 *   - A node is excluded, and the scheduler hears that the node is down, where no single GPU is to
 *     blame: parts of several GPUs fail now on one GPU and then on another, a job that fails has
 *     brought two GPUs of the node down already, or the node has no other GPU.
 *   - A job that fails on another node, too, or is given up, is to blame itself: accusations by
 *     that job alone no longer count against GPUs.
 *   - A job that finds no place without the GPUs that it brought down tries again there. Its
 *     failures are not counted anew for ever: in the end the job is given up.
 *
 * The cluster is never without its last GPU. */
#include "common/log.h"
#include "master/node_gpus.h"
#include "master/plan_run_state.h"

#include <inttypes.h>
#include <stdio.h>

/* The most GPUs of a node that one job may bring down. For the next GPU the node is taken to be at
 * fault. */
#define GPUS_OF_A_JOB 2

static struct log_subject about(const struct worker_node *node, int32_t gpu)
{
    return (struct log_subject){LOG_NONE, LOG_NONE, node->number, gpu};
}

static bool another_is_up(const plan_run_t *self, const struct worker_node *node)
{
    const registry_t *registry = dispatch_registry(self->dispatch);

    for (size_t i = 0; i < registry_count(registry); i++) {
        const struct worker_node *other = registry_at(registry, i);

        if (other != node && other->state == WORKER_UP && !other->excluded && other->gpus > 0)
            return true;
    }
    return false;
}

/* ---- leaving out and taking back ---- */

static void leave_gpu_out(plan_run_t *self, struct worker_node *node, int32_t gpu)
{
    const struct log_subject subject = about(node, gpu);
    const struct gpu_health *health = &node->health[gpu];

    log_event(&subject, "excluded", "name=%s uuid=%s failures=%d cause=%s", log_text(node->name),
              log_text(node->gpu[gpu].uuid), health->failures, log_text(health->cause));
    dispatch_leave_out(self->dispatch, node, gpu, true);
    report_nodes(self);
}

static void exclude_node(plan_run_t *self, struct worker_node *node, int32_t gpu)
{
    const struct log_subject subject = about(node, LOG_NONE);
    const struct gpu_health *health = &node->health[gpu];

    node->excluded = true;
    node->excluded_for = gpu;
    (void)snprintf(node->cause, sizeof(node->cause),
                   "excluded: GPU %" PRId32 " failed %d times in a row, at last: %s", gpu,
                   health->failures, health->cause);
    log_event(&subject, "excluded", "name=%s failures=%d cause=%s", log_text(node->name),
              health->failures, log_text(health->cause));
    report_nodes(self);
}

static void take_gpu_back(plan_run_t *self, struct worker_node *node, int32_t gpu)
{
    const struct log_subject subject = about(node, gpu);

    log_event(&subject, "resumed", "name=%s uuid=%s", log_text(node->name),
              log_text(node->gpu[gpu].uuid));
    dispatch_leave_out(self->dispatch, node, gpu, false);
    report_nodes(self);
}

static void take_node_back(plan_run_t *self, struct worker_node *node)
{
    const struct log_subject subject = about(node, LOG_NONE);

    node->excluded = false;
    node->cause[0] = '\0';
    log_event(&subject, "resumed", "name=%s", log_text(node->name));
    report_nodes(self);
}

/* ---- who is to blame ---- */

/* Failures of a part with one GPU count against that GPU, whatever failed first. */
static void accuse_gpu(const struct planned_job *job, const struct remote_part *part, int32_t gpu,
                       const struct incarnation *incarnation)
{
    const struct log_subject subject = about(part->node, gpu);
    struct gpu_health *health = &part->node->health[gpu];

    health->confirmed = health->failures > 0 && (health->confirmed || health->job != job->number);
    health->job = job->number;
    health->failures++;
    health->named += part->gpu_count == 1 || gpu == incarnation->failed_gpu;
    (void)snprintf(health->cause, sizeof(health->cause), "%.95s", incarnation->cause);
    log_event(&subject, "suspect", "failures=%d cause=%s", health->failures,
              log_text(incarnation->cause));
}

static void clear(struct gpu_health *health)
{
    health->failures = health->named = 0;
    health->confirmed = false;
}

/* Whether nothing but failures of the job speak against the GPU. */
static bool only_says(const struct planned_job *job, const struct gpu_health *health)
{
    return !health->confirmed && health->job == job->number;
}

/* The number of GPUs of the node that were left out because of `job` alone. */
static int32_t brought_down(const struct worker_node *node, const struct planned_job *job)
{
    int32_t count = 0;

    for (int32_t gpu = 0; gpu < node->found; gpu++)
        count += node->health[gpu].left_out && only_says(job, &node->health[gpu]);
    return count;
}

/* The GPU of the part that failed too often; of several such GPUs the one that mostly failed
 * first. -1 for none. */
static int32_t worst_of(const plan_run_t *self, const struct remote_part *part)
{
    int32_t worst = -1;

    for (size_t i = 0; i < part->gpu_count && part->gpus[i] < part->node->found; i++) {
        const struct gpu_health *health = &part->node->health[part->gpus[i]];

        if (health->failures >= self->exclude_after &&
            (worst < 0 || health->named > part->node->health[worst].named))
            worst = part->gpus[i];
    }
    return worst;
}

/* Takes back accusations: a GPU that is left out explains why the other GPUs of the part failed
 * where they were not first. */
static void clear_others(const struct remote_part *part, int32_t culprit)
{
    for (size_t i = 0; i < part->gpu_count && part->gpus[i] < part->node->found; i++) {
        struct gpu_health *health = &part->node->health[part->gpus[i]];

        if (part->gpus[i] != culprit)
            health->failures = health->named;
    }
}

/* Whether `worst` alone explains the failures. */
static bool is_culprit(const struct worker_node *node, int32_t worst, const struct planned_job *job)
{
    const struct gpu_health *health = &node->health[worst];

    return 2 * health->named > health->failures && node->gpus > 1 &&
           brought_down(node, job) < GPUS_OF_A_JOB;
}

/* Whether a GPU or the node takes no more parts. */
static bool accuse(plan_run_t *self, const struct planned_job *job, const struct remote_part *part,
                   const struct incarnation *incarnation)
{
    struct worker_node *node = part->node;
    int32_t worst;

    for (size_t i = 0; i < part->gpu_count && part->gpus[i] < node->found; i++)
        accuse_gpu(job, part, part->gpus[i], incarnation);
    worst = worst_of(self, part);
    if (worst < 0 || node->excluded || node->health[worst].left_out)
        return worst >= 0 || node->excluded;
    if (is_culprit(node, worst, job)) {
        clear_others(part, worst);
        leave_gpu_out(self, node, worst);
    } else if (another_is_up(self, node)) {
        exclude_node(self, node, worst);
    } else {
        return false;
    }
    return true;
}

/* Forgets the failures of `job` alone that counted against the node and its GPUs. */
static void acquit(plan_run_t *self, struct worker_node *node, const struct planned_job *job)
{
    for (int32_t gpu = 0; gpu < node->found; gpu++) {
        struct gpu_health *health = &node->health[gpu];

        if (!only_says(job, health))
            continue;
        clear(health);
        if (health->left_out)
            take_gpu_back(self, node, gpu);
    }
    if (node->excluded && (node->excluded_for >= node->found ||
                           node->health[node->excluded_for].failures < self->exclude_after))
        take_node_back(self, node);
}

/* ---- what the run of plans tells ---- */

static void say_why(const struct worker_node *node, char why[NODE_CAUSE_MAX])
{
    if (node->excluded)
        (void)snprintf(why, NODE_CAUSE_MAX, "%s", node->cause);
    else
        node_say_left_out(node, why, NODE_CAUSE_MAX);
}

bool health_failed(plan_run_t *self, struct planned_job *job, const struct incarnation *incarnation,
                   char why[NODE_CAUSE_MAX])
{
    const struct remote_part *part = incarnation->failed;
    const bool moved = part && job->accused && job->accused != part->node;
    bool excluded = false;

    if (!part || self->exclude_after == 0)
        return false;
    if (moved)
        acquit(self, job->accused, job);
    else
        excluded = accuse(self, job, part, incarnation);
    planned_job_accuse(job, part->node);
    if (!excluded)
        return false;
    /* As far as is known the job is not at fault. */
    job->forgiven = job->times_forgiven <= GPUS_OF_A_JOB;
    say_why(part->node, why);
    return true;
}

/* Confirms the accusations of a job that trains elsewhere: the job was not to blame where it
 * failed so often. */
static void confirm(const struct planned_job *job)
{
    for (int32_t gpu = 0; job->accused && gpu < job->accused->found; gpu++) {
        struct gpu_health *health = &job->accused->health[gpu];

        if (health->job == job->number && health->failures > 0)
            health->confirmed = true;
    }
}

void health_ended_well(struct planned_job *job, const struct incarnation *incarnation)
{
    for (size_t i = 0; i < incarnation->part_count; i++) {
        const struct remote_part *part = &incarnation->parts[i];

        for (size_t k = 0; k < part->gpu_count && part->gpus[k] < part->node->found; k++)
            clear(&part->node->health[part->gpus[k]]);
    }
    confirm(job);
    job->times_forgiven = 0;
}

void health_untested(plan_run_t *self, struct planned_job *job)
{
    struct worker_node *node = job->accused;

    job->forgiven = false;
    for (int32_t gpu = 0; node && gpu < node->found; gpu++)
        if (node->health[gpu].left_out && only_says(job, &node->health[gpu]))
            take_gpu_back(self, node, gpu);
    if (node && node->excluded && node->excluded_for < node->found &&
        only_says(job, &node->health[node->excluded_for]))
        take_node_back(self, node);
}

void health_given_up(plan_run_t *self, struct planned_job *job)
{
    if (job->accused)
        acquit(self, job->accused, job);
    planned_job_accuse(job, NULL);
}
