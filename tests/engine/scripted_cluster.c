/* scripted_cluster.c - see scripted_cluster.h. */
#include "tests/engine/scripted_cluster.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/run/correction.h"
#include "tests/engine/decision_watch.h"
#include "tests/support/test.h"

#include <stdlib.h>

/* A job that is never as fast as expected again, or ever was slower. */
struct laggard {
    uint64_t number;
    double pace;
};

struct scripted_cluster {
    struct driver driver;
    struct mischief mischief;
    rng_t *rng;
    struct engine_setting setting;
    decision_watch_t *watch;
    bool *down; /* by node, from the next step on */
    int *gpus;  /* by node: that it has, up or not */
    const struct submission *offered;
    size_t offered_count;
    size_t announced; /* so many of them are, or cannot run */
    struct laggard *laggards;
    size_t laggard_count;
    size_t laggard_room;
    struct occurrence *items; /* of what happens next */
    size_t count;
    size_t room;
    bool limited; /* some node is known to be there until a time, or has fewer GPUs */
    bool noticed; /* one of them does not wait for the next round */
    struct mischief_tally tally;
};

/* ---- chances ---- */

static bool is_peaceful(const scripted_cluster_t *self)
{
    return self->tally.steps < self->mischief.calm_steps ||
           self->tally.steps >= self->mischief.steps;
}

static bool happens(scripted_cluster_t *self, double probability)
{
    return probability > 0 && !is_peaceful(self) && rng_unit(self->rng) < probability;
}

static size_t one_of(scripted_cluster_t *self, size_t count)
{
    return (size_t)rng_below(self->rng, count);
}

static struct occurrence *tell(scripted_cluster_t *self, enum occurrence_kind kind)
{
    self->items = grow_array(self->items, self->count, &self->room, sizeof(*self->items));
    self->items[self->count] = (struct occurrence){.kind = kind, .row = UINT32_MAX, .pace = 1};
    return &self->items[self->count++];
}

/* Of a job, which may be found at its row. */
static struct occurrence *tell_of(scripted_cluster_t *self, enum occurrence_kind kind,
                                  const struct job *job)
{
    struct occurrence *occurrence = tell(self, kind);

    occurrence->job = job->submission->number;
    if (rng_below(self->rng, 2) == 0)
        occurrence->row = job->row;
    return occurrence;
}

/* ---- nodes ---- */

static int node_count(const scripted_cluster_t *self)
{
    return cluster_spec_nodes(&self->setting.cluster);
}

static int nodes_up(const scripted_cluster_t *self)
{
    int count = 0;

    for (int i = 0; i < node_count(self); i++)
        count += !self->down[i];
    return count;
}

/* Policies that choose the nodes themselves plan whole ones. */
static bool is_of_use(const scripted_cluster_t *self, int gpus)
{
    return !self->setting.policy->stages.gain_node ||
           gpus == self->setting.cluster.pools[0].gpus_per_node;
}

/* A node that is up with `gpus` GPUs. */
static void change_gpus(scripted_cluster_t *self, int node, enum occurrence_kind kind, int gpus)
{
    struct occurrence *occurrence = tell(self, kind);
    const bool is_up = kind == OCCURRENCE_NODE_UP && is_of_use(self, gpus);
    const int before = self->down[node] ? 0 : self->gpus[node];
    const int after = is_up ? gpus : 0;

    occurrence->node = node;
    occurrence->gpus = kind == OCCURRENCE_NODE_UP && gpus != self->gpus[node] ? gpus : 0;
    occurrence->cause = "it was told to";
    self->down[node] = !is_up;
    self->gpus[node] = gpus;
    self->noticed = true;
    self->tally.joined += after > before;
    self->tally.left += after < before;
}

static void change_node(scripted_cluster_t *self, int node, enum occurrence_kind kind)
{
    change_gpus(self, node, kind, self->gpus[node]);
}

