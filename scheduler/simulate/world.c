/* world.c - see world.h. */
#include "scheduler/simulate/world.h"

#include "common/checksum.h"
#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/plan/side_table.h"
#include "scheduler/run/correction.h"
#include "scheduler/simulate/node_faults.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The world's knowledge of a job. */
struct fate {
    double speed;      /* real speed by profiled speed, 0 before it is drawn */
    uint64_t place;    /* digest of the GPUs of its trainers, 0 for none */
    int64_t trained_s; /* time since the trainers started there */
    double uncredited_s;
};

/* Whether the live jobs get on: the least work that they had left, as long as their number stays
 * the same. Looks are rare, as a job that is set back to its last checkpoint has more left for a
 * while. */
struct getting_on {
    int64_t steps;
    size_t live_count;
    double least_left; /* iterations of all live jobs */
    int64_t looks;     /* looks since then */
    int64_t since_s;
};

struct world {
    const struct world_setting *setting;
    const struct cluster_spec *spec;
    int64_t slot_s;
    int64_t slot_end_s; /* the next round comes no sooner, unless a fault calls for one */
    node_faults_t *faults;
    side_table_t *fates;
    int64_t idle_steps; /* steps since a job last did something, or a node could still come */
    struct getting_on getting_on;
    int *ranks;
    size_t rank_room;
    struct occurrence *items;
    size_t count;
    size_t room;
    arena_t *texts;
};

/* ---- life ---- */

world_t *world_new(const struct world_setting *setting, const struct cluster_spec *spec,
                   int64_t slot_s, struct error *error)
{
    world_t *self = xcalloc(1, sizeof(*self));

    self->setting = setting;
    self->spec = spec;
    self->slot_s = slot_s > 0 ? slot_s : 1;
    self->slot_end_s = INT64_MIN;
    self->fates = side_table_new(sizeof(struct fate));
    self->texts = arena_new();
    self->faults = node_faults_new(setting, cluster_spec_nodes(spec), error);
    if (!self->faults)
        world_destroy(&self);
    return self;
}

void world_destroy(world_t **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->texts);
    free((*self)->items);
    free((*self)->ranks);
    side_table_destroy(&(*self)->fates);
    node_faults_destroy(&(*self)->faults);
    free(*self);
    *self = NULL;
}

/* ---- what the engine is told ---- */

static void clear(world_t *self)
{
    self->count = 0;
    arena_reset(self->texts);
}

static struct occurrence *tell(world_t *self, const struct occurrence *occurrence)
{
    self->items = grow_array(self->items, self->count, &self->room, sizeof(*self->items));
    self->items[self->count] = *occurrence;
    return &self->items[self->count++];
}

static struct happenings told(const world_t *self)
{
    return (struct happenings){self->items, self->count};
}

