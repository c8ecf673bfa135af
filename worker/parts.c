/* parts.c - see parts.h. */
#include "worker/parts.h"

#include "common/log.h"
#include "common/memory.h"
#include "executor/run_copy.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The active workload of a trainer and the standby one. */
#define RANKS_OF_TRAINER 2

#define CAUSE_BYTES 512

/* So many parts that ended are kept for a master that has not heard of their ends: where plans are fast-forwarded
 * more may end between two heartbeats. A part that is forgotten is answered for as stopped. */
#define ENDED_MAX 256

struct rank {
    int32_t gpu;
    int32_t rank;
    struct msg_part part; /* as the trainer told it, without the cause */
    bool prepare_sent;
    bool begin_sent;
    bool stop_sent;
};

struct part {
    struct msg_run run; /* a copy */
    size_t rank_count;
    struct rank *ranks;
    bool begin_wanted;
    bool stop_wanted;
    bool failed; /* one of its ranks, or it could not run at all */
    bool retry;
    struct msg_begin begin;
    struct msg_stop stop;
    char cause[CAUSE_BYTES];
    enum part_state told;
    int64_t checkpoint_told;
    int64_t described_us; /* when the master was first told how it ended, 0: not yet */
};

/* The latest incarnation of a job that a command named. */
struct known {
    uint64_t job;
    uint32_t incarnation;
};

struct trainer_view {
    bool up;
};

struct parts {
    struct parts_setting setting;
    int64_t *memory_mib;
    struct trainer_view *trainers;
    int32_t node;
    struct part **items; /* in the order in which they came */
    size_t count;
    size_t capacity;
    struct known *known; /* by rising job */
    size_t known_count;
    size_t known_capacity;
};

const char *effect_name(enum effect effect)
{
    static const char *const names[] = {
        [EFFECT_APPLIED] = "applied",
        [EFFECT_REPEATED] = "repeated",
        [EFFECT_STALE] = "stale",
        [EFFECT_REFUSED] = "refused",
    };

    return names[effect];
}

parts_t *parts_new(const struct parts_setting *setting)
{
    const size_t gpus = (size_t)setting->gpu_count;
    parts_t *self = xcalloc(1, sizeof(*self));

    assert(setting->gpu_count > 0);
    self->setting = *setting;
    self->node = -1;
    self->memory_mib = xcalloc(gpus, sizeof(*self->memory_mib));
    if (setting->memory_mib)
        memcpy(self->memory_mib, setting->memory_mib, gpus * sizeof(*self->memory_mib));
    self->trainers = xcalloc(gpus, sizeof(*self->trainers));
    return self;
}

static void part_destroy(struct part *part)
{
    run_copy_clear(&part->run);
    free(part->ranks);
    free(part);
}

void parts_destroy(parts_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        part_destroy((*self)->items[i]);
    free((*self)->items);
    free((*self)->known);
    free((*self)->memory_mib);
    free((*self)->trainers);
    free(*self);
    *self = NULL;
}

void parts_set_node(parts_t *self, int32_t node)
{
    self->node = node;
}

/* ---- how a part is ---- */

static bool is_gone(enum part_state state)
{
    return state >= PART_STOPPED;
}

static size_t count_ranks(const struct part *part, enum part_state from, enum part_state to)
{
    size_t count = 0;

    for (size_t i = 0; i < part->rank_count; i++)
        count += part->ranks[i].part.state >= from && part->ranks[i].part.state <= to;
    return count;
}

static enum part_state end_of(const struct part *part)
{
    if (part->failed)
        return PART_FAILED;
    return count_ranks(part, PART_DONE, PART_DONE) == part->rank_count && part->rank_count > 0
               ? PART_DONE
               : PART_STOPPED;
}

static enum part_state state_of(const struct part *part)
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

/* The lower of two rates, as ranks keep step with each other; one that is no number stays one. */
static double lower_rate(double a, double b)
{
    return isnan(a) || a <= b ? a : b;
}

