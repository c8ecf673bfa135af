/* attempt.c - a round of a job: its parts are given, launched, and stopped. */
#include "common/log.h"
#include "common/memory.h"
#include "master/commands/command_run_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct run_job *run_job_of(command_run_t *self, uint64_t number)
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

struct attempt *attempt_of(command_run_t *self, uint64_t number)
{
    struct run_job *job = run_job_of(self, number);
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

size_t timing_begin(command_run_t *self, enum operation_kind kind, const struct attempt *attempt,
                    int64_t now_us)
{
    return overhead_table_begin(self->table, kind, attempt->job->number, attempt->gpus, now_us);
}

void timing_end(command_run_t *self, size_t place, int64_t now_us)
{
    if (place != SIZE_MAX)
        overhead_table_end(self->table, place, now_us, self->scale, self->setting.out);
}

void attempt_fail(command_run_t *self, struct attempt *attempt, const char *cause)
{
    if (!attempt->failed)
        (void)fprintf(self->setting.out, "job %" PRIu64 " failed: %s\n", attempt->job->number,
                      cause);
    (void)fflush(self->setting.out);
    attempt->failed = true;
    self->failed = true;
}

int64_t attempt_step(const struct attempt *attempt)
{
    return attempt->from_scratch || attempt->job->checkpoint < 0 ? 0 : attempt->job->checkpoint;
}

static bool is_loopback(const char *address)
{
    return !strncmp(address, "127.", 4) || !strcmp(address, "localhost");
}

/* Where its ranks meet. Those of other nodes do not reach the first one by its loopback address. */
static const char *meeting_place(const command_run_t *self, const struct attempt *attempt)
{
    const struct command *first = attempt->parts[0];

    if (first->nodes == 1 || !is_loopback(first->address))
        return first->address;
    return registry_at(dispatch_registry(self->dispatch), (size_t)first->worker)->address;
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
        .step = attempt_step(attempt),
        .deadline_s = INT64_MAX,
        .overhead_ms = -1,
        .time_scale = self->setting.time_scale,
        .nodes = first->nodes,
        .world = (int32_t)attempt->gpus,
        .rendezvous_address = meeting_place(self, attempt),
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
    attempt->start = timing_begin(self, OPERATION_START, attempt, now_us);
    if (node_down(self, attempt))
        attempt_fail(self, attempt, "one of its workers is down");
    else
        attempt->incarnation = dispatch_start(self->dispatch, &launch, now_us);
    if (attempt->from_scratch && attempt->incarnation) {
        attempt->job->since = attempt->incarnation->number;
        attempt->job->checkpoint = -1;
    }
    free(ranks);
    free(parts);
}

void attempt_stop(command_run_t *self, struct attempt *attempt, const char *cause, int64_t now_us)
{
    const struct ending ending = {STOP_PAUSED, -1, -1, cause};

    if (!attempt->incarnation || attempt->incarnation->phase >= INCARNATION_ENDING)
        return;
    if (!attempt->failed && !self->done)
        attempt->stop = timing_begin(self, OPERATION_STOP, attempt, now_us);
    dispatch_stop(self->dispatch, attempt->incarnation, &ending, now_us);
}

void attempt_over(command_run_t *self, struct attempt *attempt,
                  const struct incarnation *incarnation, int64_t now_us)
{
    attempt->incarnation = NULL;
    if (attempt->stop == SIZE_MAX || self->done)
        return;
    if (incarnation->begun_us >= 0 && !incarnation->checkpointed && !attempt->failed)
        attempt_fail(self, attempt, "it stopped without a checkpoint");
    else if (!attempt->failed)
        timing_end(self, attempt->stop, now_us);
}

/* What an earlier round left of the job has to go. */
static void stop_before(command_run_t *self, const struct attempt *attempt, int64_t now_us)
{
    for (size_t i = 0; i < self->attempt_count; i++)
        if (self->attempts[i]->job == attempt->job && self->attempts[i] != attempt)
            attempt_stop(self, self->attempts[i], "update", now_us);
}

/* The part of node rank 0 says how large the batches are. */
static void check_batch_size(const struct attempt *attempt, const struct command *command)
{
    const struct log_subject subject = {(int64_t)command->job, LOG_NONE, command->worker, LOG_NONE};
    const int32_t first = attempt->parts[0]->batch_size;

    if (command->batch_size != first)
        log_event(&subject, "other-batch-size", "line=%" PRId64 " found=%" PRId32 " taken=%" PRId32,
                  command->line, command->batch_size, first);
}

void attempt_give(command_run_t *self, const struct command *command, int64_t now_us)
{
    struct attempt *attempt = attempt_of(self, command->job);

    if (attempt->given == 0) {
        attempt->parts = xcalloc((size_t)command->nodes, sizeof(const struct command *));
        stop_before(self, attempt, now_us);
    }
    attempt->from_scratch = command->from_scratch;
    attempt->parts[command->node_rank] = command;
    attempt->gpus += command->gpu_count;
    if (++attempt->given < (size_t)command->nodes)
        return;
    for (size_t i = 0; i < attempt->given; i++)
        check_batch_size(attempt, attempt->parts[i]);
    launch(self, attempt, now_us);
}

void attempts_destroy(command_run_t *self)
{
    struct run_job *job;

    for (size_t i = 0; i < self->attempt_count; i++) {
        free(self->attempts[i]->parts);
        free(self->attempts[i]);
    }
    free(self->attempts);
    job = self->jobs;
    HASH_CLEAR(hh, self->jobs); /* the list goes on */
    while (job) {
        struct run_job *next = job->hh.next;

        free(job);
        job = next;
    }
}
