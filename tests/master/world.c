/* world.c - see world.h. */
#include "tests/master/world.h"

#include "common/heap.h"
#include "common/memory.h"
#include "common/rng.h"
#include "master/dispatch_state.h"
#include "master/plan_run.h"
#include "master/plan_run_state.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES     3
#define GPUS      3
#define RANKS     (NODES * GPUS)
#define JOBS      6
#define PARTS     64
#define KNOWN     JOBS
#define MS        INT64_C(1000)
#define SECOND    (1000 * MS)
#define HEARTBEAT SECOND
#define LEASE     (5 * SECOND)
#define PATIENCE  (8 * SECOND) /* of the master, with workloads that are never stable */
#define MISSED    (3 * HEARTBEAT)

/* After the trouble: leases, a stop, and some heartbeats for what got lost. */
#define PEACE (60 * SECOND)

enum wire_kind {
    WIRE_WELCOME,
    WIRE_LEASE,
    WIRE_REFUSED,
    WIRE_RUN,
    WIRE_BEGIN,
    WIRE_UPDATE,
    WIRE_STOP,
    WIRE_RESTART,
    WIRE_HELLO,
    WIRE_HEARTBEAT,
    WIRE_REPORT,
    WIRE_CLOSED, /* no message: the master's end of a connection closes */
};

/* What a RUN says, as far as it matters here. */
struct work {
    uint64_t job;
    uint32_t incarnation;
    int64_t step;
    int32_t node_rank;
    int32_t nodes;
    int32_t world;
    size_t gpu_count;
    int32_t gpus[GPUS];
    int32_t ranks[GPUS];
};

struct wire {
    enum wire_kind kind;
    int node;
    bool to_worker;
    uint64_t session;
    uint64_t sequence;
    uint64_t master; /* which master's life it belongs to */
    int64_t stamp_us;
    uint64_t job;
    uint32_t incarnation;
    int64_t step;
    struct work work;
    uint32_t lock;
    int32_t number; /* of the node, -1 for none */
    int32_t first_rank;
    size_t part_count;
    struct msg_part *parts;
    struct work *works; /* of the parts */
};

/* A part as its worker has it. */
struct holding {
    struct msg_part part;
    struct work work;
    int32_t node_rank;
    uint32_t gpus;     /* bit i is GPU i */
    int64_t ready_us;  /* prepared by then */
    int64_t stable_us; /* INT64_MAX for never */
    int64_t end_us;    /* of stopping */
    bool stop_asked;
    int64_t described_us; /* when its end was first told, 0 for not yet */
};

struct worker {
    bool alive;
    bool locked; /* when it began, nothing of the worker before it lived */
    int64_t frozen_until_us;
    uint64_t life;
    uint64_t session;
    bool in_session;
    uint64_t last_in;
    uint64_t last_out;
    int64_t heard_us;
    int64_t lease_until_us;
    bool numbered;
    int32_t number;
    int32_t first_rank;
    struct holding parts[PARTS];
    size_t part_count;
    uint32_t known[JOBS + 1]; /* latest incarnation, by job */
};

/* The master's end of a link. */
struct seat {
    uint64_t session;
    bool in_session;
    uint64_t last_in;
    uint64_t last_out;
    int64_t heard_us;
    struct worker_node *node;
};

/* The true holder of a GPU; processes of a killed worker live a moment longer. */
struct truth {
    uint64_t job;
    uint32_t incarnation;
    int64_t dies_us; /* INT64_MAX: by its worker's hand */
};

enum timer { TIMER_WORKER, TIMER_SERVER, TIMER_PLAN, TIMER_TROUBLE };

struct event {
    int64_t at_us;
    struct wire *wire; /* NULL for a timer */
    enum timer timer;
    int node;
};

struct world {
    struct world_setting setting;
    rng_t rng;
    int64_t now_us;
    int64_t trouble_until_us;
    heap_t *events;
    uint64_t pushed;
    dispatch_t *dispatch;
    plan_run_t *plan_run;
    uint64_t master;
    struct worker workers[NODES];
    struct seat seats[NODES];
    struct truth truth[RANKS];
    int64_t told[JOBS + 1]; /* the largest checkpoint the master was told of */
    uint32_t last_begun[JOBS + 1];
    uint64_t begun_by[JOBS + 1];    /* which master's life */
    int64_t cut_until_us[NODES][2]; /* towards the worker, from the worker */
    uint64_t sent_to_workers;       /* commands */

    /* The scheduler. */
    bool up[NODES];
    int first_rank[NODES];
    uint64_t round;
    uint64_t settled;
    bool done[JOBS + 1];
    bool held[JOBS + 1];
    bool lost[JOBS + 1];
    bool stable[JOBS + 1];
    int64_t step[JOBS + 1];
    int32_t ranks[JOBS + 1][RANKS]; /* of the plan in force */
    size_t rank_count[JOBS + 1];
    bool dirty; /* what it knows of nodes changed */
    bool fresh_master;

    struct world_counts counts;
};