static void describe(const struct part *part, struct msg_part *out)
{
    *out = (struct msg_part){
        .job = part->run.job,
        .incarnation = part->run.incarnation,
        .state = state_of(part),
        .step = -1,
        .checkpoint = -1,
        .retry = part->retry,
        .cause = part->cause,
    };
    for (size_t i = 0; i < part->rank_count; i++) {
        const struct msg_part *rank = &part->ranks[i].part;

        out->rate = i == 0 ? rank->rate : lower_rate(out->rate, rank->rate);
        out->emulated |= rank->emulated;
        if (rank->overhead_ms > out->overhead_ms)
            out->overhead_ms = rank->overhead_ms;
        if (part->ranks[i].rank != 0)
            continue;
        out->step = rank->step;
        out->checkpoint = rank->checkpoint;
    }
}

static struct log_subject about(const parts_t *self, const struct msg_part *part)
{
    return (struct log_subject){
        .job = (int64_t)part->job,
        .incarnation = part->incarnation,
        .node = self->node,
        .gpu = LOG_NONE,
    };
}

static void send_report(const parts_t *self, const struct msg_part *part)
{
    const struct msg_report report = {.part = *part};

    self->setting.calls->report(self->setting.owner, &report);
}

static void say(const parts_t *self, struct part *part)
{
    struct msg_part now;

    describe(part, &now);
    send_report(self, &now);
}

/* Says and logs what is new of a part. */
static void catch_up(const parts_t *self, struct part *part)
{
    struct log_subject subject;
    struct msg_part now;

    describe(part, &now);
    if (now.state == part->told && now.checkpoint == part->checkpoint_told)
        return;
    subject = about(self, &now);
    if (now.state != part->told)
        log_event(&subject, "part", "state=%s step=%" PRId64 " checkpoint=%" PRId64 " cause=%s",
                  part_state_name(now.state), now.step, now.checkpoint, log_text(now.cause));
    part->told = now.state;
    part->checkpoint_told = now.checkpoint;
    send_report(self, &now);
}

/* ---- what trainers are told ---- */

static void send_prepare(const parts_t *self, const struct part *part, struct rank *rank)
{
    int32_t gpu = rank->gpu;
    int32_t number = rank->rank;
    struct msg_prepare prepare = {
        .run = part->run,
        .local_rank = (int32_t)(rank - part->ranks),
        .local_world = (int32_t)part->rank_count,
        .local_gpus = part->run.gpus,
        .node = self->node,
        .memory_mib = self->memory_mib[gpu],
    };

    prepare.run.gpu_count = 1;
    prepare.run.gpus = &gpu;
    prepare.run.ranks = &number;
    rank->prepare_sent = true;
    self->setting.calls->prepare(self->setting.owner, gpu, &prepare);
}

/* Tells the trainer of a rank what it does not know yet. */
static void push(const parts_t *self, const struct part *part, struct rank *rank)
{
    if (!rank->prepare_sent)
        send_prepare(self, part, rank);
    if (part->stop_wanted && !rank->stop_sent) {
        rank->stop_sent = true;
        self->setting.calls->stop(self->setting.owner, rank->gpu, &part->stop);
    } else if (part->begin_wanted && !rank->begin_sent && rank->part.state == PART_READY) {
        rank->begin_sent = true;
        self->setting.calls->begin(self->setting.owner, rank->gpu, &part->begin);
    }
}

/* The live rank of `part` on `gpu`, NULL if there is none. */
static struct rank *rank_on(const struct part *part, int32_t gpu)
{
    for (size_t i = 0; i < part->rank_count; i++)
        if (part->ranks[i].gpu == gpu && !is_gone(part->ranks[i].part.state))
            return &part->ranks[i];
    return NULL;
}

/* Brings one trainer up to date: it has no more than an active and a standby workload, in the order
 * in which they came. */
static void push_gpu(const parts_t *self, int32_t gpu)
{
    int seats = RANKS_OF_TRAINER;

    for (size_t i = 0; i < self->count && self->trainers[gpu].up; i++) {
        struct rank *rank = rank_on(self->items[i], gpu);

        if (!rank || (seats == 0 && !rank->prepare_sent))
            continue;
        if (seats > 0)
            seats--;
        push(self, self->items[i], rank);
    }
}

static void push_part(const parts_t *self, const struct part *part)
{
    for (size_t i = 0; i < part->rank_count; i++)
        push_gpu(self, part->ranks[i].gpu);
}

/* A rank that no trainer ever heard of ends by itself. */
static void drop_unsent(struct part *part)
{
    for (size_t i = 0; i < part->rank_count; i++)
        if (!part->ranks[i].prepare_sent && !is_gone(part->ranks[i].part.state))
            part->ranks[i].part.state = PART_STOPPED;
}

