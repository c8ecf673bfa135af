/* job_round.c - a round of a job: its parts are announced, launched, and stopped. */
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

struct job_round *job_round_of(command_run_t *self, uint64_t number)
{
    struct run_job *job = run_job_of(self, number);
    struct job_round *round = job->current;

    if (round && !round->begins)
        return round;
    round = xcalloc(1, sizeof(*round));
    round->job = job;
    round->start = round->timed = round->train = round->stop = SIZE_MAX;
    self->rounds = grow_array(self->rounds, self->round_count, &self->round_capacity,
                              sizeof(struct job_round *));
    self->rounds[self->round_count++] = round;
    job->current = round;
    return round;
}

size_t timing_begin(command_run_t *self, enum operation_kind kind, const struct job_round *round,
                    int64_t now_us)
{
    return overhead_table_begin(self->table, kind, round->job->number, round->gpus, now_us);
}

void timing_end(command_run_t *self, size_t place, int64_t now_us)
{
    if (place != SIZE_MAX)
        overhead_table_end(self->table, place, now_us, self->scale, self->setting.out);
}

void job_round_fail(command_run_t *self, struct job_round *round, const char *cause)
{
    if (!round->failed)
        (void)fprintf(self->setting.out, "job %" PRIu64 " failed: %s\n", round->job->number, cause);
    (void)fflush(self->setting.out);
    round->failed = true;
    self->failed = true;
}

int64_t job_round_step(const struct job_round *round)
{
    return round->from_scratch || round->job->checkpoint < 0 ? 0 : round->job->checkpoint;
}

static bool is_loopback(const char *address)
{
    return !strncmp(address, "127.", 4) || !strcmp(address, "localhost");
}

/* The address at which the ranks of the job meet. Ranks on other nodes cannot reach the first node
 * by its loopback address. */
static const char *meeting_place(const command_run_t *self, const struct job_round *round)
{
    const struct debug_command *first = round->parts[0];

    if (first->nodes == 1 || !is_loopback(first->address))
        return first->address;
    return registry_at(dispatch_registry(self->dispatch), (size_t)first->worker)->address;
}

static struct msg_run run_of(const command_run_t *self, const struct job_round *round, char *name,
                             size_t name_size)
{
    const struct debug_command *first = round->parts[0];

    (void)snprintf(name, name_size, "%" PRIu64, round->job->number);
    return (struct msg_run){
        .job = round->job->number,
        .name = name,
        .model = first->model,
        .batch_size = first->batch_size,
        .iterations = first->iterations,
        .step = job_round_step(round),
        .deadline_s = INT64_MAX,
        .overhead_ms = -1,
        .time_scale = self->setting.time_scale,
        .nodes = first->nodes,
        .world = (int32_t)round->gpus,
        .rendezvous_address = meeting_place(self, round),
        .rendezvous_port = first->port,
    };
}

static const struct worker_node *node_down(const command_run_t *self, const struct job_round *round)
{
    for (int32_t i = 0; i < round->parts[0]->nodes; i++) {
        const struct worker_node *node =
            registry_at(dispatch_registry(self->dispatch), (size_t)round->parts[i]->worker);

        if (node->state != WORKER_UP && node->state != WORKER_BROKEN)
            return node;
    }
    return NULL;
}

/* Launches the job, whose parts are all known. */
static void launch(command_run_t *self, struct job_round *round, int64_t now_us)
{
    const int32_t nodes = round->parts[0]->nodes;
    struct launch_part *parts = xcalloc((size_t)nodes, sizeof(*parts));
    int32_t *ranks = xcalloc(round->gpus, sizeof(*ranks));
    struct job_launch launch = {.parts = parts, .part_count = (size_t)nodes, .item = round};
    size_t rank = 0;
    char name[32];

    for (size_t i = 0; i < round->gpus; i++)
        ranks[i] = (int32_t)i;
    for (int32_t i = 0; i < nodes; i++) {
        const struct debug_command *part = round->parts[i];

        parts[i] = (struct launch_part){
            registry_at(dispatch_registry(self->dispatch), (size_t)part->worker), i,
            part->gpu_count, part->gpus, &ranks[rank]};
        rank += part->gpu_count;
    }
    launch.run = run_of(self, round, name, sizeof(name));
    round->start = timing_begin(self, OPERATION_START, round, now_us);
    if (node_down(self, round))
        job_round_fail(self, round, "one of its workers is down");
    else
        round->incarnation = dispatch_start(self->dispatch, &launch, now_us);
    if (round->from_scratch && round->incarnation) {
        round->job->since = round->incarnation->number;
        round->job->checkpoint = -1;
    }
    free(ranks);
    free(parts);
}

void job_round_stop(command_run_t *self, struct job_round *round, const char *cause, int64_t now_us)
{
    const struct ending ending = {STOP_PAUSED, -1, -1, cause};

    if (!round->incarnation || round->incarnation->phase >= INCARNATION_ENDING)
        return;
    if (!round->failed && !self->done)
        round->stop = timing_begin(self, OPERATION_STOP, round, now_us);
    dispatch_stop(self->dispatch, round->incarnation, &ending, now_us);
}

void job_round_over(command_run_t *self, struct job_round *round,
                    const struct incarnation *incarnation, int64_t now_us)
{
    round->incarnation = NULL;
    if (round->stop == SIZE_MAX || self->done)
        return;
    /* A job of which a part is done has nothing left to save. */
    if (incarnation->begun_us >= 0 && !incarnation->checkpointed && incarnation->done == 0 &&
        !round->failed)
        job_round_fail(self, round, "it stopped without a checkpoint");
    else if (!round->failed)
        timing_end(self, round->stop, now_us);
}

/* Stops the incarnations that earlier rounds left of the job. */
static void stop_before(command_run_t *self, const struct job_round *round, int64_t now_us)
{
    for (size_t i = 0; i < self->round_count; i++)
        if (self->rounds[i]->job == round->job && self->rounds[i] != round)
            job_round_stop(self, self->rounds[i], "update", now_us);
}

/* Logs a batch size that differs from that of node rank 0, which counts. */
static void check_batch_size(const struct job_round *round, const struct debug_command *command)
{
    const struct log_subject subject = {(int64_t)command->job, LOG_NONE, command->worker, LOG_NONE};
    const int32_t first = round->parts[0]->batch_size;

    if (command->batch_size != first)
        log_event(&subject, "other-batch-size", "line=%" PRId64 " found=%" PRId32 " taken=%" PRId32,
                  command->line, command->batch_size, first);
}

void job_round_give(command_run_t *self, const struct debug_command *command, int64_t now_us)
{
    struct job_round *round = job_round_of(self, command->job);

    if (round->given == 0) {
        round->parts = xcalloc((size_t)command->nodes, sizeof(const struct debug_command *));
        stop_before(self, round, now_us);
    }
    round->from_scratch = command->from_scratch;
    round->parts[command->node_rank] = command;
    round->gpus += command->gpu_count;
    if (++round->given < (size_t)command->nodes)
        return;
    for (size_t i = 0; i < round->given; i++)
        check_batch_size(round, round->parts[i]);
    launch(self, round, now_us);
}

void job_rounds_destroy(command_run_t *self)
{
    struct run_job *job;

    for (size_t i = 0; i < self->round_count; i++) {
        free(self->rounds[i]->parts);
        free(self->rounds[i]);
    }
    free(self->rounds);
    job = self->jobs;
    HASH_CLEAR(hh, self->jobs); /* the items stay linked as a list */
    while (job) {
        struct run_job *next = job->hh.next;

        free(job);
        job = next;
    }
}
