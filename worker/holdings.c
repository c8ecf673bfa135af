/* holdings.c - see holdings.h. */
#include "worker/holdings.h"

#include "common/memory.h"
#include "worker/node_lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* How long a trainer whose session is over may take to be heard of again: this very process may
 * have been stopped for a while. */
#define DOUBT_US 1500000

/* The time that a trainer gets to end, beyond the grace of its program. */
#define ENDING_US 2000000

struct holdings {
    struct holdings_setting setting;
    int32_t gpu_count;
    int32_t number;
    struct node_lease lease;
    parts_t *parts;
    trainers_t *trainers;
    trainer_sessions_t *sessions; /* sessions with the trainers */
    bool closing;
    bool *outdated; /* by GPU: the trainer does not know of a new GPU */
};

/* ---- the parts ---- */

static parts_t *make_parts(const holdings_t *self)
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
        .run_dir = self->setting.run_dir,
        .name = self->setting.name,
        .report = self->setting.calls->report,
        .report_owner = self->setting.owner,
    };
    parts_t *parts;

    for (int32_t i = 0; i < self->setting.gpus->count; i++)
        memory_mib[i] = self->setting.gpus->items[i].memory_mib;
    parts = parts_new(&setting);
    free(memory_mib);
    return parts;
}

static char *const *trainer_arguments(void *owner, int32_t gpu)
{
    const holdings_t *self = owner;

    return trainer_command_arguments(self->setting.trainer_command, gpu);
}

static void on_watch(void *owner, int32_t gpu, int descriptor)
{
    const holdings_t *self = owner;

    self->setting.calls->watch(self->setting.owner, gpu, descriptor);
}

static void on_unwatch(void *owner, int32_t gpu, int descriptor)
{
    const holdings_t *self = owner;

    self->setting.calls->unwatch(self->setting.owner, gpu, descriptor);
}

static void on_gone(void *owner, int32_t gpu, pid_t pid, const char *cause)
{
    const holdings_t *self = owner;

    parts_trainer_gone(self->parts, gpu, pid, cause);
}

static void on_in_vain(void *owner, int32_t gpu, const char *cause)
{
    const holdings_t *self = owner;

    parts_no_trainer(self->parts, gpu, cause);
}

static trainers_t *make_trainers(holdings_t *self)
{
    static const struct trainers_calls calls = {on_watch, on_unwatch, on_gone, on_in_vain};
    const struct trainers_setting setting = {
        .gpu_count = self->gpu_count,
        .arguments = trainer_arguments,
        .environment = self->setting.environment,
        .lock = self->setting.lock,
        .calls = &calls,
        .owner = self,
    };

    return trainers_new(&setting);
}

holdings_t *holdings_new(const struct holdings_setting *setting)
{
    holdings_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->gpu_count = setting->gpus->room;
    self->outdated = xcalloc((size_t)self->gpu_count, sizeof(*self->outdated));
    self->number = -1;
    self->lease = node_lease_none();
    self->sessions = trainer_sessions_new(self->gpu_count, &self->lease);
    self->parts = make_parts(self);
    self->trainers = make_trainers(self);
    for (int32_t gpu = setting->gpus->count; gpu < self->gpu_count; gpu++)
        holdings_gpu_gone(self, gpu);
    return self;
}

void holdings_destroy(holdings_t **self)
{
    if (!*self)
        return;
    parts_destroy(&(*self)->parts);
    trainers_destroy(&(*self)->trainers);
    trainer_sessions_destroy(&(*self)->sessions);
    free((*self)->outdated);
    free(*self);
    *self = NULL;
}

parts_t *holdings_parts(const holdings_t *self)
{
    return self->parts;
}

trainers_t *holdings_trainers(const holdings_t *self)
{
    return self->trainers;
}

trainer_sessions_t *holdings_sessions(const holdings_t *self)
{
    return self->sessions;
}

int32_t holdings_number(const holdings_t *self)
{
    return self->number;
}

struct log_subject holdings_subject(const holdings_t *self)
{
    struct log_subject subject = LOG_ABOUT_NOTHING;

    subject.node = self->number;
    return subject;
}

void holdings_welcome(holdings_t *self, int32_t number, int64_t lease_ms)
{
    self->number = number;
    self->lease.length_us = lease_ms * 1000;
    parts_set_node(self->parts, number);
    trainers_set_node(self->trainers, number);
}

/* ---- the lease ---- */

static bool holds_parts(const holdings_t *self)
{
    return parts_live(self->parts) > 0;
}

void holdings_renew_lease(holdings_t *self, int64_t stamp_us)
{
    node_lease_renew(&self->lease, stamp_us);
    parts_acknowledged(self->parts, stamp_us);
}

void holdings_send_lease(const holdings_t *self)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        trainer_sessions_send_lease(self->sessions, gpu);
}

/* Ends all parts when the lease is over. Killing comes first; the trainers hear of the end
 * later. */