/* Some node that is up, or one that is down; -1 if there is none. */
static int pick_node(scripted_cluster_t *self, bool down)
{
    const int from = (int)one_of(self, (size_t)node_count(self));

    for (int i = 0; i < node_count(self); i++)
        if (self->down[(from + i) % node_count(self)] == down)
            return (from + i) % node_count(self);
    return -1;
}

/* A node that comes or goes on with other GPUs than before. Policies that plan whole nodes lose
 * it. */
static void resize_node(scripted_cluster_t *self)
{
    const int per_node = self->setting.cluster.pools[0].gpus_per_node;
    const int node = (int)one_of(self, (size_t)node_count(self));
    const int gpus = 1 + (int)one_of(self, (size_t)per_node);

    if (!is_of_use(self, gpus) && nodes_up(self) <= self->mischief.nodes_left)
        return;
    change_gpus(self, node, OCCURRENCE_NODE_UP, gpus);
    self->limited = true;
}

static void change_nodes(scripted_cluster_t *self, int64_t now_s)
{
    if (happens(self, self->mischief.node_blinks) && nodes_up(self) > 0) {
        const int node = pick_node(self, false);

        change_node(self, node, OCCURRENCE_NODE_GONE);
        change_node(self, node, OCCURRENCE_NODE_UP);
    }
    if (happens(self, self->mischief.node_leaves) && nodes_up(self) > self->mischief.nodes_left)
        change_node(self, pick_node(self, false), OCCURRENCE_NODE_GONE);
    if (happens(self, self->mischief.node_drains) && nodes_up(self) > self->mischief.nodes_left)
        change_node(self, pick_node(self, false), OCCURRENCE_NODE_DRAINING);
    if (happens(self, self->mischief.node_joins) && nodes_up(self) < node_count(self))
        change_node(self, pick_node(self, true), OCCURRENCE_NODE_UP);
    if (happens(self, self->mischief.node_shrinks))
        resize_node(self);
    if (happens(self, self->mischief.node_stays) && nodes_up(self) > 0) {
        struct occurrence *stays = tell(self, OCCURRENCE_NODE_UP);

        stays->node = pick_node(self, false);
        stays->until_s =
            now_s + (int64_t)rng_below(self->rng, (uint64_t)(20 * self->setting.slot_s));
        self->limited = true;
    }
}

/* All nodes are there from now on, with all GPUs. */
static void make_peace(scripted_cluster_t *self)
{
    for (int node = 0; node < node_count(self); node++)
        if (self->down[node] || self->limited)
            change_gpus(self, node, OCCURRENCE_NODE_UP,
                        self->setting.cluster.pools[0].gpus_per_node);
    self->limited = false;
}

/* Nodes go by themselves, too. */
static void look_at_nodes(scripted_cluster_t *self, const struct decision *decision)
{
    for (int node = 0; node < node_count(self); node++)
        self->down[node] = !cluster_is_up(decision->cluster, node);
}

/* ---- what jobs did ---- */

static double *pace_of(scripted_cluster_t *self, uint64_t number)
{
    for (size_t i = 0; i < self->laggard_count; i++)
        if (self->laggards[i].number == number)
            return &self->laggards[i].pace;
    return NULL;
}

static void lag(scripted_cluster_t *self, uint64_t number)
{
    if (pace_of(self, number))
        return;
    self->laggards = grow_array(self->laggards, self->laggard_count, &self->laggard_room,
                                sizeof(*self->laggards));
    self->laggards[self->laggard_count++] =
        (struct laggard){number, rng_uniform(self->rng, 0.1, 1.3)};
    self->tally.lagged++;
}

/* What was expected, but at that pace, and without the iterations that are lost; then some are left
 * to do. */
static void deviate(const engine_t *engine, const struct job *job, double pace, double lost,
                    int64_t now_s, struct occurrence *occurrence)
{
    const struct books books = {.measure = engine_measure(engine),
                                .whole_s = engine_whole_s(engine, job),
                                .attained_s = job->attained_s,
                                .iterations = (double)job->submission->iterations,
                                .iterations_left = job->iterations_left,
                                .rate = engine_rate(engine, job),
                                .now_s = now_s};
    double uncredited_s = 0;

    occurrence->deviates = true;
    occurrence->pace = pace;
    occurrence->cause = lost > 0 ? "a rank died" : "wrong speed";
    books_correct(
        &books,
        &(struct observed){.pace = pace, .lost = lost, .left = lost > 0 || pace < 0.1 ? 1 : 0},
        &uncredited_s, &occurrence->progress);
}

