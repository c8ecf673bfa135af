/* command_run.c - see command_run.h: one command after the other, and the events that each has to
 * wait for. */
#include "master/commands/command_run.h"

#include "common/memory.h"
#include "master/commands/command_fit.h"
#include "master/commands/command_run_state.h"

#include <stdlib.h>

command_run_t *command_run_new(const command_file_t *commands,
                               const struct command_run_setting *setting)
{
    command_run_t *self = xcalloc(1, sizeof(*self));

    self->commands = commands;
    self->setting = *setting;
    self->scale = setting->time_scale > 0 ? setting->time_scale : 1;
    self->table = overhead_table_new();
    self->wait_until_us = INT64_MIN;
    self->restart = SIZE_MAX;
    return self;
}

void command_run_destroy(command_run_t **self)
{
    if (!*self)
        return;
    job_rounds_destroy(*self);
    overhead_table_destroy(&(*self)->table);
    free(*self);
    *self = NULL;
}

void command_run_use(command_run_t *self, dispatch_t *dispatch)
{
    self->dispatch = dispatch;
}

/* ---- what the dispatch tells ---- */

static void on_changed(void *owner, struct incarnation *incarnation, int64_t now_us)
{
    command_run_t *self = owner;
    struct job_round *round = incarnation->item;
    const bool over = incarnation->phase == INCARNATION_OVER;

    if (incarnation->checkpoint > round->job->checkpoint &&
        incarnation->number >= round->job->since)
        round->job->checkpoint = incarnation->checkpoint;
    if (incarnation->fault != FAULT_NONE && !round->failed && !self->done) {
        job_round_fail(self, round, incarnation->cause);
        job_round_stop(self, round, "fault", now_us);
    }
    if (incarnation->ready_us >= 0 && !round->failed) {
        timing_end(self, round->start, now_us);
        group_ask(self, round, now_us);
    }
    if (incarnation_is_stable(incarnation))
        timing_end(self, round->train, now_us);
    if (over)
        job_round_over(self, round, incarnation, now_us);
}

static void on_node_changed(void *owner, const struct worker_node *node, int64_t now_us)
{
    (void)owner;
    (void)node;
    (void)now_us;
}

static int64_t begin_step(void *owner, const struct incarnation *incarnation)
{
    (void)owner;
    return job_round_step(incarnation->item);
}

static void on_grouped(void *owner, const struct worker_node *node, const struct msg_report *report,
                       int64_t now_us)
{
    (void)node;
    group_made(owner, report, now_us);
}

const struct dispatch_watch command_run_watch = {.changed = on_changed,
                                                 .node_changed = on_node_changed,
                                                 .begin_step = begin_step,
                                                 .grouped = on_grouped};

/* ---- commands ---- */

static void give_group(command_run_t *self, const struct debug_command *command, int64_t now_us)
{
    struct job_round *round = job_round_of(self, command->job);

    if (command->kind == COMMAND_GROUP)
        round->group = command;
    else
        round->move = command;
    group_ask(self, round, now_us);
}

static void train(command_run_t *self, int64_t now_us)
{
    for (size_t i = 0; i < self->round_count; i++) {
        struct job_round *round = self->rounds[i];

        if (round->begins)
            continue;
        round->begins = true;
        if (!round->incarnation || round->failed)
            continue;
        round->train = timing_begin(self, OPERATION_TRAIN, round, now_us);
        dispatch_allow(self->dispatch, round->incarnation);
    }
}

static void restart(command_run_t *self, int64_t now_us)
{
    self->restart =
        overhead_table_begin(self->table, OPERATION_RESTART, OPERATION_NO_JOB, 0, now_us);
    for (size_t i = 0; i < self->round_count; i++)
        job_round_stop(self, self->rounds[i], "restart", now_us);
    dispatch_restart(self->dispatch);
}

static void carry_out(command_run_t *self, const struct debug_command *command, int64_t now_us)
{
    const struct run_job *job;

    switch (command->kind) {
    case COMMAND_GROUP:
    case COMMAND_MOVE:
        give_group(self, command, now_us);
        break;
    case COMMAND_RUN:
    case COMMAND_UPDATE:
        job_round_give(self, command, now_us);
        break;
    case COMMAND_KILL:
        job = run_job_of(self, command->job);
        if (job->current)
            job_round_stop(self, job->current, "command", now_us);
        break;
    case COMMAND_TRAIN:
        train(self, now_us);
        break;
    case COMMAND_WAIT:
        if (self->setting.time_scale > 0)
            self->wait_until_us =
                now_us + (int64_t)(command->seconds / self->setting.time_scale * 1e6);
        break;
    case COMMAND_RESTART:
        restart(self, now_us);
        break;
    case COMMAND_FORMED:
    case COMMAND_SHUTDOWN:
        break;
    }
}

/* ---- waiting ---- */

static bool is_beginning(const struct job_round *round)
{
    return round->begins && !round->failed && round->incarnation &&
           round->incarnation->phase == INCARNATION_PREPARING;
}

static bool is_ending(const struct job_round *round)
{
    return round->incarnation && round->incarnation->phase == INCARNATION_ENDING;
}

/* Whether the work that the last command began must be over before the next command. */
static bool has_to_wait(command_run_t *self, enum command_kind kind, int64_t now_us)
{
    if (now_us < self->wait_until_us)
        return true;
    for (size_t i = 0; i < self->round_count; i++) {
        struct job_round *round = self->rounds[i];

        if ((kind == COMMAND_FORMED && group_is_to_come(self, round, now_us)) ||
            (kind == COMMAND_TRAIN && is_beginning(round)) ||
            ((kind == COMMAND_RESTART || kind == COMMAND_SHUTDOWN) && is_ending(round)))
            return true;
    }
    return false;
}

static void wait_is_over(command_run_t *self, enum command_kind kind, int64_t now_us)
{
    if (kind != COMMAND_RESTART)
        return;
    timing_end(self, self->restart, now_us);
    self->restart = SIZE_MAX;
}

int command_run_go_on(command_run_t *self, int64_t now_us, struct error *error)
{
    const registry_t *registry = dispatch_registry(self->dispatch);
    const size_t count = command_file_count(self->commands);

    if (!self->checked) {
        if (!command_fit_are_there(self->commands, registry))
            return 0;
        if (command_fit_check(self->commands, registry, error) < 0)
            return -1;
        self->checked = true;
    }
    while (!self->done) {
        const enum command_kind last =
            self->at > 0 ? command_file_at(self->commands, self->at - 1)->kind : COMMAND_WAIT;

        if (has_to_wait(self, self->at == count ? COMMAND_SHUTDOWN : last, now_us))
            break;
        wait_is_over(self, last, now_us);
        if (self->at == count) {
            self->done = true;
            break;
        }
        carry_out(self, command_file_at(self->commands, self->at++), now_us);
        dispatch_flush(self->dispatch, now_us);
    }
    dispatch_flush(self->dispatch, now_us);
    return 0;
}

void command_run_end(command_run_t *self, int64_t now_us)
{
    self->done = true;
    for (size_t i = 0; i < self->round_count; i++)
        job_round_stop(self, self->rounds[i], "goodbye", now_us);
    dispatch_flush(self->dispatch, now_us);
}

enum command_run_state command_run_state(const command_run_t *self)
{
    if (!self->done)
        return COMMAND_RUN_GOES_ON;
    return self->failed ? COMMAND_RUN_FAILED : COMMAND_RUN_DONE;
}

void command_run_print(const command_run_t *self)
{
    overhead_table_print(self->table, self->setting.out);
}
