/* remote_part.c - the course of a part, and with it that of its incarnation. */
#include "common/log.h"
#include "master/dispatch_state.h"
#include "master/node_gpus.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

static struct log_subject about(const struct remote_part *part)
{
    return (struct log_subject){(int64_t)part->key.job, part->key.incarnation, part->key.node,
                                LOG_NONE};
}

static struct log_subject about_gpu(const struct remote_part *part, size_t gpu)
{
    struct log_subject subject = about(part);

    subject.gpu = part->gpus[gpu];
    return subject;
}

struct remote_part *part_find(const dispatch_t *self, const struct worker_node *node, uint64_t job,
                              uint32_t incarnation)
{
    struct part_key key;
    struct remote_part *found;

    memset(&key, 0, sizeof(key));
    key.job = job;
    key.incarnation = incarnation;
    key.node = node->number;
    HASH_FIND(hh, self->parts, &key, sizeof(key), found);
    return found;
}

/* ---- GPUs ---- */

static void give_gpus(dispatch_t *self, struct remote_part *part, const char *event)
{
    log_hold();
    for (size_t i = 0; i < part->gpu_count; i++) {
        const int32_t rank = part->node->first_rank + part->gpus[i];
        const struct log_subject subject = about_gpu(part, i);

        assert(!self->holders[rank]);
        self->holders[rank] = part;
        log_event(&subject, event, "rank=%" PRId32, part->ranks[i]);
    }
    log_release();
}

static void free_gpus(dispatch_t *self, struct remote_part *part, const char *by)
{
    log_hold();
    for (size_t i = 0; i < part->gpu_count; i++) {
        const int32_t rank = part->node->first_rank + part->gpus[i];
        const struct log_subject subject = about_gpu(part, i);

        assert(self->holders[rank] == part);
        self->holders[rank] = NULL;
        log_event(&subject, "gpu-freed", "by=%s", by);
    }
    log_release();
}

bool gpus_are_free(const dispatch_t *self, const struct worker_node *node, const int32_t gpus[],
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (node_rank(node, gpus[i]) < 0 || self->holders[node->first_rank + gpus[i]])
            return false;
    return true;
}

/* ---- the incarnation ---- */

void incarnation_fail(dispatch_t *self, struct incarnation *incarnation,
                      enum incarnation_fault fault, bool retry, const char *cause)
{
    if (!retry)
        incarnation->retry = false;
    if (incarnation->phase < INCARNATION_ENDING && incarnation->fault == FAULT_NONE) {
        incarnation->fault = fault;
        (void)snprintf(incarnation->cause, sizeof(incarnation->cause), "%s", cause);
    }
    dispatch_news_add(&self->news, incarnation);
}

static bool may_begin(const dispatch_t *self, const struct incarnation *incarnation)
{
    if (incarnation->phase != INCARNATION_PREPARING || incarnation->fault != FAULT_NONE ||
        !self->alone || !incarnation->may_begin || incarnation->lineage->strays > 0 ||
        incarnation->lineage->oldest != incarnation ||
        incarnation->in_state[PART_READY] < incarnation->part_count)
        return false;
    for (size_t i = 0; i < incarnation->part_count; i++) {
        const struct remote_part *part = &incarnation->parts[i];

        if (part->node->state != WORKER_UP || part->node->strays_left > 0 ||
            !gpus_are_free(self, part->node, part->gpus, part->gpu_count))
            return false;
    }
    return true;
}

void incarnation_try(dispatch_t *self, struct incarnation *incarnation, int64_t now_us)
{
    if (!may_begin(self, incarnation))
        return;
    incarnation->phase = INCARNATION_BEGUN;
    incarnation->begun_us = incarnation->done_us = now_us;
    incarnation->step = self->watch->begin_step(self->watch_owner, incarnation);
    for (size_t i = 0; i < incarnation->part_count; i++) {
        struct remote_part *part = &incarnation->parts[i];

        part->begun = true;
        give_gpus(self, part, "gpu-given");
        order_begin(self, part);
    }
    dispatch_news_add(&self->news, incarnation);
}

