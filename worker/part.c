/* part.c - see part.h. */
#include "worker/part.h"

#include "common/memory.h"
#include "protocol/run_copy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool part_can_run(const struct msg_run *run, int32_t gpu_count, struct error *error)
{
    if (run->gpu_count == 0)
        return error_set(error, "RUN names no GPU") == 0;
    for (size_t i = 0; i < run->gpu_count; i++) {
        if (run->gpus[i] < 0 || run->gpus[i] >= gpu_count)
            return error_set(error, "there is no GPU %" PRId32 " on this node", run->gpus[i]) == 0;
        if (i > 0 && run->gpus[i] <= run->gpus[i - 1])
            return error_set(error, "the GPUs of RUN do not rise") == 0;
        if (run->ranks[i] < 0 || run->ranks[i] >= run->world)
            return error_set(error, "there is no rank %" PRId32 " of %" PRId32, run->ranks[i],
                             run->world) == 0;
    }
    return true;
}

struct part *part_new(const struct msg_run *run)
{
    struct part *part = xcalloc(1, sizeof(*part));

    part->run_memory = run_copy(run, &part->run);
    part->rank_count = run->gpu_count;
    part->ranks = xcalloc(run->gpu_count, sizeof(*part->ranks));
    for (size_t i = 0; i < run->gpu_count; i++) {
        part->ranks[i].gpu = run->gpus[i];
        part->ranks[i].rank = run->ranks[i];
        part->ranks[i].part.step = -1;
        part->ranks[i].part.checkpoint = -1;
    }
    part->told = PART_PREPARING;
    part->checkpoint_told = -1;
    part->failed_gpu = -1;
    return part;
}

void part_destroy(struct part *part)
{
    free(part->run_memory);
    free(part->ranks);
    free(part);
}

/* ---- the state of a part ---- */

static bool is_end(enum part_state state)
{
    return state >= PART_STOPPED;
}

bool rank_has_ended(const struct rank *rank)
{
    return is_end(rank->part.state);
}

bool part_has_ended(const struct part *part)
{
    return is_end(part_state(part));
}

static size_t count_ranks(const struct part *part, enum part_state from, enum part_state to)
{
    size_t count = 0;

    for (size_t i = 0; i < part->rank_count; i++)
        count += part->ranks[i].part.state >= from && part->ranks[i].part.state <= to;
    return count;
}

/* The final state of a part. A part that is done stays done even if its lease was over before
 * its end was heard. */
static enum part_state end_of(const struct part *part)
{
    if (count_ranks(part, PART_DONE, PART_DONE) == part->rank_count && part->rank_count > 0)
        return PART_DONE;
    return part->failed ? PART_FAILED : PART_STOPPED;
}

enum part_state part_state(const struct part *part)
{
    if (count_ranks(part, PART_STOPPED, PART_FAILED) == part->rank_count)
        return end_of(part);
    if (part->failed || part->stop_wanted || count_ranks(part, PART_STOPPING, PART_STOPPED) > 0)
        return PART_STOPPING;
    if (count_ranks(part, PART_STABLE, PART_DONE) == part->rank_count)
        return PART_STABLE;
    if (count_ranks(part, PART_RUNNING, PART_DONE) > 0)
        return PART_RUNNING;
    return count_ranks(part, PART_READY, PART_READY) == part->rank_count ? PART_READY
                                                                         : PART_PREPARING;
}

/* The lower of two rates, as ranks keep step with each other; NaN if either rate is NaN. */
static double lower_rate(double a, double b)
{
    return isnan(a) || a <= b ? a : b;
}

void part_describe(const struct part *part, struct msg_part *out)
{
    *out = (struct msg_part){
        .job = part->run.job,
        .incarnation = part->run.incarnation,
        .state = part_state(part),
        .step = -1,
        .checkpoint = -1,
        .retry = part->retry,
        .gpu = part->failed_gpu,
        .cause = part->cause,
    };
    for (size_t i = 0; i < part->rank_count; i++) {
        const struct msg_part *rank = &part->ranks[i].part;

        out->rate = i == 0 ? rank->rate : lower_rate(out->rate, rank->rate);
        out->emulated |= rank->emulated;
        if (rank->overhead_ms > out->overhead_ms)
            out->overhead_ms = rank->overhead_ms;
        if (out->state == PART_DONE && (i == 0 || rank->ended_us > out->ended_us))
            out->ended_us = rank->ended_us;
        if (part->ranks[i].rank != 0)
            continue;
        out->step = rank->step;
        out->checkpoint = rank->checkpoint;
    }
}

struct rank *part_rank_on(const struct part *part, int32_t gpu)
{
    for (size_t i = 0; i < part->rank_count; i++)
        if (part->ranks[i].gpu == gpu && !rank_has_ended(&part->ranks[i]))
            return &part->ranks[i];
    return NULL;
}

/* ---- events of a part ---- */

static void drop_unsent(struct part *part)
{
    for (size_t i = 0; i < part->rank_count; i++)
        if (!part->ranks[i].prepare_sent && !rank_has_ended(&part->ranks[i]))
            part->ranks[i].part.state = PART_STOPPED;
}

void part_want_stop(struct part *part, const struct msg_stop *stop)
{
    if (!part->stop_wanted) {
        part->stop = *stop;
        part->stop.job = part->run.job;
        part->stop.incarnation = part->run.incarnation;
        part->stop_wanted = true;
    }
    drop_unsent(part);
}

void part_fail(struct part *part, int32_t gpu, bool retry, const char *cause)
{
    if (part->failed)
        return;
    part->failed = true;
    part->retry = retry;
    part->failed_gpu = gpu;
    (void)snprintf(part->cause, sizeof(part->cause), "%s", cause);
}

bool part_hear(struct part *part, struct rank *rank, const struct msg_part *said)
{
    if (said->state < rank->part.state)
        return false;
    rank->part = *said;
    rank->part.cause = NULL;
    if (said->cause && said->cause[0] && !part->failed)
        (void)snprintf(part->cause, sizeof(part->cause), "%s", said->cause);
    if (said->state == PART_FAILED)
        part_fail(part, rank->gpu, said->retry, said->cause);
    return true;
}
