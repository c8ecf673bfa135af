/* session.c - the session with the master: what it says of nodes and jobs is written down, and
 * waited for. */
#include "scheduler/testbed/driver.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"
#include "common/privileges.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOOK_MS      100 /* between looks at whether a signal asked to stop */
#define TELL_AGAIN_S 60.0

static int on_look(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    (void)argument;
    return -1; /* ends the loop, which comes back at once */
}

/* A timer that ends the loop ends it before any socket is read: what came is heard between its two
 * calls. */
static int on_wake(zloop_t *loop, int timer, void *argument)
{
    testbed_driver_t *self = argument;

    (void)loop;
    (void)timer;
    return --self->wakes_in > 0 ? 0 : -1;
}

void session_wake(testbed_driver_t *self)
{
    if (self->wakes_in > 0)
        return;
    self->wakes_in = 2;
    (void)zloop_timer(self->loop, 0, 2, on_wake, self);
}

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const testbed_driver_t *self = owner;
    const struct msg_hello hello = {
        .version = version, .role = "scheduler", .name = self->setting.name};

    msg_hello_pack(&hello, 0, out);
}

static void send_beat(testbed_driver_t *self)
{
    struct writer beat;

    if (!self->welcome)
        return;
    writer_open(&beat, MSG_HEARTBEAT, 0);
    link_client_send(self->link, &beat);
    self->beat_s = clock_s();
}

static int on_beat(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    send_beat(argument);
    return 0;
}

void session_beat(testbed_driver_t *self)
{
    if ((clock_s() - self->beat_s) * 1000 >= (double)self->setting.heartbeat_ms)
        send_beat(self);
}

/* As often as the master says: a slower scheduler is gone to it. */
static void beat_every(testbed_driver_t *self, int64_t heartbeat_ms)
{
    if (self->beat >= 0 && heartbeat_ms == self->setting.heartbeat_ms)
        return;
    if (self->beat >= 0)
        (void)zloop_timer_end(self->loop, self->beat);
    self->setting.heartbeat_ms = heartbeat_ms;
    self->beat = zloop_timer(self->loop, (size_t)heartbeat_ms, 0, on_beat, self);
}

