/* command_run.c - see command_run.h. */
#include "master/command_run.h"

#include "common/log.h"
#include "common/memory.h"
#include "master/overhead_table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* How long trainers may take to say that they made a group. */
#define GROUP_US INT64_C(60000000)

/* A round of a job: its parts as they are given, then its incarnation. */
struct attempt {
    struct run_job *job;
    struct incarnation *incarnation; /* NULL before all parts are given, and when it is over */
    const struct command **parts;    /* by node rank */
    size_t given;
    size_t gpus;
    const struct command *group; /* to be made yet; likewise */
    const struct command *move;
    const struct command *asked; /* the one that trainers were told of, NULL for none */
    int64_t asked_us;
    size_t unanswered; /* workers */
    double longest_s;
    bool from_scratch;
    bool begins; /* T came */
    bool failed;
    size_t start; /* operations; SIZE_MAX for none */
    size_t timed; /* the group or move that was asked for */
    size_t train;
    size_t stop;
};

struct run_job {
    uint64_t number;
    int64_t checkpoint;      /* step of the last confirmed one, -1 for none */
    uint32_t since;          /* incarnations before this one do not count: it began from scratch */
    struct attempt *current; /* of this round, or of the last that had one; NULL for none */
    UT_hash_handle hh;
};

struct command_run {
    const commands_t *commands;
    struct command_run_setting setting;
    double scale; /* of what is timed */
    dispatch_t *dispatch;
    overhead_table_t *table;
    struct run_job *jobs;
    struct attempt **attempts;
    size_t attempt_count;
    size_t attempt_capacity;
    size_t at;
    bool checked; /* the workers are there and fit */
    int64_t wait_until_us;
    size_t restart; /* operation, SIZE_MAX for none */
    bool failed;
    bool done;
};

command_run_t *command_run_new(const commands_t *commands,
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
    struct run_job *job;

    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->attempt_count; i++) {
        free((*self)->attempts[i]->parts);
        free((*self)->attempts[i]);
    }
    free((*self)->attempts);
    job = (*self)->jobs;
    HASH_CLEAR(hh, (*self)->jobs); /* the list goes on */
    while (job) {
        struct run_job *next = job->hh.next;

        free(job);
        job = next;
    }
    overhead_table_destroy(&(*self)->table);
    free(*self);
    *self = NULL;
}

void command_run_use(command_run_t *self, dispatch_t *dispatch)
{
    self->dispatch = dispatch;
}

static struct run_job *job_of(command_run_t *self, uint64_t number)
{
    struct run_job *job;

    HASH_FIND(hh, self->jobs, &number, sizeof(number), job);
    if (job)
        return job;
    job = xcalloc(1, sizeof(*job));
    job->number = number;
    job->checkpoint = -1;
    HASH_ADD(hh, self->jobs, number, sizeof(job->number), job);
    return job;
}

/* ---- what is timed ---- */

static size_t begin_timing(command_run_t *self, enum operation_kind kind,
                           const struct attempt *attempt, int64_t now_us)
{
    return overhead_table_begin(self->table, kind, attempt->job->number, attempt->gpus, now_us);
}

static void end_timing(command_run_t *self, size_t place, int64_t now_us)
{
    if (place != SIZE_MAX)
        overhead_table_end(self->table, place, now_us, self->scale, self->setting.out);
}

static void fail(command_run_t *self, struct attempt *attempt, const char *cause)
{
    if (!attempt->failed)
        (void)fprintf(self->setting.out, "job %" PRIu64 " failed: %s\n", attempt->job->number,
                      cause);
    (void)fflush(self->setting.out);
    attempt->failed = true;
    self->failed = true;
}

/* ---- groups ---- */

static bool has_rank_on(const struct command *group, const struct node *node)
{
    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] >= node->first_rank && group->ranks[i] < node->first_rank + node->gpus)
            return true;
    return false;
}