static void call_in(const holdings_t *self)
{
    const struct log_subject subject = holdings_subject(self);

    trainers_kill_below(self->trainers);
    log_event(&subject, "lease-over", "parts=%zu", parts_live(self->parts));
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        if (parts_sent(self->parts, gpu))
            trainer_sessions_send_lease(self->sessions, gpu);
    parts_fail_all(self->parts, "lease over");
}

static void kill_overdue(const holdings_t *self)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        if (parts_sent(self->parts, gpu))
            trainers_kill(self->trainers, gpu, "lease over");
}

void holdings_look_at_lease(holdings_t *self, int64_t now_us)
{
    switch (node_lease_look(&self->lease, holds_parts(self), now_us)) {
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

/* The longest grace of the programs on `gpu`. */
static int64_t grace_us(const holdings_t *self, int32_t gpu)
{
    const int64_t own_us = parts_grace_ms(self->parts, gpu) * 1000;

    return own_us > self->setting.grace_us ? own_us : self->setting.grace_us;
}

static void end_trainer(const holdings_t *self, int32_t gpu, int64_t now_us)
{
    if (!trainer_sessions_has(self->sessions, gpu)) {
        trainers_kill(self->trainers, gpu, "its worker wants it to end");
        return;
    }
    trainer_sessions_send_shutdown(self->sessions, gpu);
    parts_trainer_closed(self->parts, gpu);
    trainers_asked(self->trainers, gpu, now_us + grace_us(self, gpu) + ENDING_US);
}

void holdings_restart(holdings_t *self, int64_t now_us)
{
    parts_stop_all(self->parts);
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        end_trainer(self, gpu, now_us);
}

static void kill_all(const holdings_t *self)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        trainers_kill(self->trainers, gpu, "its worker ends at once");
}

static void close_down(holdings_t *self)
{
    self->closing = true;
    trainers_close(self->trainers);
}

/* Commands that still come wait for trainers that never start: the master would send a refused
 * command again at once. */
void holdings_shut_down(holdings_t *self, int64_t now_us)
{
    const bool again = self->closing;

    close_down(self);
    if (again)
        kill_all(self);
    else
        holdings_restart(self, now_us); /* which the closing leaves out */
}

bool holdings_is_closing(const holdings_t *self)
{
    return self->closing;
}

bool holdings_is_down(const holdings_t *self)
{
    return self->closing && trainers_all_gone(self->trainers);
}

/* ---- GPUs that come and go ---- */

void holdings_gpu_gone(holdings_t *self, int32_t gpu)
{
    char cause[64];

    (void)snprintf(cause, sizeof(cause), "GPU %" PRId32 " of this node is gone", gpu);
    parts_gpu_gone(self->parts, gpu, cause);
    trainers_want(self->trainers, gpu, false);
    trainers_kill(self->trainers, gpu, cause);
}

void holdings_gpu_there(holdings_t *self, int32_t gpu, bool is_new)
{
    parts_gpu_there(self->parts, gpu, self->setting.gpus->items[gpu].memory_mib);
    trainers_want(self->trainers, gpu, true);
    for (int32_t other = 0; is_new && other < gpu; other++)
        self->outdated[other] = trainer_sessions_has(self->sessions, other);
}

static void renew_outdated(holdings_t *self, int64_t now_us)
{
    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++) {
        if (!self->outdated[gpu] || parts_on(self->parts, gpu))
            continue;
        self->outdated[gpu] = false;
        end_trainer(self, gpu, now_us);
    }
}

/* ---- the trainers ---- */

void holdings_trainer_up(holdings_t *self, int32_t gpu, int64_t now_us)
{
    trainers_speaks(self->trainers, gpu);
    trainer_sessions_send_lease(self->sessions, gpu);
    if (self->closing)
        end_trainer(self, gpu, now_us);
    else
        parts_trainer_up(self->parts, gpu);
}

void holdings_trainer_lost(holdings_t *self, int32_t gpu, int64_t now_us)
{
    parts_trainer_closed(self->parts, gpu);
    trainers_spoke(self->trainers, gpu);
    trainers_doubt(self->trainers, gpu, now_us + DOUBT_US);
}

int32_t holdings_idle_trainers(const holdings_t *self)
{
    int32_t idle = 0;

    for (int32_t gpu = 0; gpu < self->gpu_count; gpu++)
        idle += trainer_sessions_has(self->sessions, gpu) && !parts_on(self->parts, gpu);
    return idle;
}

/* ---- time ---- */

int holdings_tick(holdings_t *self, int64_t now_us, struct error *error)
{
    if (!self->closing)
        renew_outdated(self, now_us);
    if (trainers_tick(self->trainers, now_us, error) == 0)
        return 0;
    close_down(self);
    return -1;
}

int64_t holdings_due_us(const holdings_t *self)
{
    const int64_t trainers = trainers_due_us(self->trainers);
    const int64_t lease = node_lease_due_us(&self->lease, holds_parts(self));

    return lease < trainers ? lease : trainers;
}