static int on_welcome(testbed_driver_t *self, reader_t *in, struct error *error)
{
    struct msg_scheduler_welcome welcome;

    if (msg_scheduler_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    self->welcome = true;
    self->welcome_s = clock_s();
    self->heard_beat = self->heard_held = false;
    self->clock_there.known = false;
    self->was_of_use = true;
    self->refuses = false;
    self->expected = welcome.workers_expected;
    if (self->expected > self->cluster_nodes) {
        (void)snprintf(self->why_broken, sizeof(self->why_broken),
                       "it waits for %" PRId64 " nodes, --cluster_spec has only %d", self->expected,
                       self->cluster_nodes);
        self->broken = true;
    }
    self->lease_s = (double)welcome.lease_ms / 1000;
    link_client_set_heartbeat(self->link, welcome.heartbeat_ms);
    beat_every(self, welcome.heartbeat_ms);
    self->sent_anew = self->has_plan;
    trained_jobs_unname(self->jobs);
    (void)FAILPOINT("master-welcomed");
    return 0;
}

int session_nodes_up(const testbed_driver_t *self)
{
    int count = 0;

    for (int i = 0; i < self->node_count; i++)
        count += self->nodes[i].up;
    return count;
}

/* A node that is there and may not be used is none. */
static void leave_out(const testbed_driver_t *self, struct testbed_node *node)
{
    char why[sizeof(node->cause) - 66];

    if (!node->up || !self->setting.may_use ||
        self->setting.may_use(self->setting.use_owner, node, why, sizeof(why)))
        return;
    node->up = false;
    (void)snprintf(node->cause, sizeof(node->cause), "%.63s: %s", node->name, why);
    log_event(&LOG_ABOUT_NOTHING, "not-used", "cause=%s", log_text(node->cause));
}

/* A loss of the node stays known although the node is back before the scheduler looks. */
static void update_node(const testbed_driver_t *self, struct testbed_node *node,
                        const struct msg_node *from)
{
    const bool was_up = node->up;

    (void)snprintf(node->name, sizeof(node->name), "%s", from->name);
    node->up = from->up;
    node->gpus = from->gpus;
    node->first_rank = from->first_rank;
    (void)snprintf(node->user, sizeof(node->user), "%s", from->user ? from->user : "");
    (void)snprintf(node->only, sizeof(node->only), "%s", from->only ? from->only : "");
    (void)snprintf(node->cause, sizeof(node->cause), "%s%s%s", from->name, *from->cause ? ": " : "",
                   from->cause);
    leave_out(self, node);
    if (!was_up || node->up)
        return;
    node->went = true;
    memcpy(node->why_went, node->cause, sizeof(node->why_went));
}

/* Misses the nodes that a master which started anew has not heard of. */
static void miss_nodes(testbed_driver_t *self, const struct msg_nodes *nodes)
{
    size_t at = 0;

    for (int i = 0; i < self->node_count; i++) {
        const struct msg_node gone = {
            .node = i, .name = "its worker has not come back", .cause = ""};

        while (at < nodes->count && nodes->nodes[at].node < i)
            at++;
        if (!self->nodes[i].up || (at < nodes->count && nodes->nodes[at].node == i))
            continue;
        self->changed = self->changed || i < self->cluster_nodes;
        update_node(self, &self->nodes[i], &gone);
    }
}

static int on_nodes(testbed_driver_t *self, reader_t *in, struct error *error)
{
    struct msg_nodes nodes;

    if (msg_nodes_unpack(in, &nodes, error) < 0)
        return -1;
    if (nodes.complete)
        miss_nodes(self, &nodes);
    for (size_t i = 0; i < nodes.count; i++) {
        const struct msg_node *from = &nodes.nodes[i];
        struct testbed_node *node;

        if (from->node < 0 || from->node >= NODES_MAX)
            return error_set(error, "node %d is beyond the %d that there may be", from->node,
                             NODES_MAX);
        node = &self->nodes[from->node];
        if (from->node < self->cluster_nodes && (node->up != from->up || node->gpus != from->gpus))
            self->changed = true;
        update_node(self, node, from);
        if (from->node >= self->node_count)
            self->node_count = from->node + 1;
    }
    if (self->round == 0 && session_nodes_up(self) < self->expected)
        log_event(&LOG_ABOUT_NOTHING, "waiting", "workers=%d of=%" PRId64, session_nodes_up(self),
                  self->expected);
    (void)FAILPOINT("nodes-heard");
    session_wake(self);
    return 0;
}

/* A job that failed for good, or a program that has ended: in real time perhaps before its time. */
static bool calls_for_step(const testbed_driver_t *self, const struct msg_job_report *report)
{
    const struct trained_job *job = trained_jobs_find(self->jobs, report->job);

    if (report->state == JOB_REPORT_DONE)
        return !self->setting.fast_forward && job && !job->done && !job->emulated;
    return report->state == JOB_REPORT_HELD;
}

/* A loss that a master says again after a new session is told once. */
static void tell_owner(testbed_driver_t *self, const struct msg_job_report *report)
{
    struct trained_job *job = trained_jobs_find(self->jobs, report->job);
    const bool lost = report->state == JOB_REPORT_LOST;

    if (!self->setting.heard || !job || (lost && job->told_lost == report->incarnation))
        return;
    if (lost)
        job->told_lost = report->incarnation;
    self->setting.heard(self->setting.heard_owner, report);
    if (lost)
        session_wake(self);
}

/* When its job was done, on the run's clock. */
static double ended_s(const testbed_driver_t *self, const struct msg_job_report *report)
{
    const int64_t now_us = clock_boot_us();
    const int64_t ended_us = report->ended_us != 0
                                 ? peer_clock_here(&self->clock_there, report->ended_us, now_us)
                                 : now_us;

    return run_clock_now(&self->clock) - 1e-6 * (double)(now_us - ended_us) * self->clock.scale;
}

static int on_report(testbed_driver_t *self, reader_t *in, struct error *error)
{
    struct msg_job_report report;

    if (msg_job_report_unpack(in, &report, error) < 0)
        return -1;
    self->changed = self->changed || calls_for_step(self, &report);
    tell_owner(self, &report);
    trained_jobs_report(self->jobs, &report, ended_s(self, &report));
    (void)FAILPOINT("report-heard");
    self->paid = self->paid || report.state == JOB_REPORT_STABLE;
    if (self->changed || report.state == JOB_REPORT_DONE || report.state == JOB_REPORT_STABLE)
        session_wake(self);
    return 0;
}

static void hear_of(testbed_driver_t *self, uint64_t job)
{
    if (self->setting.knows && !self->setting.knows(self->setting.program_owner, job))
        self->unknown = job;
}

static int on_heartbeat(testbed_driver_t *self, reader_t *in, struct error *error)
{
    struct msg_master_heartbeat heartbeat;

    if (msg_master_heartbeat_unpack(in, &heartbeat, error) < 0)
        return -1;
    peer_clock_hear(&self->clock_there, heartbeat.stamp_us, clock_boot_us());
    for (size_t i = 0; i < heartbeat.count; i++) {
        hear_of(self, heartbeat.progress[i].job);
        trained_jobs_progress(self->jobs, &heartbeat.progress[i]);
    }
    if (!self->heard_held)
        session_wake(self);
    self->heard_beat = self->heard_held;
    self->heard_held = true;
    return 0;
}

static int on_settled(testbed_driver_t *self, reader_t *in, struct error *error)
{
    struct msg_settled settled;

    if (msg_settled_unpack(in, &settled, error) < 0)
        return -1;
    self->settled = settled.round;
    (void)FAILPOINT("settled-heard");
    session_wake(self);
    return 0;
}

static const struct {
    int type;
    int (*handle)(testbed_driver_t *self, reader_t *in, struct error *error);
} handlers[] = {
    {MSG_WELCOME, on_welcome},     {MSG_NODES, on_nodes},     {MSG_JOB_REPORT, on_report},
    {MSG_HEARTBEAT, on_heartbeat}, {MSG_SETTLED, on_settled},
};

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
        if (handlers[i].type == type)
            return handlers[i].handle(owner, in, error);
    return error_set(error, "the master sent a message of type %d, which is none of its own", type);
}