#define FAIL(world, ...)                                                                           \
    do {                                                                                           \
        print_error("seed %" PRIu64 " at %.3f s: ", (world)->setting.seed,                         \
                    (double)(world)->now_us / (double)SECOND);                                     \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

/* ---- chance ---- */

static bool chance(struct world *world, double probability)
{
    return rng_unit(&world->rng) < probability;
}

static int64_t between(struct world *world, int64_t low_us, int64_t high_us)
{
    return low_us + (int64_t)rng_below(&world->rng, (uint64_t)(high_us - low_us + 1));
}

static bool is_trouble(const struct world *world)
{
    return world->now_us < world->trouble_until_us;
}

/* Whether something that happens every `mean_s` on average happens in this step of 100 ms. */
static bool strikes(struct world *world, double mean_s)
{
    return mean_s > 0 && chance(world, 0.1 / mean_s);
}

/* ---- the network ---- */

static void push_event(struct world *world, int64_t at_us, struct event event)
{
    struct event *copy = xmalloc(sizeof(*copy));

    *copy = event;
    copy->at_us = at_us;
    /* Of events at one time the first to be pushed comes first. */
    heap_push(world->events, at_us << 24 | (int64_t)(world->pushed++ & 0xffffff), copy);
}

static void wire_free(struct wire *wire)
{
    if (wire)
        free(wire->parts);
    if (wire)
        free(wire->works);
    free(wire);
}

static struct wire *wire_copy(const struct wire *from)
{
    struct wire *copy = xmalloc(sizeof(*copy));

    *copy = *from;
    copy->parts = xcalloc(from->part_count, sizeof(*copy->parts));
    if (from->part_count > 0)
        memcpy(copy->parts, from->parts, from->part_count * sizeof(*copy->parts));
    copy->works = xcalloc(from->part_count, sizeof(*copy->works));
    if (from->part_count > 0 && from->works)
        memcpy(copy->works, from->works, from->part_count * sizeof(*copy->works));
    return copy;
}

static void post(struct world *world, const struct wire *wire)
{
    const int copies = is_trouble(world) && chance(world, world->setting.repeat) ? 2 : 1;

    if (is_trouble(world) &&
        (chance(world, world->setting.loss) ||
         world->now_us < world->cut_until_us[wire->node][wire->to_worker ? 0 : 1]))
        return;
    for (int i = 0; i < copies; i++) {
        const double delay_s = is_trouble(world) && world->setting.delay_s > 0
                                   ? rng_exponential(&world->rng, world->setting.delay_s)
                                   : 0;

        push_event(world, world->now_us + 200 + (int64_t)(delay_s * (double)SECOND),
                   (struct event){.wire = wire_copy(wire), .node = wire->node});
    }
}

/* ---- the truth ---- */

static struct truth *truth_of(struct world *world, int node, int gpu)
{
    return &world->truth[node * GPUS + gpu];
}

static void release(struct world *world, int node, const struct holding *holding, int64_t at_us)
{
    for (int gpu = 0; gpu < GPUS; gpu++) {
        struct truth *truth = truth_of(world, node, gpu);

        if (!(holding->gpus >> gpu & 1) || truth->job != holding->part.job ||
            truth->incarnation != holding->part.incarnation)
            continue;
        if (at_us > world->now_us)
            truth->dies_us = at_us;
        else
            *truth = (struct truth){0, 0, INT64_MAX};
    }
}

static void hold(struct world *world, int node, const struct holding *holding)
{
    for (int gpu = 0; gpu < GPUS; gpu++) {
        struct truth *truth = truth_of(world, node, gpu);

        if (!(holding->gpus >> gpu & 1))
            continue;
        if (truth->job != 0)
            FAIL(world,
                 "I2: job %" PRIu64 ".%" PRIu32 " begins on GPU %d of node %d that job %" PRIu64
                 ".%" PRIu32 " holds",
                 holding->part.job, holding->part.incarnation, gpu, node, truth->job,
                 truth->incarnation);
        *truth = (struct truth){holding->part.job, holding->part.incarnation, INT64_MAX};
    }
}

static void check_truth(struct world *world)
{
    uint32_t live[JOBS + 1] = {0};

    for (int i = 0; i < RANKS; i++) {
        struct truth *truth = &world->truth[i];
        const struct worker_node *node = world->seats[i / GPUS].node;
        const struct remote_part *holder;

        if (truth->job != 0 && world->now_us >= truth->dies_us)
            *truth = (struct truth){0, 0, INT64_MAX};
        if (truth->job == 0)
            continue;
        if (live[truth->job] != 0 && live[truth->job] != truth->incarnation)
            FAIL(world, "I2: job %" PRIu64 " lives as %" PRIu32 " and as %" PRIu32, truth->job,
                 live[truth->job], truth->incarnation);
        live[truth->job] = truth->incarnation;
        if (!node)
            continue; /* this master has not met it yet */
        holder = dispatch_holder(world->dispatch, node->first_rank + i % GPUS);
        /* What a master before this one left has no holder for this one. */
        if (holder &&
            (holder->key.job != truth->job || holder->key.incarnation != truth->incarnation))
            FAIL(world, "I3: GPU %d of node %d is given away while job %" PRIu64 " is there",
                 i % GPUS, i / GPUS, truth->job);
        if (!holder && world->counts.masters == 0)
            FAIL(world, "I3: GPU %d of node %d counts as free while job %" PRIu64 " is there",
                 i % GPUS, i / GPUS, truth->job);
    }
}

/* ---- workers ---- */

static bool is_gone(const struct holding *holding)
{
    return holding->part.state >= PART_STOPPED;
}

static bool is_active(const struct holding *holding)
{
    return holding->part.state >= PART_RUNNING && !is_gone(holding);
}

static struct holding *find_holding(struct worker *worker, uint64_t job, uint32_t incarnation)
{
    for (size_t i = 0; i < worker->part_count; i++)
        if (worker->parts[i].part.job == job && worker->parts[i].part.incarnation == incarnation)
            return &worker->parts[i];
    return NULL;
}

static void worker_send(struct world *world, int number, struct wire wire)
{
    struct worker *worker = &world->workers[number];

    wire.node = number;
    wire.master = world->master;
    wire.session = worker->session;
    wire.sequence = ++worker->last_out;
    post(world, &wire);
}

static void worker_report(struct world *world, int number, const struct msg_part *part)
{
    if (world->workers[number].in_session)
        worker_send(world, number,
                    (struct wire){.kind = WIRE_REPORT,
                                  .part_count = 1,
                                  .parts = (struct msg_part *)(uintptr_t)part});
}

static void say_absent(struct world *world, int number, uint64_t job, uint32_t incarnation)
{
    const struct msg_part part = {.job = job,
                                  .incarnation = incarnation,
                                  .state = PART_STOPPED,
                                  .step = -1,
                                  .checkpoint = -1,
                                  .retry = true,
                                  .gpu = -1,
                                  .cause = ""};

    worker_report(world, number, &part);
}

static void holding_end(struct world *world, int number, struct holding *holding,
                        enum part_state state, const char *cause)
{
    release(world, number, holding, world->now_us);
    holding->part.state = state;
    holding->part.cause = cause;
    if (holding->node_rank == 0 && state != PART_FAILED && holding->part.step >= 0)
        holding->part.checkpoint = holding->part.step;
    worker_report(world, number, &holding->part);
}

static uint32_t gpu_bits(const struct work *work)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < work->gpu_count; i++)
        bits |= 1U << work->gpus[i];
    return bits;
}

