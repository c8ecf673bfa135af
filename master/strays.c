/* strays.c - parts that a worker holds and this master did not start. Until the first plan, parts
 * of an earlier master are kept, for remains.c. Other parts are stopped at once. Until a stray part
 * is gone, nothing begins on its node, nor its job anywhere. */
#include "common/log.h"
#include "common/memory.h"
#include "master/dispatch_state.h"
#include "protocol/run_copy.h"

#include <assert.h>
#include <stdlib.h>

static struct stray *find(const struct worker_node *node, uint64_t job, uint32_t incarnation)
{
    for (size_t i = 0; i < node->stray_count; i++)
        if (node->strays[i].said.job == job && node->strays[i].said.incarnation == incarnation)
            return &node->strays[i];
    return NULL;
}

static void clear_fence(dispatch_t *self, struct stray *stray)
{
    if (stray->fence_us > 0)
        self->fenced--;
    stray->fence_us = 0;
}

void stray_stop(dispatch_t *self, const struct worker_node *node, struct stray *stray)
{
    const struct msg_stop message = {stray->said.job, stray->said.incarnation, -1,
                                     stray->remains ? STOP_PAUSED : STOP_CANCELLED,
                                     stray->remains ? -1 : 0};
    const struct log_subject subject = {(int64_t)stray->said.job, stray->said.incarnation,
                                        node->number, LOG_NONE};

    stray->stop_beat = node->beats;
    log_event(&subject, "stop", "why=%s cause=stray", stray->remains ? "paused" : "cancelled");
    self->calls->stop(self->calls_owner, node, &message);
}

/* Fails incarnations of the job before `number` that never reached the worker: a worker takes no
 * incarnation before the latest that it heard of. */
static void give_up_before(dispatch_t *self, const struct worker_node *node,
                           const struct lineage *lineage, uint32_t number)
{
    for (struct incarnation *at = lineage->oldest; at && at->number < number; at = at->newer) {
        const struct remote_part *part = part_find(self, node, at->job, at->number);

        if (part && !part->seen && !part->begun)
            incarnation_fail(self, at, FAULT_FORGOTTEN, true, "its worker knows of a later one");
    }
}

void number_seen(dispatch_t *self, const struct worker_node *node, const struct msg_part *said)
{
    struct lineage *lineage = lineage_of(&self->lineages, said->job);

    if (said->incarnation >= NUMBER_MAX)
        return;
    if (said->incarnation > lineage->last_number)
        lineage->last_number = said->incarnation;
    give_up_before(self, node, lineage, said->incarnation);
}

/* ---- news of a stray ---- */

static void hear(dispatch_t *self, struct stray *stray, const struct msg_part *said)
{
    struct lineage *lineage = lineage_of(&self->lineages, said->job);

    stray->said = *said;
    stray->said.cause = "";
    if (stray->remains && stray->run.node_rank == 0 && said->checkpoint > lineage->checkpoint &&
        said->checkpoint <= stray->run.iterations)
        lineage->checkpoint = said->checkpoint;
}

static struct stray *add(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                         const struct msg_run *run)
{
    struct stray *stray;

    node->strays =
        grow_array(node->strays, node->stray_count, &node->stray_capacity, sizeof(*node->strays));
    stray = &node->strays[node->stray_count++];
    node->has_held = true;
    *stray =
        (struct stray){.listed_beat = node->beats, .remains = run && (self->keeps || !self->alone)};
    if (stray->remains) {
        stray->run_memory = run_copy(run, &stray->run);
        node_keep_port(node, run->rendezvous_port);
    }
    number_seen(self, node, said);
    return stray;
}

void stray_found(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                 const struct msg_run *run)
{
    struct stray *stray = find(node, said->job, said->incarnation);

    if (stray) {
        stray->listed_beat = node->beats;
        clear_fence(self, stray);
        hear(self, stray, said);
        return;
    }
    stray = add(self, node, said, run);
    hear(self, stray, said);
    node->strays_left++;
    lineage_of(&self->lineages, said->job)->strays++;
    if (!stray_is_kept(self, stray))
        stray_stop(self, node, stray);
}

