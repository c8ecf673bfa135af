/* scheduler_master.c - see scheduler_master.h. */
#include "protocol/scheduler_master.h"

#include "protocol/pieces.h"

/* Numbers of fields of the lists within messages. */
#define NODE_FIELDS         8
#define NODE_TYPE_SINCE     6 /* version since which a node has one field more */
#define PLANNED_JOB_FIELDS  10
#define PLANNED_STOP_FIELDS 3
#define PROGRESS_FIELDS     4

/* ---- WELCOME ---- */

void msg_scheduler_welcome_pack(const struct msg_scheduler_welcome *welcome, struct writer *out)
{
    writer_open(out, MSG_WELCOME, 3);
    writer_whole(out, welcome->heartbeat_ms);
    writer_whole(out, welcome->hold_ms);
    writer_whole(out, welcome->workers_expected);
}

int msg_scheduler_welcome_unpack(reader_t *in, struct msg_scheduler_welcome *welcome,
                                 struct error *error)
{
    reader_expect(in, MSG_WELCOME);
    welcome->heartbeat_ms = reader_whole(in, 1, INT32_MAX);
    welcome->hold_ms = reader_whole(in, 1, INT32_MAX);
    welcome->workers_expected = reader_whole(in, 0, NODES_MAX);
    return reader_close(in, error);
}

/* ---- NODES ---- */

static void write_node(const struct msg_node *node, uint32_t version, struct writer *out)
{
    const bool has_type = version >= NODE_TYPE_SINCE;

    writer_list(out, NODE_FIELDS + has_type);
    writer_whole(out, node->node);
    write_name(node->name, out);
    writer_whole(out, node->gpus);
    writer_whole(out, node->first_rank);
    writer_switch(out, node->up);
    writer_text(out, node->cause);
    write_name(node->user ? node->user : "", out);
    write_name(node->only ? node->only : "", out);
    if (has_type)
        write_name(node->type ? node->type : "", out);
}

static void read_node(reader_t *in, struct msg_node *node)
{
    reader_enter(in, NODE_FIELDS + 1);
    node->node = (int32_t)reader_whole(in, 0, NODES_MAX - 1);
    node->name = reader_text(in, WIRE_NAME_MAX);
    node->gpus = (int32_t)reader_whole(in, 0, NODE_GPUS_MAX);
    node->first_rank = (int32_t)reader_whole(in, 0, INT32_MAX);
    node->up = reader_switch(in);
    node->cause = reader_text(in, WIRE_TEXT_MAX);
    node->user = reader_text(in, WIRE_NAME_MAX);
    node->only = reader_text(in, WIRE_NAME_MAX);
    node->type = reader_has_more(in) ? reader_text(in, WIRE_NAME_MAX) : NULL;
    reader_leave(in);
}

void msg_nodes_pack(const struct msg_nodes *nodes, uint32_t version, struct writer *out)
{
    writer_open(out, MSG_NODES, 2);
    writer_switch(out, nodes->complete);
    writer_list(out, nodes->count);
    for (size_t i = 0; i < nodes->count; i++)
        write_node(&nodes->nodes[i], version, out);
}

int msg_nodes_unpack(reader_t *in, struct msg_nodes *nodes, struct error *error)
{
    reader_expect(in, MSG_NODES);
    nodes->complete = reader_switch(in);
    nodes->count = reader_enter(in, NODES_MAX);
    nodes->nodes = arena_alloc(reader_arena(in), nodes->count * sizeof(*nodes->nodes));
    for (size_t i = 0; i < nodes->count; i++)
        read_node(in, &nodes->nodes[i]);
    reader_leave(in);
    return reader_close(in, error);
}

/* ---- PLAN ---- */

static void write_planned_job(const struct msg_planned_job *job, struct writer *out)
{
    writer_list(out, PLANNED_JOB_FIELDS);
    writer_number(out, job->job);
    write_name(job->name, out);
    write_name(job->model, out);
    writer_whole(out, job->batch_size);
    writer_whole(out, job->iterations);
    writer_whole(out, job->step);
    writer_whole(out, job->deadline_s);
    writer_whole(out, job->overhead_s);
    writer_real(out, job->rate);
    write_numbers(job->ranks, job->rank_count, out);
}

static void read_planned_job(reader_t *in, struct msg_planned_job *job)
{
    reader_enter(in, PLANNED_JOB_FIELDS);
    job->job = reader_number(in);
    job->name = reader_text(in, WIRE_NAME_MAX);
    job->model = reader_text(in, WIRE_NAME_MAX);
    job->batch_size = (int32_t)reader_whole(in, 0, INT32_MAX);
    job->iterations = reader_whole(in, 0, INT64_MAX);
    job->step = reader_whole(in, 0, INT64_MAX);
    job->deadline_s = reader_whole(in, INT64_MIN, INT64_MAX);
    job->overhead_s = (int32_t)reader_whole(in, 0, INT32_MAX);
    job->rate = read_amount(in);
    if (job->rate <= 0)
        reader_refuse(in, "a rate of 0");
    job->ranks = read_rising_numbers(in, RANKS_MAX, RANKS_MAX - 1, &job->rank_count);
    if (job->rank_count == 0)
        reader_refuse(in, "a job without ranks");
    reader_leave(in);
}

static void write_planned_stop(const struct msg_planned_stop *stop, struct writer *out)
{
    writer_list(out, PLANNED_STOP_FIELDS);
    writer_number(out, stop->job);
    writer_whole(out, stop->step);
    writer_whole(out, stop->why);
}