static void disturb_progress(scripted_cluster_t *self, const engine_t *engine,
                             const struct job *job, int64_t now_s, struct occurrence *occurrence)
{
    double pace = 1;
    double lost = 0;

    if (happens(self, self->mischief.job_lags))
        lag(self, occurrence->job);
    if (pace_of(self, occurrence->job) && !is_peaceful(self))
        pace = *pace_of(self, occurrence->job);
    if (happens(self, self->mischief.job_slows)) {
        pace = 0.1 * rng_unit(self->rng);
        self->tally.slowed++;
    }
    if (happens(self, self->mischief.job_loses)) {
        lost = rng_unit(self->rng) * (double)engine_iterations_done(engine, job);
        self->tally.lost++;
    }
    if (pace != 1 || lost > 0)
        deviate(engine, job, pace, lost, now_s, occurrence);
}

static int tell_progress(scripted_cluster_t *self, engine_t *engine, int64_t now_s,
                         struct error *error)
{
    struct occurrence *expected;
    long count;

    if (happens(self, self->mischief.as_expected)) {
        (void)tell(self, OCCURRENCE_EXPECTED);
        return 0;
    }
    count = engine_expect(engine, now_s, &expected, error);
    for (long i = 0; i < count; i++) {
        const struct job *job = engine_job(engine, expected[i].job);

        assert_non_null(job);
        if (happens(self, self->mischief.unheard))
            continue;
        *tell(self, OCCURRENCE_PROGRESS) = expected[i];
        disturb_progress(self, engine, job, now_s, &self->items[self->count - 1]);
    }
    return count < 0 ? -1 : 0;
}

/* ---- jobs that come and go ---- */

static void announce(scripted_cluster_t *self, engine_t *engine, int64_t now_s)
{
    const struct submission *submission = &self->offered[self->announced++];
    const int64_t ahead_s = submission->submit_s - now_s;
    struct error error;

    if (engine_check(engine, submission, &error) < 0)
        return;
    tell(self, OCCURRENCE_SUBMITTED)->submission = submission;
    self->tally.past += ahead_s < 0;
    self->tally.ahead += ahead_s > 100 * self->setting.slot_s;
}

static void announce_some(scripted_cluster_t *self, engine_t *engine, int64_t now_s)
{
    while (self->announced < self->offered_count &&
           (is_peaceful(self) || happens(self, self->mischief.job_comes)))
        announce(self, engine, now_s);
}

/* Some job that holds GPUs; NULL if none does. */
static const struct job *pick_holder(scripted_cluster_t *self, const struct decision *decision)
{
    if (decision->holding_count == 0)
        return NULL;
    return decision->holdings[one_of(self, decision->holding_count)].job;
}

/* Jobs end early: those that fail hold GPUs, those that are cancelled may be anywhere. */
static void end_some(scripted_cluster_t *self, const struct decision *decision)
{
    const struct job *job = pick_holder(self, decision);

    if (job && happens(self, self->mischief.job_fails)) {
        tell_of(self, OCCURRENCE_FAILED, job)->cause = "failed too often";
        self->noticed = true;
        self->tally.failed++;
    }
    while (self->announced > 0 && happens(self, self->mischief.job_leaves)) {
        const size_t i = one_of(self, self->announced);

        tell(self, rng_below(self->rng, 4) == 0 ? OCCURRENCE_FAILED : OCCURRENCE_CANCELLED)->job =
            self->offered[i].number;
        self->tally.cancelled++;
    }
}