/* The end of the node by the cluster spec. */
static int64_t end_of_node(const world_t *self, int node)
{
    const struct cluster_spec *spec = self->spec;

    for (int i = 0; i < spec->end_count; i++)
        if (node >= spec->ends[i].first_node &&
            node < spec->ends[i].first_node + spec->ends[i].node_count)
            return spec->ends[i].until_s;
    return NEVER_S;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static const struct stays *keep_stays(world_t *self, const struct stays *stays)
{
    struct stays *kept = arena_alloc(self->texts, sizeof(*kept));

    *kept = *stays;
    return kept;
}

/* A node that is reserved now comes, and drains at once. */
static void tell_of_reserved(world_t *self, int node, const struct stays *stays)
{
    (void)tell(self, &(struct occurrence){.kind = OCCURRENCE_NODE_UP,
                                          .node = node,
                                          .until_s = end_of_node(self, node)});
    (void)tell(self, &(struct occurrence){.kind = OCCURRENCE_NODE_DRAINING,
                                          .node = node,
                                          .again = keep_stays(self, stays),
                                          .cause = "it is reserved"});
}

/* Of a node that comes, without reservations, what was known before of its end stands. */
static void tell_of_node(world_t *self, int node, int64_t now_s)
{
    const struct stays stays =
        node_faults_leave(self->faults, node, now_s, end_of_node(self, node));
    const struct stays again = stays_after_first(&stays);
    const bool reserves = node_faults_reserves(self->faults);

    if (stays.count == 0 || stays.items[0].from_s > now_s)
        tell_of_reserved(self, node, &stays);
    else
        (void)tell(self, &(struct occurrence){.kind = OCCURRENCE_NODE_UP,
                                              .node = node,
                                              .until_s = reserves ? stays.items[0].until_s : 0,
                                              .again = keep_stays(self, &again)});
}

/* Tells of nodes, except those whose end has come. */
static void tell_of_nodes(world_t *self, int64_t now_s)
{
    struct fault fault;

    while (node_faults_take(self->faults, now_s, &fault)) {
        if (end_of_node(self, fault.node) <= now_s)
            continue;
        if (fault.gone)
            (void)tell(self,
                       &(struct occurrence){.kind = OCCURRENCE_NODE_GONE, .node = fault.node});
        else
            tell_of_node(self, fault.node, now_s);
    }
}

static void tell_of_reservations(world_t *self, int64_t now_s)
{
    const int nodes = node_faults_reserves(self->faults) ? cluster_spec_nodes(self->spec) : 0;

    for (int node = 0; node < nodes; node++) {
        const struct stays whole = stays_whole(now_s, end_of_node(self, node));
        const struct stays stays =
            node_faults_leave(self->faults, node, now_s, end_of_node(self, node));

        if (!stays_equal(&stays, &whole))
            tell_of_node(self, node, now_s);
    }
}

static void tell_of_ends(world_t *self)
{
    for (int i = 0; i < self->spec->end_count; i++)
        for (int k = 0; k < self->spec->ends[i].node_count; k++)
            (void)tell(self, &(struct occurrence){.kind = OCCURRENCE_NODE_UP,
                                                  .node = self->spec->ends[i].first_node + k,
                                                  .until_s = self->spec->ends[i].until_s});
}

struct happenings world_begin(world_t *self, int64_t now_s)
{
    clear(self);
    node_faults_begin(self->faults, now_s);
    tell_of_ends(self);
    tell_of_reservations(self, now_s);
    tell_of_nodes(self, now_s);
    return told(self);
}

/* ---- starts ---- */

static struct fate *fate_of(const world_t *self, const struct job *job)
{
    const double error = self->setting->speed_error / 100;
    struct fate *fate = side_table_at(self->fates, job);
    char purpose[40];
    rng_t rng;

    if (fate->speed > 0)
        return fate;
    (void)snprintf(purpose, sizeof(purpose), "speed of %" PRIu64, job->submission->number);
    rng = rng_new((uint64_t)self->setting->seed, purpose);
    fate->speed = error > 0 ? rng_uniform(&rng, 1 - error, 1 + error) : 1;
    return fate;
}

/* A digest of the GPUs of the job, never 0. */
static uint64_t place_of(world_t *self, const cluster_t *cluster, const struct job *job)
{
    const size_t gpus = (size_t)job_gpus(job);
    size_t count;

    if (gpus > self->rank_room) {
        self->rank_room = 2 * gpus;
        self->ranks = xrealloc(self->ranks, self->rank_room * sizeof(*self->ranks));
    }
    count = (size_t)cluster_ranks(cluster, job, self->ranks);
    return checksum(CHECKSUM_OF_NOTHING, (const char *)self->ranks, count * sizeof(int)) | 1;
}

static void start_job(world_t *self, const struct decision *decision, const struct job *job)
{
    const uint64_t place = job_holds(job) ? place_of(self, decision->cluster, job) : 0;
    const int overhead_s = (int)lround(job->overhead_s * self->setting->overhead_factor);
    struct fate *fate = fate_of(self, job);

    if (place == fate->place && !decision->restart)
        return;
    fate->place = place;
    fate->trained_s = 0;
    if (place != 0 && overhead_s != job->overhead_s)
        (void)tell(self, &(struct occurrence){.kind = OCCURRENCE_PAID,
                                              .row = job->row,
                                              .job = job->submission->number,
                                              .overhead_s = overhead_s});
}

struct happenings world_start_jobs(world_t *self, const struct decision *decision)
{
    clear(self);
    if (decision->round == 0)
        return told(self);
    if (decision->now_s >= self->slot_end_s)
        self->slot_end_s = decision->now_s + self->slot_s;
    for (size_t i = 0; i < decision->live_count; i++)
        start_job(self, decision, decision->live[i]);
    return told(self);
}

/* ---- when ---- */

/* When the job is done if nothing changes. */
static int64_t end_s(const engine_t *engine, const struct job *job, double speed, int64_t now_s)
{
    return now_s + job->overhead_s +
           (int64_t)ceil(job->iterations_left / (engine_rate(engine, job) * speed));
}

/* Whether jobs wait for nodes: the engine expects nothing while no node is up. */
static bool waits_for_nodes(const engine_t *engine, const struct decision *decision)
{
    const struct engine_status status = engine_status(engine);

    return decision->next_s == NEVER_S && cluster_gpus_up(decision->cluster) == 0 &&
           status.settled < status.jobs;
}

/* Whether the world tells of the job once a slot: trainers slower than their table are heard until
 * their speed is known. */
static bool is_to_be_heard(const struct job *job, double speed)
{
    return speed < 1 && !job_speed_is_known(job);
}

/* A job that is faster than its table ends before the engine expects its end. */
int64_t world_next_s(const world_t *self, const engine_t *engine, const struct decision *decision)
{
    int64_t next_s = earlier(decision->next_s, node_faults_next_s(self->faults));

    if (decision->next_s == NEVER_S)
        return waits_for_nodes(engine, decision) ? next_s : NEVER_S;
    if (engine_measure(engine) != MEASURE_ITERATIONS)
        return next_s;
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        const double speed = fate_of(self, job)->speed;
        int64_t at_s = NEVER_S;

        if (job_holds(job) && speed > 1)
            at_s = end_s(engine, job, speed, decision->now_s);
        else if (job_holds(job) && is_to_be_heard(job, speed))
            at_s = self->slot_end_s;
        next_s = earlier(next_s, at_s > self->slot_end_s ? at_s : self->slot_end_s);
    }
    return next_s > decision->now_s ? next_s : decision->now_s + 1;
}

