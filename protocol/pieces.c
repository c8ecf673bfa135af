/* pieces.c - see pieces.h. */
#include "protocol/pieces.h"

#include <math.h>
#include <string.h>

#define PART_FIELDS 12

double read_amount(reader_t *in)
{
    const double value = reader_real(in);

    if (isfinite(value) && value >= 0)
        return value;
    reader_refuse(in, "%g where a finite number, not negative, was expected", value);
    return 0;
}

uint32_t read_incarnation(reader_t *in)
{
    return (uint32_t)reader_whole(in, 0, UINT32_MAX);
}

void write_numbers(const int32_t numbers[], size_t count, struct writer *out)
{
    writer_list(out, count);
    for (size_t i = 0; i < count; i++)
        writer_whole(out, numbers[i]);
}

int32_t *read_numbers(reader_t *in, size_t count_max, int32_t max, size_t *count)
{
    int32_t *numbers;

    *count = reader_enter(in, count_max);
    numbers = arena_alloc(reader_arena(in), *count * sizeof(*numbers));
    for (size_t i = 0; i < *count; i++)
        numbers[i] = (int32_t)reader_whole(in, 0, max);
    reader_leave(in);
    return numbers;
}

int32_t *read_rising_numbers(reader_t *in, size_t count_max, int32_t max, size_t *count)
{
    int32_t *const numbers = read_numbers(in, count_max, max, count);

    for (size_t i = 1; i < *count; i++) {
        if (numbers[i] <= numbers[i - 1])
            reader_refuse(in, "%d after %d: the numbers must rise", numbers[i], numbers[i - 1]);
    }
    return numbers;
}

void write_part(const struct msg_part *part, struct writer *out)
{
    writer_list(out, PART_FIELDS);
    writer_number(out, part->job);
    writer_whole(out, part->incarnation);
    writer_whole(out, part->state);
    writer_whole(out, part->step);
    writer_whole(out, part->checkpoint);
    writer_whole(out, part->overhead_ms);
    writer_switch(out, part->emulated);
    writer_switch(out, part->retry);
    writer_whole(out, part->gpu);
    writer_real(out, part->rate);
    writer_whole(out, part->ended_us);
    writer_text(out, part->cause);
}

void read_part(reader_t *in, struct msg_part *part)
{
    reader_enter(in, PART_FIELDS);
    part->job = reader_number(in);
    part->incarnation = read_incarnation(in);
    part->state = (enum part_state)reader_whole(in, 0, PART_FAILED);
    part->step = reader_whole(in, -1, INT64_MAX);
    part->checkpoint = reader_whole(in, -1, INT64_MAX);
    part->overhead_ms = reader_whole(in, -1, INT64_MAX);
    part->emulated = reader_switch(in);
    part->retry = reader_switch(in);
    part->gpu = (int32_t)reader_whole(in, -1, NODE_GPUS_MAX - 1);
    part->rate = reader_real(in); /* a trainer's word: the master judges it */
    part->ended_us = reader_whole(in, INT64_MIN, INT64_MAX);
    part->cause = reader_text(in, WIRE_TEXT_MAX);
    reader_leave(in);
}

void write_parts(const struct msg_part parts[], size_t count, struct writer *out)
{
    writer_list(out, count);
    for (size_t i = 0; i < count; i++)
        write_part(&parts[i], out);
}

struct msg_part *read_parts(reader_t *in, size_t count_max, size_t *count)
{
    struct msg_part *parts;

    *count = reader_enter(in, count_max);
    parts = arena_alloc(reader_arena(in), *count * sizeof(*parts));
    for (size_t i = 0; i < *count; i++)
        read_part(in, &parts[i]);
    reader_leave(in);
    return parts;
}