static void pay(scripted_cluster_t *self, const struct decision *decision)
{
    const struct job *job = pick_holder(self, decision);

    if (!job || !happens(self, self->mischief.pays))
        return;
    tell_of(self, OCCURRENCE_PAID, job)->overhead_s = rng_below(self->rng, 8) == 0
                                                          ? (int)rng_log_uniform(self->rng, 1, 1e5)
                                                          : (int)rng_below(self->rng, 100);
    self->tally.paid++;
}

/* A node is where it is. */
static void tell_stray_node(scripted_cluster_t *self)
{
    const int node = (int)one_of(self, (size_t)node_count(self));

    if (!happens(self, self->mischief.stray))
        return;
    tell(self, !self->down[node]              ? OCCURRENCE_NODE_UP
               : rng_below(self->rng, 2) == 0 ? OCCURRENCE_NODE_GONE
                                              : OCCURRENCE_NODE_DRAINING)
        ->node = node;
}

/* News of jobs that hold nothing, are over or never were. */
static void tell_stray(scripted_cluster_t *self)
{
    static const enum occurrence_kind kinds[] = {OCCURRENCE_PROGRESS, OCCURRENCE_PAID,
                                                 OCCURRENCE_CANCELLED, OCCURRENCE_FAILED};
    struct occurrence *stray;
    uint64_t number = UINT64_MAX - rng_below(self->rng, 100);
    enum occurrence_kind kind = kinds[one_of(self, COUNT(kinds))];

    if (!happens(self, self->mischief.stray))
        return;
    if (self->announced > 0 && kind <= OCCURRENCE_PAID && rng_below(self->rng, 2) == 0)
        number = self->offered[one_of(self, self->announced)].number;
    if (decision_watch_gpus(self->watch, number) > 0)
        return;
    stray = tell(self, kind);
    stray->job = number;
    stray->row = (uint32_t)rng_below(self->rng, 20);
    stray->overhead_s = 10;
    stray->progress = (struct progress){.iterations = 100, .worked_s = 10};
}

/* ---- time ---- */

static int64_t next_s(scripted_cluster_t *self, const struct decision *decision)
{
    const struct mischief *mischief = &self->mischief;
    const int64_t now = decision->now_s;
    const int64_t slot_s = self->setting.slot_s;
    int64_t due_s = decision->next_s;

    if (due_s == NEVER_S || (due_s > now + 1000 * slot_s && !is_peaceful(self)))
        due_s = now + 1 + (int64_t)rng_below(self->rng, (uint64_t)(3 * slot_s));
    if (self->noticed && mischief->early == 0)
        return now + 1;
    if (happens(self, mischief->again))
        return now;
    if (happens(self, mischief->early))
        return now + 1 + (int64_t)rng_below(self->rng, (uint64_t)(due_s - now));
    if (happens(self, mischief->late))
        return due_s + (int64_t)rng_below(self->rng, (uint64_t)(3 * slot_s));
    return due_s;
}

/* ---- a step ---- */

struct happening scripted_cluster_begin(scripted_cluster_t *self, engine_t *engine, int64_t now_s,
                                        size_t count)
{
    self->count = 0;
    while (self->announced < count)
        announce(self, engine, now_s);
    decision_watch_hear(self->watch, self->items, self->count);
    return (struct happening){now_s, self->items, self->count};
}

/* Nothing is due any more: no job is left, or only such as never end. */
static bool is_over(const scripted_cluster_t *self, const engine_t *engine,
                    const struct decision *decision)
{
    const struct engine_status status = engine_status(engine);

    return decision->next_s == NEVER_S && self->announced == self->offered_count &&
           (status.settled == status.jobs ||
            (is_peaceful(self) && nodes_up(self) == node_count(self)));
}

int scripted_cluster_next(scripted_cluster_t *self, engine_t *engine,
                          const struct decision *decision, struct happening *next,
                          struct error *error)
{
    int64_t now_s;

