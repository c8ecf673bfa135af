/* scripted_cluster.c - see scripted_cluster.h. */
#include "tests/engine/scripted_cluster.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define JOBS_MAX        200
#define MISCHIEF_ROUNDS 300 /* then there is peace, or a long job never ends */

/* What it knows of a job. */
struct known {
    int rank_count; /* under the orders in force, 0 for none */
    int first_rank;
    int64_t step;
    double pace; /* for good, 0 for that of its table */
    bool failed;
};

struct scripted_cluster {
    struct backend calls;
    struct mischief mischief;
    rng_t *rng;
    struct cluster_spec spec;
    int nodes;
    bool *down;
    bool *went; /* since this was asked for */
    bool changed;
    struct known jobs[JOBS_MAX]; /* by number */
    struct mischief_tally tally;
};

static int open_cluster(void *owner, const struct cluster_spec *spec, struct error *error)
{
    scripted_cluster_t *self = owner;

    (void)error;
    self->spec = *spec;
    self->nodes = cluster_spec_nodes(spec);
    self->down = xcalloc((size_t)self->nodes, sizeof(*self->down));
    self->went = xcalloc((size_t)self->nodes, sizeof(*self->went));
    return 0;
}

static bool node_is_up(void *owner, int position, const char **cause)
{
    const scripted_cluster_t *self = owner;

    *cause = "it was told to";
    return !self->down[position];
}

static const char *node_went(void *owner, int position)
{
    scripted_cluster_t *self = owner;
    const bool went = self->went[position];

    self->went[position] = false;
    return went ? "it was told to" : NULL;
}

static bool happens(scripted_cluster_t *self, double probability)
{
    return self->tally.rounds < MISCHIEF_ROUNDS && probability > 0 &&
           rng_unit(self->rng) < probability;
}

static int nodes_up(const scripted_cluster_t *self)
{
    int count = 0;

    for (int i = 0; i < self->nodes; i++)
        count += !self->down[i];
    return count;
}

static void go(scripted_cluster_t *self, int node)
{
    self->tally.left += !self->went[node];
    self->went[node] = self->changed = true;
}

static void blink_node(scripted_cluster_t *self)
{
    const int node = (int)rng_below(self->rng, (uint64_t)self->nodes);

    if (self->down[node])
        return;
    go(self, node);
    self->tally.blinked++;
}

static void set_node(scripted_cluster_t *self, bool down)
{
    const int from = (int)rng_below(self->rng, (uint64_t)self->nodes);

    for (int i = 0; i < self->nodes; i++) {
        const int node = (from + i) % self->nodes;

        if (self->down[node] == down)
            continue;
        self->down[node] = down;
        self->changed = true;
        if (down)
            go(self, node);
        else
            self->tally.joined++;
        return;
    }
}

/* Every GPU has one holder at most, and is on a node that is there. */
static void check_ranks(const scripted_cluster_t *self, const struct orders *orders)
{
    const int gpus = cluster_spec_gpus(&self->spec);
    bool *taken = xcalloc((size_t)gpus, sizeof(*taken));

    for (size_t i = 0; i < orders->assignment_count; i++) {
        const struct assignment *assignment = &orders->assignments[i];

        assert_true(assignment->rank_count > 0);
        assert_int_equal(assignment->rank_count, job_gpus(assignment->job));
        for (int k = 0; k < assignment->rank_count; k++) {
            const int rank = assignment->ranks[k];

            assert_in_range(rank, 0, gpus - 1);
            assert_true(k == 0 || rank > assignment->ranks[k - 1]);
            assert_false(taken[rank]);
            assert_false(self->down[rank / self->spec.gpus_per_node]);
            taken[rank] = true;
        }
    }
    free(taken);
}

/* Whoever leaves held GPUs, and whoever held GPUs leaves or goes on. */
static void check_releases(scripted_cluster_t *self, const struct orders *orders)
{
    bool held[JOBS_MAX];

    for (int i = 0; i < JOBS_MAX; i++)
        held[i] = self->jobs[i].rank_count > 0;
    for (size_t i = 0; i < orders->release_count; i++) {
        const struct job *job = orders->releases[i].job;

        assert_true(held[job->submission->number]);
        held[job->submission->number] = false;
        if (orders->releases[i].why == RELEASE_DONE)
            assert_int_equal(orders->releases[i].step, job->submission->iterations);
        self->jobs[job->submission->number].rank_count = 0;
    }
    for (size_t i = 0; i < orders->assignment_count; i++)
        held[orders->assignments[i].job->submission->number] = false;
    for (int i = 0; i < JOBS_MAX; i++)
        assert_false(held[i]);
}