/* Has all that is left of a part stopped. */
static void want_stop(parts_t *self, struct part *part, const struct msg_stop *stop)
{
    if (!part->stop_wanted) {
        part->stop = *stop;
        part->stop.job = part->run.job;
        part->stop.incarnation = part->run.incarnation;
        part->stop_wanted = true;
    }
    drop_unsent(part);
    push_part(self, part);
    catch_up(self, part);
}

static const struct msg_stop pause = {.step = -1, .why = STOP_PAUSED, .grace_ms = -1};

static void part_fail(parts_t *self, struct part *part, bool retry, const char *cause)
{
    if (!part->failed) {
        part->failed = true;
        part->retry = retry;
        (void)snprintf(part->cause, sizeof(part->cause), "%s", cause);
    }
    want_stop(self, part, &pause);
}

/* ---- which parts there are ---- */

static struct part *find(const parts_t *self, uint64_t job, uint32_t incarnation)
{
    for (size_t i = self->count; i-- > 0;)
        if (self->items[i]->run.job == job && self->items[i]->run.incarnation == incarnation)
            return self->items[i];
    return NULL;
}

/* Where `job` is among the known, or would be. */
static size_t known_place(const parts_t *self, uint64_t job)
{
    size_t low = 0;
    size_t high = self->known_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->known[middle].job < job)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The latest incarnation of `job` that was named, 0 for none. */
static uint32_t known_incarnation(const parts_t *self, uint64_t job)
{
    const size_t place = known_place(self, job);

    return place < self->known_count && self->known[place].job == job
               ? self->known[place].incarnation
               : 0;
}

static void know(parts_t *self, uint64_t job, uint32_t incarnation)
{
    const size_t place = known_place(self, job);

    if (place < self->known_count && self->known[place].job == job) {
        if (incarnation > self->known[place].incarnation)
            self->known[place].incarnation = incarnation;
        return;
    }
    self->known =
        grow_array(self->known, self->known_count, &self->known_capacity, sizeof(*self->known));
    memmove(&self->known[place + 1], &self->known[place],
            (self->known_count - place) * sizeof(*self->known));
    self->known[place] = (struct known){job, incarnation};
    self->known_count++;
}

/* The answer about a part that is not here: it ended as `state`. */
static void say_absent(const parts_t *self, uint64_t job, uint32_t incarnation,
                       enum part_state state, bool retry, const char *cause)
{
    const struct msg_part part = {
        .job = job,
        .incarnation = incarnation,
        .state = state,
        .step = -1,
        .checkpoint = -1,
        .retry = retry,
        .cause = cause,
    };

    send_report(self, &part);
}

/* Whether a command is about an incarnation before the latest; then its answer is given. */
static bool answer_stale(const parts_t *self, uint64_t job, uint32_t incarnation)
{
    const uint32_t latest = known_incarnation(self, job);
    struct part *part;

    if (incarnation >= latest)
        return false;
    part = find(self, job, incarnation);
    if (!part)
        part = find(self, job, latest);
    if (part)
        say(self, part);
    else
        say_absent(self, job, latest, PART_STOPPED, true, "");
    return true;
}

/* The part that a command is about; otherwise NULL, its answer given, and `effect` set. */
static struct part *addressed(const parts_t *self, uint64_t job, uint32_t incarnation,
                              enum effect *effect)
{
    struct part *part = find(self, job, incarnation);

    if (part)
        return part;
    *effect = EFFECT_STALE;
    if (answer_stale(self, job, incarnation))
        return NULL;
    *effect = EFFECT_REFUSED;
    say_absent(self, job, incarnation, PART_STOPPED, true, "it is not on this node");
    return NULL;
}

/* ---- commands ---- */

static bool makes_sense(const parts_t *self, const struct msg_run *run, struct error *error)
{
    if (run->gpu_count == 0)
        return error_set(error, "RUN names no GPU") == 0;
    for (size_t i = 0; i < run->gpu_count; i++) {
        if (run->gpus[i] < 0 || run->gpus[i] >= self->setting.gpu_count)
            return error_set(error, "there is no GPU %" PRId32 " on this node", run->gpus[i]) == 0;
        if (i > 0 && run->gpus[i] <= run->gpus[i - 1])
            return error_set(error, "the GPUs of RUN do not rise") == 0;
        if (run->ranks[i] < 0 || run->ranks[i] >= run->world)
            return error_set(error, "there is no rank %" PRId32 " of %" PRId32, run->ranks[i],
                             run->world) == 0;
    }
    return true;
}

