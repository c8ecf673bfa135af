/* command.c - a workload that is a user's program, started as rubato-launch(7) says: that of the
 * job if it has its own, else that of the worker.
 *
 * In a fast-forwarded plan it trains too, for what its start costs and how fast it is; its steps
 * are then credited.
 *
 * It is prepared when its file of arguments, its folders and its log are known to be good, and
 * starts when it begins. It is stable when it says so, or, if it never says anything, when it has
 * run for a while. Told to stop it gets SIGTERM, and SIGKILL with all it has forked when its grace
 * is over. */
#include "executor/command.h"

#include "executor/checkpoint.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

/* The status that a shell gives a program ended by SIGTERM; programs that handle it end so, too. */
#define STATUS_TERMINATED (128 + SIGTERM)

static struct command_workload *command_of(struct workload *base)
{
    return (struct command_workload *)base;
}

/* ---- the run ---- */

static void command_prepare(struct workload *base, int64_t now_us)
{
    struct command_workload *self = command_of(base);
    struct error error;

    self->log = -1;
    self->prepared_us = now_us;
    self->kill_us = self->save_us = INT64_MAX;
    if (command_look(self, &error) < 0)
        workload_fail(base, false, "%s", error.text);
    else if (command_make_ready(self, &error) < 0)
        workload_fail(base, true, "%s", error.text);
    else
        base->status.state = PART_READY;
}

static void command_begin(struct workload *base, int64_t step, int64_t now_us)
{
    struct command_workload *self = command_of(base);
    struct error error;
    bool again = false;

    if (step < 0 && checkpoint_folder_is_empty(base->setting->run_dir, base->prepare.run.job))
        step = 0;
    if (command_start(self, step, &again, &error) < 0) {
        workload_fail(base, again, "%s", error.text);
        return;
    }
    if (workload_leads(base)) {
        base->status.step = step;
        base->status.checkpoint = step;
    }
    self->begun_us = now_us;
    base->status.state = PART_RUNNING;
    base->due_us = now_us + base->setting->stable_after_ms * 1000;
}

static void turn_stable(struct command_workload *self, double rate, int64_t now_us)
{
    struct workload *base = &self->base;

    base->status.rate = rate;
    if (base->status.state != PART_RUNNING)
        return;
    base->status.state = PART_STABLE;
    base->status.overhead_ms = (now_us - self->prepared_us) / 1000;
    base->due_us = self->save_us;
}

/* A program that sends progress messages is stable when a message reports that. */
static void note_speech(struct command_workload *self)
{
    self->spoke = true;
    if (self->base.status.state == PART_RUNNING)
        self->base.due_us = INT64_MAX;
}

/* Sets the time of the next save. A program that is being ended is not told to save its state
 * besides. */
static void save_at(struct command_workload *self, int64_t at_us)
{
    self->save_us = at_us;
    if (self->base.status.state == PART_STABLE && !keeper_has_ended(self->keeper))
        self->base.due_us = at_us;
}

/* Sets when the program is next told to write a checkpoint, if the program writes checkpoints
 * when told to and the last checkpoint took `cost_us`. Rank 0 is told, and lets the other ranks
 * know if it needs them. */
static void await_save(struct command_workload *self, int64_t cost_us, int64_t now_us)
{
    const int64_t every_s = workload_checkpoint_every_s(&self->base);

    if (!self->saves || every_s == 0 || !workload_leads(&self->base) ||
        self->base.prepare.run.fast_forward)
        return;
    save_at(self, now_us + checkpoint_pause_us(every_s * 1000000, cost_us));
}

static void tell_to_save(struct command_workload *self, int64_t now_us)
{
    const struct log_subject subject = workload_subject(&self->base);

    log_event(&subject, "told-to-save", "step=%" PRId64, self->base.status.step);
    self->saves_us = now_us;
    save_at(self, INT64_MAX);
    keeper_signal_save(self->keeper);
}

/* Notes that the program has written a checkpoint, whether told to or not. */
static void note_saved(struct command_workload *self, int64_t now_us)
{
    const int64_t cost_us = self->saves_us > 0 ? now_us - self->saves_us : 0;

    self->saves_us = 0;
    await_save(self, cost_us, now_us);
}

/* Takes over the steps that the scheduler credits in a fast-forwarded plan, where the program
 * runs only for its start cost and its rate. */
static void credit(struct workload *base, int64_t step)
{
    if (!base->prepare.run.fast_forward || step < 0 || !workload_leads(base))
        return;
    base->status.step = step;
    base->status.checkpoint = step;
}

static void take(struct command_workload *self, const struct progress_line *progress,
                 int64_t now_us)
{
    struct workload_status *status = &self->base.status;
    const bool counts = workload_leads(&self->base) && !self->base.prepare.run.fast_forward;

    note_speech(self);
    switch (progress->kind) {
    case PROGRESS_STABLE:
        turn_stable(self, progress->value, now_us);
        __attribute__((fallthrough));
    case PROGRESS_STEP:
        self->counts = self->counts || progress->kind == PROGRESS_STEP;
        if (counts)
            status->step = progress->step;
        break;
    case PROGRESS_CHECKPOINT:
        self->counts = true;
        /* A confirmed checkpoint stays confirmed. */
        if (counts && progress->step > status->checkpoint)
            status->checkpoint = progress->step;
        note_saved(self, now_us);
        break;
    case PROGRESS_SAVES:
        self->saves = true;
        await_save(self, 0, now_us);
        break;
    case PROGRESS_READY:
    case PROGRESS_LOSS:
        break;
    }
}

