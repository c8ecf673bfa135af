/* fake_source.c - see fake_source.h. */
#include "tests/support/fake_source.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEARTBEAT_MS 1000
#define LEASE_MS     5000
#define NODES_LEAST  1
#define GPUS_A_NODE  64 /* ranks that a number has room for */

struct fake_node {
    char name[NODE_NAME_MAX];
    int gpus;
    bool up;
};

struct fake_part {
    uint64_t job;
    double began_s; /* of the clock, with its overhead paid */
    int64_t from;   /* iterations that were done then */
    struct msg_planned_job plan;
    int32_t first_rank;
    bool done;
};

struct fake_source {
    const struct run_clock *clock;
    capacity_t *capacity; /* NULL unless it is attached */
    struct fake_node *nodes;
    size_t node_count;
    size_t node_room;
    struct fake_part *parts;
    size_t part_count;
    reader_t *reader; /* has the texts of the plan */
    struct msg_plan plan;
    int plans;
    int programs;
};

static double now(const fake_source_t *self)
{
    return run_clock_now(self->clock);
}

/* ---- what it says ---- */

static void say_node(fake_source_t *self, int number, const char *cause)
{
    const struct fake_node *node = &self->nodes[number];
    struct msg_node said = {.node = number,
                            .name = node->name,
                            .gpus = node->gpus,
                            .first_rank = number * GPUS_A_NODE,
                            .up = node->up,
                            .cause = cause};
    struct error error;

    if (self->capacity &&
        capacity_hear_nodes(self->capacity, &(struct msg_nodes){1, &said, false}, &error) < 0)
        abort();
}

static int64_t step_of(const fake_source_t *self, const struct fake_part *part)
{
    const double trained_s = fmax(0, now(self) - part->began_s);
    const double step = (double)part->from + trained_s * part->plan.rate;

    return step < (double)part->plan.iterations ? (int64_t)step : part->plan.iterations;
}

static void report(fake_source_t *self, const struct fake_part *part, enum job_report_state state,
                   const char *cause)
{
    const struct msg_job_report said = {.round = self->plan.round,
                                        .job = part->job,
                                        .incarnation = 1,
                                        .state = state,
                                        .step = step_of(self, part),
                                        .overhead_ms = (int64_t)part->plan.overhead_s * 1000,
                                        .emulated = true,
                                        .rate = part->plan.rate,
                                        .cause = cause};

    if (self->capacity)
        capacity_hear_report(self->capacity, &said, 0);
}

static void say_progress(fake_source_t *self)
{
    struct msg_progress *progress = xcalloc(self->part_count + 1, sizeof(*progress));

    for (size_t i = 0; i < self->part_count; i++)
        progress[i] = (struct msg_progress){self->parts[i].job, 1, step_of(self, &self->parts[i]),
                                            self->parts[i].plan.rate};
    if (self->capacity)
        capacity_hear_heartbeat(self->capacity,
                                &(struct msg_master_heartbeat){1, self->part_count, progress});
    free(progress);
}

void fake_source_tell(fake_source_t *self)
{
    say_progress(self);
    for (size_t i = 0; i < self->part_count; i++) {
        struct fake_part *part = &self->parts[i];

        if (part->done || step_of(self, part) < part->plan.iterations)
            continue;
        part->done = true;
        report(self, part, JOB_REPORT_DONE, "");
    }
}

void fake_source_fail(fake_source_t *self, uint64_t job, const char *cause)
{
    for (size_t i = 0; i < self->part_count; i++)
        if (self->parts[i].job == job)
            report(self, &self->parts[i], JOB_REPORT_HELD, cause);
}

/* ---- the port ---- */

static int attach(void *owner, capacity_t *capacity, struct error *error)
{
    fake_source_t *self = owner;

    (void)error;
    self->capacity = capacity;
    capacity_hear_welcome(capacity,
                          &(struct msg_scheduler_welcome){HEARTBEAT_MS, LEASE_MS, NODES_LEAST});
    for (size_t i = 0; i < self->node_count; i++)
        say_node(self, (int)i, self->nodes[i].up ? "" : "it has left");
    say_progress(self);
    say_progress(self);
    return 0;
}

static void take_program(void *owner, const struct msg_program *program)
{
    fake_source_t *self = owner;

    (void)program;
    self->programs++;
}

static const struct fake_part *part_of(const fake_source_t *self, uint64_t job)
{
    for (size_t i = 0; i < self->part_count; i++)
        if (self->parts[i].job == job)
            return &self->parts[i];
    return NULL;
}