/* ---- progress ---- */

static struct books books_of(const engine_t *engine, const struct job *job, int64_t now_s)
{
    return (struct books){.measure = engine_measure(engine),
                          .whole_s = engine_whole_s(engine, job),
                          .attained_s = job->attained_s,
                          .iterations = (double)job->submission->iterations,
                          .iterations_left = job->iterations_left,
                          .rate = engine_rate(engine, job),
                          .now_s = now_s};
}

/* Corrects the progress to the observed one. The job may have ended within the interval, and is
 * dated so. */
static void correct(const struct books *books, const struct observed *observed, struct fate *fate,
                    struct progress *progress)
{
    const struct progress expected = *progress;
    const double left_s = books->iterations_left / (books->rate * observed->pace);
    const int64_t from_s = books->now_s - expected.worked_s;
    int64_t ended_s = expected.done ? expected.ended_s : books->now_s;

    books_correct(books, observed, &fate->uncredited_s, progress);
    if (!progress->done)
        return;
    if (books->measure == MEASURE_ITERATIONS)
        ended_s = from_s + (int64_t)ceil(left_s);
    progress->ended_s = ended_s < from_s || ended_s > books->now_s ? books->now_s : ended_s;
}

static const char *say_speed(world_t *self, const struct books *books, double speed)
{
    char text[100];
    const int length =
        snprintf(text, sizeof(text), "it runs at %.3g of its profiled %.6g iterations/s", speed,
                 books->rate);

    return arena_text(self->texts, text, (size_t)length);
}