static void worker_run(struct world *world, int number, const struct wire *wire)
{
    struct worker *worker = &world->workers[number];
    struct holding *holding = find_holding(worker, wire->job, wire->incarnation);

    if (holding) {
        worker_report(world, number, &holding->part);
        return;
    }
    if (wire->incarnation <= worker->known[wire->job]) {
        say_absent(world, number, wire->job, worker->known[wire->job]);
        return;
    }
    if (worker->part_count == PARTS)
        FAIL(world, "node %d has no room for parts", number);
    worker->known[wire->job] = wire->incarnation;
    worker->parts[worker->part_count++] = (struct holding){
        .part = {.job = wire->job,
                 .incarnation = wire->incarnation,
                 .state = PART_PREPARING,
                 .step = -1,
                 .checkpoint = -1,
                 .retry = true,
                 .gpu = -1,
                 .cause = ""},
        .work = wire->work,
        .node_rank = wire->work.node_rank,
        .gpus = gpu_bits(&wire->work),
        .ready_us = world->now_us + between(world, 0, 300 * MS),
        .stable_us = INT64_MAX,
        .end_us = INT64_MAX,
    };
}

static void worker_begin(struct world *world, int number, const struct wire *wire)
{
    struct worker *worker = &world->workers[number];
    struct holding *holding = find_holding(worker, wire->job, wire->incarnation);

    if (!holding) {
        say_absent(world, number, wire->job, wire->incarnation);
        return;
    }
    if (holding->part.state != PART_READY || world->now_us >= worker->lease_until_us) {
        worker_report(world, number, &holding->part);
        return;
    }
    hold(world, number, holding);
    holding->work.step = wire->step;
    world->counts.begun++;
    holding->part.state = PART_RUNNING;
    holding->stable_us = world->now_us + between(world, 0, SECOND);
    if (world->setting.mute > 0 && is_trouble(world) && chance(world, world->setting.mute))
        holding->stable_us = INT64_MAX;
    if (holding->node_rank == 0)
        holding->part.step = wire->step;
    worker_report(world, number, &holding->part);
}

static void worker_update(struct world *world, int number, const struct wire *wire)
{
    struct holding *holding = find_holding(&world->workers[number], wire->job, wire->incarnation);

    if (!holding || !is_active(holding) || holding->node_rank != 0 ||
        holding->part.step >= wire->step)
        return;
    holding->part.step = holding->part.checkpoint = wire->step;
}

static void worker_stop(struct world *world, int number, const struct wire *wire)
{
    struct worker *worker = &world->workers[number];
    struct holding *holding = find_holding(worker, wire->job, wire->incarnation);

    if (!holding) {
        if (wire->incarnation > worker->known[wire->job])
            worker->known[wire->job] = wire->incarnation;
        say_absent(world, number, wire->job, worker->known[wire->job]);
        return;
    }
    if (is_gone(holding) || holding->stop_asked) {
        worker_report(world, number, &holding->part);
        return;
    }
    holding->stop_asked = true;
    if (holding->node_rank == 0 && wire->step > holding->part.step && is_active(holding))
        holding->part.step = wire->step;
    if (!is_active(holding)) {
        holding_end(world, number, holding, PART_STOPPED, "");
        return;
    }
    holding->part.state = PART_STOPPING;
    holding->end_us = world->now_us + between(world, 0, 2 * SECOND);
    worker_report(world, number, &holding->part);
}

static void worker_acknowledged(struct worker *worker, int64_t stamp_us)
{
    size_t kept = 0;

    for (size_t i = 0; i < worker->part_count; i++)
        if (worker->parts[i].described_us == 0 || worker->parts[i].described_us > stamp_us)
            worker->parts[kept++] = worker->parts[i];
    worker->part_count = kept;
    if (stamp_us + LEASE > worker->lease_until_us)
        worker->lease_until_us = stamp_us + LEASE;
}

static size_t describe(struct worker *worker, int64_t now_us, struct msg_part parts[])
{
    for (size_t i = 0; i < worker->part_count; i++) {
        struct holding *holding = &worker->parts[i];

        parts[i] = holding->part;
        if (is_gone(holding) && holding->described_us == 0)
            holding->described_us = now_us;
    }
    return worker->part_count;
}

static void worker_lease_over(struct world *world, int number)
{
    struct worker *worker = &world->workers[number];

    for (size_t i = 0; i < worker->part_count; i++) {
        struct holding *holding = &worker->parts[i];

        if (is_gone(holding))
            continue;
        world->counts.leases_over++;
        release(world, number, holding, world->now_us);
        if (world->now_us < worker->frozen_until_us)
            continue; /* its trainers end by themselves; it finds out when it wakes up */
        holding_end(world, number, holding, PART_FAILED, "lease over");
    }
}

