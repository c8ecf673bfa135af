/* master_worker.c - see master_worker.h. */
#include "protocol/master_worker.h"

#include "protocol/pieces.h"

#include <assert.h>

#define HELLO_TYPE_SINCE 6 /* version since which HELLO has one field more */
#define GPU_FIELDS       3

const char *part_state_name(enum part_state state)
{
    static const char *const names[] = {
        [PART_PREPARING] = "preparing", [PART_READY] = "ready",       [PART_RUNNING] = "running",
        [PART_STABLE] = "stable",       [PART_STOPPING] = "stopping", [PART_STOPPED] = "stopped",
        [PART_DONE] = "done",           [PART_FAILED] = "failed",
    };

    assert(state <= PART_FAILED);
    return names[state];
}

/* ---- HELLO ---- */

static void write_gpus(const struct msg_gpu *gpus, size_t count, struct writer *out)
{
    writer_list(out, count);
    for (size_t i = 0; i < count; i++) {
        writer_list(out, GPU_FIELDS);
        write_name(gpus[i].uuid, out);
        writer_whole(out, gpus[i].memory_mib);
        writer_switch(out, gpus[i].gone);
    }
}

void msg_worker_hello_pack(const char *name, uint32_t version, const struct msg_worker_hello *hello,
                           struct writer *out)
{
    const struct msg_hello common = {.version = version, .role = "worker", .name = name};

    const bool has_type = version >= HELLO_TYPE_SINCE;

    msg_hello_pack(&common, 14 + has_type, out);
    write_name(hello->address, out);
    writer_whole(out, hello->port);
    writer_text(out, hello->kind);
    write_name(hello->user ? hello->user : "", out);
    write_name(hello->only ? hello->only : "", out);
    writer_whole(out, hello->stamp_us);
    write_gpus(hello->gpus, hello->gpu_count, out);
    writer_switch(out, hello->numbered);
    writer_whole(out, hello->node);
    writer_whole(out, hello->first_rank);
    writer_whole(out, hello->lock);
    writer_whole(out, hello->named);
    write_parts(hello->parts, hello->part_count, out);
    write_runs(hello->runs, hello->run_count, out);
    if (has_type)
        write_name(hello->type ? hello->type : "", out);
}

static void read_gpu(reader_t *in, struct msg_gpu *gpu)
{
    reader_enter(in, GPU_FIELDS);
    gpu->uuid = reader_text(in, WIRE_NAME_MAX);
    gpu->memory_mib = reader_whole(in, 0, INT64_MAX);
    gpu->gone = reader_switch(in);
    reader_leave(in);
}

static struct msg_gpu *read_gpus(reader_t *in, size_t *count)
{
    struct msg_gpu *gpus;

    *count = reader_enter(in, NODE_GPUS_MAX);
    gpus = arena_alloc(reader_arena(in), *count * sizeof(*gpus));
    for (size_t i = 0; i < *count; i++)
        read_gpu(in, &gpus[i]);
    reader_leave(in);
    return gpus;
}

int msg_worker_hello_unpack(reader_t *in, struct msg_worker_hello *hello, struct error *error)
{
    reader_expect(in, MSG_HELLO);
    hello->address = reader_text(in, WIRE_NAME_MAX);
    hello->port = (int32_t)reader_whole(in, 0, UINT16_MAX);
    hello->kind = reader_text(in, WIRE_NAME_MAX);
    hello->user = reader_text(in, WIRE_NAME_MAX);
    hello->only = reader_text(in, WIRE_NAME_MAX);
    hello->stamp_us = reader_whole(in, INT64_MIN, INT64_MAX);
    hello->gpus = read_gpus(in, &hello->gpu_count);
    hello->numbered = reader_switch(in);
    hello->node = (int32_t)reader_whole(in, 0, NODES_MAX - 1);
    hello->first_rank = (int32_t)reader_whole(in, 0, RANKS_MAX - 1);
    hello->lock = (uint32_t)reader_whole(in, 0, INT32_MAX);
    hello->named = read_incarnation(in);
    hello->parts = read_parts(in, (size_t)PARTS_MAX, &hello->part_count);
    hello->runs = read_runs(in, (size_t)PARTS_MAX, &hello->run_count);
    hello->type = reader_has_more(in) ? reader_text(in, WIRE_NAME_MAX) : "";
    return reader_close(in, error);
}

/* ---- WELCOME ---- */

void msg_worker_welcome_pack(const struct msg_worker_welcome *welcome, struct writer *out)
{
    writer_open(out, MSG_WELCOME, 5);
    writer_whole(out, welcome->node);
    writer_whole(out, welcome->first_rank);
    writer_whole(out, welcome->heartbeat_ms);
    writer_whole(out, welcome->lease_ms);
    writer_whole(out, welcome->stamp_us);
}

int msg_worker_welcome_unpack(reader_t *in, struct msg_worker_welcome *welcome, struct error *error)
{
    reader_expect(in, MSG_WELCOME);
    welcome->node = (int32_t)reader_whole(in, 0, NODES_MAX - 1);
    welcome->first_rank = (int32_t)reader_whole(in, 0, INT32_MAX);
    welcome->heartbeat_ms = reader_whole(in, 1, INT32_MAX);
    welcome->lease_ms = reader_whole(in, 1, INT32_MAX);
    welcome->stamp_us = reader_whole(in, INT64_MIN, INT64_MAX);
    return reader_close(in, error);
}

/* ---- commands ---- */

void msg_run_pack(const struct msg_run *run, struct writer *out)
{
    writer_open(out, MSG_RUN, RUN_FIELDS);
    write_run(run, out);
}

