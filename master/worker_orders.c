/* worker_orders.c - commands to workers. A command is sent when it is due, and again when it seems
 * to be lost. */
#include "common/log.h"
#include "master/dispatch_state.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const why_names[] = {"paused", "done", "cancelled"};

static struct log_subject about(const struct remote_part *part)
{
    return (struct log_subject){(int64_t)part->key.job, part->key.incarnation, part->key.node,
                                LOG_NONE};
}

/* The GPUs of a part for the log: "0,1,2". */
static const char *gpu_list(const struct remote_part *part, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < part->gpu_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i > 0 ? ",%" PRId32 : "%" PRId32,
                                 part->gpus[i]);
    return text;
}

void order_run(dispatch_t *self, struct remote_part *part)
{
    struct msg_run run = part->incarnation->run;
    const struct log_subject subject = about(part);
    char gpus[1024];

    run.step = part->incarnation->step;
    run.node_rank = part->node_rank;
    run.gpu_count = part->gpu_count;
    run.gpus = part->gpus;
    run.ranks = part->ranks;
    part->sent = true;
    part->run_beat = part->node->beats;
    log_event(&subject, "run", "gpus=%s world=%" PRId32, gpu_list(part, gpus, sizeof(gpus)),
              run.world);
    self->calls->run(self->calls_owner, part->node, &run);
}

void order_begin(dispatch_t *self, struct remote_part *part)
{
    const struct msg_begin begin = {part->key.job, part->key.incarnation, part->incarnation->step};
    const struct log_subject subject = about(part);

    part->begin_beat = part->node->beats;
    log_event(&subject, "begin", "step=%" PRId64, begin.step);
    self->calls->begin(self->calls_owner, part->node, &begin);
}

void order_update(dispatch_t *self, struct remote_part *part)
{
    const struct msg_update update = {part->key.job, part->key.incarnation, part->incarnation->step,
                                      part->incarnation->run.iterations};

    part->update_beat = part->node->beats;
    self->calls->update(self->calls_owner, part->node, &update);
}

void order_stop(dispatch_t *self, struct remote_part *part)
{
    const struct ending *ending = &part->incarnation->ending;
    const struct msg_stop stop = {part->key.job, part->key.incarnation, ending->step, ending->why,
                                  ending->grace_ms};
    const struct log_subject subject = about(part);

    part->stop_beat = part->node->beats;
    log_event(&subject, "stop", "why=%s cause=%s", why_names[ending->why], ending->cause);
    self->calls->stop(self->calls_owner, part->node, &stop);
}

/* Whether a command last sent at `sent_beat` should have shown its effect. */
static bool is_overdue(const struct remote_part *part, uint64_t sent_beat)
{
    return sent_beat == 0 || part->node->beats - sent_beat >= BEATS_TO_TAKE_EFFECT;
}

/* Whether the part has not heard yet how far its fast-forwarded job is. */
static bool lacks_update(const struct remote_part *part)
{
    return part->incarnation->updated && part->node_rank == 0 && part->seen &&
           part->state >= PART_RUNNING && part->step < part->incarnation->step;
}

void order_again(dispatch_t *self, struct remote_part *part)
{
    if (!node_in_session(part->node) || part->ended)
        return;
    switch (part->incarnation->phase) {
    case INCARNATION_PREPARING:
        if (!part->seen && !part->node->restarts && part->node->state == WORKER_UP &&
            is_overdue(part, part->run_beat))
            order_run(self, part);
        break;
    case INCARNATION_BEGUN:
    case INCARNATION_STABLE:
        if (part->seen && part->state < PART_RUNNING && is_overdue(part, part->begin_beat))
            order_begin(self, part);
        else if (lacks_update(part) && is_overdue(part, part->update_beat))
            order_update(self, part);
        break;
    case INCARNATION_ENDING:
        /* A worker knows nothing of its fenced parts; a STOP would be answered with a "stopped"
         * that proves nothing. */
        if (part->fence_us == 0 && (!part->seen || part->state < PART_STOPPING) &&
            is_overdue(part, part->stop_beat))
            order_stop(self, part);
        break;
    case INCARNATION_OVER:
        break;
    }
}

void order_restart(dispatch_t *self, struct worker_node *node)
{
    if (!node->restarts || !node_in_session(node))
        return;
    for (const struct remote_part *part = node->parts; part; part = part->next)
        if (part->sent)
            return;
    node->restarts = false;
    self->calls->restart(self->calls_owner, node);
    for (struct remote_part *part = node->parts; part; part = part->next)
        order_again(self, part);
}