    decision_watch_check(self->watch, engine, decision);
    self->tally.steps++;
    self->count = 0;
    self->noticed = false;
    look_at_nodes(self, decision);
    if (is_over(self, engine, decision)) {
        decision_watch_check_end(self->watch);
        return 0;
    }
    if (is_peaceful(self))
        make_peace(self);
    else
        change_nodes(self, decision->now_s);
    end_some(self, decision);
    pay(self, decision);
    now_s = next_s(self, decision);
    self->tally.same_time += now_s == decision->now_s;
    self->tally.late += now_s > decision->next_s;
    announce_some(self, engine, now_s);
    tell_stray(self);
    tell_stray_node(self);
    if (happens(self, self->mischief.timer))
        (void)tell(self, OCCURRENCE_TIMER);
    if (tell_progress(self, engine, now_s, error) < 0)
        return -1;
    decision_watch_hear(self->watch, self->items, self->count);
    *next = (struct happening){now_s, self->items, self->count};
    return 1;
}

void scripted_cluster_meet(scripted_cluster_t *self, const engine_t *engine, uint32_t run)
{
    const int64_t count = engine_status(engine).jobs;

    for (int64_t i = 0; i < count; i++) {
        const struct job *job = engine_job(engine, job_number_make(run, (uint32_t)i));

        decision_watch_hear(
            self->watch,
            &(struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = job->submission}, 1);
    }
}

/* ---- as a driver ---- */

static int open_cluster(void *owner, const struct cluster_spec *spec, struct error *error)
{
    scripted_cluster_t *self = owner;

    (void)error;
    self->setting.cluster = *spec;
    return 0;
}

static int drive(void *owner, run_t *run, struct error *error)
{
    scripted_cluster_t *self = owner;
    const struct simulation *simulation = run_simulation(run);
    const struct policy *policy = policy_find(simulation->policy);
    struct variant variant;
    struct engine_setting setting = self->setting;
    struct decision decision;
    struct happening next;
    int more;

    assert_int_equal(policy_with_rules(policy, simulation->rules, &variant, error), 0);
    setting.policy = &variant.policy;
    setting.gpu_type = simulation->gpu_type;
    setting.slot_s = simulation->slot_s;
    scripted_cluster_open(self, &setting);
    if (run_begin(run, NULL, 0, &decision, error) < 0)
        return -1;
    scripted_cluster_meet(self, run_engine(run), simulation->run_id);
    while ((more = scripted_cluster_next(self, run_engine(run), &decision, &next, error)) > 0)
        if (run_step(run, next.now_s, next.items, next.count, &decision, error) < 0)
            return -1;
    return more;
}

const struct driver *scripted_cluster_driver(scripted_cluster_t *self)
{
    return &self->driver;
}

/* ---- life ---- */

scripted_cluster_t *scripted_cluster_new(const struct mischief *mischief, rng_t *rng)
{
    scripted_cluster_t *self = xcalloc(1, sizeof(*self));

    self->driver =
        (struct driver){.self = self, .is_real = true, .open = open_cluster, .drive = drive};
    self->mischief = *mischief;
    self->rng = rng;
    return self;
}

void scripted_cluster_open(scripted_cluster_t *self, const struct engine_setting *setting)
{
    self->setting = *setting;
    self->watch = decision_watch_new(&self->setting);
    self->down = xcalloc((size_t)node_count(self), sizeof(*self->down));
    self->gpus = xcalloc((size_t)node_count(self), sizeof(*self->gpus));
    for (int i = 0; i < node_count(self); i++)
        self->gpus[i] = cluster_spec_node_gpus(&self->setting.cluster, i);
}

void scripted_cluster_offer(scripted_cluster_t *self, const struct submission submissions[],
                            size_t count)
{
    self->offered = submissions;
    self->offered_count = count;
}

void scripted_cluster_destroy(scripted_cluster_t **self)
{
    if (!*self)
        return;
    decision_watch_destroy(&(*self)->watch);
    free((*self)->gpus);
    free((*self)->down);
    free((*self)->laggards);
    free((*self)->items);
    free(*self);
    *self = NULL;
}

struct mischief_tally scripted_cluster_tally(const scripted_cluster_t *self)
{
    return self->tally;
}