/* Tells the workers that have a part and a rank of it. */
static void ask_for(command_run_t *self, struct attempt *attempt, const struct command *group,
                    int64_t now_us)
{
    const struct msg_group message = {
        .job = attempt->job->number,
        .incarnation = attempt->incarnation->number,
        .moves_state = group->kind == COMMAND_MOVE,
        .source = group->source,
        .rank_count = group->rank_count,
        .ranks = group->ranks,
    };

    attempt->asked = group;
    attempt->asked_us = now_us;
    attempt->longest_s = 0;
    attempt->unanswered = 0;
    attempt->timed =
        begin_timing(self, message.moves_state ? OPERATION_MOVE : OPERATION_GROUP, attempt, now_us);
    for (size_t i = 0; i < attempt->incarnation->part_count; i++) {
        const struct node *node = attempt->incarnation->parts[i].node;

        if (!has_rank_on(group, node))
            continue;
        attempt->unanswered++;
        dispatch_group(self->dispatch, node, &message);
    }
    if (attempt->unanswered == 0)
        attempt->asked = NULL; /* none of the pair is among those that run now */
}

/* One after the other: an answer does not say which it is about. */
static void ask_for_next(command_run_t *self, struct attempt *attempt, int64_t now_us)
{
    const struct command *next = attempt->group ? attempt->group : attempt->move;

    while (next && !attempt->asked && attempt->incarnation && attempt->incarnation->ready_us >= 0) {
        if (next == attempt->group)
            attempt->group = NULL;
        else
            attempt->move = NULL;
        ask_for(self, attempt, next, now_us);
        next = attempt->move;
    }
}

static void on_grouped(void *owner, const struct node *node, const struct msg_report *report,
                       int64_t now_us)
{
    command_run_t *self = owner;
    struct run_job *job = job_of(self, report->part.job);
    struct attempt *attempt = job->current;
    const double took_s = (double)report->took_ms / 1000;

    (void)node;
    if (!attempt || !attempt->asked || !attempt->incarnation ||
        attempt->incarnation->number != report->part.incarnation)
        return;
    if (took_s > attempt->longest_s)
        attempt->longest_s = took_s;
    if (--attempt->unanswered > 0)
        return;
    overhead_table_took(self->table, attempt->timed, attempt->longest_s, self->setting.out);
    attempt->asked = NULL;
    ask_for_next(self, attempt, now_us);
}

/* ---- incarnations ---- */

static int64_t step_of(const struct attempt *attempt)
{
    return attempt->from_scratch || attempt->job->checkpoint < 0 ? 0 : attempt->job->checkpoint;
}

static struct msg_run run_of(const command_run_t *self, const struct attempt *attempt, char *name,
                             size_t name_size)
{
    const struct command *first = attempt->parts[0];

    (void)snprintf(name, name_size, "%" PRIu64, attempt->job->number);
    return (struct msg_run){
        .job = attempt->job->number,
        .name = name,
        .model = first->model,
        .batch_size = first->batch_size,
        .iterations = first->iterations,
        .step = step_of(attempt),
        .deadline_s = INT64_MAX,
        .overhead_ms = -1,
        .time_scale = self->setting.time_scale,
        .nodes = first->nodes,
        .world = (int32_t)attempt->gpus,
        .rendezvous_address = first->address,
        .rendezvous_port = first->port,
    };
}

static const struct node *node_down(const command_run_t *self, const struct attempt *attempt)
{
    for (int32_t i = 0; i < attempt->parts[0]->nodes; i++) {
        const struct node *node =
            registry_at(dispatch_registry(self->dispatch), (size_t)attempt->parts[i]->worker);

        if (node->state != NODE_UP && node->state != NODE_BROKEN)
            return node;
    }
    return NULL;
}

