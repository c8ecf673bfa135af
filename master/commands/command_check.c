/* command_check.c - see command_check.h. */
#include "master/commands/command_check.h"

#include "common/memory.h"
#include "protocol/scheduler_master.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A job as it stands at a line of the file. */
struct told_job {
    uint64_t number;
    bool was_there;               /* an earlier round ran the job */
    bool runs;                    /* no command stopped the job since */
    bool in_round;                /* this round mentions the job */
    bool given;                   /* this round gives the job parts */
    struct debug_command **parts; /* parts in this round, else in the last that ran the job */
    size_t part_count;
    size_t part_capacity;
    const struct debug_command *group; /* group in this round, NULL for none */
    const struct debug_command *move;
    UT_hash_handle hh;
};

struct check {
    const char *path;
    int32_t workers;
    const struct debug_command *at;
    struct told_job *jobs;
    struct told_job **round; /* the jobs that this round names */
    size_t round_count;
    size_t round_capacity;
    /* The part that holds each GPU, NULL for none: by worker, NULL for an unknown worker, and by
     * GPU. */
    const struct debug_command ***holders;
    bool formed; /* this round has a command F */
    bool gives;  /* this round runs something */
    bool over;   /* the file had a command S */
    struct error *error;
};

static int complain(const struct check *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int complain(const struct check *self, const char *format, ...)
{
    char sentence[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    return error_set(self->error, "%s:%" PRId64 ": %s", self->path, self->at->line, sentence);
}

static struct told_job *job_of(struct check *self, uint64_t number)
{
    struct told_job *job;

    HASH_FIND(hh, self->jobs, &number, sizeof(number), job);
    if (job)
        return job;
    job = xcalloc(1, sizeof(*job));
    job->number = number;
    HASH_ADD(hh, self->jobs, number, sizeof(job->number), job);
    return job;
}

/* The job `number`, noted as mentioned in this round. */
static struct told_job *job_in_round(struct check *self, uint64_t number)
{
    struct told_job *job = job_of(self, number);

    if (job->in_round)
        return job;
    job->in_round = true;
    self->round = grow_array(self->round, self->round_count, &self->round_capacity,
                             sizeof(struct told_job *));
    self->round[self->round_count++] = job;
    return job;
}

static const struct debug_command **holders_of(struct check *self, int32_t worker)
{
    if (!self->holders[worker])
        self->holders[worker] = xcalloc(NODE_GPUS_MAX, sizeof(const struct debug_command *));
    return self->holders[worker];
}

/* ---- parts ---- */

static int check_gpus(struct check *self, const struct debug_command *command)
{
    const struct debug_command **holders = holders_of(self, command->worker);

    for (size_t i = 0; i < command->gpu_count; i++) {
        const struct debug_command *holder = holders[command->gpus[i]];

        if (holder && holder->job != command->job)
            return complain(self,
                            "GPU %" PRId32 " of worker %" PRId32 " is job %" PRIu64
                            "'s since line %" PRId64,
                            command->gpus[i], command->worker, holder->job, holder->line);
    }
    return 0;
}

/* Whether a part agrees with the first part of its job. Parts that each claim to be the only part
 * of the job may differ in batch size, see command_file.h. */
static int check_same(const struct check *self, const struct told_job *job,
                      const struct debug_command *command)
{
    const struct debug_command *first = job->parts[0];

    if (first->nodes == command->nodes &&
        (first->nodes == 1 || first->batch_size == command->batch_size) &&
        first->iterations == command->iterations && first->port == command->port &&
        first->from_scratch == command->from_scratch && first->kind == command->kind &&
        !strcmp(first->model, command->model) && !strcmp(first->address, command->address))
        return 0;
    return complain(self, "job %" PRIu64 " is another one than in line %" PRId64, job->number,
                    first->line);
}

static int check_may_run(const struct check *self, const struct told_job *job,
                         const struct debug_command *command)
{
    if (command->kind == COMMAND_UPDATE && !job->was_there)
        return complain(self, "U is for a job that was there, but nothing ran job %" PRIu64,
                        job->number);
    if (command->kind == COMMAND_RUN && job->runs)
        return complain(self, "job %" PRIu64 " runs: stop it with K first, or use U", job->number);
    return 0;
}

/* Takes the GPUs from the job: none of its parts runs any more. */
static void release(struct check *self, struct told_job *job)
{
    for (size_t i = 0; i < job->part_count && job->runs; i++) {
        const struct debug_command *part = job->parts[i];

        for (size_t k = 0; k < part->gpu_count; k++)
            holders_of(self, part->worker)[part->gpus[k]] = NULL;
    }
    job->runs = false;
}

static int check_new(const struct check *self, const struct told_job *job,
                     const struct debug_command *command)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i]->worker == command->worker ||
            (command->nodes > 1 && job->parts[i]->node_rank == command->node_rank))
            return complain(self, "job %" PRIu64 " has this part since line %" PRId64, job->number,
                            job->parts[i]->line);
    return check_same(self, job, command);
}

static int check_part(struct check *self, struct debug_command *command)
{
    struct told_job *job = job_in_round(self, command->job);

    if (!job->given) {
        if (check_may_run(self, job, command) < 0)
            return -1;
        release(self, job);
        job->given = self->gives = true;
        job->part_count = 0;
    } else if (check_new(self, job, command) < 0) {
        return -1;
    }
    if (check_gpus(self, command) < 0)
        return -1;
    job->parts = grow_array(job->parts, job->part_count, &job->part_capacity,
                            sizeof(struct debug_command *));
    job->parts[job->part_count++] = command;
    for (size_t i = 0; i < command->gpu_count; i++)
        holders_of(self, command->worker)[command->gpus[i]] = command;
    return 0;
}

