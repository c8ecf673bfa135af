/* allocation_changes.c - see allocation_changes.h. */
#include "scheduler/run/allocation_changes.h"

#include "common/list.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A record of a job from its first GPUs to its end. */
struct stay {
    const struct job *job;
    const struct submission *submission;
    uint64_t place;   /* digest of its GPUs, see place_of */
    int gpus;         /* that the job holds now */
    int gpus_last;    /* that the job holds, or held last */
    const char *pool; /* of the GPUs that the job holds, or held last */
    size_t id_length; /* lengths of the job's id and the pool's name, for the lines */
    size_t pool_length;
    const struct throughput_row *row;
    double speedup;     /* on gpus_last over one GPU, by `row`; NaN if unknown */
    int64_t lost_nodes; /* number of the last layout that lost one of its nodes */
    struct stay *next_unused;
};

/* A part of a job in a node set. */
struct standing {
    struct stay *stay;
    int set;
};

struct allocation_changes {
    const char *gpu_type;            /* stands for the name of a pool without one */
    const throughput_table_t *rates; /* rates for policies that have none, or NULL */
    arena_t *memory;                 /* of all stays */
    LIST(struct stay *) stays;       /* by order of arrival, NULL for none */
    struct stay *unused;
    int64_t layout; /* how many layouts there were */
    int64_t layout_number;
    LIST(struct standing) holders; /* first parts of the jobs of the last layout */
    LIST(struct standing) parts;   /* further parts of these jobs */
    LIST(int) set_of_node;         /* of the last layout */
    LIST(struct allocation_change) changes;
    struct cluster_use use;
};

allocation_changes_t *allocation_changes_new(const char *gpu_type, const throughput_table_t *rates)
{
    allocation_changes_t *self = xcalloc(1, sizeof(*self));

    self->gpu_type = gpu_type ? gpu_type : "";
    self->rates = rates;
    self->memory = arena_new();
    return self;
}

void allocation_changes_destroy(allocation_changes_t **self)
{
    if (!*self)
        return;
    free((*self)->stays.items);
    arena_destroy(&(*self)->memory);
    free((*self)->holders.items);
    free((*self)->parts.items);
    free((*self)->set_of_node.items);
    free((*self)->changes.items);
    free(*self);
    *self = NULL;
}

/* The place of a stay. Jobs start nearly in the order of their arrival, so a list by arrival has
 * few holes. */
static struct stay **place_of_stay(allocation_changes_t *self, uint64_t arrival)
{
    const size_t room = self->stays.count;

    if (arrival < room)
        return &self->stays.items[arrival];
    list_reserve(&self->stays, (size_t)arrival + 1);
    self->stays.count = self->stays.capacity;
    memset(self->stays.items + room, 0, (self->stays.count - room) * sizeof(*self->stays.items));
    return &self->stays.items[arrival];
}

/* The stay of `job`. A new stay is all zeros. */
static struct stay *stay_of(allocation_changes_t *self, const struct job *job)
{
    struct stay **place = place_of_stay(self, job->arrival);

    if (*place)
        return *place;
    *place = self->unused;
    if (self->unused)
        self->unused = self->unused->next_unused;
    else
        *place = arena_alloc(self->memory, sizeof(**place));
    **place = (struct stay){.job = NULL};
    return *place;
}

/* Forgets the stay of a job that is over. */
static void forget_stay(allocation_changes_t *self, uint64_t arrival)
{
    struct stay **place = place_of_stay(self, arrival);

    if (!*place)
        return;
    (*place)->next_unused = self->unused;
    self->unused = *place;
    *place = NULL;
}

/* Adds a change, for which make_room has made room. */
static void add_change(allocation_changes_t *self, struct stay *stay, int gpus,
                       enum change_reason reason)
{
    self->changes.items[self->changes.count++] =
        (struct allocation_change){.submission = stay->submission,
                                   .pool = stay->pool,
                                   .id_length = stay->id_length,
                                   .pool_length = stay->pool_length,
                                   .gpus_before = stay->gpus,
                                   .gpus = gpus,
                                   .reason = reason};
    stay->gpus = gpus;
}

/* Makes room for all changes that a round can bring: of jobs that are over, held GPUs before, or
 * hold some now. */
static void make_room(allocation_changes_t *self, const struct decision *decision)
{
    list_reserve(&self->changes, decision->retired_count + self->holders.count +
                                     (size_t)cluster_layout(decision->cluster)->held_count);
}