/* All its parts are given. */
static void launch(command_run_t *self, struct attempt *attempt, int64_t now_us)
{
    const int32_t nodes = attempt->parts[0]->nodes;
    struct launch_part *parts = xcalloc((size_t)nodes, sizeof(*parts));
    int32_t *ranks = xcalloc(attempt->gpus, sizeof(*ranks));
    struct launch launch = {.parts = parts, .part_count = (size_t)nodes, .item = attempt};
    size_t rank = 0;
    char name[32];

    for (size_t i = 0; i < attempt->gpus; i++)
        ranks[i] = (int32_t)i;
    for (int32_t i = 0; i < nodes; i++) {
        const struct command *part = attempt->parts[i];

        parts[i] = (struct launch_part){
            registry_at(dispatch_registry(self->dispatch), (size_t)part->worker), i,
            part->gpu_count, part->gpus, &ranks[rank]};
        rank += part->gpu_count;
    }
    launch.run = run_of(self, attempt, name, sizeof(name));
    attempt->start = begin_timing(self, OPERATION_START, attempt, now_us);
    if (node_down(self, attempt))
        fail(self, attempt, "one of its workers is down");
    else
        attempt->incarnation = dispatch_start(self->dispatch, &launch, now_us);
    if (attempt->from_scratch && attempt->incarnation) {
        attempt->job->since = attempt->incarnation->number;
        attempt->job->checkpoint = -1;
    }
    free(ranks);
    free(parts);
}

static void stop(command_run_t *self, struct attempt *attempt, const char *cause, int64_t now_us)
{
    const struct ending ending = {STOP_PAUSED, -1, -1, cause};

    if (!attempt->incarnation || attempt->incarnation->phase >= INCARNATION_ENDING)
        return;
    if (!attempt->failed && !self->done)
        attempt->stop = begin_timing(self, OPERATION_STOP, attempt, now_us);
    dispatch_stop(self->dispatch, attempt->incarnation, &ending, now_us);
}

static void on_over(command_run_t *self, struct attempt *attempt,
                    const struct incarnation *incarnation, int64_t now_us)
{
    attempt->incarnation = NULL;
    if (attempt->stop == SIZE_MAX || self->done)
        return;
    if (incarnation->begun_us >= 0 && !incarnation->checkpointed && !attempt->failed)
        fail(self, attempt, "it stopped without a checkpoint");
    else if (!attempt->failed)
        end_timing(self, attempt->stop, now_us);
}

static void on_changed(void *owner, struct incarnation *incarnation, int64_t now_us)
{
    command_run_t *self = owner;
    struct attempt *attempt = incarnation->item;
    const bool over = incarnation->phase == INCARNATION_OVER;

    if (incarnation->checkpoint > attempt->job->checkpoint &&
        incarnation->number >= attempt->job->since)
        attempt->job->checkpoint = incarnation->checkpoint;
    if (incarnation->fault != FAULT_NONE && !attempt->failed && !self->done) {
        fail(self, attempt, incarnation->cause);
        stop(self, attempt, "fault", now_us);
    }
    if (incarnation->ready_us >= 0 && !attempt->failed) {
        end_timing(self, attempt->start, now_us);
        ask_for_next(self, attempt, now_us);
    }
    if (incarnation_is_stable(incarnation))
        end_timing(self, attempt->train, now_us);
    if (over)
        on_over(self, attempt, incarnation, now_us);
}

static void on_node_changed(void *owner, const struct node *node, int64_t now_us)
{
    (void)owner;
    (void)node;
    (void)now_us;
}

static int64_t begin_step(void *owner, const struct incarnation *incarnation)
{
    (void)owner;
    return step_of(incarnation->item);
}

const struct dispatch_watch command_run_watch = {on_changed, on_node_changed, begin_step,
                                                 on_grouped};

/* ---- before anything runs ---- */