static void read_planned_stop(reader_t *in, struct msg_planned_stop *stop)
{
    reader_enter(in, PLANNED_STOP_FIELDS);
    stop->job = reader_number(in);
    stop->step = reader_whole(in, 0, INT64_MAX);
    stop->why = (enum stop_why)reader_whole(in, 0, STOP_CANCELLED);
    reader_leave(in);
}

void msg_plan_pack(const struct msg_plan *plan, struct writer *out)
{
    writer_open(out, MSG_PLAN, 7);
    writer_number(out, plan->round);
    writer_whole(out, plan->at_s);
    writer_switch(out, plan->fast_forward);
    writer_real(out, plan->time_scale);
    writer_switch(out, plan->restart);
    writer_list(out, plan->job_count);
    for (size_t i = 0; i < plan->job_count; i++)
        write_planned_job(&plan->jobs[i], out);
    writer_list(out, plan->stop_count);
    for (size_t i = 0; i < plan->stop_count; i++)
        write_planned_stop(&plan->stops[i], out);
}

int msg_plan_unpack(reader_t *in, struct msg_plan *plan, struct error *error)
{
    reader_expect(in, MSG_PLAN);
    plan->round = reader_number(in);
    plan->at_s = reader_whole(in, INT64_MIN, INT64_MAX);
    plan->fast_forward = reader_switch(in);
    plan->time_scale = read_amount(in);
    plan->restart = reader_switch(in);
    plan->job_count = reader_enter(in, PLAN_JOBS_MAX);
    plan->jobs = arena_alloc(reader_arena(in), plan->job_count * sizeof(*plan->jobs));
    for (size_t i = 0; i < plan->job_count; i++)
        read_planned_job(in, &plan->jobs[i]);
    reader_leave(in);
    plan->stop_count = reader_enter(in, PLAN_JOBS_MAX);
    plan->stops = arena_alloc(reader_arena(in), plan->stop_count * sizeof(*plan->stops));
    for (size_t i = 0; i < plan->stop_count; i++)
        read_planned_stop(in, &plan->stops[i]);
    reader_leave(in);
    return reader_close(in, error);
}

/* ---- JOB_REPORT ---- */

void msg_job_report_pack(const struct msg_job_report *report, struct writer *out)
{
    writer_open(out, MSG_JOB_REPORT, 10);
    writer_number(out, report->round);
    writer_number(out, report->job);
    writer_whole(out, report->incarnation);
    writer_whole(out, report->state);
    writer_whole(out, report->step);
    writer_whole(out, report->overhead_ms);
    writer_switch(out, report->emulated);
    writer_real(out, report->rate);
    writer_whole(out, report->ended_us);
    writer_text(out, report->cause);
}

int msg_job_report_unpack(reader_t *in, struct msg_job_report *report, struct error *error)
{
    reader_expect(in, MSG_JOB_REPORT);
    report->round = reader_number(in);
    report->job = reader_number(in);
    report->incarnation = read_incarnation(in);
    report->state = (enum job_report_state)reader_whole(in, 0, JOB_REPORT_WAITING);
    report->step = reader_whole(in, -1, INT64_MAX);
    report->overhead_ms = reader_whole(in, -1, INT64_MAX);
    report->emulated = reader_switch(in);
    report->rate = reader_real(in); /* a trainer's word: the scheduler judges it */
    report->ended_us = reader_whole(in, INT64_MIN, INT64_MAX);
    report->cause = reader_text(in, WIRE_TEXT_MAX);
    return reader_close(in, error);
}

/* ---- SETTLED ---- */

void msg_settled_pack(const struct msg_settled *settled, struct writer *out)
{
    writer_open(out, MSG_SETTLED, 1);
    writer_number(out, settled->round);
}

int msg_settled_unpack(reader_t *in, struct msg_settled *settled, struct error *error)
{
    reader_expect(in, MSG_SETTLED);
    settled->round = reader_number(in);
    return reader_close(in, error);
}

/* ---- HEARTBEAT, master to scheduler ---- */

void msg_master_heartbeat_pack(const struct msg_master_heartbeat *heartbeat, struct writer *out)
{
    writer_open(out, MSG_HEARTBEAT, 2);
    writer_whole(out, heartbeat->stamp_us);
    writer_list(out, heartbeat->count);
    for (size_t i = 0; i < heartbeat->count; i++) {
        const struct msg_progress *const progress = &heartbeat->progress[i];

        writer_list(out, PROGRESS_FIELDS);
        writer_number(out, progress->job);
        writer_whole(out, progress->incarnation);
        writer_whole(out, progress->step);
        writer_real(out, progress->rate);
    }
}

static void read_progress(reader_t *in, struct msg_progress *progress)
{
    reader_enter(in, PROGRESS_FIELDS);
    progress->job = reader_number(in);
    progress->incarnation = read_incarnation(in);
    progress->step = reader_whole(in, -1, INT64_MAX);
    progress->rate = reader_real(in);
    reader_leave(in);
}

int msg_master_heartbeat_unpack(reader_t *in, struct msg_master_heartbeat *heartbeat,
                                struct error *error)
{
    reader_expect(in, MSG_HEARTBEAT);
    heartbeat->stamp_us = reader_whole(in, INT64_MIN, INT64_MAX);
    heartbeat->count = reader_enter(in, PLAN_JOBS_MAX);
    heartbeat->progress =
        arena_alloc(reader_arena(in), heartbeat->count * sizeof(*heartbeat->progress));
    for (size_t i = 0; i < heartbeat->count; i++)
        read_progress(in, &heartbeat->progress[i]);
    reader_leave(in);
    return reader_close(in, error);
}