/* What its trainers have come to. */
static void worker_progress(struct world *world, int number, struct holding *holding)
{
    bool busy = false;

    for (int gpu = 0; gpu < GPUS; gpu++) {
        const struct worker *worker = &world->workers[number];

        for (size_t i = 0; i < worker->part_count; i++)
            busy = busy ||
                   (is_active(&worker->parts[i]) && (worker->parts[i].gpus & holding->gpus) != 0);
    }
    if (holding->part.state == PART_PREPARING && world->now_us >= holding->ready_us && !busy) {
        holding->part.state = PART_READY;
        worker_report(world, number, &holding->part);
    } else if (holding->part.state == PART_RUNNING && world->now_us >= holding->stable_us) {
        holding->part.state = PART_STABLE;
        holding->part.rate = 1;
        worker_report(world, number, &holding->part);
    } else if (holding->part.state == PART_STOPPING && world->now_us >= holding->end_us) {
        const bool fails = is_trouble(world) && chance(world, 0.1);

        holding_end(world, number, holding, fails ? PART_FAILED : PART_STOPPED,
                    fails ? "killed" : "");
    }
    if (is_active(holding) && holding->node_rank == 0 && holding->part.step < 900)
        holding->part.step++;
    if (is_active(holding) && holding->part.state == PART_STABLE && is_trouble(world) &&
        strikes(world, world->setting.failure_s))
        holding_end(world, number, holding, PART_FAILED, "crash");
    else if (holding->part.state == PART_STABLE && is_trouble(world) &&
             strikes(world, world->setting.end_s)) {
        if (holding->node_rank == 0)
            holding->part.step = 1000;
        holding_end(world, number, holding, PART_DONE, "");
    }
}

static void worker_hello(struct world *world, int number)
{
    struct worker *worker = &world->workers[number];
    struct msg_part parts[PARTS];
    struct work works[PARTS];
    struct wire wire = {.kind = WIRE_HELLO,
                        .stamp_us = world->now_us,
                        .lock = worker->locked ? (uint32_t)number + 1 : 0,
                        .number = worker->numbered ? worker->number : -1,
                        .first_rank = worker->first_rank,
                        .parts = parts,
                        .works = works};

    for (size_t i = 0; i < worker->part_count; i++)
        works[i] = worker->parts[i].work;
    for (int job = 1; job <= JOBS; job++)
        if (worker->known[job] > wire.incarnation)
            wire.incarnation = worker->known[job];
    worker->session++;
    worker->last_in = worker->last_out = 0;
    wire.part_count = describe(worker, world->now_us, parts);
    worker_send(world, number, wire);
}

static void worker_beat(struct world *world, int number)
{
    struct worker *worker = &world->workers[number];
    struct msg_part parts[PARTS];
    struct wire wire = {.kind = WIRE_HEARTBEAT, .stamp_us = world->now_us, .parts = parts};

    wire.part_count = describe(worker, world->now_us, parts);
    worker_send(world, number, wire);
}

static bool nothing_lives_on(const struct world *world, int node)
{
    for (int gpu = 0; gpu < GPUS; gpu++) {
        const struct truth *truth = &world->truth[node * GPUS + gpu];

        if (truth->job != 0 && world->now_us < truth->dies_us)
            return false;
    }
    return true;
}

/* Every 100 ms of a worker's life. */
static void worker_turn(struct world *world, int number)
{
    struct worker *worker = &world->workers[number];

    push_event(world, world->now_us + 100 * MS,
               (struct event){.timer = TIMER_WORKER, .node = number});
    if (!worker->alive) {
        if (!is_trouble(world) || chance(world, 0.05)) {
            worker->alive = true;
            worker->locked = nothing_lives_on(world, number);
            worker->in_session = false;
        }
        return;
    }
    if (world->now_us >= worker->lease_until_us)
        worker_lease_over(world, number);
    if (world->now_us < worker->frozen_until_us)
        return;
    for (size_t i = 0; i < worker->part_count; i++)
        if (!is_gone(&worker->parts[i]))
            worker_progress(world, number, &worker->parts[i]);
    if (worker->in_session && world->now_us - worker->heard_us > MISSED)
        worker->in_session = false;
    if (world->now_us / (100 * MS) % 10 != (number * 3) % 10)
        return;
    if (worker->in_session)
        worker_beat(world, number);
    else
        worker_hello(world, number);
}

static void worker_take(struct world *world, const struct wire *wire)
{
    struct worker *worker = &world->workers[wire->node];

    if (wire->session != worker->session || wire->master != world->master)
        return;
    if (wire->kind == WIRE_REFUSED) {
        worker->in_session = false;
        return;
    }
    if (wire->sequence <= worker->last_in)
        return;
    worker->last_in = wire->sequence;
    worker->heard_us = world->now_us;
    switch (wire->kind) {
    case WIRE_WELCOME:
        worker->in_session = worker->numbered = true;
        worker->number = wire->number;
        worker->first_rank = wire->first_rank;
        worker_acknowledged(worker, wire->stamp_us);
        break;
    case WIRE_LEASE:
        worker_acknowledged(worker, wire->stamp_us);
        break;
    case WIRE_RUN:
        worker_run(world, wire->node, wire);
        break;
    case WIRE_BEGIN:
        worker_begin(world, wire->node, wire);
        break;
    case WIRE_UPDATE:
        worker_update(world, wire->node, wire);
        break;
    case WIRE_STOP:
        worker_stop(world, wire->node, wire);
        break;
    default:
        break;
    }
}

static void kill_worker(struct world *world, int number)
{
    struct worker *worker = &world->workers[number];
    const uint64_t session = worker->session;

    if (!worker->alive)
        return;
    world->counts.crashes++;
    for (size_t i = 0; i < worker->part_count; i++)
        release(world, number, &worker->parts[i], world->now_us + between(world, 1, 500 * MS));
    *worker = (struct worker){.session = session};
    if (chance(world, 0.7)) /* otherwise a machine that is gone: nothing closes */
        push_event(world, world->now_us + 5 * MS,
                   (struct event){.node = number,
                                  .wire = wire_copy(&(struct wire){.kind = WIRE_CLOSED,
                                                                   .node = number,
                                                                   .session = session,
                                                                   .master = world->master})});
}

/* ---- the master's end of the links ---- */

static struct world *world_of(void *owner)
{
    return owner;
}

static void to_worker(struct world *world, const struct worker_node *node, struct wire wire)
{
    const int number = node->name[1] - '0';
    struct seat *seat = &world->seats[number];

    if (!seat->in_session)
        return;
    if (wire.kind != WIRE_LEASE && wire.kind != WIRE_WELCOME)
        world->sent_to_workers++;
    wire.node = number;
    wire.to_worker = true;
    wire.master = world->master;
    wire.session = seat->session;
    wire.sequence = ++seat->last_out;
    post(world, &wire);
}