static int check_part(const command_run_t *self, const struct command *part, struct error *error)
{
    const struct node *node = registry_at(dispatch_registry(self->dispatch), (size_t)part->worker);

    for (size_t i = 0; i < part->gpu_count; i++) {
        if (part->gpus[i] >= node->gpus)
            return error_set(
                error,
                "%s:%" PRId64 ": worker %" PRId32 " has %" PRId32 " GPUs, there is no GPU %" PRId32,
                commands_path(self->commands), part->line, part->worker, node->gpus, part->gpus[i]);
        if (part->ranks[i] != node->first_rank + part->gpus[i])
            return error_set(error,
                             "%s:%" PRId64 ": GPU %" PRId32 " of worker %" PRId32
                             " has the rank %" PRId32 ", not %" PRId32,
                             commands_path(self->commands), part->line, part->gpus[i], part->worker,
                             node->first_rank + part->gpus[i], part->ranks[i]);
    }
    return 0;
}

static int check_ranks(const command_run_t *self, const struct command *group, struct error *error)
{
    const int32_t gpus = registry_gpus(dispatch_registry(self->dispatch));

    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] >= gpus)
            return error_set(error,
                             "%s:%" PRId64 ": the workers have %" PRId32
                             " GPUs, there is no rank %" PRId32,
                             commands_path(self->commands), group->line, gpus, group->ranks[i]);
    return 0;
}

static int check_workers(const command_run_t *self, struct error *error)
{
    for (size_t i = 0; i < commands_count(self->commands); i++) {
        const struct command *command = commands_at(self->commands, i);
        const bool runs = command->kind == COMMAND_RUN || command->kind == COMMAND_UPDATE;
        const bool groups = command->kind == COMMAND_GROUP || command->kind == COMMAND_MOVE;

        if ((runs && check_part(self, command, error) < 0) ||
            (groups && check_ranks(self, command, error) < 0))
            return -1;
    }
    return 0;
}

static bool workers_are_there(const command_run_t *self)
{
    const registry_t *registry = dispatch_registry(self->dispatch);
    int32_t up = 0;

    for (size_t i = 0; i < registry_count(registry); i++)
        up += registry_at(registry, i)->state == NODE_UP;
    return up >= commands_workers(self->commands);
}

/* ---- commands ---- */

/* The attempt that this round makes at a job. */
static struct attempt *attempt_of(command_run_t *self, uint64_t number)
{
    struct run_job *job = job_of(self, number);
    struct attempt *attempt = job->current;

    if (attempt && !attempt->begins)
        return attempt;
    attempt = xcalloc(1, sizeof(*attempt));
    attempt->job = job;
    attempt->start = attempt->timed = attempt->train = attempt->stop = SIZE_MAX;
    self->attempts = grow_array(self->attempts, self->attempt_count, &self->attempt_capacity,
                                sizeof(struct attempt *));
    self->attempts[self->attempt_count++] = attempt;
    job->current = attempt;
    return attempt;
}

static void give_group(command_run_t *self, const struct command *command, int64_t now_us)
{
    struct attempt *attempt = attempt_of(self, command->job);

    if (command->kind == COMMAND_GROUP)
        attempt->group = command;
    else
        attempt->move = command;
    ask_for_next(self, attempt, now_us);
}

/* What an earlier round left of the job has to go. */
static void stop_before(command_run_t *self, const struct attempt *attempt, int64_t now_us)
{
    for (size_t i = 0; i < self->attempt_count; i++)
        if (self->attempts[i]->job == attempt->job && self->attempts[i] != attempt)
            stop(self, self->attempts[i], "update", now_us);
}

static void give_part(command_run_t *self, const struct command *command, int64_t now_us)
{
    struct attempt *attempt = attempt_of(self, command->job);

    if (attempt->given == 0) {
        attempt->parts = xcalloc((size_t)command->nodes, sizeof(const struct command *));
        stop_before(self, attempt, now_us);
    }
    attempt->from_scratch = command->from_scratch;
    attempt->parts[command->node_rank] = command;
    attempt->gpus += command->gpu_count;
    if (++attempt->given == (size_t)command->nodes)
        launch(self, attempt, now_us);
}

