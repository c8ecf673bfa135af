/* inbox.c - messages of workers, and what happens to a node that sends none any more. */
#include "common/log.h"
#include "common/memory.h"
#include "master/dispatch_state.h"
#include "master/node_gpus.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <utlist.h>

/* How long a worker whose connection closed may take to come back as if nothing had happened. */
#define BROKEN_US INT64_C(1000000)

/* Takes a node as down. The node's parts run on, fenced, until the lease of the node is over. */
static void node_down(dispatch_t *self, struct worker_node *node, int64_t now_us)
{
    const struct log_subject subject = node_subject(node);
    struct remote_part *part;
    struct remote_part *next;

    registry_note_gone(self->registry, node);
    node->restarts = false;
    log_event(&subject, "worker-down", "name=%s fenced_until_us=%" PRId64 " cause=%s",
              log_text(node->name), node->lease_end_us + LEASE_MARGIN_MS * INT64_C(1000),
              log_text(node->cause));
    dispatch_news_add_node(&self->news, node);
    DL_FOREACH_SAFE(node->parts, part, next)
    {
        char cause[NODE_CAUSE_MAX];

        dispatch_news_add(&self->news, part->incarnation);
        (void)snprintf(cause, sizeof(cause), "worker %.80s is down: %.150s", node->name,
                       node->cause);
        if (part->incarnation->phase < INCARNATION_ENDING)
            incarnation_fail(self, part->incarnation, FAULT_NODE_DOWN, true, cause);
        /* A part that never began holds nothing. */
        if (!part->begun)
            part_end(self, part, "exit", now_us);
    }
}

struct worker_node *dispatch_admit(dispatch_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error)
{
    struct worker_node *node;

    if (!dispatch_news_any(&self->news))
        registry_forget_gone(self->registry);
    node = registry_admit(self->registry, name, hello, error);
    holders_fit_ranks(self);
    return node;
}

/* Checks whether all workers that may hold something from a master before this one are present,
 * or the time to wait for them is over. */
static void check_alone(dispatch_t *self, int64_t now_us)
{
    const bool waits = registry_count(self->registry) < self->setting.workers_expected ||
                       registry_has_gaps(self->registry);

    if (self->alone || (waits && now_us < dispatch_leases_over_us(self)))
        return;
    self->alone = true;
    registry_close(self->registry);
    for (size_t i = 0; i < registry_count(self->registry); i++)
        node_due(self, registry_at(self->registry, i));
}

/* Takes in a worker's stamp. A process that this master did not welcome may have another clock. */
static void hear_stamp(struct worker_node *node, int64_t stamp_us, bool is_known, int64_t now_us)
{
    if (!is_known || stamp_us < node->stamp_us)
        node->clock.known = false;
    peer_clock_hear(&node->clock, stamp_us, now_us);
    node->stamp_us = stamp_us;
}

/* Takes in a part as its worker describes the part, dated by this machine's clock from here on. */
static void take_dated_part(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                            const struct msg_run *run, int64_t now_us)
{
    struct remote_part *part = part_find(self, node, said->job, said->incarnation);

    if (part)
        part_observe(self, part, said, now_us);
    else if (said->state < PART_STOPPED)
        stray_found(self, node, said, run);
    else
        stray_ended(self, node, said, run);
    if (!part && said->state == PART_DONE)
        done_late(self, node, said, now_us);
}

static void take_part(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                      const struct msg_run *run, int64_t now_us)
{
    struct msg_part dated = *said;

    dated.ended_us =
        said->ended_us != 0 ? peer_clock_here(&node->clock, said->ended_us, now_us) : now_us;
    take_dated_part(self, node, &dated, run, now_us);
}

/* The run of the part at `place` in the hello, or NULL if the hello has no run for that part. */
static const struct msg_run *run_of(const struct msg_worker_hello *hello, size_t place)
{
    const struct msg_part *part = &hello->parts[place];
    const struct msg_run *run = place < hello->run_count ? &hello->runs[place] : NULL;

    return run && run->job == part->job && run->incarnation == part->incarnation ? run : NULL;
}