/* The first gone node, of those that the engine is about to hear of, on which the job stands; -1
 * for none. */
static int lost_node(const world_t *self, const cluster_t *cluster, const struct job *job,
                     size_t node_count)
{
    for (size_t i = 0; i < node_count; i++)
        if (self->items[i].kind == OCCURRENCE_NODE_GONE &&
            cluster_stands_on(cluster, job, self->items[i].node))
            return self->items[i].node;
    return -1;
}

/* Takes the work since the last checkpoint from the job. */
static void lose_work(world_t *self, const struct books *books, int node, struct fate *fate,
                      struct observed *observed)
{
    const int64_t each_s = self->setting->checkpoint_s;
    const double since_s = each_s > 0 ? (double)(fate->trained_s % each_s) : 0;
    char text[60];
    const int length = snprintf(text, sizeof(text), "node %d left", node);

    observed->lost = since_s * books->rate * observed->pace;
    observed->cause = arena_text(self->texts, text, (size_t)length);
    fate->place = 0;
}

static void go_on(world_t *self, const engine_t *engine, const cluster_t *cluster, int64_t now_s,
                  size_t node_count, struct occurrence *own)
{
    const struct job *job = engine_job(engine, own->job);
    const struct books books = books_of(engine, job, now_s);
    const struct progress expected = own->progress;
    struct fate *fate = fate_of(self, job);
    const double uncredited_s = fate->uncredited_s;
    struct observed observed = {.pace = fate->speed};
    const int node = lost_node(self, cluster, job, node_count);

    fate->trained_s += expected.worked_s;
    if (fate->speed != 1) {
        observed.cause = say_speed(self, &books, fate->speed);
        correct(&books, &observed, fate, &own->progress);
    }
    if (node >= 0 && !own->progress.done) {
        lose_work(self, &books, node, fate, &observed);
        own->progress = expected;
        fate->uncredited_s = uncredited_s;
        correct(&books, &observed, fate, &own->progress);
    }
    own->pace = observed.pace;
    own->cause = observed.cause;
    own->deviates = observed.cause != NULL;
}

/* A run is over after so many steps in a row without any work, if no event can change that; after
 * fewer steps if nodes left at known times. */
#define IDLE_STEPS           10000
#define IDLE_STEPS_AFTER_END 100

static int complain_endless(const engine_t *engine, struct error *error)
{
    const struct engine_status status = engine_status(engine);

    return error_set(error,
                     "the run never ends: %" PRId64 " jobs get nothing done any more on the nodes "
                     "that are left",
                     status.jobs - status.settled);
}

/* Fails all jobs that are not over, as no node is left for them. A trace numbers its jobs from
 * 0. */
static void fail_all(world_t *self, const engine_t *engine)
{
    const uint64_t count = (uint64_t)engine_status(engine).jobs;

    for (uint64_t number = 0; number < count; number++) {
        const struct job *job = engine_job(engine, number);

        if (job && !job_is_over(job))
            (void)tell(self, &(struct occurrence){.kind = OCCURRENCE_FAILED,
                                                  .row = job->row,
                                                  .job = number,
                                                  .cause = "the nodes that it needs have left"});
    }
}

int world_check_over(world_t *self, const engine_t *engine, const struct decision *decision,
                     struct happenings *happenings, struct error *error)
{
    if (!waits_for_nodes(engine, decision))
        return 0;
    if (self->spec->end_count == 0)
        return complain_endless(engine, error);
    clear(self);
    fail_all(self, engine);
    *happenings = told(self);
    return 1;
}

/* Whether jobs arrive after `now_s`. Jobs that came while no node was up are not live, and are not
 * counted. */