/* ---- other commands ---- */

static int check_group(struct check *self, const struct debug_command *command)
{
    struct told_job *job = job_in_round(self, command->job);
    const struct debug_command **place = command->kind == COMMAND_GROUP ? &job->group : &job->move;

    if (self->formed)
        return complain(self, "a group after F: all of this round are given");
    if (*place)
        return complain(self, "job %" PRIu64 " has this group since line %" PRId64, job->number,
                        (*place)->line);
    *place = command;
    return 0;
}

static int check_formed(struct check *self)
{
    if (self->formed)
        return complain(self, "this round has an F already");
    self->formed = true;
    return 0;
}

/* The group of a job has as many GPUs as its parts. The GPUs of the group are known when their
 * workers are there. */
static int check_group_of(const struct check *self, const struct told_job *job)
{
    size_t gpus = 0;

    for (size_t i = 0; i < job->part_count; i++)
        gpus += job->parts[i]->gpu_count;
    if (job->group->rank_count == gpus)
        return 0;
    return complain(self,
                    "the group of job %" PRIu64 " in line %" PRId64
                    " is of %zu GPUs, but its parts have %zu",
                    job->number, job->group->line, job->group->rank_count, gpus);
}

static void number_parts(const struct told_job *job)
{
    for (size_t i = 0; i < job->part_count; i++) {
        job->parts[i]->nodes = (int32_t)job->part_count;
        job->parts[i]->node_rank = (int32_t)i;
    }
}

static int check_parts_of(const struct check *self, const struct told_job *job)
{
    const size_t said = (size_t)job->parts[0]->nodes;

    if (job->part_count < said)
        return complain(self, "job %" PRIu64 " has %zu of its %zu parts", job->number,
                        job->part_count, said);
    if (job->part_count > said && !job->group)
        return complain(
            self, "job %" PRIu64 " has %zu parts that say they are the only one, and no group",
            job->number, job->part_count);
    if (job->part_count > said)
        number_parts(job);
    return 0;
}

static int check_round_of(const struct check *self, const struct told_job *job)
{
    if (!job->given)
        return complain(self, "job %" PRIu64 " has a group in this round, but no part",
                        job->number);
    if (check_parts_of(self, job) < 0)
        return -1;
    return job->group ? check_group_of(self, job) : 0;
}

static int check_train(struct check *self)
{
    if (!self->gives)
        return complain(self, "T without an R or U in this round");
    for (size_t i = 0; i < self->round_count; i++)
        if (check_round_of(self, self->round[i]) < 0)
            return -1;
    for (size_t i = 0; i < self->round_count; i++) {
        struct told_job *job = self->round[i];

        job->was_there = job->runs = true;
        job->in_round = job->given = false;
        job->group = job->move = NULL;
    }
    self->round_count = 0;
    self->formed = self->gives = false;
    return 0;
}

/* Whether the last round of the job gave the job a part on `worker`. */
static bool is_on(const struct told_job *job, int32_t worker)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i]->worker == worker)
            return true;
    return false;
}

/* Checks a K. The first K stops the job, and those for its other workers repeat the order. */
static int check_kill(struct check *self, const struct debug_command *command)
{
    struct told_job *job = job_of(self, command->job);

    if (job->given || !is_on(job, command->worker))
        return complain(self, "job %" PRIu64 " has nothing on worker %" PRId32 " to stop",
                        command->job, command->worker);
    release(self, job);
    return 0;
}

static int check_restart(struct check *self)
{
    if (self->gives)
        return complain(self, "RE within a round: T comes first");
    for (struct told_job *job = self->jobs; job; job = job->hh.next)
        release(self, job);
    return 0;
}

static int check_shutdown(struct check *self)
{
    if (self->gives)
        return complain(self, "S within a round: T comes first");
    self->over = true;
    return 0;
}

static int check_one(struct check *self, struct debug_command *command)
{
    if (self->over)
        return complain(self, "nothing may follow S");
    switch (command->kind) {
    case COMMAND_GROUP:
    case COMMAND_MOVE:
        return check_group(self, command);
    case COMMAND_RUN:
    case COMMAND_UPDATE:
        return check_part(self, command);
    case COMMAND_KILL:
        return check_kill(self, command);
    case COMMAND_FORMED:
        return check_formed(self);
    case COMMAND_TRAIN:
        return check_train(self);
    case COMMAND_RESTART:
        return check_restart(self);
    case COMMAND_SHUTDOWN:
        return check_shutdown(self);
    case COMMAND_WAIT:
        break;
    }
    return 0;
}

static void clear(struct check *self)
{
    struct told_job *job = self->jobs;

    HASH_CLEAR(hh, self->jobs); /* the items stay linked as a list */
    while (job) {
        struct told_job *next = job->hh.next;

        free(job->parts);
        free(job);
        job = next;
    }
    for (int32_t i = 0; i < self->workers; i++)
        free(self->holders[i]);
    free(self->holders);
    free(self->round);
}

int command_check(struct debug_command commands[], size_t count, int32_t workers, const char *path,
                  struct error *error)
{
    struct check self = {.path = path, .workers = workers, .error = error};
    int status = 0;

    self.holders = xcalloc((size_t)workers, sizeof(const struct debug_command **));
    for (size_t i = 0; i < count && status == 0; i++) {
        self.at = &commands[i];
        status = check_one(&self, &commands[i]);
    }
    if (status == 0 && self.round_count > 0)
        status = complain(&self, "the last round has no T");
    clear(&self);
    return status;
}
