/* dispatch.c - see dispatch.h. */
#include "master/dispatch.h"

#include "common/log.h"
#include "common/memory.h"
#include "master/dispatch_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* How long a worker whose connection closed may take to come back as if nothing had been. */
#define BROKEN_US INT64_C(1000000)

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
    self->registry = registry_new();
    return self;
}

static void free_incarnations(struct lineage *lineage)
{
    struct incarnation *incarnation;
    struct incarnation *next;

    DL_FOREACH_SAFE2(lineage->oldest, incarnation, next, newer)
    {
        incarnation_destroy(&incarnation);
    }
}

void dispatch_destroy(dispatch_t **self)
{
    struct lineage *lineage;

    if (!*self)
        return;
    assert(!(*self)->first_changed);
    HASH_CLEAR(hh, (*self)->parts);
    lineage = (*self)->lineages;
    HASH_CLEAR(hh, (*self)->lineages); /* the list goes on */
    while (lineage) {
        struct lineage *next = lineage->hh.next;

        free_incarnations(lineage);
        free(lineage);
        lineage = next;
    }
    registry_destroy(&(*self)->registry);
    free((*self)->holders);
    free((*self)->changed_nodes);
    free(*self);
    *self = NULL;
}

registry_t *dispatch_registry(const dispatch_t *self)
{
    return self->registry;
}

struct lineage *dispatch_lineage(dispatch_t *self, uint64_t job)
{
    struct lineage *found;

    HASH_FIND(hh, self->lineages, &job, sizeof(job), found);
    if (found)
        return found;
    found = xcalloc(1, sizeof(*found));
    found->job = job;
    HASH_ADD(hh, self->lineages, job, sizeof(job), found);
    return found;
}

/* ---- the watch ---- */

void dispatch_note(dispatch_t *self, struct incarnation *incarnation)
{
    if (incarnation->changed)
        return;
    incarnation->changed = true;
    incarnation->next_changed = NULL;
    if (self->first_changed)
        self->last_changed->next_changed = incarnation;
    else
        self->first_changed = incarnation;
    self->last_changed = incarnation;
}

void dispatch_note_node(dispatch_t *self, struct node *node)
{
    self->changed_nodes = grow_array(self->changed_nodes, self->changed_node_count,
                                     &self->changed_node_capacity, sizeof(struct node *));
    self->changed_nodes[self->changed_node_count++] = node;
}