static void on_welcome(void *owner, const struct worker_node *node,
                       const struct msg_worker_welcome *welcome)
{
    to_worker(world_of(owner), node,
              (struct wire){.kind = WIRE_WELCOME,
                            .stamp_us = welcome->stamp_us,
                            .number = welcome->node,
                            .first_rank = welcome->first_rank});
}

static void on_lease(void *owner, const struct worker_node *node, const struct msg_lease *lease)
{
    to_worker(world_of(owner), node,
              (struct wire){.kind = WIRE_LEASE, .stamp_us = lease->stamp_us});
}

static void on_run(void *owner, const struct worker_node *node, const struct msg_run *run)
{
    struct wire wire = {.kind = WIRE_RUN,
                        .job = run->job,
                        .incarnation = run->incarnation,
                        .work = {.job = run->job,
                                 .incarnation = run->incarnation,
                                 .step = run->step,
                                 .node_rank = run->node_rank,
                                 .nodes = run->nodes,
                                 .world = run->world,
                                 .gpu_count = run->gpu_count}};

    memcpy(wire.work.gpus, run->gpus, run->gpu_count * sizeof(*run->gpus));
    memcpy(wire.work.ranks, run->ranks, run->gpu_count * sizeof(*run->ranks));
    to_worker(world_of(owner), node, wire);
}

static void on_begin(void *owner, const struct worker_node *node, const struct msg_begin *begin)
{
    struct world *world = owner;

    /* A BEGIN that was lost is said again as it was. */
    if (begin->incarnation != world->last_begun[begin->job] &&
        begin->step < world->told[begin->job])
        FAIL(world, "I10: job %" PRIu64 ".%" PRIu32 " begins from step %" PRId64 " before %" PRId64,
             begin->job, begin->incarnation, begin->step, world->told[begin->job]);
    world->last_begun[begin->job] = begin->incarnation;
    world->begun_by[begin->job] = world->master;
    to_worker(world, node,
              (struct wire){.kind = WIRE_BEGIN,
                            .job = begin->job,
                            .incarnation = begin->incarnation,
                            .step = begin->step});
}

static void on_update(void *owner, const struct worker_node *node, const struct msg_update *update)
{
    to_worker(world_of(owner), node,
              (struct wire){.kind = WIRE_UPDATE,
                            .job = update->job,
                            .incarnation = update->incarnation,
                            .step = update->step});
}

static void on_stop(void *owner, const struct worker_node *node, const struct msg_stop *stop)
{
    to_worker(world_of(owner), node,
              (struct wire){.kind = WIRE_STOP,
                            .job = stop->job,
                            .incarnation = stop->incarnation,
                            .step = stop->step});
}

static void on_restart(void *owner, const struct worker_node *node)
{
    to_worker(world_of(owner), node, (struct wire){.kind = WIRE_RESTART});
}

static const struct worker_calls worker_calls = {on_welcome, on_lease, on_run, on_begin,
                                                 on_update,  on_stop,  NULL,   on_restart};

static void seat_gone(struct world *world, int number, enum gone_how how)
{
    struct seat *seat = &world->seats[number];

    seat->in_session = false;
    dispatch_gone(world->dispatch, seat->node, how, how == GONE_BROKEN ? "closed" : "silent",
                  world->now_us);
}

static struct msg_run run_of(struct work *work)
{
    return (struct msg_run){.job = work->job,
                            .incarnation = work->incarnation,
                            .name = "job",
                            .model = "m",
                            .batch_size = 1,
                            .iterations = 1000,
                            .step = work->step,
                            .rate = 1,
                            .fast_forward = true,
                            .node_rank = work->node_rank,
                            .nodes = work->nodes,
                            .world = work->world,
                            .rendezvous_address = "a",
                            .rendezvous_port = 9000,
                            .gpu_count = work->gpu_count,
                            .gpus = work->gpus,
                            .ranks = work->ranks};
}

static void take_hello(struct world *world, const struct wire *wire)
{
    struct seat *seat = &world->seats[wire->node];
    struct msg_gpu gpus[GPUS];
    struct msg_run runs[PARTS];
    struct error error;
    char name[8];
    const struct msg_worker_hello hello = {.address = "a",
                                           .port = 9000,
                                           .kind = "emulated",
                                           .stamp_us = wire->stamp_us,
                                           .gpu_count = GPUS,
                                           .gpus = gpus,
                                           .numbered = wire->number >= 0,
                                           .node = wire->number,
                                           .first_rank = wire->first_rank,
                                           .lock = wire->lock,
                                           .named = wire->incarnation,
                                           .part_count = wire->part_count,
                                           .parts = wire->parts,
                                           .run_count = wire->part_count,
                                           .runs = runs};

    if (wire->session <= seat->session)
        return;
    if (seat->in_session)
        seat_gone(world, wire->node, GONE_BROKEN);
    for (int i = 0; i < GPUS; i++)
        gpus[i] = (struct msg_gpu){"", 0, false};
    for (size_t i = 0; i < wire->part_count; i++)
        runs[i] = run_of(&wire->works[i]);
    (void)snprintf(name, sizeof(name), "w%d", wire->node);
    seat->node = dispatch_admit(world->dispatch, name, &hello, &error);
    assert_non_null(seat->node);
    seat->session = wire->session;
    seat->in_session = true;
    seat->last_in = wire->sequence;
    seat->last_out = 0;
    seat->heard_us = world->now_us;
    world->first_rank[wire->node] = seat->node->first_rank;
    dispatch_hello(world->dispatch, seat->node, &hello, world->now_us);
}

static void refuse(struct world *world, const struct wire *wire)
{
    post(world, &(struct wire){.kind = WIRE_REFUSED,
                               .node = wire->node,
                               .to_worker = true,
                               .master = world->master,
                               .session = wire->session});
}