static void tell_away(testbed_driver_t *self)
{
    log_event(&LOG_ABOUT_NOTHING, "master-gone", "peer=%s cause=%s", log_text(self->setting.master),
              log_text(self->why_broken));
    self->told_s = clock_s();
}

static bool is_told_again(const testbed_driver_t *self)
{
    return self->was_of_use && !self->welcome && *self->why_broken &&
           clock_s() >= self->told_s + TELL_AGAIN_S;
}

/* One that refuses does so again and again. */
static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    testbed_driver_t *self = owner;
    const bool is_new = !refused || !self->refuses || strcmp(cause, self->why_broken) != 0;

    (void)snprintf(self->why_broken, sizeof(self->why_broken), "%s", cause);
    self->welcome = false;
    self->refuses = refused != REFUSAL_NONE;
    self->broken = self->broken || refused == REFUSAL_VERSION;
    if (is_new)
        tell_away(self);
    return true;
}

int session_open(testbed_driver_t *self, struct error *error)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    const struct link_client_setting setting = {
        .endpoint = self->endpoint,
        .heartbeat_ms = self->setting.heartbeat_ms,
        .keys = self->keys,
        .server = "master",
    };

    if (privileges_are_root())
        log_event(&LOG_ABOUT_NOTHING, "as-root", "cause=%s", log_text(PRIVILEGES_WARNING));
    self->link = link_client_new(self->loop, &setting, &calls, self, error);
    if (!self->link)
        return -1;
    beat_every(self, self->setting.heartbeat_ms);
    return 0;
}

bool session_stop_asked(const testbed_driver_t *self)
{
    return self->setting.stop_asked && self->setting.stop_asked();
}

void session_turn(testbed_driver_t *self, size_t ms)
{
    const int timer = zloop_timer(self->loop, ms, 1, on_look, self);

    (void)zloop_start(self->loop);
    zloop_timer_end(self->loop, timer);
    orders_send(self);
    if (is_told_again(self))
        tell_away(self);
}

int session_check(const testbed_driver_t *self, struct error *error)
{
    if (*self->unread.text)
        return error_set(error, "%s", self->unread.text);
    if (!self->broken && (!self->refuses || self->was_of_use))
        return 0;
    return error_set(error, "the master at %s cannot be used: %s", self->setting.master,
                     self->why_broken);
}

static int stopped(const testbed_driver_t *self, struct error *error)
{
    if (self->welcome && session_nodes_up(self) < self->expected)
        return error_set(error, "stopped while waiting for workers: %d of %" PRId64 " are there",
                         session_nodes_up(self), self->expected);
    return error_set(error, "stopped while waiting for the master at %s", self->setting.master);
}

int session_wait(testbed_driver_t *self, bool (*ready)(const testbed_driver_t *self),
                 struct error *error)
{
    while (!ready(self)) {
        if (session_stop_asked(self))
            return stopped(self, error);
        if (session_check(self, error) < 0)
            return -1;
        session_turn(self, LOOK_MS);
    }
    return 0;
}