static void tell_of_nodes(dispatch_t *self, int64_t now_us)
{
    for (size_t i = 0; i < self->changed_node_count; i++)
        self->watch->node_changed(self->watch_owner, self->changed_nodes[i], now_us);
    self->changed_node_count = 0;
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
    while (self->first_changed) {
        struct incarnation *incarnation = self->first_changed;

        self->first_changed = incarnation->next_changed;
        incarnation->changed = false;
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

/* ---- nodes ---- */

static struct log_subject about_node(const struct node *node)
{
    return (struct log_subject){LOG_NONE, LOG_NONE, node->number, LOG_NONE};
}

static void node_up(dispatch_t *self, struct node *node)
{
    const struct log_subject subject = about_node(node);

    node->state = NODE_UP;
    node->cause[0] = '\0';
    log_event(&subject, "worker-up", "name=%s gpus=%" PRId32, log_text(node->name), node->gpus);
    dispatch_note_node(self, node);
}

void dispatch_check_node(dispatch_t *self, struct node *node)
{
    if (node->state == NODE_RETURNING && !node->parts && node->stray_count == 0)
        node_up(self, node);
}

static void node_down(dispatch_t *self, struct node *node, int64_t now_us)
{
    const struct log_subject subject = about_node(node);
    struct part *part;
    struct part *next;

    node->state = NODE_DOWN;
    node->restarts = false;
    log_event(&subject, "worker-down", "name=%s cause=%s", log_text(node->name),
              log_text(node->cause));
    dispatch_note_node(self, node);
    DL_FOREACH_SAFE(node->parts, part, next)
    {
        char cause[NODE_CAUSE_MAX];

        (void)snprintf(cause, sizeof(cause), "worker %.80s is down: %.150s", node->name,
                       node->cause);
        if (part->incarnation->phase < INCARNATION_ENDING)
            incarnation_fail(self, part->incarnation, FAULT_NODE_DOWN, true, cause);
        /* What never began holds nothing. */
        if (!part->begun)
            part_end(self, part, "exit", now_us);
    }
}

struct node *dispatch_admit(dispatch_t *self, const char *name,
                            const struct msg_worker_hello *hello, struct error *error)
{
    const size_t before = self->holder_capacity;
    struct node *node = registry_admit(self->registry, name, hello, error);
    const size_t gpus = (size_t)registry_gpus(self->registry);

    if (gpus > before) {
        self->holder_capacity = 2 * gpus;
        self->holders =
            xrealloc(self->holders, self->holder_capacity * sizeof(const struct part *));
        for (size_t i = before; i < self->holder_capacity; i++)
            self->holders[i] = NULL;
    }
    return node;
}

/* Whether everybody is here who may hold something from a master before this one, or it is too late for
 * that. */
static void check_alone(dispatch_t *self, int64_t now_us)
{
    const int64_t over_us =
        self->setting.started_us + self->setting.lease_us + LEASE_MARGIN_MS * INT64_C(1000);

    if (self->alone ||
        (registry_count(self->registry) < self->setting.workers_expected && now_us < over_us))
        return;
    self->alone = true;
    for (size_t i = 0; i < registry_count(self->registry); i++)
        node_due(self, registry_at(self->registry, i));
}

/* Takes in what a worker says that it holds. */
static void take_list(dispatch_t *self, struct node *node, const struct msg_part *parts,
                      size_t count, int64_t now_us)
{
    for (size_t i = 0; i < count; i++) {
        struct part *part = part_find(self, node, parts[i].job, parts[i].incarnation);

        if (part)
            part_observe(self, part, &parts[i], now_us);
        else if (parts[i].state < PART_STOPPED)
            stray_found(self, node, &parts[i]);
        else
            number_seen(self, node, &parts[i]);
    }
}

/* What a hello does not list. */
static void missing_at_hello(dispatch_t *self, struct part *part, int64_t now_us)
{
    struct incarnation *incarnation = part->incarnation;

    if (part->begun && incarnation->phase < INCARNATION_ENDING)
        incarnation_fail(self, incarnation, FAULT_FORGOTTEN, true,
                         "its worker came back without it");
    else if (!part->begun && incarnation->phase == INCARNATION_ENDING)
        part_end(self, part, "exit", now_us);
}

/* What a heartbeat does not list: messages of one session come in order, so what was there is gone. */
static void missing_at_heartbeat(dispatch_t *self, struct part *part, int64_t now_us)
{
    const bool waited =
        part->stop_beat > 0 && part->node->beats - part->stop_beat >= BEATS_TO_TAKE_EFFECT;

    if (part->seen)
        part_forgotten(self, part, now_us);
    else if (!part->begun && part->incarnation->phase == INCARNATION_ENDING && waited)
        part_end(self, part, "exit", now_us);
}

static void review(dispatch_t *self, struct node *node,
                   void (*missing)(dispatch_t *, struct part *, int64_t), int64_t now_us)
{
    struct part *part;
    struct part *next;

    DL_FOREACH_SAFE(node->parts, part, next)
    {
        if (part->listed_beat != node->beats)
            missing(self, part, now_us);
    }
    strays_review(self, node);
    DL_FOREACH(node->parts, part)
    {
        order_again(self, part);
    }
    order_restart(self, node);
    dispatch_check_node(self, node);
    node_due(self, node);
    dispatch_flush(self, now_us);
}

void dispatch_hello(dispatch_t *self, struct node *node, const struct msg_worker_hello *hello,
                    int64_t now_us)
{
    const bool back_at_once = node->state == NODE_BROKEN;
    const struct msg_worker_welcome welcome = {node->number, node->first_rank,
                                               self->setting.heartbeat_us / 1000,
                                               self->setting.lease_us / 1000, hello->stamp_us};

    assert(!node_in_session(node));
    node->state = back_at_once ? NODE_UP : NODE_RETURNING;
    node->lease_end_us = now_us + self->setting.lease_us;
    node->beats++;
    self->calls->welcome(self->calls_owner, node, &welcome);
    check_alone(self, now_us);
    take_list(self, node, hello->parts, hello->part_count, now_us);
    review(self, node, missing_at_hello, now_us);
}

void dispatch_gone(dispatch_t *self, struct node *node, enum gone_how how, const char *cause,
                   int64_t now_us)
{
    const bool may_come_back = how == GONE_BROKEN && node->state == NODE_UP;
    struct part *part;

    assert(node_in_session(node));
    (void)snprintf(node->cause, sizeof(node->cause), "%s", cause);
    node->state = NODE_BROKEN;
    node->broken_us = now_us;
    strays_lose_sight(self, node);
    DL_FOREACH(node->parts, part)
    {
        part_lose_sight(self, part);
    }
    if (!may_come_back)
        node_down(self, node, now_us);
    dispatch_flush(self, now_us);
}

void dispatch_heartbeat(dispatch_t *self, struct node *node,
                        const struct msg_worker_heartbeat *heartbeat, int64_t now_us)
{
    const struct msg_lease lease = {heartbeat->stamp_us};

    assert(node_in_session(node));
    node->lease_end_us = now_us + self->setting.lease_us;
    node->beats++;
    self->calls->lease(self->calls_owner, node, &lease);
    take_list(self, node, heartbeat->parts, heartbeat->part_count, now_us);
    review(self, node, missing_at_heartbeat, now_us);
}

void dispatch_report(dispatch_t *self, struct node *node, const struct msg_report *report,
                     int64_t now_us)
{
    const struct msg_part *said = &report->part;
    struct part *part = part_find(self, node, said->job, said->incarnation);

    assert(node_in_session(node));
    if (report->grouped) {
        if (self->watch->grouped)
            self->watch->grouped(self->watch_owner, node, report, now_us);
    } else if (part) {
        part_observe(self, part, said, now_us);
    } else if (said->state < PART_STOPPED) {
        stray_found(self, node, said);
    } else {
        self->stale++;
        number_seen(self, node, said);
        stray_gone(self, node, said->job, said->incarnation);
        dispatch_check_node(self, node);
        node_due(self, node);
    }
    dispatch_flush(self, now_us);
}

static void end_leases(dispatch_t *self, struct node *node, int64_t now_us)
{
    struct part *part;
    struct part *next;

    DL_FOREACH_SAFE(node->parts, part, next)
    {
        if (part->fence_us > 0 && now_us >= part->fence_us)
            part_end(self, part, "lease", now_us);
    }
    strays_end_leases(self, node, now_us);
    dispatch_check_node(self, node);
}

void dispatch_tick(dispatch_t *self, int64_t now_us)
{
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct node *node = registry_at(self->registry, i);

        if (node->state == NODE_BROKEN && now_us - node->broken_us >= BROKEN_US)
            node_down(self, node, now_us);
        if (self->fenced > 0)
            end_leases(self, node, now_us);
    }
    check_alone(self, now_us);
    dispatch_flush(self, now_us);
}

/* ---- what is wanted ---- */

struct incarnation *dispatch_start(dispatch_t *self, const struct launch *launch, int64_t now_us)
{
    struct lineage *lineage = dispatch_lineage(self, launch->run.job);
    struct incarnation *incarnation = incarnation_new(launch, ++lineage->last_number);

    incarnation->started_us = now_us;
    incarnation->lineage = lineage;
    DL_APPEND2(lineage->oldest, incarnation, older, newer);
    for (size_t i = 0; i < incarnation->part_count; i++) {
        struct part *part = &incarnation->parts[i];

        assert(node_in_session(part->node) || part->node->state == NODE_BROKEN);
        DL_APPEND(part->node->parts, part);
        HASH_ADD(hh, self->parts, key, sizeof(part->key), part);
        order_again(self, part);
    }
    dispatch_note(self, incarnation);
    return incarnation;
}

void dispatch_allow(dispatch_t *self, struct incarnation *incarnation)
{
    incarnation->may_begin = true;
    incarnation_due(self, incarnation);
}

void dispatch_update(dispatch_t *self, struct incarnation *incarnation, int64_t step)
{
    struct part *first = &incarnation->parts[0];

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
    dispatch_note(self, incarnation);
    for (size_t i = 0; i < incarnation->part_count; i++) {
        struct part *part = &incarnation->parts[i];

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
        struct node *node = registry_at(self->registry, i);

        node->restarts = node_in_session(node);
        order_restart(self, node);
    }
}

void dispatch_group(dispatch_t *self, const struct node *node, const struct msg_group *group)
{
    self->calls->group(self->calls_owner, node, group);
}

/* ---- what is so ---- */

const struct part *dispatch_holder(const dispatch_t *self, int32_t rank)
{
    assert(rank >= 0 && (size_t)rank < self->holder_capacity);
    return self->holders[rank];
}

uint64_t dispatch_stale(const dispatch_t *self)
{
    return self->stale;
}