/* Writes all fields of a RUN but the program. */
static void write_work(const struct msg_run *run, struct writer *out)
{
    writer_number(out, run->job);
    writer_whole(out, run->incarnation);
    write_name(run->name, out);
    write_name(run->model, out);
    writer_whole(out, run->batch_size);
    writer_whole(out, run->iterations);
    writer_whole(out, run->step);
    writer_whole(out, run->deadline_s);
    writer_whole(out, run->overhead_ms);
    writer_real(out, run->rate);
    writer_switch(out, run->fast_forward);
    writer_real(out, run->time_scale);
    writer_whole(out, run->node_rank);
    writer_whole(out, run->nodes);
    writer_whole(out, run->world);
    write_name(run->rendezvous_address, out);
    writer_whole(out, run->rendezvous_port);
    write_numbers(run->gpus, run->gpu_count, out);
    write_numbers(run->ranks, run->gpu_count, out);
}

void write_run(const struct msg_run *run, struct writer *out)
{
    write_work(run, out);
    writer_list(out, run->program ? 1 : 0);
    if (run->program)
        write_program(run->program, out);
}

/* A list of one program, or of none. */
static const struct msg_program *read_own_program(reader_t *in, uint64_t job)
{
    struct msg_program *program = NULL;

    if (reader_enter(in, 1) == 1) {
        program = arena_alloc(reader_arena(in), sizeof(*program));
        program->job = job;
        read_program(in, program);
    }
    reader_leave(in);
    return program;
}

static void read_work(reader_t *in, struct msg_run *run)
{
    size_t rank_count;

    run->job = reader_number(in);
    run->incarnation = read_incarnation(in);
    run->name = reader_text(in, WIRE_NAME_MAX);
    run->model = reader_text(in, WIRE_NAME_MAX);
    run->batch_size = (int32_t)reader_whole(in, 0, INT32_MAX);
    run->iterations = reader_whole(in, 0, INT64_MAX);
    run->step = reader_whole(in, -1, INT64_MAX);
    run->deadline_s = reader_whole(in, INT64_MIN, INT64_MAX);
    run->overhead_ms = reader_whole(in, -1, INT64_MAX);
    run->rate = read_amount(in);
    run->fast_forward = reader_switch(in);
    run->time_scale = read_amount(in);
    run->node_rank = (int32_t)reader_whole(in, 0, NODES_MAX - 1);
    run->nodes = (int32_t)reader_whole(in, (int64_t)run->node_rank + 1, NODES_MAX);
    run->world = (int32_t)reader_whole(in, 1, RANKS_MAX);
    run->rendezvous_address = reader_text(in, WIRE_NAME_MAX);
    run->rendezvous_port = (int32_t)reader_whole(in, 0, UINT16_MAX);
    run->gpus = read_rising_numbers(in, NODE_GPUS_MAX, NODE_GPUS_MAX - 1, &run->gpu_count);
    run->ranks = read_numbers(in, NODE_GPUS_MAX, run->world - 1, &rank_count);
    if (rank_count != run->gpu_count || run->gpu_count == 0)
        reader_refuse(in, "%zu ranks on %zu GPUs", rank_count, run->gpu_count);
    run->program = NULL;
}

void read_run(reader_t *in, struct msg_run *run)
{
    read_work(in, run);
    run->program = read_own_program(in, run->job);
}

void write_runs(const struct msg_run runs[], size_t count, struct writer *out)
{
    writer_list(out, count);
    for (size_t i = 0; i < count; i++) {
        writer_list(out, WORK_FIELDS);
        write_work(&runs[i], out);
    }
}

struct msg_run *read_runs(reader_t *in, size_t count_max, size_t *count)
{
    struct msg_run *runs;

    *count = reader_enter(in, count_max);
    runs = arena_alloc(reader_arena(in), *count * sizeof(*runs));
    for (size_t i = 0; i < *count; i++) {
        reader_enter(in, WORK_FIELDS);
        read_work(in, &runs[i]);
        reader_leave(in);
    }
    reader_leave(in);
    return runs;
}