/* ---- where jobs are ---- */

/* A well spread number for a position, so that different sets of nodes or GPUs hardly have the same
 * sum. Source: the finalizer of splitmix64, Steele et al., OOPSLA 2014. */
static uint64_t digest_of(int position)
{
    uint64_t digest = (uint64_t)position + 0x9e3779b97f4a7c15u;

    digest = (digest ^ digest >> 30) * 0xbf58476d1ce4e5b9u;
    digest = (digest ^ digest >> 27) * 0x94d049bb133111ebu;
    return digest ^ digest >> 31;
}

/* A digest of GPUs on one node: of the node if these are all its GPUs, else of each GPU. Numbers of
 * nodes and GPUs do not overlap. */
static uint64_t place_on_node(const struct pool *pool, int node, int first, int gpus)
{
    uint64_t place = 0;

    if (gpus == pool->gpus_per_node)
        return digest_of(-1 - node);
    for (int i = 0; i < gpus; i++)
        place += digest_of(pool_rank(pool, node) + first + i);
    return place;
}

/* A digest of the GPUs of a job, and their number in `*gpus`. On one node the digest is the first
 * GPU. On several nodes it is a sum over the nodes, which does not depend on the division into
 * parts. `held` is the first part. All parts are in `pool`. */
static uint64_t place_of(const struct layout *layout, const struct held *held,
                         const struct pool *pool, int *gpus)
{
    const int per_node = pool->gpus_per_node;
    const int first = held->first % per_node; /* several jobs may share one set of nodes */
    uint64_t place = 0;

    *gpus = held->gpus;
    if (held->more < 0 && first + held->gpus <= per_node)
        return (uint64_t)pool_rank(pool, layout->sets[held->set].nodes[held->first / per_node]) +
               (uint64_t)first;
    for (*gpus = 0;; held = &layout->held[held->more]) {
        const struct node_set *set = &layout->sets[held->set];

        for (int i = 0; i < set->node_count; i++) {
            int from;
            const int own = held_on_node(held, i, per_node, &from);

            place += place_on_node(pool, set->nodes[i], from, own);
        }
        *gpus += held->gpus;
        if (held->more < 0)
            return place;
    }
}

/* Notes the node sets on which the parts of a job stand, from `held` on. */
static void note_sets(allocation_changes_t *self, const struct layout *layout,
                      const struct held *held, struct stay *stay)
{
    self->holders.items[self->holders.count++] = (struct standing){stay, held->set};
    while (held->more >= 0) {
        held = &layout->held[held->more];
        list_append(&self->parts, (struct standing){stay, held->set});
    }
}

static void note_nodes(allocation_changes_t *self, const struct layout *layout, size_t node_count)
{
    list_reserve(&self->set_of_node, node_count);
    memcpy(self->set_of_node.items, layout->set_of_node, node_count * sizeof(int));
    self->set_of_node.count = node_count;
}

/* ---- what a round changes ---- */

static void note_done(allocation_changes_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->retired_count; i++) {
        const uint64_t arrival = decision->retired[i].job->arrival;
        struct stay *stay = *place_of_stay(self, arrival);

        if (stay && stay->gpus > 0)
            add_change(self, stay, 0, CHANGE_DONE);
        forget_stay(self, arrival);
    }
}

static void lose_set(const allocation_changes_t *self, const struct standing standings[],
                     size_t count, int set)
{
    for (size_t i = 0; i < count; i++)
        if (standings[i].set == set)
            standings[i].stay->lost_nodes = self->layout;
}

static void note_lost_nodes(allocation_changes_t *self, const struct decision *decision)
{
    for (size_t i = 0; i < decision->disturbance_count && self->holders.count > 0; i++) {
        const struct disturbance *lost = &decision->disturbances[i];

        if (lost->kind != DISTURBANCE_NODE_DOWN && lost->kind != DISTURBANCE_NODE_DRAINING)
            continue;
        lose_set(self, self->holders.items, self->holders.count,
                 self->set_of_node.items[lost->node]);
        lose_set(self, self->parts.items, self->parts.count, self->set_of_node.items[lost->node]);
    }
}

/* Why a job holds nothing any more. A job that is over leaves the layout in the step of its end, so
 * its record is still there. */
