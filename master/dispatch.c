/* dispatch.c - see dispatch.h: the wishes for jobs, and the watch that is told the outcomes. */
#include "master/dispatch.h"

#include "common/memory.h"
#include "master/dispatch_state.h"

#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

dispatch_t *dispatch_new(const struct dispatch_setting *setting, const struct worker_calls *calls,
                         void *calls_owner, const struct dispatch_watch *watch, void *watch_owner)
{
    dispatch_t *self = xcalloc(1, sizeof(*self));

    assert(setting->heartbeat_us > 0);
    assert(setting->lease_us > 0);
    self->setting = *setting;
    self->calls = calls;
    self->calls_owner = calls_owner;
    self->watch = watch;
    self->watch_owner = watch_owner;
    self->keeps = setting->keeps;
    self->registry = registry_new();
    return self;
}

void dispatch_destroy(dispatch_t **self)
{
    if (!*self)
        return;
    assert(!(*self)->news.first);
    strays_clear(*self);
    HASH_CLEAR(hh, (*self)->parts);
    lineages_destroy(&(*self)->lineages);
    registry_destroy(&(*self)->registry);
    dispatch_news_clear(&(*self)->news);
    free((*self)->holders);
    free(*self);
    *self = NULL;
}

bool dispatch_gathers(const dispatch_t *self)
{
    return !self->alone;
}

int64_t dispatch_leases_over_us(const dispatch_t *self)
{
    return self->setting.started_us + self->setting.lease_us + LEASE_MARGIN_MS * INT64_C(1000);
}

struct lineage *dispatch_lineage(dispatch_t *self, uint64_t job)
{
    return lineage_of(&self->lineages, job);
}

registry_t *dispatch_registry(const dispatch_t *self)
{
    return self->registry;
}

/* ---- the watch ---- */

static void tell_of_nodes(dispatch_t *self, int64_t now_us)
{
    const struct worker_node *node;

    while ((node = dispatch_news_take_node(&self->news)))
        self->watch->node_changed(self->watch_owner, node, now_us);
}

static void not_due(dispatch_t *self, struct incarnation *incarnation)
{
    if (!incarnation->due)
        return;
    incarnation->due = false;
    DL_DELETE2(self->due, incarnation, prev_due, next_due);
}

static void tell_of_incarnations(dispatch_t *self, int64_t now_us)
{
    struct incarnation *incarnation;

    while ((incarnation = dispatch_news_take(&self->news))) {
        self->watch->changed(self->watch_owner, incarnation, now_us);
        if (incarnation->phase == INCARNATION_OVER && !incarnation->changed) {
            not_due(self, incarnation);
            incarnation_destroy(&incarnation);
        }
        tell_of_nodes(self, now_us);
    }
}

void dispatch_flush(dispatch_t *self, int64_t now_us)
{
    tell_of_nodes(self, now_us);
    tell_of_incarnations(self, now_us);
    while (self->due) {
        struct incarnation *incarnation = self->due;

        not_due(self, incarnation);
        incarnation_try(self, incarnation, now_us);
        tell_of_incarnations(self, now_us);
    }
}

/* ---- what is wanted ---- */

struct incarnation *dispatch_start(dispatch_t *self, const struct job_launch *launch,
                                   int64_t now_us)
{
    struct lineage *lineage = lineage_of(&self->lineages, launch->run.job);
    struct incarnation *incarnation;

    if (lineage->last_number < self->numbers)
        lineage->last_number = self->numbers;
    incarnation = lineage_add(lineage, launch);

    incarnation->started_us = now_us;
    for (size_t i = 0; i < incarnation->part_count; i++) {
        struct remote_part *part = &incarnation->parts[i];

        assert(node_in_session(part->node) || part->node->state == WORKER_BROKEN);
        DL_APPEND(part->node->parts, part);
        part->node->has_held = true;
        HASH_ADD(hh, self->parts, key, sizeof(part->key), part);
        order_again(self, part);
    }
    dispatch_news_add(&self->news, incarnation);
    return incarnation;
}

void dispatch_allow(dispatch_t *self, struct incarnation *incarnation)
{
    incarnation->may_begin = true;
    incarnation_due(self, incarnation);
}

void dispatch_update(dispatch_t *self, struct incarnation *incarnation, int64_t step)
{
    struct remote_part *first = &incarnation->parts[0];

    if (incarnation->step >= step || incarnation->phase == INCARNATION_PREPARING ||
        !incarnation_is_wanted(incarnation))
        return;
    incarnation->step = step;
    incarnation->updated = true;
    if (!first->ended && node_in_session(first->node))
        order_update(self, first);
}

void dispatch_stop(dispatch_t *self, struct incarnation *incarnation, const struct ending *ending,
                   int64_t now_us)
{
    if (incarnation->phase >= INCARNATION_ENDING)
        return;
    incarnation->phase = INCARNATION_ENDING;
    incarnation->ending = *ending;
    dispatch_news_add(&self->news, incarnation);
    for (size_t i = 0; i < incarnation->part_count; i++) {
        struct remote_part *part = &incarnation->parts[i];

        if (part->ended)
            continue;
        if (!part->sent || (!part->begun && !node_in_session(part->node)))
            part_end(self, part, "exit", now_us);
        else
            order_again(self, part);
    }
}

void dispatch_restart(dispatch_t *self)
{
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct worker_node *node = registry_at(self->registry, i);

        node->restarts = node_in_session(node);
        order_restart(self, node);
    }
}

void dispatch_group(dispatch_t *self, const struct worker_node *node, const struct msg_group *group)
{
    self->calls->group(self->calls_owner, node, group);
}

/* ---- what is so ---- */

const struct remote_part *dispatch_holder(const dispatch_t *self, int32_t rank)
{
    assert(rank >= 0 && (size_t)rank < self->holder_capacity);
    return self->holders[rank];
}

uint64_t dispatch_stale(const dispatch_t *self)
{
    return self->stale;
}