void incarnation_due(dispatch_t *self, struct incarnation *incarnation)
{
    if (incarnation->due || incarnation->phase != INCARNATION_PREPARING ||
        incarnation->in_state[PART_READY] < incarnation->part_count)
        return;
    incarnation->due = true;
    DL_APPEND2(self->due, incarnation, prev_due, next_due);
}

void node_due(dispatch_t *self, const struct worker_node *node)
{
    for (struct remote_part *part = node->parts; part; part = part->next)
        incarnation_due(self, part->incarnation);
}

static void incarnation_over(dispatch_t *self, struct incarnation *incarnation, int64_t now_us)
{
    struct lineage *lineage = incarnation->lineage;

    incarnation->phase = INCARNATION_OVER;
    incarnation->over_us = now_us;
    lineage_remove(lineage, incarnation);
    lineage_note_late(lineage, incarnation);
    dispatch_news_add(&self->news, incarnation);
    if (lineage->oldest)
        incarnation_due(self, lineage->oldest);
}

/* ---- the part ---- */

void part_end(dispatch_t *self, struct remote_part *part, const char *by, int64_t now_us)
{
    struct incarnation *incarnation = part->incarnation;
    struct worker_node *node = part->node;

    assert(!part->ended);
    part->ended = true;
    part->leased = part->fence_us > 0;
    incarnation->leased += part->leased;
    if (part->fence_us > 0)
        self->fenced--;
    part->fence_us = 0;
    if (part->begun)
        free_gpus(self, part, by);
    DL_DELETE(node->parts, part);
    HASH_DEL(self->parts, part);
    incarnation->ended++;
    dispatch_news_add(&self->news, incarnation);
    if (incarnation->ended == incarnation->part_count)
        incarnation_over(self, incarnation, now_us);
    order_restart(self, node);
    node_due(self, node);
    node_check(self, node);
}

static void take_figures(struct remote_part *part, const struct msg_part *said)
{
    struct incarnation *incarnation = part->incarnation;
    const int64_t iterations = incarnation->run.iterations;

    part->overhead_ms = said->overhead_ms;
    part->emulated = said->emulated;
    part->rate = said->rate;
    if (part->node_rank != 0)
        return;
    /* An impossible step is not believed: a job neither does more than all of its iterations nor
     * un-does one. */
    if (said->step <= iterations && (said->step >= 0 || said->state == PART_DONE))
        part->step = said->step;
    if (said->checkpoint > incarnation->checkpoint && said->checkpoint <= iterations)
        incarnation->checkpoint = said->checkpoint;
}

static void log_part(const struct remote_part *part, const struct msg_part *said)
{
    const struct log_subject subject = about(part);

    log_event(&subject, "part", "state=%s step=%" PRId64 " checkpoint=%" PRId64 " cause=%s",
              part_state_name(said->state), said->step, said->checkpoint,
              log_text(said->cause ? said->cause : ""));
}

/* The worker of the part says that nothing is left of the part. */
static void ended_as(dispatch_t *self, struct remote_part *part, const struct msg_part *said,
                     int64_t now_us)
{
    struct incarnation *incarnation = part->incarnation;
    const bool done = said->state == PART_DONE && part->begun;
    const char *cause = said->cause && said->cause[0] ? said->cause : part_state_name(said->state);

    if (done) {
        incarnation->done++;
        if (said->ended_us > incarnation->done_us)
            incarnation->done_us = said->ended_us;
    }
    if (part->node_rank == 0 && said->state != PART_FAILED && incarnation->checkpoint >= 0)
        incarnation->checkpointed = true;
    if (said->state == PART_FAILED && incarnation->phase == INCARNATION_ENDING &&
        incarnation->fault == FAULT_NONE && (part->node_rank == 0 || !incarnation->cause[0]))
        (void)snprintf(incarnation->cause, sizeof(incarnation->cause), "%s", cause);
    if (said->state == PART_FAILED && incarnation->phase < INCARNATION_ENDING &&
        incarnation->fault == FAULT_NONE && said->retry && part->begun) {
        incarnation->failed = part;
        incarnation->failed_gpu = said->gpu;
    }
    if (said->state == PART_FAILED || (incarnation->phase != INCARNATION_ENDING && !done))
        incarnation_fail(self, incarnation, FAULT_FAILED, said->state != PART_FAILED || said->retry,
                         cause);
    part_end(self, part, "exit", now_us);
}