static void take_on(scripted_cluster_t *self, const struct assignment *assignment)
{
    struct known *known = &self->jobs[assignment->job->submission->number];

    assert_false(known->failed);
    assert_in_range(assignment->step, 0, assignment->job->submission->iterations);
    assert_true(assignment->rate > 0);
    assert_true(assignment->overhead_s >= 0);
    self->tally.moved += known->rank_count > 0 && known->first_rank != assignment->ranks[0];
    known->rank_count = assignment->rank_count;
    known->first_rank = assignment->ranks[0];
    known->step = assignment->step;
}

static int carry_out(void *owner, const struct orders *orders, struct error *error)
{
    scripted_cluster_t *self = owner;

    (void)error;
    assert_int_equal(orders->round, ++self->tally.rounds);
    check_ranks(self, orders);
    check_releases(self, orders);
    for (size_t i = 0; i < orders->assignment_count; i++)
        take_on(self, &orders->assignments[i]);
    if (happens(self, self->mischief.node_blinks))
        blink_node(self);
    if (happens(self, self->mischief.node_leaves) && nodes_up(self) > 1)
        set_node(self, true);
    if (happens(self, self->mischief.node_joins) || self->tally.rounds >= MISCHIEF_ROUNDS)
        set_node(self, false);
    if (orders->assignment_count > 0 && happens(self, self->mischief.job_fails)) {
        const size_t i = rng_below(self->rng, orders->assignment_count);

        self->jobs[orders->assignments[i].job->submission->number].failed = true;
        self->changed = true;
        self->tally.failed++;
    }
    return 0;
}

static int overhead_s(void *owner, const struct job *job, int modelled_s)
{
    (void)owner;
    (void)job;
    return modelled_s;
}

static struct observed observe(void *owner, const struct job *job, double iterations, bool done,
                               int64_t step)
{
    scripted_cluster_t *self = owner;
    struct observed observed = {.pace = 1};

    (void)done;
    assert_true(iterations >= 0);
    assert_true(self->jobs[job->submission->number].rank_count > 0);
    assert_true(step >= 0);
    if (happens(self, self->mischief.job_lags) && self->jobs[job->submission->number].pace == 0) {
        self->jobs[job->submission->number].pace = rng_uniform(self->rng, 0.1, 1);
        self->tally.lagged++;
    }
    if (self->jobs[job->submission->number].pace > 0)
        observed =
            (struct observed){.pace = self->jobs[job->submission->number].pace, .cause = "lags"};
    if (happens(self, self->mischief.job_slows)) {
        observed = (struct observed){.pace = rng_unit(self->rng), .stuck = true, .cause = "slow"};
        self->tally.slowed++;
    }
    if (happens(self, self->mischief.job_loses)) {
        observed.lost = rng_unit(self->rng) * (double)step;
        observed.cause = "a rank died";
        self->tally.lost++;
    }
    return observed;
}

static int64_t left(void *owner, const struct job *job)
{
    (void)owner;
    (void)job;
    return 0;
}

static const char *held(void *owner, const struct job *job)
{
    const scripted_cluster_t *self = owner;

    return self->jobs[job->submission->number].failed ? "failed too often" : NULL;
}

static int64_t wait_until(void *owner, int64_t now_s, int64_t next_s, bool idle,
                          struct error *error)
{
    scripted_cluster_t *self = owner;

    (void)error;
    assert_true(next_s > now_s);
    if (idle && nodes_up(self) < self->nodes)
        set_node(self, false);
    if (self->changed && next_s > now_s + 1)
        next_s = now_s + 1;
    self->changed = false;
    return next_s;
}

static void close_run(void *owner, const char *why)
{
    (void)owner;
    (void)why;
}

scripted_cluster_t *scripted_cluster_new(const struct mischief *mischief, rng_t *rng)
{
    scripted_cluster_t *self = xcalloc(1, sizeof(*self));

    self->calls =
        (struct backend){self,    open_cluster, node_is_up, node_went,  carry_out, overhead_s,
                         observe, left,         held,       wait_until, close_run};
    self->mischief = *mischief;
    self->rng = rng;
    return self;
}

void scripted_cluster_destroy(scripted_cluster_t **self)
{
    if (!*self)
        return;
    free((*self)->went);
    free((*self)->down);
    free(*self);
    *self = NULL;
}

const struct backend *scripted_cluster_calls(scripted_cluster_t *self)
{
    return &self->calls;
}

struct mischief_tally scripted_cluster_tally(const scripted_cluster_t *self)
{
    struct mischief_tally tally = self->tally;

    for (int i = 0; i < self->nodes; i++)
        tally.untold += self->went[i];
    return tally;
}
