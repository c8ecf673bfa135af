/* strays.c - parts that a worker holds and that are not wanted: they are stopped at once, and until
 * they are gone nothing begins on their node, nor their job anywhere. */
#include "common/log.h"
#include "common/memory.h"
#include "master/dispatch_state.h"

#include <assert.h>

/* A number beyond this was given neither by this master nor by one before it. */
#define NUMBER_MAX ((uint32_t)1 << 31)

static struct stray *find(const struct worker_node *node, uint64_t job, uint32_t incarnation)
{
    for (size_t i = 0; i < node->stray_count; i++)
        if (node->strays[i].job == job && node->strays[i].incarnation == incarnation)
            return &node->strays[i];
    return NULL;
}

static void clear_fence(dispatch_t *self, struct stray *stray)
{
    if (stray->fence_us > 0)
        self->fenced--;
    stray->fence_us = 0;
}

static void stop(dispatch_t *self, const struct worker_node *node, struct stray *stray)
{
    const struct msg_stop message = {stray->job, stray->incarnation, -1, STOP_CANCELLED, 0};
    const struct log_subject subject = {(int64_t)stray->job, stray->incarnation, node->number,
                                        LOG_NONE};

    stray->stop_beat = node->beats;
    log_event(&subject, "stop", "why=cancelled cause=stray");
    self->calls->stop(self->calls_owner, node, &message);
}

/* A worker takes no incarnation before the latest it heard of. */
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

void stray_found(dispatch_t *self, struct worker_node *node, const struct msg_part *said)
{
    struct stray *stray = find(node, said->job, said->incarnation);

    if (stray) {
        stray->listed_beat = node->beats;
        clear_fence(self, stray);
        return;
    }
    node->strays =
        grow_array(node->strays, node->stray_count, &node->stray_capacity, sizeof(*node->strays));
    stray = &node->strays[node->stray_count++];
    *stray = (struct stray){said->job, said->incarnation, node->beats, 0, 0};
    lineage_of(&self->lineages, said->job)->strays++;
    number_seen(self, node, said);
    stop(self, node, stray);
}

/* Takes out the one at `place`; the last one takes its place. */
static void take_out(dispatch_t *self, struct worker_node *node, size_t place)
{
    struct lineage *lineage = lineage_of(&self->lineages, node->strays[place].job);

    clear_fence(self, &node->strays[place]);
    node->strays[place] = node->strays[--node->stray_count];
    assert(lineage->strays > 0);
    lineage->strays--;
    if (lineage->oldest)
        incarnation_due(self, lineage->oldest);
    node_due(self, node);
}

void stray_gone(dispatch_t *self, struct worker_node *node, uint64_t job, uint32_t incarnation)
{
    const struct stray *stray = find(node, job, incarnation);

    if (stray)
        take_out(self, node, (size_t)(stray - node->strays));
}

void strays_review(dispatch_t *self, struct worker_node *node)
{
    for (size_t i = node->stray_count; i-- > 0;)
        if (node->strays[i].listed_beat != node->beats && node->strays[i].fence_us == 0)
            take_out(self, node, i);
    for (size_t i = 0; i < node->stray_count; i++)
        if (node->strays[i].fence_us == 0 &&
            node->beats - node->strays[i].stop_beat >= BEATS_TO_TAKE_EFFECT)
            stop(self, node, &node->strays[i]);
}

void strays_lose_sight(dispatch_t *self, struct worker_node *node)
{
    for (size_t i = 0; i < node->stray_count; i++) {
        if (node->strays[i].fence_us > 0)
            continue;
        node->strays[i].fence_us = node->lease_end_us + LEASE_MARGIN_MS * INT64_C(1000);
        self->fenced++;
    }
}

void strays_end_leases(dispatch_t *self, struct worker_node *node, int64_t now_us)
{
    for (size_t i = node->stray_count; i-- > 0;)
        if (node->strays[i].fence_us > 0 && now_us >= node->strays[i].fence_us)
            take_out(self, node, i);
}
