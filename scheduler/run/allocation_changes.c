/* allocation_changes.c - see allocation_changes.h. */
#include "scheduler/run/allocation_changes.h"

#include "common/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is remembered of a job. */
struct stay {
    const struct job *job;
    const struct submission *submission;
    uint64_t place;     /* of its GPUs, see place_of */
    int gpus;           /* that it holds */
    const char *pool;   /* that they are in, or were in last */
    double speedup;     /* there, by one GPU; NaN if that is not known */
    int64_t lost_nodes; /* the last layout in which a node that it stood on was lost */
};

/* A job that stands on a node. */
struct standing {
    uint64_t arrival;
    int node;
    bool first; /* of its nodes */
};

struct allocation_changes {
    const char *gpu_type;            /* names a pool that has no name */
    const throughput_table_t *rates; /* where policies have none, or NULL */
    struct stay *stays;              /* by order of arrival */
    size_t stay_count;
    int64_t layout; /* the last one, counted from 1 */
    int64_t layout_number;
    LIST(struct standing) standings; /* in the last layout */
    LIST(struct round_change) changes;
    struct cluster_use use;
};

allocation_changes_t *allocation_changes_new(const char *gpu_type, const throughput_table_t *rates)
{
    allocation_changes_t *self = xcalloc(1, sizeof(*self));

    self->gpu_type = gpu_type ? gpu_type : "";
    self->rates = rates;
    return self;
}

void allocation_changes_destroy(allocation_changes_t **self)
{
    if (!*self)
        return;
    free((*self)->stays);
    free((*self)->standings.items);
    free((*self)->changes.items);
    free(*self);
    *self = NULL;
}

/* Jobs arrive in the order of their arrival, or nearly so. */
static struct stay *stay_of(allocation_changes_t *self, uint64_t arrival)
{
    const size_t count = 2 * (size_t)arrival + 64;

    if (arrival < self->stay_count)
        return &self->stays[arrival];
    self->stays = xrealloc(self->stays, count * sizeof(*self->stays));
    memset(self->stays + self->stay_count, 0, (count - self->stay_count) * sizeof(*self->stays));
    self->stay_count = count;
    return &self->stays[arrival];
}

static void add_change(allocation_changes_t *self, struct stay *stay, int gpus,
                       enum change_reason reason)
{
    list_append(&self->changes, (struct round_change){.submission = stay->submission,
                                                      .first = reason == CHANGE_START,
                                                      .change = {.job_id = stay->submission->id,
                                                                 .pool = stay->pool,
                                                                 .gpus_before = stay->gpus,
                                                                 .gpus = gpus,
                                                                 .reason = reason}});
    self->use.gpus_used += gpus - stay->gpus;
    self->use.jobs_running += (gpus > 0) - (stay->gpus > 0);
    stay->gpus = gpus;
}

/* ---- where jobs are ---- */

/* Well spread numbers for positions, so that no two sets of nodes, or of GPUs, have the same sum.
 * Source: the finalizer of splitmix64, Steele et al., OOPSLA 2014. */
static uint64_t digest_of(int position)
{
    uint64_t digest = (uint64_t)position + 0x9e3779b97f4a7c15u;

    digest = (digest ^ digest >> 30) * 0xbf58476d1ce4e5b9u;
    digest = (digest ^ digest >> 27) * 0x94d049bb133111ebu;
    return digest ^ digest >> 31;
}

/* Tells the GPUs of a job that is in one part from as many others: by the first one, or if they are
 * on several nodes, by all of these in whichever order. */
static uint64_t place_of_one(const struct layout *layout, const struct held *held,
                             const struct pool *pools)
{
    const struct node_set *set = &layout->sets[held->set];
    const struct pool *pool = pool_at(pools, set->nodes[0]);
    uint64_t place = 0;

    if (held->gpus <= pool->gpus_per_node)
        return (uint64_t)pool_rank(pool, set->nodes[0]) + (uint64_t)held->first;
    for (int i = 0; i < set->node_count; i++)
        place += digest_of(set->nodes[i]);
    return place;
}

/* The same of any job, with `held` as its first part; and how many GPUs it holds. Parts that are
 * some of several lie on one node each. */
static uint64_t place_of(const struct layout *layout, const struct held *held,
                         const struct pool *pools, int *gpus)
{
    uint64_t place = 0;

    *gpus = held->gpus;
    if (held->more < 0)
        return place_of_one(layout, held, pools);
    for (*gpus = 0;; held = &layout->held[held->more]) {
        const int node = layout->sets[held->set].nodes[0];
        const int rank = pool_rank(pool_at(pools, node), node) + held->first;

        for (int i = 0; i < held->gpus; i++)
            place += digest_of(rank + i);
        *gpus += held->gpus;
        if (held->more < 0)
            return place;
    }
}

/* Notes which nodes the job with `held` as its first part stands on. */
static void note_nodes(allocation_changes_t *self, const struct layout *layout,
                       const struct held *held)
{
    const uint64_t arrival = held->job->arrival;
    bool first = true;

    for (;; held = &layout->held[held->more]) {
        const struct node_set *set = &layout->sets[held->set];

        for (int i = 0; i < set->node_count; i++, first = false)
            list_append(&self->standings, (struct standing){arrival, set->nodes[i], first});
        if (held->more < 0)
            return;
    }
}

/* ---- what a round changes ---- */

static void note_done(allocation_changes_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->retired_count; i++) {
        struct stay *stay = stay_of(self, decision->retired[i].job->arrival);

        if (stay->gpus > 0)
            add_change(self, stay, 0, CHANGE_DONE);
    }
}