static void check_stable(struct incarnation *incarnation, int64_t now_us)
{
    if (incarnation->phase != INCARNATION_BEGUN || incarnation->in_state[PART_STABLE] == 0 ||
        incarnation->in_state[PART_STABLE] + incarnation->done < incarnation->part_count)
        return;
    incarnation->phase = INCARNATION_STABLE;
    incarnation->stable_us = now_us;
}

static void check_ready(dispatch_t *self, struct incarnation *incarnation, int64_t now_us)
{
    if (incarnation->in_state[PART_READY] < incarnation->part_count)
        return;
    if (incarnation->ready_us < 0)
        incarnation->ready_us = now_us;
    incarnation_due(self, incarnation);
}

static void enter_state(dispatch_t *self, struct remote_part *part, const struct msg_part *said,
                        int64_t now_us)
{
    struct incarnation *incarnation = part->incarnation;

    if (part->seen)
        incarnation->in_state[part->state]--;
    else if (part->fence_us > 0)
        self->fenced--;
    part->fence_us = 0;
    part->seen = true;
    part->state = said->state;
    log_part(part, said);
    if (said->state >= PART_STOPPED) {
        ended_as(self, part, said, now_us);
        check_stable(incarnation, now_us);
        return;
    }
    incarnation->in_state[said->state]++;
    dispatch_news_add(&self->news, incarnation);
    if (!part->begun && said->state >= PART_RUNNING && said->state <= PART_STABLE)
        incarnation_fail(self, incarnation, FAULT_FAILED, true, "began without being told to");
    check_ready(self, incarnation, now_us);
    check_stable(incarnation, now_us);
}

void part_observe(dispatch_t *self, struct remote_part *part, const struct msg_part *said,
                  int64_t now_us)
{
    assert(!part->ended);
    part->listed_beat = part->node->beats;
    if (part->seen && said->state < part->state) {
        self->stale++;
        return;
    }
    take_figures(part, said);
    if (!part->seen || said->state != part->state)
        enter_state(self, part, said, now_us);
}

void part_adopt(dispatch_t *self, struct remote_part *part)
{
    part->sent = true;
    part->begun = part->incarnation->phase == INCARNATION_BEGUN;
    DL_APPEND(part->node->parts, part);
    HASH_ADD(hh, self->parts, key, sizeof(part->key), part);
    if (part->begun)
        give_gpus(self, part, "gpu-kept");
}

void part_lose_sight(dispatch_t *self, struct remote_part *part)
{
    if (part->seen)
        part->incarnation->in_state[part->state]--;
    part->seen = false;
    part->run_beat = part->begin_beat = part->update_beat = part->stop_beat = 0;
    if (!part->begun || part->fence_us > 0)
        return;
    part->fence_us = part->node->lease_end_us + LEASE_MARGIN_MS * INT64_C(1000);
    self->fenced++;
}

void part_forgotten(dispatch_t *self, struct remote_part *part, int64_t now_us)
{
    if (part->incarnation->phase != INCARNATION_ENDING)
        incarnation_fail(self, part->incarnation, FAULT_FAILED, true,
                         "its worker does not know it any more");
    part_end(self, part, "exit", now_us);
}