/* A job that stays where it is trains on; another one starts, from what it did before. */
static struct fake_part start(const fake_source_t *self, const struct msg_planned_job *job)
{
    const struct fake_part *before = part_of(self, job->job);
    const bool stays =
        before && before->plan.rank_count == job->rank_count && before->first_rank == job->ranks[0];
    struct fake_part part = {.job = job->job,
                             .began_s = now(self) + job->overhead_s,
                             .from = before ? step_of(self, before) : job->step};

    if (stays)
        part = *before;
    part.plan = *job;
    part.first_rank = job->ranks[0];
    return part;
}

static void confirm_stops(fake_source_t *self, const struct fake_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!part_of(self, parts[i].job))
            report(self, &parts[i], JOB_REPORT_STOPPED, "");
}

/* The plan is carried out at once. */
static void order(void *owner, const struct writer *packed)
{
    fake_source_t *self = owner;
    struct error error;
    reader_t *reader = reader_new(packed->bytes.data, packed->bytes.size, &error);
    struct fake_part *before = self->parts;
    const size_t before_count = self->part_count;
    struct fake_part *parts;

    if (!reader || msg_plan_unpack(reader, &self->plan, &error) < 0)
        abort();
    parts = xcalloc(self->plan.job_count + 1, sizeof(*parts));
    for (size_t i = 0; i < self->plan.job_count; i++)
        parts[i] = start(self, &self->plan.jobs[i]);
    self->parts = parts;
    self->part_count = self->plan.job_count;
    self->plans++;
    confirm_stops(self, before, before_count);
    free(before);
    reader_destroy(&self->reader);
    self->reader = reader;
    for (size_t i = 0; i < self->part_count; i++)
        report(self, &self->parts[i], JOB_REPORT_STABLE, "");
    capacity_hear_settled(self->capacity, self->plan.round);
}

static void detach(void *owner, const char *why, bool over)
{
    fake_source_t *self = owner;

    (void)why;
    (void)over;
    self->capacity = NULL;
}

/* ---- nodes ---- */

int fake_source_add(fake_source_t *self, const char *name, int gpus)
{
    size_t number = 0;

    while (number < self->node_count && self->nodes[number].up)
        number++;
    if (number == self->node_count) {
        self->nodes =
            grow_array(self->nodes, self->node_count, &self->node_room, sizeof(*self->nodes));
        self->node_count++;
    }
    self->nodes[number] = (struct fake_node){.gpus = gpus, .up = true};
    (void)snprintf(self->nodes[number].name, sizeof(self->nodes[number].name), "%s", name);
    say_node(self, (int)number, "");
    return (int)number;
}

static bool is_on(const struct fake_part *part, int number)
{
    for (size_t i = 0; i < part->plan.rank_count; i++)
        if (part->plan.ranks[i] / GPUS_A_NODE == number)
            return true;
    return false;
}

void fake_source_remove(fake_source_t *self, int number, const char *cause)
{
    self->nodes[number].up = false;
    for (size_t i = 0; i < self->part_count; i++)
        if (is_on(&self->parts[i], number))
            report(self, &self->parts[i], JOB_REPORT_LOST, cause);
    say_node(self, number, cause);
}

void fake_source_until(fake_source_t *self, int number, int64_t until_s)
{
    capacity_hear_until(self->capacity, number, until_s);
}

int fake_source_nodes(const fake_source_t *self)
{
    return (int)self->node_count;
}

/* ---- what it was told ---- */

const struct msg_plan *fake_source_plan(const fake_source_t *self)
{
    return &self->plan;
}

int fake_source_plans(const fake_source_t *self)
{
    return self->plans;
}

int fake_source_programs(const fake_source_t *self)
{
    return self->programs;
}

int fake_source_gpus(const fake_source_t *self, uint64_t job)
{
    const struct fake_part *part = part_of(self, job);

    return part ? (int)part->plan.rank_count : 0;
}

int fake_source_rank(const fake_source_t *self, uint64_t job)
{
    const struct fake_part *part = part_of(self, job);

    return part ? part->first_rank : -1;
}

/* ---- life ---- */

fake_source_t *fake_source_new(const struct run_clock *clock)
{
    fake_source_t *self = xcalloc(1, sizeof(*self));

    self->clock = clock;
    return self;
}

void fake_source_destroy(fake_source_t **self)
{
    if (!*self)
        return;
    reader_destroy(&(*self)->reader);
    free((*self)->parts);
    free((*self)->nodes);
    free(*self);
    *self = NULL;
}

struct capacity_source fake_source_port(fake_source_t *self)
{
    return (struct capacity_source){
        .self = self, .attach = attach, .program = take_program, .order = order, .detach = detach};
}
