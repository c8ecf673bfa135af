/* node.c - see node.h. */
#include "worker/node.h"

#include "common/memory.h"
#include "worker/lease.h"

#include <stdlib.h>

/* How long a trainer whose session is over may take to be heard of again: it may have been this very process that
 * was stopped for a while. */
#define DOUBT_US 1500000

/* What a trainer that was asked to end gets beyond the grace of its program. */
#define ENDING_US 2000000

struct node {
    struct node_setting setting;
    int32_t gpu_count;
    int32_t number;
    struct lease lease;
    parts_t *parts;
    trainers_t *trainers;
    trainer_sessions_t *sessions; /* with them */
    bool closing;
};

/* ---- what it is made of ---- */

static parts_t *make_parts(const node_t *self)
{
    const size_t count = (size_t)self->gpu_count;
    int64_t *memory_mib = xcalloc(count, sizeof(*memory_mib));
    const struct parts_setting setting = {
        .orders =
            {
                .gpu_count = self->gpu_count,
                .memory_mib = memory_mib,
                .calls = &trainer_sessions_calls,
                .owner = self->sessions,
            },
        .report = self->setting.calls->report,
        .report_owner = self->setting.owner,
    };
    parts_t *parts;

    for (size_t i = 0; i < count; i++)
        memory_mib[i] = self->setting.gpus->items[i].memory_mib;
    parts = parts_new(&setting);
    free(memory_mib);
    return parts;
}

static char *const *trainer_arguments(void *owner, int32_t gpu)
{
    const node_t *self = owner;

    return trainer_command_arguments(self->setting.trainer_command, gpu);
}

static void on_watch(void *owner, int32_t gpu, int descriptor)
{
    const node_t *self = owner;

    self->setting.calls->watch(self->setting.owner, gpu, descriptor);
}

static void on_unwatch(void *owner, int32_t gpu, int descriptor)
{
    const node_t *self = owner;

    self->setting.calls->unwatch(self->setting.owner, gpu, descriptor);
}

static void on_gone(void *owner, int32_t gpu, const char *cause)
{
    const node_t *self = owner;

    parts_trainer_gone(self->parts, gpu, cause);
}

static trainers_t *make_trainers(node_t *self)
{
    static const struct trainers_calls calls = {on_watch, on_unwatch, on_gone};
    const struct trainers_setting setting = {
        .gpu_count = self->gpu_count,
        .arguments = trainer_arguments,
        .environment = self->setting.environment,
        .calls = &calls,
        .owner = self,
    };

    return trainers_new(&setting);
}

node_t *node_new(const struct node_setting *setting)
{
    node_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->gpu_count = setting->gpus->count;
    self->number = -1;
    self->lease = lease_none();
    self->sessions = trainer_sessions_new(self->gpu_count, &self->lease);
    self->parts = make_parts(self);
    self->trainers = make_trainers(self);
    return self;
}

void node_destroy(node_t **self)
{
    if (!*self)
        return;
    parts_destroy(&(*self)->parts);
    trainers_destroy(&(*self)->trainers);
    trainer_sessions_destroy(&(*self)->sessions);
    free(*self);
    *self = NULL;
}

parts_t *node_parts(const node_t *self)
{
    return self->parts;
}

trainers_t *node_trainers(const node_t *self)
{
    return self->trainers;
}

trainer_sessions_t *node_sessions(const node_t *self)
{
    return self->sessions;
}

int32_t node_number(const node_t *self)
{
    return self->number;
}

struct log_subject node_subject(const node_t *self)
{
    struct log_subject subject = LOG_ABOUT_NOTHING;

    subject.node = self->number;
    return subject;
}

void node_welcome(node_t *self, int32_t number, int64_t lease_ms)
{
    self->number = number;
    self->lease.length_us = lease_ms * 1000;
    parts_set_node(self->parts, number);
    trainers_set_node(self->trainers, number);
}

/* ---- the lease ---- */

