/* worker_trainer.c - see worker_trainer.h. */
#include "protocol/worker_trainer.h"

#include "protocol/pieces.h"

#include <assert.h>

static enum trainer_state read_trainer_state(reader_t *in)
{
    return (enum trainer_state)reader_whole(in, 0, TRAINER_KILL);
}

/* ---- HELLO, WELCOME ---- */

void msg_trainer_hello_pack(const char *name, uint32_t version,
                            const struct msg_trainer_hello *hello, struct writer *out)
{
    const struct msg_hello common = {.version = version, .role = "trainer", .name = name};

    msg_hello_pack(&common, 2, out);
    writer_whole(out, hello->gpu);
    writer_whole(out, hello->pid);
}

int msg_trainer_hello_unpack(reader_t *in, struct msg_trainer_hello *hello, struct error *error)
{
    reader_expect(in, MSG_HELLO);
    hello->gpu = (int32_t)reader_whole(in, 0, NODE_GPUS_MAX - 1);
    hello->pid = reader_whole(in, 1, INT32_MAX);
    return reader_close(in, error);
}

void msg_trainer_welcome_pack(const struct msg_trainer_welcome *welcome, struct writer *out)
{
    writer_open(out, MSG_WELCOME, 1);
    writer_whole(out, welcome->heartbeat_ms);
}

int msg_trainer_welcome_unpack(reader_t *in, struct msg_trainer_welcome *welcome,
                               struct error *error)
{
    reader_expect(in, MSG_WELCOME);
    welcome->heartbeat_ms = reader_whole(in, 1, INT32_MAX);
    return reader_close(in, error);
}

/* ---- PREPARE ---- */

void msg_prepare_pack(const struct msg_prepare *prepare, struct writer *out)
{
    assert(prepare->run.gpu_count == 1);
    writer_open(out, MSG_PREPARE, RUN_FIELDS + 6);
    write_run(&prepare->run, out);
    writer_whole(out, prepare->local_rank);
    writer_whole(out, prepare->local_world);
    write_numbers(prepare->local_gpus, (size_t)prepare->local_world, out);
    writer_whole(out, prepare->node);
    writer_whole(out, prepare->memory_mib);
    writer_whole(out, prepare->lease_until_us);
}

int msg_prepare_unpack(reader_t *in, struct msg_prepare *prepare, struct error *error)
{
    size_t gpus;

    reader_expect(in, MSG_PREPARE);
    read_run(in, &prepare->run);
    if (prepare->run.gpu_count != 1)
        reader_refuse(in, "%zu GPUs where one was expected", prepare->run.gpu_count);
    prepare->local_rank = (int32_t)reader_whole(in, 0, NODE_GPUS_MAX - 1);
    prepare->local_world =
        (int32_t)reader_whole(in, (int64_t)prepare->local_rank + 1, NODE_GPUS_MAX);
    prepare->local_gpus = read_rising_numbers(in, NODE_GPUS_MAX, NODE_GPUS_MAX - 1, &gpus);
    if (gpus != (size_t)prepare->local_world)
        reader_refuse(in, "%zu GPUs for %d ranks", gpus, (int)prepare->local_world);
    prepare->node = (int32_t)reader_whole(in, -1, NODES_MAX - 1);
    prepare->memory_mib = reader_whole(in, 0, INT64_MAX);
    prepare->lease_until_us = reader_whole(in, INT64_MIN, INT64_MAX);
    return reader_close(in, error);
}

/* ---- RANK_REPORT ---- */

void msg_rank_report_pack(const struct msg_rank_report *report, struct writer *out)
{
    writer_open(out, MSG_RANK_REPORT, 4);
    write_part(&report->part, out);
    writer_whole(out, report->state);
    writer_switch(out, report->grouped);
    writer_whole(out, report->took_ms);
}

int msg_rank_report_unpack(reader_t *in, struct msg_rank_report *report, struct error *error)
{
    reader_expect(in, MSG_RANK_REPORT);
    read_part(in, &report->part);
    report->state = read_trainer_state(in);
    report->grouped = reader_switch(in);
    report->took_ms = reader_whole(in, -1, INT64_MAX);
    return reader_close(in, error);
}

/* ---- HEARTBEAT ---- */

void msg_trainer_lease_pack(const struct msg_trainer_lease *lease, struct writer *out)
{
    writer_open(out, MSG_HEARTBEAT, 1);
    writer_whole(out, lease->lease_until_us);
}

int msg_trainer_lease_unpack(reader_t *in, struct msg_trainer_lease *lease, struct error *error)
{
    reader_expect(in, MSG_HEARTBEAT);
    lease->lease_until_us = reader_whole(in, INT64_MIN, INT64_MAX);
    return reader_close(in, error);
}

/* The active workload is a list of one part, or of none. */
void msg_trainer_heartbeat_pack(const struct msg_trainer_heartbeat *heartbeat, struct writer *out)
{
    writer_open(out, MSG_HEARTBEAT, 2);
    writer_whole(out, heartbeat->state);
    write_parts(&heartbeat->part, heartbeat->active ? 1 : 0, out);
}

int msg_trainer_heartbeat_unpack(reader_t *in, struct msg_trainer_heartbeat *heartbeat,
                                 struct error *error)
{
    const struct msg_part *part;
    size_t count;

    reader_expect(in, MSG_HEARTBEAT);
    heartbeat->state = read_trainer_state(in);
    part = read_parts(in, 1, &count);
    heartbeat->active = count == 1;
    heartbeat->part = heartbeat->active ? *part : (struct msg_part){.cause = ""};
    return reader_close(in, error);
}