static void train(command_run_t *self, int64_t now_us)
{
    for (size_t i = 0; i < self->attempt_count; i++) {
        struct attempt *attempt = self->attempts[i];

        if (attempt->begins)
            continue;
        attempt->begins = true;
        if (!attempt->incarnation || attempt->failed)
            continue;
        attempt->train = begin_timing(self, OPERATION_TRAIN, attempt, now_us);
        dispatch_allow(self->dispatch, attempt->incarnation);
    }
}

static void restart(command_run_t *self, int64_t now_us)
{
    self->restart =
        overhead_table_begin(self->table, OPERATION_RESTART, OPERATION_NO_JOB, 0, now_us);
    for (size_t i = 0; i < self->attempt_count; i++)
        stop(self, self->attempts[i], "restart", now_us);
    dispatch_restart(self->dispatch);
}

static void carry_out(command_run_t *self, const struct command *command, int64_t now_us)
{
    const struct run_job *job;

    switch (command->kind) {
    case COMMAND_GROUP:
    case COMMAND_MOVE:
        give_group(self, command, now_us);
        break;
    case COMMAND_RUN:
    case COMMAND_UPDATE:
        give_part(self, command, now_us);
        break;
    case COMMAND_KILL:
        job = job_of(self, command->job);
        if (job->current)
            stop(self, job->current, "command", now_us);
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

static bool is_grouping(command_run_t *self, struct attempt *attempt, int64_t now_us)
{
    if (attempt->failed || !attempt->incarnation)
        return false;
    if (attempt->asked && now_us - attempt->asked_us >= GROUP_US) {
        fail(self, attempt, "its trainers made no group");
        stop(self, attempt, "fault", now_us);
        return false;
    }
    return attempt->asked || attempt->group || attempt->move;
}

static bool is_beginning(const struct attempt *attempt)
{
    return attempt->begins && !attempt->failed && attempt->incarnation &&
           attempt->incarnation->phase == INCARNATION_PREPARING;
}

static bool is_ending(const struct attempt *attempt)
{
    return attempt->incarnation && attempt->incarnation->phase == INCARNATION_ENDING;
}

/* Whether what the last command began has to be over before the next. */
static bool has_to_wait(command_run_t *self, enum command_kind kind, int64_t now_us)
{
    if (now_us < self->wait_until_us)
        return true;
    for (size_t i = 0; i < self->attempt_count; i++) {
        struct attempt *attempt = self->attempts[i];

        if ((kind == COMMAND_FORMED && is_grouping(self, attempt, now_us)) ||
            (kind == COMMAND_TRAIN && is_beginning(attempt)) ||
            ((kind == COMMAND_RESTART || kind == COMMAND_SHUTDOWN) && is_ending(attempt)))
            return true;
    }
    return false;
}

static void wait_is_over(command_run_t *self, enum command_kind kind, int64_t now_us)
{
    if (kind != COMMAND_RESTART)
        return;
    end_timing(self, self->restart, now_us);
    self->restart = SIZE_MAX;
}

int command_run_go_on(command_run_t *self, int64_t now_us, struct error *error)
{
    const size_t count = commands_count(self->commands);

    if (!self->checked) {
        if (!workers_are_there(self))
            return 0;
        if (check_workers(self, error) < 0)
            return -1;
        self->checked = true;
    }
    while (!self->done) {
        const enum command_kind last =
            self->at > 0 ? commands_at(self->commands, self->at - 1)->kind : COMMAND_WAIT;

        if (has_to_wait(self, self->at == count ? COMMAND_SHUTDOWN : last, now_us))
            break;
        wait_is_over(self, last, now_us);
        if (self->at == count) {
            self->done = true;
            break;
        }
        carry_out(self, commands_at(self->commands, self->at++), now_us);
        dispatch_flush(self->dispatch, now_us);
    }
    dispatch_flush(self->dispatch, now_us);
    return 0;
}

void command_run_end(command_run_t *self, int64_t now_us)
{
    self->done = true;
    for (size_t i = 0; i < self->attempt_count; i++)
        stop(self, self->attempts[i], "goodbye", now_us);
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