/* Handles a part that the hello of its worker does not list. */
static void missing_at_hello(dispatch_t *self, struct remote_part *part, int64_t now_us)
{
    struct incarnation *incarnation = part->incarnation;

    if (part->begun && incarnation->phase < INCARNATION_ENDING)
        incarnation_fail(self, incarnation, FAULT_FORGOTTEN, true,
                         "its worker came back without it");
    else if (!part->begun && incarnation->phase == INCARNATION_ENDING)
        part_end(self, part, "exit", now_us);
    else if (part->begun)
        dispatch_news_add(&self->news, incarnation); /* only the part's lease is left */
}

/* Handles a part that a heartbeat does not list: messages of one session come in order, so the
 * part is gone. */
static void missing_at_heartbeat(dispatch_t *self, struct remote_part *part, int64_t now_us)
{
    const bool waited =
        part->stop_beat > 0 && part->node->beats - part->stop_beat >= BEATS_TO_TAKE_EFFECT;

    if (part->seen)
        part_forgotten(self, part, now_us);
    else if (!part->begun && part->incarnation->phase == INCARNATION_ENDING && waited)
        part_end(self, part, "exit", now_us);
}

/* Handles a part that the hello does not list and that, as the worker vouches, no process holds. */
static void gone_at_hello(dispatch_t *self, struct remote_part *part, int64_t now_us)
{
    const bool begun = part->begun;

    missing_at_hello(self, part, now_us);
    if (begun)
        part_end(self, part, "vouched", now_us);
}

/* Whether all parts that the hello does not list are gone: the worker holds a lock that the
 * processes of the worker before it held, too. A late hello says nothing of parts that began
 * since. */
static bool vouches(const struct worker_node *node, const struct msg_worker_hello *hello)
{
    return hello->lock > 0 && hello->lock == node->lock && hello->stamp_us > node->stamp_us;
}

static void trust(dispatch_t *self, struct worker_node *node)
{
    const struct log_subject subject = node_subject(node);

    log_event(&subject, "vouched", "name=%s", log_text(node->name));
    strays_vouched_for(self, node);
}

static void review(dispatch_t *self, struct worker_node *node,
                   void (*missing)(dispatch_t *, struct remote_part *, int64_t), int64_t now_us)
{
    struct remote_part *part;
    struct remote_part *next;

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
    node_check(self, node);
    if (node_make_room(self, node))
        dispatch_news_add_node(&self->news, node);
    node_due(self, node);
    dispatch_flush(self, now_us);
}

/* Incarnations on a GPU that is gone cannot go on, which is no failure of theirs. */
static void look_for_gone_gpus(dispatch_t *self, const struct worker_node *node)
{
    struct remote_part *part;

    DL_FOREACH(node->parts, part)
    {
        struct incarnation *incarnation = part->incarnation;
        char cause[NODE_CAUSE_MAX];

        for (size_t i = 0; i < part->gpu_count; i++) {
            const int32_t gpu = part->gpus[i];

            if (gpu < node->found && !node->gpu[gpu].gone)
                continue;
            (void)snprintf(cause, sizeof(cause), "GPU %" PRId32 " of node %.80s is gone", gpu,
                           node->name);
            if (incarnation->phase < INCARNATION_ENDING)
                incarnation_fail(self, incarnation, FAULT_GPU_GONE, true, cause);
        }
    }
}

/* Tells the workers of nodes that made way for this node their new places. */
static void tell_moved(dispatch_t *self)
{
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct worker_node *node = registry_at(self->registry, i);

        if (!node->moved)
            continue;
        if (node_in_session(node))
            node_welcome(self, node);
        node->moved = false;
        dispatch_news_add_node(&self->news, node);
    }
}