static void note_lost_nodes(allocation_changes_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->disturbance_count; i++) {
        const struct disturbance *lost = &decision->disturbances[i];

        if (lost->kind != DISTURBANCE_NODE_DOWN && lost->kind != DISTURBANCE_NODE_DRAINING)
            continue;
        for (size_t j = 0; j < self->standings.count; j++)
            if (self->standings.items[j].node == lost->node)
                self->stays[self->standings.items[j].arrival].lost_nodes = self->layout;
    }
}

/* Whether the record is still that of the job: another one has its row once it is over. */
static bool is_there(const struct stay *stay)
{
    return stay->job->submission == stay->submission;
}

static bool is_held(const struct layout *layout, const struct stay *stay)
{
    const int held = is_there(stay) ? stay->job->held : -1;

    return held >= 0 && held < layout->held_count && layout->held[held].job == stay->job;
}

/* Why the job holds nothing any more; its record is still there if it is over. */
static enum change_reason why_released(const allocation_changes_t *self, const struct stay *stay)
{
    const bool known = is_there(stay);

    if (known && stay->job->state == JOB_FAILED)
        return CHANGE_FAILED;
    if (known && stay->job->state == JOB_CANCELLED)
        return CHANGE_CANCELLED;
    if (known && stay->job->state == JOB_SUSPENDED)
        return CHANGE_SUSPENDED;
    return stay->lost_nodes == self->layout ? CHANGE_NODE_LOST : CHANGE_PREEMPTED;
}

static void note_released(allocation_changes_t *self, const struct layout *layout)
{
    for (size_t i = 0; i < self->standings.count; i++) {
        struct stay *stay = &self->stays[self->standings.items[i].arrival];

        if (stay->gpus > 0 && !is_held(layout, stay))
            add_change(self, stay, 0, why_released(self, stay));
    }
}

static const struct throughput_row *row_of(const allocation_changes_t *self, const struct job *job)
{
    if (job->scaling->row || !self->rates || !job->submission->model)
        return job->scaling->row;
    return throughput_find(self->rates, job->submission->model, job->submission->batch_size);
}

/* How fast the job trains on `gpus` GPUs, NaN if that is not known. */
static double rate_on(const struct throughput_row *row, int gpus)
{
    for (int i = 0; row && i < row->level_count; i++)
        if (row->gpus[i] == gpus)
            return row->iters_per_s[i];
    return NAN;
}

static enum change_reason why_changed(const allocation_changes_t *self, const struct stay *stay,
                                      int gpus)
{
    if (!stay->submission)
        return CHANGE_START;
    if (stay->gpus == 0)
        return CHANGE_RESTART;
    if (stay->lost_nodes == self->layout)
        return CHANGE_NODE_LOST;
    if (stay->gpus == gpus)
        return CHANGE_MOVE;
    return gpus > stay->gpus ? CHANGE_GROW : CHANGE_SHRINK;
}

/* What the job with `held` as its first part holds since the round before. */
static void note_held(allocation_changes_t *self, const struct layout *layout,
                      const struct held *held, const struct pool *pools)
{
    struct stay *stay = stay_of(self, held->job->arrival);
    int gpus;
    const uint64_t place = place_of(layout, held, pools, &gpus);
    const struct throughput_row *row;
    enum change_reason reason;
    const char *pool;

    if (stay->gpus == gpus && stay->place == place)
        return;
    reason = why_changed(self, stay, gpus);
    row = row_of(self, held->job);
    pool = pool_at(pools, layout->sets[held->set].nodes[0])->name;
    stay->job = held->job;
    stay->submission = held->job->submission;
    stay->place = place;
    stay->pool = pool && *pool ? pool : self->gpu_type;
    stay->speedup = rate_on(row, gpus) / rate_on(row, 1);
    add_change(self, stay, gpus, reason);
}

static void note_holders(allocation_changes_t *self, const struct layout *layout,
                         const struct pool *pools)
{
    self->standings.count = 0;
    for (int i = 0; i < layout->held_count; i++) {
        const struct held *held = &layout->held[i];

        if (held->job->held != i)
            continue;
        note_held(self, layout, held, pools);
        note_nodes(self, layout, held);
    }
}

static void note_layout(allocation_changes_t *self, const struct decision *decision)
{
    const struct layout *layout = cluster_layout(decision->cluster);

    if (layout->number == self->layout_number)
        return;
    self->layout_number = layout->number;
    self->layout++;
    note_lost_nodes(self, decision);
    note_released(self, layout);
    note_holders(self, layout, cluster_pools(decision->cluster, NULL));
}

/* ---- how the cluster is used ---- */

static double efficiency(const allocation_changes_t *self, const cluster_t *cluster)
{
    double speedups = 0;

    for (size_t i = 0; i < self->standings.count; i++) {
        const struct stay *stay = &self->stays[self->standings.items[i].arrival];

        if (self->standings.items[i].first && stay->gpus > 0)
            speedups += stay->speedup;
    }
    return speedups / cluster_gpus(cluster);
}

const struct round_change *allocation_changes_step(allocation_changes_t *self,
                                                   const struct decision *decision, size_t *count)
{
    self->changes.count = 0;
    note_done(self, decision);
    note_layout(self, decision);
    if (self->changes.count > 0)
        self->use.efficiency = efficiency(self, decision->cluster);
    *count = self->changes.count;
    return self->changes.items;
}

struct cluster_use allocation_changes_use(const allocation_changes_t *self,
                                          const struct decision *decision)
{
    struct cluster_use use = self->use;

    use.gpus_up = cluster_gpus_up(decision->cluster);
    use.jobs_waiting = (int64_t)decision->live_count - use.jobs_running;
    return use;
}