static void note_checkpoints(struct world *world, const struct wire *wire)
{
    for (size_t i = 0; i < wire->part_count; i++) {
        const struct msg_part *part = &wire->parts[i];

        /* Of an incarnation that the master has forgotten it hears, but does not listen. */
        if (part_find(world->dispatch, world->seats[wire->node].node, part->job,
                      part->incarnation) &&
            part->checkpoint > world->told[part->job])
            world->told[part->job] = part->checkpoint;
    }
}

static void master_take(struct world *world, const struct wire *wire)
{
    struct seat *seat = &world->seats[wire->node];

    if (wire->master != world->master)
        return;
    if (wire->kind == WIRE_CLOSED) {
        if (seat->in_session && seat->session == wire->session)
            seat_gone(world, wire->node, GONE_BROKEN);
        return;
    }
    if (wire->kind == WIRE_HELLO) {
        take_hello(world, wire);
        return;
    }
    if (!seat->in_session || wire->session != seat->session) {
        refuse(world, wire);
        return;
    }
    if (wire->sequence <= seat->last_in)
        return;
    seat->last_in = wire->sequence;
    seat->heard_us = world->now_us;
    note_checkpoints(world, wire);
    if (wire->kind == WIRE_HEARTBEAT) {
        const struct msg_worker_heartbeat heartbeat = {wire->stamp_us, 0, wire->part_count,
                                                       wire->parts};

        dispatch_heartbeat(world->dispatch, seat->node, &heartbeat, world->now_us);
    } else {
        const struct msg_report report = {wire->parts[0], false, 0};

        dispatch_report(world->dispatch, seat->node, &report, world->now_us);
    }
}

static void server_turn(struct world *world)
{
    push_event(world, world->now_us + 100 * MS, (struct event){.timer = TIMER_SERVER});
    for (int i = 0; i < NODES; i++)
        if (world->seats[i].in_session && world->now_us - world->seats[i].heard_us > MISSED)
            seat_gone(world, i, GONE_FOR_GOOD);
    dispatch_tick(world->dispatch, world->now_us);
    plan_run_tick(world->plan_run, world->now_us);
}

/* ---- the scheduler ---- */

static void on_nodes(void *owner, const struct msg_nodes *nodes)
{
    struct world *world = owner;

    world->dirty = true;
    if (nodes->complete)
        memset(world->up, 0, sizeof(world->up));
    for (size_t i = 0; i < nodes->count; i++) {
        const int node = nodes->nodes[i].name[1] - '0';

        world->up[node] = nodes->nodes[i].up;
        world->first_rank[node] = nodes->nodes[i].first_rank;
    }
}

static void on_job_report(void *owner, const struct msg_job_report *report)
{
    struct world *world = owner;
    const uint64_t job = report->job;

    if (report->round != world->round)
        FAIL(world, "a report of round %" PRIu64 " in round %" PRIu64, report->round, world->round);
    if (report->state != JOB_REPORT_DONE)
        world->step[job] = report->step;
    world->counts.adopted += report->state == JOB_REPORT_STABLE &&
                             report->incarnation == world->last_begun[job] &&
                             world->begun_by[job] != world->master;
    world->stable[job] = report->state == JOB_REPORT_STABLE;
    world->lost[job] = report->state == JOB_REPORT_LOST;
    if (report->state == JOB_REPORT_DONE && !world->done[job])
        world->counts.done++;
    if (report->state == JOB_REPORT_HELD && !world->held[job])
        world->counts.held++;
    world->dirty = world->dirty || world->lost[job] ||
                   (report->state == JOB_REPORT_DONE && !world->done[job]) ||
                   (report->state == JOB_REPORT_HELD && !world->held[job]);
    world->done[job] = world->done[job] || report->state == JOB_REPORT_DONE;
    world->held[job] = world->held[job] || report->state == JOB_REPORT_HELD;
}

static void on_settled(void *owner, const struct msg_settled *settled)
{
    struct world *world = owner;

    world->settled = settled->round;
    world->counts.settled++;
}

static void on_scheduler_welcome(void *owner, const struct msg_scheduler_welcome *welcome)
{
    (void)owner;
    (void)welcome;
}

static void on_progress(void *owner, const struct msg_master_heartbeat *heartbeat)
{
    struct world *world = owner;

    for (size_t i = 0; i < heartbeat->count; i++)
        if (heartbeat->progress[i].step > world->step[heartbeat->progress[i].job])
            world->step[heartbeat->progress[i].job] = heartbeat->progress[i].step;
}

static const struct scheduler_calls scheduler_calls = {on_scheduler_welcome, on_nodes,
                                                       on_job_report, on_settled, on_progress};