void dispatch_hello(dispatch_t *self, struct worker_node *node,
                    const struct msg_worker_hello *hello, int64_t now_us)
{
    const bool is_other = node->state == WORKER_BROKEN && !hello->numbered && node->differs[0];
    const bool back_at_once = node->state == WORKER_BROKEN && !is_other;
    const bool sure = vouches(node, hello);

    assert(!node_in_session(node));
    if (is_other) {
        (void)snprintf(node->cause, sizeof(node->cause), "its worker came back: %.200s",
                       node->differs);
        node_down(self, node, now_us);
    }
    node->state = back_at_once ? WORKER_UP : WORKER_RETURNING;
    node->lease_end_us = now_us + self->setting.lease_us;
    node->beats++;
    hear_stamp(node, hello->stamp_us, hello->numbered, now_us);
    node->lock = hello->lock;
    if ((self->keeps || !self->alone) && hello->named > self->numbers && hello->named < NUMBER_MAX)
        self->numbers = hello->named;
    node_welcome(self, node);
    tell_moved(self);
    look_for_gone_gpus(self, node);
    for (size_t i = 0; i < hello->part_count; i++)
        take_part(self, node, &hello->parts[i], run_of(hello, i), now_us);
    check_alone(self, now_us);
    if (sure)
        trust(self, node);
    review(self, node, sure ? gone_at_hello : missing_at_hello, now_us);
}

void dispatch_gone(dispatch_t *self, struct worker_node *node, enum gone_how how, const char *cause,
                   int64_t now_us)
{
    const bool may_come_back = how == GONE_BROKEN && node->state == WORKER_UP;
    struct remote_part *part;

    assert(node_in_session(node));
    (void)snprintf(node->cause, sizeof(node->cause), "%s", cause);
    node->state = WORKER_BROKEN;
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

void dispatch_heartbeat(dispatch_t *self, struct worker_node *node,
                        const struct msg_worker_heartbeat *heartbeat, int64_t now_us)
{
    const struct msg_lease lease = {heartbeat->stamp_us};

    assert(node_in_session(node));
    node->lease_end_us = now_us + self->setting.lease_us;
    hear_stamp(node, heartbeat->stamp_us, true, now_us);
    node->beats++;
    self->calls->lease(self->calls_owner, node, &lease);
    for (size_t i = 0; i < heartbeat->part_count; i++)
        take_part(self, node, &heartbeat->parts[i], NULL, now_us);
    review(self, node, missing_at_heartbeat, now_us);
}

void dispatch_report(dispatch_t *self, struct worker_node *node, const struct msg_report *report,
                     int64_t now_us)
{
    const struct msg_part *said = &report->part;

    assert(node_in_session(node));
    if (!report->grouped) {
        self->stale +=
            said->state >= PART_STOPPED && !part_find(self, node, said->job, said->incarnation);
        take_part(self, node, said, NULL, now_us);
        node_check(self, node);
        node_due(self, node);
    } else if (self->watch->grouped) {
        self->watch->grouped(self->watch_owner, node, report, now_us);
    }
    dispatch_flush(self, now_us);
}

void dispatch_gpus(dispatch_t *self, struct worker_node *node, const struct msg_gpus *gpus,
                   int64_t now_us)
{
    const struct log_subject subject = node_subject(node);

    assert(node_in_session(node));
    if (!node_change_gpus(node, gpus->gpus, gpus->gpu_count))
        return;
    (void)node_make_room(self, node);
    log_event(&subject, "worker-gpus", "name=%s gpus=%" PRId32 " differs=%s", log_text(node->name),
              node->gpus, log_text(node->differs));
    look_for_gone_gpus(self, node);
    dispatch_news_add_node(&self->news, node);
    node_due(self, node);
    dispatch_flush(self, now_us);
}

void dispatch_leave_out(dispatch_t *self, struct worker_node *node, int32_t gpu, bool left_out)
{
    node_leave_out(node, gpu, left_out);
    dispatch_news_add_node(&self->news, node);
    node_due(self, node);
}

static void end_leases(dispatch_t *self, struct worker_node *node, int64_t now_us)
{
    struct remote_part *part;
    struct remote_part *next;

    DL_FOREACH_SAFE(node->parts, part, next)
    {
        if (part->fence_us > 0 && now_us >= part->fence_us)
            part_end(self, part, "lease", now_us);
    }
    strays_end_leases(self, node, now_us);
    node_check(self, node);
}

void dispatch_tick(dispatch_t *self, int64_t now_us)
{
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct worker_node *node = registry_at(self->registry, i);

        if (node->state == WORKER_BROKEN && now_us - node->broken_us >= BROKEN_US)
            node_down(self, node, now_us);
        if (self->fenced > 0)
            end_leases(self, node, now_us);
        patience_end(self, node, now_us);
    }
    check_alone(self, now_us);
    dispatch_flush(self, now_us);
}