static void command_readable(struct workload *base, int64_t now_us)
{
    struct command_workload *self = command_of(base);
    struct progress_line progress;

    while (self->socket && progress_socket_next(self->socket, &progress))
        take(self, &progress, now_us);
}

static int command_descriptor(const struct workload *base)
{
    const struct command_workload *self = (const struct command_workload *)base;

    return self->keeper && self->socket ? progress_socket_descriptor(self->socket) : -1;
}

static void command_update(struct workload *base, const struct msg_update *update, int64_t now_us)
{
    (void)now_us;
    if (update->iterations > 0)
        base->prepare.run.iterations = update->iterations;
    credit(base, update->step);
}

/* ---- the end ---- */

static bool is_clean(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == STATUS_TERMINATED
                             : WTERMSIG(status) == SIGTERM;
}

static bool is_success(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *describe_end(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status))
        (void)snprintf(text, size, "the program was ended by signal %d", WTERMSIG(status));
    else
        (void)snprintf(text, size, "the program ended with exit status %d", WEXITSTATUS(status));
    return text;
}

/* Ends a workload as done. How far the program came is unknown if the program tells of no step. */
static void be_done(struct command_workload *self)
{
    struct workload_status *status = &self->base.status;

    status->state = PART_DONE;
    if (workload_leads(&self->base) && !self->counts && !self->base.prepare.run.fast_forward)
        status->step = -1;
}

/* Sets the final state of a workload once nothing is left of its program. */
static void conclude(struct command_workload *self)
{
    struct workload *base = &self->base;
    const int status = keeper_status(self->keeper);
    const bool complete = base->status.step >= base->prepare.run.iterations && workload_leads(base);
    char end[64];

    (void)describe_end(status, end, sizeof(end));
    base->due_us = INT64_MAX;
    if (self->cancelled)
        workload_fail(base, true, "%s", self->killed_for);
    else if (is_success(status) && (!self->asked || complete))
        be_done(self);
    else if (self->asked && (self->killed || is_clean(status)))
        base->status.state = PART_STOPPED;
    else
        workload_fail(base, true, "%s%s, see %s", end, self->asked ? " when asked to stop" : "",
                      self->log_path);
    if (self->killed && base->status.state == PART_STOPPED)
        (void)snprintf(base->status.cause, sizeof(base->status.cause),
                       "killed, as it did not end when asked to");
    keeper_destroy(&self->keeper);
}

/* Kills the program's processes, again and again until none is left. */
static void sweep(struct command_workload *self, int64_t now_us)
{
    if (keeper_is_gone(self->keeper)) {
        command_readable(&self->base, now_us);
        conclude(self);
        return;
    }
    keeper_kill(self->keeper);
    self->base.due_us = now_us + KEEPER_SWEEP_US;
}

static void command_tick(struct workload *base, int64_t now_us)
{
    struct command_workload *self = command_of(base);

    if (!self->keeper || now_us < base->due_us)
        return;
    if (base->status.state == PART_RUNNING) {
        turn_stable(self, base->prepare.run.rate, now_us);
        return;
    }
    if (base->status.state == PART_STABLE && !keeper_has_ended(self->keeper)) {
        tell_to_save(self, now_us);
        return;
    }
    if (now_us >= self->kill_us)
        self->killed = true;
    sweep(self, now_us);
}

static void command_child_ended(struct workload *base, pid_t pid, int status, int64_t now_us)
{
    struct command_workload *self = command_of(base);

    if (!self->keeper)
        return;
    keeper_child_ended(self->keeper, pid, status);
    if (keeper_has_ended(self->keeper))
        sweep(self, now_us);
}

static void command_stop(struct workload *base, const struct msg_stop *stop, int64_t now_us)
{
    struct command_workload *self = command_of(base);

    if (!self->keeper) {
        base->status.state = PART_STOPPED;
        return;
    }
    self->asked = true;
    credit(base, stop->step);
    self->kill_us = now_us + stop->grace_ms * 1000;
    base->status.state = PART_STOPPING;
    base->due_us = self->kill_us;
    keeper_terminate(self->keeper);
}

static void command_kill(struct workload *base, const char *cause, int64_t now_us)
{
    struct command_workload *self = command_of(base);

    if (!self->keeper) {
        workload_fail(base, true, "%s", cause);
        return;
    }
    self->cancelled = true;
    (void)snprintf(self->killed_for, sizeof(self->killed_for), "%s", cause);
    base->status.state = PART_STOPPING;
    sweep(self, now_us);
}

static void command_clear(struct workload *base)
{
    struct command_workload *self = command_of(base);

    own_user_destroy(&self->user);
    progress_socket_destroy(&self->socket);
    keeper_destroy(&self->keeper);
    free(self->devices);
    if (self->log >= 0)
        (void)close(self->log);
}

const struct workload_kind workload_command = {
    .name = "command",
    .size = sizeof(struct command_workload),
    .prepare = command_prepare,
    .begin = command_begin,
    .update = command_update,
    .stop = command_stop,
    .kill = command_kill,
    .tick = command_tick,
    .child_ended = command_child_ended,
    .descriptor = command_descriptor,
    .readable = command_readable,
    .clear = command_clear,
};