static enum change_reason why_released(const allocation_changes_t *self, const struct stay *stay)
{
    if (job_is_live(stay->job))
        return stay->lost_nodes == self->layout ? CHANGE_NODE_LOST : CHANGE_PREEMPTED;
    if (stay->job->state == JOB_FAILED)
        return CHANGE_FAILED;
    if (stay->job->state == JOB_CANCELLED)
        return CHANGE_CANCELLED;
    return stay->job->state == JOB_SUSPENDED ? CHANGE_SUSPENDED : CHANGE_PREEMPTED;
}

static void note_released(allocation_changes_t *self)
{
    const size_t count = self->holders.count;

    for (size_t i = 0; i < count; i++) {
        struct stay *stay = self->holders.items[i].stay;
        enum change_reason reason;

        if (stay->gpus == 0 || stay->job->held >= 0)
            continue;
        reason = why_released(self, stay);
        add_change(self, stay, 0, reason);
        if (reason > CHANGE_DONE)
            forget_stay(self, stay->job->arrival);
    }
}

static const struct throughput_row *row_of(const allocation_changes_t *self, const struct job *job)
{
    if (job->scaling->row || !self->rates || !job->submission->model)
        return job->scaling->row;
    return throughput_find(self->rates, job->submission->model, job->submission->batch_size);
}

/* How fast a job trains on `gpus` GPUs, NaN if unknown. */
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

/* Renews the speedup, unless the job has the same row and number of GPUs as before, as most
 * restarted jobs do. */
static void note_speedup(const allocation_changes_t *self, struct stay *stay, const struct job *job,
                         int gpus)
{
    const struct throughput_row *row;

    if (stay->gpus_last == gpus && stay->row == job->scaling->row)
        return;
    row = row_of(self, job);
    stay->speedup = rate_on(row, gpus) / rate_on(row, 1);
    stay->gpus_last = gpus;
    stay->row = job->scaling->row;
}

static void note_names(const allocation_changes_t *self, struct stay *stay, const struct pool *pool)
{
    const char *name = pool->name && *pool->name ? pool->name : self->gpu_type;

    if (stay->submission == stay->job->submission && stay->pool == name)
        return;
    stay->submission = stay->job->submission;
    assert(stay->submission);
    stay->id_length = strlen(stay->submission->id);
    stay->pool = name;
    stay->pool_length = strlen(name);
}

/* Adds a change if the job with the first part `held` has other GPUs than in the last round. */
static void note_held(allocation_changes_t *self, const struct layout *layout,
                      const struct held *held, const struct pool *pools, struct stay *stay)
{
    const struct pool *pool = pool_at(pools, layout->sets[held->set].nodes[0]);
    int gpus;
    const uint64_t place = place_of(layout, held, pool, &gpus);
    enum change_reason reason;

    if (stay->gpus == gpus && stay->place == place)
        return;
    reason = why_changed(self, stay, gpus);
    stay->job = held->job;
    stay->place = place;
    note_names(self, stay, pool);
    note_speedup(self, stay, held->job, gpus);
    add_change(self, stay, gpus, reason);
}

static void note_holders(allocation_changes_t *self, const struct layout *layout,
                         const struct pool *pools)
{
    const int count = layout->held_count;

    self->holders.count = self->parts.count = 0;
    list_reserve(&self->holders, (size_t)count);
    for (int i = 0; i < count; i++) {
        const struct held *held = &layout->held[i];
        struct stay *stay;

        if (held->job->held != i)
            continue;
        stay = stay_of(self, held->job);
        note_held(self, layout, held, pools, stay);
        note_sets(self, layout, held, stay);
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
    note_released(self);
    note_holders(self, layout, cluster_pools(decision->cluster, NULL));
    note_nodes(self, layout, (size_t)cluster_node_count(decision->cluster));
}

/* ---- how the cluster is used ---- */

static void note_use(allocation_changes_t *self, const cluster_t *cluster)
{
    double speedups = 0;
    struct cluster_use use = {.gpus_used = 0};

    for (size_t i = 0; i < self->holders.count; i++) {
        const struct stay *stay = self->holders.items[i].stay;

        if (stay->gpus == 0)
            continue;
        speedups += stay->speedup;
        use.gpus_used += stay->job->grant.partner ? 0 : stay->gpus;
        use.jobs_running++;
    }
    use.efficiency = speedups / cluster_gpus(cluster);
    self->use = use;
}

const struct allocation_change *
allocation_changes_step(allocation_changes_t *self, const struct decision *decision, size_t *count)
{
    self->changes.count = 0;
    make_room(self, decision);
    note_done(self, decision);
    note_layout(self, decision);
    if (self->changes.count > 0)
        note_use(self, decision->cluster);
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