static bool any_comes(const world_t *self, const engine_t *engine, const struct decision *decision,
                      int64_t now_s)
{
    const struct engine_status status = engine_status(engine);

    if (self->spec->end_count == 0 || cluster_gpus_up(decision->cluster) > 0)
        return status.settled + status.live < status.jobs;
    for (uint64_t number = 0; number < (uint64_t)status.jobs; number++) {
        const struct job *job = engine_job(engine, number);

        if (job && !job_is_over(job) && job->submission->submit_s > now_s)
            return true;
    }
    return false;
}

/* Checks that work is still done. If nothing is, all jobs fail where nodes left at known times;
 * else -1 with `error`. */
static int check_idle(world_t *self, const engine_t *engine, const struct decision *decision,
                      int64_t now_s, int64_t worked_s, struct error *error)
{
    const bool may_change = worked_s > 0 || any_comes(self, engine, decision, now_s) ||
                            node_faults_next_s(self->faults) != NEVER_S ||
                            cluster_change_s(decision->cluster) != NEVER_S;
    const int most = self->spec->end_count > 0 ? IDLE_STEPS_AFTER_END : IDLE_STEPS;

    self->idle_steps = may_change ? 0 : self->idle_steps + 1;
    if (self->idle_steps < most)
        return 0;
    if (self->spec->end_count == 0)
        return complain_endless(engine, error);
    fail_all(self, engine);
    return 0;
}

#define STEPS_BETWEEN_LOOKS 1024
#define VAIN_LOOKS_MAX      200

static int complain_of_losses(const world_t *self, int64_t now_s, struct error *error)
{
    const struct world_setting *setting = self->setting;
    char nodes[128] = "--faults";

    if (setting->node_mtbf_s > 0)
        (void)snprintf(nodes, sizeof(nodes), "--node-mtbf %" PRId64 " and --node-repair %" PRId64,
                       setting->node_mtbf_s, setting->node_repair_s);
    return error_set(error,
                     "the run never ends: from %" PRId64 " s to %" PRId64
                     " s no job got further than before, as %s take nodes away sooner than jobs "
                     "save what they did (--checkpoint-interval %" PRId64 ")",
                     self->getting_on.since_s, now_s, nodes, setting->checkpoint_s);
}

/* Checks that losses of nodes do not keep all jobs from getting on for ever. -1 with `error` if
 * they do. */
static int check_getting_on(world_t *self, const struct decision *decision, int64_t now_s,
                            struct error *error)
{
    struct getting_on *last = &self->getting_on;
    double left = 0;

    if (!world_has_faults(self->setting) || last->steps++ % STEPS_BETWEEN_LOOKS != 0)
        return 0;
    for (size_t i = 0; i < decision->live_count; i++)
        left += decision->live[i]->iterations_left;
    if (decision->live_count != last->live_count || decision->live_count == 0 || last->steps == 1 ||
        left < last->least_left) {
        last->live_count = decision->live_count;
        last->least_left = left;
        last->looks = 0;
        last->since_s = now_s;
        return 0;
    }
    return ++last->looks < VAIN_LOOKS_MAX ? 0 : complain_of_losses(self, now_s, error);
}

int world_go_on(world_t *self, engine_t *engine, const struct decision *decision, int64_t now_s,
                struct happenings *happenings, struct error *error)
{
    struct occurrence *expected;
    int64_t worked_s = 0;
    size_t node_count;
    long count;

    clear(self);
    tell_of_nodes(self, now_s);
    node_count = self->count;
    count = engine_expect(engine, now_s, &expected, error);
    for (long i = 0; i < count; i++) {
        worked_s += expected[i].progress.worked_s;
        go_on(self, engine, decision->cluster, now_s, node_count, tell(self, &expected[i]));
    }
    if (count < 0 || check_getting_on(self, decision, now_s, error) < 0 ||
        check_idle(self, engine, decision, now_s, worked_s, error) < 0)
        return -1;
    *happenings = told(self);
    return 0;
}