static bool has_ended(const struct part *part)
{
    return is_gone(state_of(part));
}

/* Makes room for one more that ended: the oldest is the one whose end was told the longest ago. */
static void forget_oldest(parts_t *self)
{
    size_t ended = 0;
    size_t oldest = self->count;

    for (size_t i = self->count; i-- > 0;) {
        if (!has_ended(self->items[i]))
            continue;
        ended++;
        oldest = i;
    }
    if (ended < ENDED_MAX)
        return;
    part_destroy(self->items[oldest]);
    self->count--;
    memmove(&self->items[oldest], &self->items[oldest + 1],
            (self->count - oldest) * sizeof(*self->items));
}

static struct part *part_new(const struct msg_run *run)
{
    struct part *part = xcalloc(1, sizeof(*part));

    run_copy(run, &part->run);
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
    return part;
}

enum effect parts_run(parts_t *self, const struct msg_run *run)
{
    struct part *part = find(self, run->job, run->incarnation);
    struct error error;

    if (part) {
        say(self, part);
        return EFFECT_REPEATED;
    }
    if (answer_stale(self, run->job, run->incarnation))
        return EFFECT_STALE;
    if (known_incarnation(self, run->job) == run->incarnation) { /* it ended before */
        say_absent(self, run->job, run->incarnation, PART_STOPPED, true, "");
        return EFFECT_REPEATED;
    }
    if (!makes_sense(self, run, &error)) {
        say_absent(self, run->job, run->incarnation, PART_FAILED, false, error.text);
        return EFFECT_REFUSED;
    }
    know(self, run->job, run->incarnation);
    forget_oldest(self);
    part = part_new(run);
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(struct part *));
    self->items[self->count++] = part;
    push_part(self, part);
    return EFFECT_APPLIED;
}

enum effect parts_refuse(parts_t *self, const struct msg_run *run, const char *cause)
{
    if (answer_stale(self, run->job, run->incarnation))
        return EFFECT_STALE;
    know(self, run->job, run->incarnation);
    say_absent(self, run->job, run->incarnation, PART_FAILED, false, cause);
    return EFFECT_REFUSED;
}

enum effect parts_begin(parts_t *self, const struct msg_begin *begin)
{
    enum effect effect;
    struct part *part = addressed(self, begin->job, begin->incarnation, &effect);

    if (!part)
        return effect;
    if (state_of(part) != PART_READY || part->begin_wanted) {
        say(self, part);
        return EFFECT_REPEATED;
    }
    part->begin = *begin;
    part->begin_wanted = true;
    push_part(self, part);
    return EFFECT_APPLIED;
}

enum effect parts_update(parts_t *self, const struct msg_update *update)
{
    enum effect effect;
    struct part *part = addressed(self, update->job, update->incarnation, &effect);

    if (!part)
        return effect;
    for (size_t i = 0; i < part->rank_count; i++) {
        const struct rank *rank = &part->ranks[i];

        if (!is_gone(rank->part.state) && rank->prepare_sent)
            self->setting.calls->update(self->setting.owner, rank->gpu, update);
    }
    return EFFECT_APPLIED;
}

enum effect parts_stop(parts_t *self, const struct msg_stop *stop)
{
    struct part *part = find(self, stop->job, stop->incarnation);

    if (!part) {
        if (answer_stale(self, stop->job, stop->incarnation))
            return EFFECT_STALE;
        know(self, stop->job, stop->incarnation); /* a RUN that comes later is too late */
        say_absent(self, stop->job, stop->incarnation, PART_STOPPED, true, "");
        return EFFECT_REPEATED;
    }
    if (part->stop_wanted || is_gone(state_of(part))) {
        say(self, part);
        return EFFECT_REPEATED;
    }
    want_stop(self, part, stop);
    return EFFECT_APPLIED;
}

enum effect parts_group(parts_t *self, const struct msg_group *group)
{
    enum effect effect;
    struct part *part = addressed(self, group->job, group->incarnation, &effect);