/* ---- the end of a stray ---- */

/* Notes the end of a stray part, of which nothing is left. */
static void end(dispatch_t *self, struct worker_node *node, struct stray *stray)
{
    struct lineage *lineage = lineage_of(&self->lineages, stray->said.job);

    if (stray->over)
        return;
    stray->over = true;
    clear_fence(self, stray);
    assert(lineage->strays > 0);
    lineage->strays--;
    node->strays_left--;
    if (lineage->oldest)
        incarnation_due(self, lineage->oldest);
    node_due(self, node);
}

void stray_forget(dispatch_t *self, struct worker_node *node, size_t place)
{
    end(self, node, &node->strays[place]);
    free(node->strays[place].run_memory);
    node->strays[place] = node->strays[--node->stray_count];
}

void stray_ended(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                 const struct msg_run *run)
{
    struct stray *stray = find(node, said->job, said->incarnation);

    number_seen(self, node, said);
    if (!stray && self->keeps && run) {
        stray = add(self, node, said, run);
        stray->over = true;
    }
    if (!stray)
        return;
    hear(self, stray, said);
    if (self->keeps && stray->remains)
        end(self, node, stray);
    else
        stray_forget(self, node, (size_t)(stray - node->strays));
}

void done_late(dispatch_t *self, const struct worker_node *node, const struct msg_part *said,
               int64_t now_us)
{
    const struct log_subject subject = {(int64_t)said->job, said->incarnation, node->number,
                                        LOG_NONE};
    struct lineage *lineage = lineage_of(&self->lineages, said->job);

    if (!lineage_done_late(lineage, said->incarnation, node->number, said->ended_us))
        return;
    log_event(&subject, "done-late", NULL);
    if (self->watch->done_late)
        self->watch->done_late(self->watch_owner, said->job, said->step, lineage->late_done_us,
                               now_us);
}

void strays_review(dispatch_t *self, struct worker_node *node)
{
    for (size_t i = node->stray_count; i-- > 0;) {
        const struct stray *stray = &node->strays[i];

        if (!stray->over && stray->listed_beat != node->beats && stray->fence_us == 0)
            stray_forget(self, node, i);
    }
    for (size_t i = 0; i < node->stray_count; i++) {
        struct stray *stray = &node->strays[i];

        if (!stray_is_kept(self, stray) && stray->fence_us == 0 &&
            node->beats - stray->stop_beat >= BEATS_TO_TAKE_EFFECT)
            stray_stop(self, node, stray);
    }
}

void strays_lose_sight(dispatch_t *self, struct worker_node *node)
{
    for (size_t i = 0; i < node->stray_count; i++) {
        if (node->strays[i].fence_us > 0 || node->strays[i].over)
            continue;
        node->strays[i].fence_us = node->lease_end_us + LEASE_MARGIN_MS * INT64_C(1000);
        self->fenced++;
    }
}

void strays_vouched_for(dispatch_t *self, struct worker_node *node)
{
    for (size_t i = 0; i < node->stray_count; i++)
        if (node->strays[i].listed_beat != node->beats)
            clear_fence(self, &node->strays[i]);
}

void strays_end_leases(dispatch_t *self, struct worker_node *node, int64_t now_us)
{
    for (size_t i = node->stray_count; i-- > 0;)
        if (node->strays[i].fence_us > 0 && now_us >= node->strays[i].fence_us)
            stray_forget(self, node, i);
}

void strays_clear(dispatch_t *self)
{
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        const struct worker_node *node = registry_at(self->registry, i);

        for (size_t k = 0; k < node->stray_count; k++)
            free(node->strays[k].run_memory);
    }
}