int msg_run_unpack(reader_t *in, struct msg_run *run, struct error *error)
{
    reader_expect(in, MSG_RUN);
    read_run(in, run);
    return reader_close(in, error);
}

void msg_begin_pack(const struct msg_begin *begin, struct writer *out)
{
    writer_open(out, MSG_BEGIN, 3);
    writer_number(out, begin->job);
    writer_whole(out, begin->incarnation);
    writer_whole(out, begin->step);
}

int msg_begin_unpack(reader_t *in, struct msg_begin *begin, struct error *error)
{
    reader_expect(in, MSG_BEGIN);
    begin->job = reader_number(in);
    begin->incarnation = read_incarnation(in);
    begin->step = reader_whole(in, -1, INT64_MAX);
    return reader_close(in, error);
}

void msg_update_pack(const struct msg_update *update, struct writer *out)
{
    writer_open(out, MSG_UPDATE, 4);
    writer_number(out, update->job);
    writer_whole(out, update->incarnation);
    writer_whole(out, update->step);
    writer_whole(out, update->iterations);
}

int msg_update_unpack(reader_t *in, struct msg_update *update, struct error *error)
{
    reader_expect(in, MSG_UPDATE);
    update->job = reader_number(in);
    update->incarnation = read_incarnation(in);
    update->step = reader_whole(in, 0, INT64_MAX);
    update->iterations = reader_whole(in, 0, INT64_MAX);
    return reader_close(in, error);
}

void msg_stop_pack(const struct msg_stop *stop, struct writer *out)
{
    writer_open(out, MSG_STOP, 5);
    writer_number(out, stop->job);
    writer_whole(out, stop->incarnation);
    writer_whole(out, stop->step);
    writer_whole(out, stop->why);
    writer_whole(out, stop->grace_ms);
}

int msg_stop_unpack(reader_t *in, struct msg_stop *stop, struct error *error)
{
    reader_expect(in, MSG_STOP);
    stop->job = reader_number(in);
    stop->incarnation = read_incarnation(in);
    stop->step = reader_whole(in, -1, INT64_MAX);
    stop->why = (enum stop_why)reader_whole(in, 0, STOP_CANCELLED);
    stop->grace_ms = reader_whole(in, -1, INT32_MAX);
    return reader_close(in, error);
}

void msg_group_pack(const struct msg_group *group, struct writer *out)
{
    writer_open(out, MSG_GROUP, 5);
    writer_number(out, group->job);
    writer_whole(out, group->incarnation);
    writer_switch(out, group->moves_state);
    writer_whole(out, group->source);
    write_numbers(group->ranks, group->rank_count, out);
}

int msg_group_unpack(reader_t *in, struct msg_group *group, struct error *error)
{
    reader_expect(in, MSG_GROUP);
    group->job = reader_number(in);
    group->incarnation = read_incarnation(in);
    group->moves_state = reader_switch(in);
    group->source = (int32_t)reader_whole(in, -1, RANKS_MAX - 1);
    group->ranks = read_numbers(in, RANKS_MAX, RANKS_MAX - 1, &group->rank_count);
    return reader_close(in, error);
}

/* ---- REPORT ---- */

void msg_report_pack(const struct msg_report *report, struct writer *out)
{
    writer_open(out, MSG_REPORT, 3);
    write_part(&report->part, out);
    writer_switch(out, report->grouped);
    writer_whole(out, report->took_ms);
}

int msg_report_unpack(reader_t *in, struct msg_report *report, struct error *error)
{
    reader_expect(in, MSG_REPORT);
    read_part(in, &report->part);
    report->grouped = reader_switch(in);
    report->took_ms = reader_whole(in, -1, INT64_MAX);
    return reader_close(in, error);
}

/* ---- GPUS ---- */

void msg_gpus_pack(const struct msg_gpus *gpus, struct writer *out)
{
    writer_open(out, MSG_GPUS, 1);
    write_gpus(gpus->gpus, gpus->gpu_count, out);
}

int msg_gpus_unpack(reader_t *in, struct msg_gpus *gpus, struct error *error)
{
    reader_expect(in, MSG_GPUS);
    gpus->gpus = read_gpus(in, &gpus->gpu_count);
    return reader_close(in, error);
}

/* ---- HEARTBEAT ---- */

void msg_worker_heartbeat_pack(const struct msg_worker_heartbeat *heartbeat, struct writer *out)
{
    writer_open(out, MSG_HEARTBEAT, 3);
    writer_whole(out, heartbeat->stamp_us);
    writer_whole(out, heartbeat->trainers_idle);
    write_parts(heartbeat->parts, heartbeat->part_count, out);
}

int msg_worker_heartbeat_unpack(reader_t *in, struct msg_worker_heartbeat *heartbeat,
                                struct error *error)
{
    reader_expect(in, MSG_HEARTBEAT);
    heartbeat->stamp_us = reader_whole(in, INT64_MIN, INT64_MAX);
    heartbeat->trainers_idle = (int32_t)reader_whole(in, 0, NODE_GPUS_MAX);
    heartbeat->parts = read_parts(in, (size_t)PARTS_MAX, &heartbeat->part_count);
    return reader_close(in, error);
}

void msg_lease_pack(const struct msg_lease *lease, struct writer *out)
{
    writer_open(out, MSG_HEARTBEAT, 1);
    writer_whole(out, lease->stamp_us);
}

int msg_lease_unpack(reader_t *in, struct msg_lease *lease, struct error *error)
{
    reader_expect(in, MSG_HEARTBEAT);
    lease->stamp_us = reader_whole(in, INT64_MIN, INT64_MAX);
    return reader_close(in, error);
}