    if (!part)
        return effect;
    for (size_t i = 0; i < part->rank_count; i++) {
        const struct rank *rank = &part->ranks[i];

        if (is_gone(rank->part.state) || !rank->prepare_sent)
            continue;
        self->setting.calls->group(self->setting.owner, rank->gpu, group);
        return EFFECT_APPLIED;
    }
    say(self, part);
    return EFFECT_REFUSED;
}

/* ---- what trainers say ---- */

void parts_rank(parts_t *self, int32_t gpu, const struct msg_rank_report *report)
{
    struct part *part = find(self, report->part.job, report->part.incarnation);
    struct rank *rank = part ? rank_on(part, gpu) : NULL;

    if (!rank)
        return;
    if (report->grouped) {
        const struct msg_report grouped = {report->part, true, report->took_ms};

        self->setting.calls->report(self->setting.owner, &grouped);
        return;
    }
    /* A report from before the last command may come behind it; a live rank never goes back. */
    if (report->part.state < rank->part.state)
        return;
    rank->part = report->part;
    rank->part.cause = NULL;
    if (report->part.cause && report->part.cause[0] && !part->failed)
        (void)snprintf(part->cause, sizeof(part->cause), "%s", report->part.cause);
    if (report->part.state == PART_FAILED)
        part_fail(self, part, report->part.retry, report->part.cause);
    else
        catch_up(self, part);
    push_gpu(self, gpu);
}

void parts_trainer_up(parts_t *self, int32_t gpu)
{
    self->trainers[gpu].up = true;
    /* What was sent may not have come: it is said again where saying it twice does no harm. */
    for (size_t i = 0; i < self->count; i++) {
        struct rank *rank = rank_on(self->items[i], gpu);

        if (!rank || !rank->prepare_sent)
            continue;
        rank->prepare_sent = rank->part.state > PART_READY || self->items[i]->begin_wanted;
        rank->stop_sent = false;
        rank->begin_sent = false;
        if (rank->part.state > PART_READY && self->items[i]->begin_wanted)
            self->setting.calls->begin(self->setting.owner, gpu, &self->items[i]->begin);
    }
    push_gpu(self, gpu);
}

void parts_trainer_closed(parts_t *self, int32_t gpu)
{
    self->trainers[gpu].up = false;
}

void parts_trainer_gone(parts_t *self, int32_t gpu, const char *cause)
{
    self->trainers[gpu].up = false;
    for (size_t i = 0; i < self->count; i++) {
        struct part *part = self->items[i];
        struct rank *rank = rank_on(part, gpu);

        if (!rank || !rank->prepare_sent)
            continue;
        rank->part.state = PART_FAILED;
        part_fail(self, part, true, cause);
    }
}

void parts_stop_all(parts_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!is_gone(state_of(self->items[i])))
            want_stop(self, self->items[i], &pause);
}

void parts_fail_all(parts_t *self, const char *cause)
{
    for (size_t i = 0; i < self->count; i++)
        if (!is_gone(state_of(self->items[i])))
            part_fail(self, self->items[i], true, cause);
}

/* ---- what the master is told ---- */

size_t parts_describe(parts_t *self, int64_t stamp_us, struct msg_part **found)
{
    *found = xcalloc(self->count ? self->count : 1, sizeof(**found));
    for (size_t i = 0; i < self->count; i++) {
        struct part *part = self->items[i];

        describe(part, &(*found)[i]);
        if (is_gone((*found)[i].state) && part->described_us == 0)
            part->described_us = stamp_us;
    }
    return self->count;
}

void parts_acknowledged(parts_t *self, int64_t stamp_us)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++) {
        struct part *part = self->items[i];

        if (part->described_us != 0 && part->described_us <= stamp_us)
            part_destroy(part);
        else
            self->items[kept++] = part;
    }
    self->count = kept;
}

size_t parts_live(const parts_t *self)
{
    size_t live = 0;

    for (size_t i = 0; i < self->count; i++)
        live += !is_gone(state_of(self->items[i]));
    return live;
}

bool parts_on(const parts_t *self, int32_t gpu)
{
    for (size_t i = 0; i < self->count; i++)
        if (rank_on(self->items[i], gpu))
            return true;
    return false;
}

bool parts_held(const parts_t *self, int32_t gpu)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct rank *rank = rank_on(self->items[i], gpu);

        if (rank && rank->prepare_sent)
            return true;
    }
    return false;
}