static bool holds_parts(const node_t *self)
{
    return parts_live(self->parts) > 0;
}

void node_renew_lease(node_t *self, int64_t stamp_us)
{
    lease_renew(&self->lease, stamp_us);
    parts_acknowledged(self->parts, stamp_us);
}

void node_send_lease(const node_t *self)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        trainer_sessions_send_lease(self->sessions, gpu);
}

/* Kills first; what the trainers know of it comes later. */
static void call_in(const node_t *self)
{
    const struct log_subject subject = node_subject(self);

    trainers_kill_below(self->trainers);
    log_event(&subject, "lease-over", "parts=%zu", parts_live(self->parts));
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        if (parts_held(self->parts, gpu))
            trainer_sessions_send_lease(self->sessions, gpu);
    parts_fail_all(self->parts, "lease over");
}

static void kill_overdue(const node_t *self)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        if (parts_held(self->parts, gpu))
            trainers_kill(self->trainers, gpu, "lease over");
}

void node_look_at_lease(node_t *self, int64_t now_us)
{
    switch (lease_look(&self->lease, holds_parts(self), now_us)) {
    case LEASE_CALLS_IN:
        call_in(self);
        break;
    case LEASE_KILLS:
        kill_overdue(self);
        break;
    case LEASE_CALLS_NOTHING:
        break;
    }
}

/* ---- ending ---- */

static void end_trainer(const node_t *self, int32_t gpu, int64_t now_us)
{
    if (!trainer_sessions_has(self->sessions, gpu)) {
        trainers_kill(self->trainers, gpu, "its worker wants it to end");
        return;
    }
    trainer_sessions_send_shutdown(self->sessions, gpu);
    parts_trainer_closed(self->parts, gpu);
    trainers_asked(self->trainers, gpu, now_us + self->setting.grace_us + ENDING_US);
}

void node_restart(node_t *self, int64_t now_us)
{
    parts_stop_all(self->parts);
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        end_trainer(self, gpu, now_us);
}

static void kill_all(const node_t *self)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        trainers_kill(self->trainers, gpu, "its worker ends at once");
}

static void close_down(node_t *self)
{
    self->closing = true;
    trainers_close(self->trainers);
}

/* What the master still sends then waits for trainers that never come: refusing it would have it sent again at
 * once. */
void node_shut_down(node_t *self, int64_t now_us)
{
    const bool again = self->closing;

    close_down(self);
    if (again)
        kill_all(self);
    else
        node_restart(self, now_us); /* ... but for the start */
}

bool node_is_closing(const node_t *self)
{
    return self->closing;
}

bool node_is_down(const node_t *self)
{
    return self->closing && trainers_all_gone(self->trainers);
}

/* ---- the trainers ---- */

void node_trainer_up(node_t *self, int32_t gpu, int64_t now_us)
{
    trainers_speaks(self->trainers, gpu);
    trainer_sessions_send_lease(self->sessions, gpu);
    if (self->closing)
        end_trainer(self, gpu, now_us);
    else
        parts_trainer_up(self->parts, gpu);
}

void node_trainer_lost(node_t *self, int32_t gpu, int64_t now_us)
{
    parts_trainer_closed(self->parts, gpu);
    trainers_spoke(self->trainers, gpu);
    trainers_doubt(self->trainers, gpu, now_us + DOUBT_US);
}

int32_t node_idle_trainers(const node_t *self)
{
    int32_t idle = 0;

    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        idle += trainer_sessions_has(self->sessions, gpu) && !parts_on(self->parts, gpu);
    return idle;
}

/* ---- time ---- */

int node_tick(node_t *self, int64_t now_us, struct error *error)
{
    if (trainers_tick(self->trainers, now_us, error) == 0)
        return 0;
    close_down(self);
    return -1;
}

int64_t node_due_us(const node_t *self)
{
    const int64_t trainers = trainers_due_us(self->trainers);
    const int64_t lease = lease_due_us(&self->lease, holds_parts(self));

    return lease < trainers ? lease : trainers;
}