/* The GPUs of nodes that are up, in the ranks of this master, in random order; returns how many. */
static size_t free_ranks(struct world *world, int32_t ranks[])
{
    size_t count = 0;

    for (int i = 0; i < NODES; i++)
        for (int gpu = 0; gpu < GPUS && world->up[i] && world->seats[i].node; gpu++)
            ranks[count++] = (int32_t)(world->first_rank[i] + gpu);
    for (size_t i = count; i > 1; i--) {
        const size_t other = rng_below(&world->rng, i);
        const int32_t kept = ranks[i - 1];

        ranks[i - 1] = ranks[other];
        ranks[other] = kept;
    }
    return count;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* Whether all GPUs of the plan in force are still there for `job`, and taken from `ranks`. */
static bool keeps(const struct world *world, int job, int32_t ranks[], size_t *count)
{
    int32_t left[RANKS];
    size_t left_count = 0;
    size_t found = 0;

    for (size_t i = 0; i < *count; i++) {
        bool wanted = false;

        for (size_t k = 0; k < world->rank_count[job]; k++)
            wanted = wanted || world->ranks[job][k] == ranks[i];
        if (wanted)
            found++;
        else
            left[left_count++] = ranks[i];
    }
    if (world->rank_count[job] == 0 || found < world->rank_count[job])
        return false;
    memcpy(ranks, left, left_count * sizeof(*left));
    *count = left_count;
    return true;
}

static struct msg_planned_job planned(struct world *world, int job)
{
    return (struct msg_planned_job){.job = (uint64_t)job,
                                    .name = "job",
                                    .model = "m",
                                    .batch_size = 1,
                                    .iterations = 1000,
                                    .step = world->step[job],
                                    .rate = 1,
                                    .rank_count = world->rank_count[job],
                                    .ranks = world->ranks[job]};
}

static void give_ranks(struct world *world, int job, int32_t ranks[], size_t *count)
{
    const bool wanted = !world->done[job] && !world->held[job] && chance(world, 0.7);
    const size_t before_count = world->rank_count[job];
    int32_t before[RANKS];

    if (wanted && chance(world, 0.5) && keeps(world, job, ranks, count))
        return;
    memcpy(before, world->ranks[job], sizeof(before));
    world->rank_count[job] = 0;
    if (wanted && *count > 0) {
        world->rank_count[job] = 1 + rng_below(&world->rng, *count < 4 ? *count : 4);
        *count -= world->rank_count[job];
        memcpy(world->ranks[job], ranks + *count, world->rank_count[job] * sizeof(*ranks));
        qsort(world->ranks[job], world->rank_count[job], sizeof(*ranks), compare_ranks);
    }
    if (world->rank_count[job] != before_count ||
        memcmp(before, world->ranks[job], before_count * sizeof(*before)) != 0)
        world->stable[job] = false;
}

static void send_plan(struct world *world)
{
    struct msg_planned_job jobs[JOBS];
    struct msg_planned_stop stops[JOBS];
    struct msg_plan plan = {.round = world->round,
                            .fast_forward = true,
                            .restart = world->round % 17 == 0,
                            .jobs = jobs,
                            .stops = stops};
    struct error error;

    for (int job = 1; job <= JOBS; job++) {
        if (world->rank_count[job] > 0)
            jobs[plan.job_count++] = planned(world, job);
        else if (job % 2 == 0) /* the others stand nowhere, which means the same */
            stops[plan.stop_count++] =
                (struct msg_planned_stop){(uint64_t)job, world->step[job], STOP_PAUSED};
    }
    if (plan_run_take(world->plan_run, &plan, world->now_us, &error) < 0)
        FAIL(world, "the plan is refused: %s", error.text);
}

/* I8. */
static void plan_again(struct world *world)
{
    const uint64_t before = world->sent_to_workers;
    const bool waited = world->plan_run->waits; /* then it may be carried out now */

    send_plan(world);
    if (world->sent_to_workers != before && !waited)
        FAIL(world, "I8: a repeated plan sends commands");
}

static void plan_turn(struct world *world)
{
    int32_t ranks[RANKS];
    size_t count;

    push_event(world, world->now_us + between(world, 100 * MS, 4 * SECOND),
               (struct event){.timer = TIMER_PLAN});
    plan_run_heartbeat(world->plan_run);
    if (world->round > 0 && !world->fresh_master && chance(world, 0.3)) {
        plan_again(world);
        return;
    }
    if (!is_trouble(world) && !world->dirty)
        return;
    world->dirty = false;
    count = free_ranks(world, ranks);
    for (int job = 1; job <= JOBS; job++)
        give_ranks(world, job, ranks, &count);
    world->round++;
    world->fresh_master = false;
    send_plan(world);
}

/* ---- trouble ---- */

static void new_master(struct world *world)
{
    const struct dispatch_setting setting = {
        HEARTBEAT, LEASE, world->now_us, NODES, world->setting.mute > 0 ? PATIENCE : 0, true};
    static const struct msg_scheduler_welcome welcome = {1000, 5000, NODES};

    world->master++;
    world->plan_run = plan_run_new(&welcome, &scheduler_calls, world);
    world->dispatch =
        dispatch_new(&setting, &worker_calls, world, &plan_run_watch, world->plan_run);
    plan_run_use(world->plan_run, world->dispatch);
    memset(world->seats, 0, sizeof(world->seats));
    memset(world->up, 0, sizeof(world->up));
    world->fresh_master = world->dirty = true;
    for (int job = 1; job <= JOBS; job++)
        world->told[job] = -1; /* what the one before was told */
    plan_run_hello(world->plan_run, "s");
}

static void end_master(struct world *world)
{
    plan_run_destroy(&world->plan_run);
    dispatch_destroy(&world->dispatch);
}

/* The scheduler is another one, or has the plan in force. */
static void kill_master(struct world *world)
{
    const bool same_scheduler = world->round > 0 && chance(world, 0.7);

    world->counts.masters++;
    end_master(world);
    new_master(world);
    for (int i = 0; i < NODES; i++) {
        world->workers[i].in_session = false;
        world->workers[i].session++;
    }
    for (int job = 1; job <= JOBS && !same_scheduler; job++)
        world->rank_count[job] = 0;
    if (same_scheduler)
        send_plan(world);
}

static void trouble_turn(struct world *world)
{
    if (!is_trouble(world))
        return;
    push_event(world, world->now_us + 100 * MS, (struct event){.timer = TIMER_TROUBLE});
    for (int i = 0; i < NODES; i++) {
        if (strikes(world, world->setting.crash_s))
            kill_worker(world, i);
        if (strikes(world, world->setting.freeze_s))
            world->workers[i].frozen_until_us = world->now_us + between(world, SECOND, 2 * LEASE);
        if (strikes(world, world->setting.cut_s)) {
            const int64_t until_us = world->now_us + between(world, SECOND, 2 * LEASE);
            const uint64_t how = rng_below(&world->rng, 3);

            if (how != 0)
                world->cut_until_us[i][0] = until_us;
            if (how != 1)
                world->cut_until_us[i][1] = until_us;
        }
    }
    if (strikes(world, world->setting.master_s))
        kill_master(world);
}

/* ---- a run ---- */

static void handle(struct world *world, const struct event *event)
{
    if (event->wire) {
        struct worker *worker = &world->workers[event->node];

        if (!event->wire->to_worker) {
            master_take(world, event->wire);
        } else if (worker->alive && world->now_us >= worker->frozen_until_us) {
            /* However long it slept, the lease comes first. */
            if (world->now_us >= worker->lease_until_us)
                worker_lease_over(world, event->node);
            worker_take(world, event->wire);
        } else if (worker->alive) {
            push_event(world, worker->frozen_until_us,
                       (struct event){.wire = wire_copy(event->wire), .node = event->node});
        }
        return;
    }
    switch (event->timer) {
    case TIMER_WORKER:
        worker_turn(world, event->node);
        break;
    case TIMER_SERVER:
        server_turn(world);
        break;
    case TIMER_PLAN:
        plan_turn(world);
        break;
    case TIMER_TROUBLE:
        trouble_turn(world);
        break;
    }
}

/* I11. */
static bool all_is_well(const struct world *world)
{
    for (int i = 0; i < NODES; i++)
        if (!world->seats[i].node || world->seats[i].node->state != WORKER_UP)
            return false;
    for (int job = 1; job <= JOBS; job++)
        if (world->rank_count[job] > 0 && !world->done[job] && !world->held[job] &&
            !world->stable[job])
            return false;
    for (int i = 0; i < RANKS; i++) {
        bool wanted = world->truth[i].job == 0;
        const int32_t rank = (int32_t)(world->first_rank[i / GPUS] + i % GPUS);

        for (size_t k = 0; !wanted && k < world->rank_count[world->truth[i].job]; k++)
            wanted = world->ranks[world->truth[i].job][k] == rank;
        if (!wanted)
            return false;
    }
    return world->settled == world->round && !world->dirty;
}

static void explain(const struct world *world)
{
    print_error("round %" PRIu64 ", settled %" PRIu64 ", dirty %d\n", world->round, world->settled,
                world->dirty);
    for (int i = 0; i < NODES; i++)
        print_error("node %d: state %d session %d strays %zu\n", i,
                    world->seats[i].node ? (int)world->seats[i].node->state : -1,
                    world->seats[i].in_session,
                    world->seats[i].node ? world->seats[i].node->stray_count : 0);
    for (int job = 1; job <= JOBS; job++)
        print_error("job %d: %zu ranks, stable %d lost %d done %d held %d\n", job,
                    world->rank_count[job], world->stable[job], world->lost[job], world->done[job],
                    world->held[job]);
    for (const struct planned_job *job = world->plan_run->jobs.all; job; job = job->next)
        print_error("master's job %" PRIu64
                    ": planned %d held %d done %d lost %d alive %zu settled %d "
                    "orphan %d current %" PRIu32 "\n",
                    job->number, job->planned, job->held, job->done, job->lost, job->alive,
                    job->settled, job->orphan, job->current ? job->current->number : 0);
    for (const struct remote_part *part = world->dispatch->parts; part; part = part->hh.next)
        print_error(
            "master's part %" PRIu64 ".%" PRIu32 " on %d: phase %d sent %d begun %d seen %d "
            "state %s fence %" PRId64 "\n",
            part->key.job, part->key.incarnation, part->key.node, (int)part->incarnation->phase,
            part->sent, part->begun, part->seen, part_state_name(part->state), part->fence_us);
    for (int i = 0; i < NODES; i++)
        print_error("worker %d: alive %d in session %d, %" PRIu64 ", heard %" PRId64
                    " lease %" PRId64 " frozen %" PRId64 ", seat %" PRIu64 "\n",
                    i, world->workers[i].alive, world->workers[i].in_session,
                    world->workers[i].session, world->workers[i].heard_us,
                    world->workers[i].lease_until_us, world->workers[i].frozen_until_us,
                    world->seats[i].session);
    for (int i = 0; i < NODES; i++)
        for (size_t k = 0; k < world->workers[i].part_count; k++)
            print_error("worker %d's part %" PRIu64 ".%" PRIu32 ": %s gpus %x\n", i,
                        world->workers[i].parts[k].part.job,
                        world->workers[i].parts[k].part.incarnation,
                        part_state_name(world->workers[i].parts[k].part.state),
                        world->workers[i].parts[k].gpus);
    for (int i = 0; i < RANKS; i++)
        print_error("gpu %d.%d: %" PRIu64 ".%" PRIu32 "\n", i / GPUS, i % GPUS, world->truth[i].job,
                    world->truth[i].incarnation);
}

static void run_events(struct world *world)
{
    while (is_trouble(world) || !all_is_well(world)) {
        struct event *event = heap_first(world->events);

        world->now_us = event->at_us;
        (void)heap_pop(world->events);
        handle(world, event);
        wire_free(event->wire);
        free(event);
        check_truth(world);
        world->counts.events++;
        if (world->now_us > world->trouble_until_us + PEACE) {
            explain(world);
            FAIL(world, "I11: not all that is planned runs, %d s after the last fault",
                 (int)(PEACE / SECOND));
        }
    }
}

struct world_counts world_run(const struct world_setting *setting)
{
    struct world *world = xcalloc(1, sizeof(*world));
    struct world_counts counts;

    world->setting = *setting;
    world->rng = rng_new(setting->seed, "world");
    world->now_us = SECOND;
    world->trouble_until_us = (int64_t)(setting->trouble_s * (double)SECOND);
    world->events = heap_new();
    for (int i = 0; i < RANKS; i++)
        world->truth[i].dies_us = INT64_MAX;
    new_master(world);
    for (int i = 0; i < NODES; i++)
        push_event(world, world->now_us, (struct event){.timer = TIMER_WORKER, .node = i});
    push_event(world, world->now_us, (struct event){.timer = TIMER_SERVER});
    push_event(world, world->now_us + 3 * SECOND, (struct event){.timer = TIMER_PLAN});
    push_event(world, world->now_us, (struct event){.timer = TIMER_TROUBLE});
    run_events(world);
    counts = world->counts;
    while (heap_count(world->events) > 0) {
        struct event *event = heap_pop(world->events);

        wire_free(event->wire);
        free(event);
    }
    heap_destroy(&world->events);
    end_master(world);
    free(world);
    return counts;
}
