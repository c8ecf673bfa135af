/* takeover.c - jobs keep the GPUs that another version gave them, and this version decides from
 * there on. See engine_take_over. */
#include "scheduler/engine/stages.h"

#include "common/memory.h"
#include "scheduler/plan/level.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The jobs that are taken over. */
struct takeover {
    engine_t *engine;
    bool *taken; /* by rank */
    struct placement_request *requests;
    const int **ranks;
    size_t count;
};

static bool can_take_over(const engine_t *self)
{
    return self->stages.open == plain_open && self->stages.place == plain_place &&
           !self->setting.placement->by_policy && self->setting.placement->revise;
}

/* The pool of the GPU at `rank`. */
static int pool_of(const cluster_t *cluster, int rank)
{
    int count;
    const struct pool *pools = cluster_pools(cluster, &count);
    int pool = 0;

    while (pool + 1 < count && rank >= pools[pool + 1].first_rank)
        pool++;
    return pool;
}

/* Whether the GPU is up, in the pool, and not taken by another job. */
static bool is_free(const struct takeover *self, int rank, int pool)
{
    const cluster_t *cluster = self->engine->cluster;
    const struct pool *own;
    int place;

    if (rank < 0 || rank >= cluster_gpus(cluster) || self->taken[rank] ||
        pool_of(cluster, rank) != pool)
        return false;
    own = &cluster_pools(cluster, NULL)[pool];
    place = (rank - own->first_rank) % own->gpus_per_node;
    return place < cluster_node_gpus_up(cluster, own->first_node +
                                                     (rank - own->first_rank) / own->gpus_per_node);
}

static bool are_free(const struct takeover *self, const struct taken_over *held, int pool)
{
    for (int i = 0; i < held->count; i++)
        if (!is_free(self, held->ranks[i], pool))
            return false;
    return true;
}

/* The level at which `job` holds `gpus` GPUs, 0 if there is none. */
static int level_on(const struct job *job, int pool, int gpus)
{
    const struct scaling *scaling = job_scaling(job, pool);
    int level = scaling->top;

    while (level > 0 && scaling->gpus[level] != gpus)
        level--;
    return level;
}

/* Sets the end of the job as if it had begun long ago. The next round plans it anew. */
static void expect_ends(const engine_t *self, struct job *job)
{
    const int64_t end_s =
        (int64_t)ceil((double)self->now_s + job->iterations_left / job->grant.rate);

    job->end_s = job->finish_s = end_s > self->now_s ? end_s : self->now_s + 1;
    job->overhead_s = job->late_s = 0;
}

static void hold(struct takeover *self, struct job *job, const struct taken_over *held, int pool,
                 int level)
{
    struct grant grant;

    job->scaling = job_scaling(job, pool);
    job->grant.pool = pool;
    grant = level_grant(job, pool, level);
    round_hold(self->engine, job, &grant);
    expect_ends(self->engine, job);
    if (job->state == JOB_PENDING)
        round_start(self->engine, job);
    for (int i = 0; i < held->count; i++)
        self->taken[held->ranks[i]] = true;
    self->requests[self->count] = (struct placement_request){job, held->count};
    self->ranks[self->count++] = held->ranks;
}

static bool can_stand(const engine_t *self, const struct job *job, const int ranks[], int count)
{
    const struct policy *policy = self->setting.policy;

    return !policy->stands || policy->stands(self->memory, job, ranks, count);
}

static void take(struct takeover *self, const struct taken_over *held)
{
    struct job *job = job_table_find(self->engine->jobs, UINT32_MAX, held->job);
    int pool;
    int level;

    if (!job || !job_is_live(job) || job_holds(job) || held->count < 1 || held->ranks[0] < 0)
        return;
    pool = pool_of(self->engine->cluster, held->ranks[0]);
    level = level_on(job, pool, held->count);
    if (level > 0 && job_scaling(job, pool)->rate[level] > 0 && are_free(self, held, pool) &&
        can_stand(self->engine, job, held->ranks, held->count))
        hold(self, job, held, pool, level);
}

/* Takes all GPUs from all jobs, and drops the plan. */
static void let_all_go(engine_t *self)
{
    cluster_vacate(self->cluster);
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        round_let_go(self, job);
        job->held = -1;
        job->seat = (struct seat){.chosen = false};
        job->end_s = job->finish_s = NEVER_S;
        (void)can_stand(self, job, NULL, 0);
    }
}

static void put(struct takeover *self)
{
    engine_t *engine = self->engine;

    placement_put(engine->cluster, self->requests, self->ranks, self->count,
                  cluster_revise(engine->cluster));
    prices_visit(engine->prices, engine->cluster);
    prices_note_moves(engine->prices, engine->cluster);
    round_drop_started(engine);
    named_forget(&engine->named);
    engine->layout_is_old = true;
    if (engine->setting.lists_holdings)
        round_note_holdings(engine);
}

size_t engine_take_over(engine_t *self, const struct taken_over held[], size_t count)
{
    struct takeover takeover = {.engine = self};

    if (!can_take_over(self))
        return 0;
    if (self->aside > 0)
        self->stages.gather(self);
    takeover.taken = xcalloc((size_t)cluster_gpus(self->cluster), sizeof(*takeover.taken));
    takeover.requests = xcalloc(count + 1, sizeof(*takeover.requests));
    takeover.ranks = xcalloc(count + 1, sizeof(*takeover.ranks));
    let_all_go(self);
    for (size_t i = 0; i < count; i++)
        take(&takeover, &held[i]);
    put(&takeover);
    free(takeover.taken);
    free(takeover.requests);
    free(takeover.ranks);
    return takeover.count;
}
