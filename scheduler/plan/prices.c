/* prices.c - see prices.h. */
#include "scheduler/plan/prices.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_CLUSTER_GPUS 256

/* The memory of a job, by its row. A row that is used again was not met in the last visit:
 * its earlier job had left the layout. */
struct stand {
    uint64_t number;       /* of the job that the last look met */
    bool ran_before;       /* whether the GPUs ran together before */
    int64_t visit;         /* number of the last visit that met the job */
    uint64_t ranks;        /* digest of the GPUs that the job holds, 0 for none */
    uint64_t ranks_before; /* digest of its GPUs at the look before */
    int64_t look;          /* number of the last look that met the job */
};

/* Rows are kept in blocks. If few of many jobs hold GPUs most blocks stay empty, so that a copy of
 * the process for each question needs little memory. */
#define BLOCK_STANDS ((size_t)256)

struct prices {
    int64_t restart_rounds;
    int64_t rounds;
    bool is_early; /* the present round comes before its slot */
    bool restarts; /* the present round restarts all jobs */
    struct tariff tariff;
    size_t rank_count;
    uint32_t *groups; /* by first rank: a bit for each power of two of GPUs that ran together */
    struct stand **blocks; /* blocks of BLOCK_STANDS rows; NULL without a job */
    size_t block_count;
    int64_t visits;
    int64_t looks;
};

/* Renews the tariff after a change of rounds. An early round is not counted. */
static void renew_tariff(prices_t *self)
{
    const int64_t every = self->restart_rounds;
    const int64_t since = every > 0 && self->rounds > 0 ? (self->rounds - 1) % every + 1 : 0;

    self->restarts = since == every && every > 0 && !self->is_early;
    self->tariff.restart_rounds = every;
    self->tariff.next_restart = every - since + (every > 0 && self->is_early);
}

prices_t *prices_new(int gpu_count, int64_t restart_rounds)
{
    prices_t *self = xcalloc(1, sizeof(*self));

    assert(gpu_count > 0);
    assert(restart_rounds >= 0);
    self->restart_rounds = restart_rounds;
    self->tariff.base_s = gpu_count >= LARGE_CLUSTER_GPUS ? 7 : 2;
    self->tariff.restart_s = gpu_count >= LARGE_CLUSTER_GPUS ? 47 : 27;
    renew_tariff(self);
    self->rank_count = 2 * (size_t)gpu_count; /* a block may reach beyond the last node of a set */
    self->groups = xcalloc(self->rank_count, sizeof(*self->groups));
    return self;
}

void prices_destroy(prices_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->block_count; i++)
        free((*self)->blocks[i]);
    free((*self)->blocks);
    free((*self)->groups);
    free(*self);
    *self = NULL;
}

static void make_room(prices_t *self, size_t block)
{
    const size_t count = 2 * block + 1;

    if (block >= self->block_count) {
        self->blocks = xrealloc(self->blocks, count * sizeof(*self->blocks));
        memset(self->blocks + self->block_count, 0,
               (count - self->block_count) * sizeof(*self->blocks));
        self->block_count = count;
    }
    self->blocks[block] = xcalloc(BLOCK_STANDS, sizeof(**self->blocks));
}

static inline struct stand *stand_in(prices_t *self, uint32_t row)
{
    const size_t block = row / BLOCK_STANDS;

    if (block >= self->block_count || !self->blocks[block])
        make_room(self, block);
    return &self->blocks[block][row % BLOCK_STANDS];
}

static inline struct stand *stand_of(prices_t *self, const struct job *job)
{
    return stand_in(self, job->row);
}

static bool visit_group(prices_t *self, int first_rank, int gpus)
{
    const uint32_t bit = 1u << scaling_block_class(gpus);
    bool ran_before;

    assert((size_t)first_rank < self->rank_count);
    ran_before = self->groups[first_rank] & bit;
    self->groups[first_rank] |= bit;
    return ran_before;
}

void prices_begin_visit(prices_t *self)
{
    self->visits++;
}

bool prices_visit_job(prices_t *self, const struct job *job, int rank, bool again)
{
    struct stand *stand = stand_of(self, job);
    const bool is_first = stand->visit != self->visits;

    if (is_first || again)
        stand->ran_before = visit_group(self, rank, job_gpus(job));
    stand->visit = self->visits;
    return is_first;
}

/* A node, with its place in its set. */
struct spot {
    int rank; /* rank of its first GPU */
    int per_node;
    int place;
};

static void visit_held(prices_t *self, const struct held *held, const struct spot *spot)
{
    (void)prices_visit_job(self, held->job, spot->rank + held->first, false);
}

/* Adds the GPUs of a job on one node to its digest. Nodes come in their order, so the digest does
 * not depend on how a scheme divides the GPUs into parts. */
static void look_at_job(prices_t *self, const struct held *held, const struct spot *spot)
{
    struct stand *stand = stand_of(self, held->job);
    int first;
    const int gpus = held_on_node(held, spot->place, spot->per_node, &first);
    const uint64_t rank = (uint64_t)spot->rank + (uint64_t)first;

    if (stand->look != self->looks) {
        const bool is_same =
            stand->look == self->looks - 1 && stand->number == held->job->submission->number;

        stand->number = held->job->submission->number;
        stand->ranks_before = is_same ? stand->ranks : 0;
        stand->ranks = 0;
        stand->look = self->looks;
    }
    stand->ranks = (stand->ranks ^ (rank << 20 | (uint64_t)gpus)) * 0x9e3779b97f4a7c15u + 1;
}

static int place_in(const struct node_set *set, int node)
{
    int place = 0;

    while (set->nodes[place] != node)
        place++;
    return place;
}

/* Calls `meet` for each part on each node: nodes in their order, parts of a node in that of
 * placement. */
static void walk_layout(prices_t *self, const cluster_t *cluster,
                        void (*meet)(prices_t *self, const struct held *held,
                                     const struct spot *spot))
{
    const struct layout *layout = cluster_layout(cluster);
    const struct pool *pool = cluster_pools(cluster, NULL);
    const int nodes = cluster_node_count(cluster);

    for (int node = 0; node < nodes; node++) {
        const int set = layout->set_of_node[node];
        struct spot spot;

        if (set < 0)
            continue;
        pool = pool_at(pool, node);
        spot = (struct spot){.rank = pool_rank(pool, node),
                             .per_node = pool->gpus_per_node,
                             .place = place_in(&layout->sets[set], node)};
        for (int i = layout->sets[set].first_held; i >= 0; i = layout->held[i].next)
            meet(self, &layout->held[i], &spot);
    }
}

/* A guest has the price of its host. */
static void follow_hosts(prices_t *self, const struct layout *layout)
{
    for (int i = layout_own_parts(layout); i < layout->held_count; i++) {
        const struct held *held = &layout->held[i];

        stand_of(self, held->job)->ran_before =
            stand_of(self, layout->held[held->of].job)->ran_before;
    }
}

void prices_visit(prices_t *self, const cluster_t *cluster)
{
    prices_begin_visit(self);
    walk_layout(self, cluster, visit_held);
    follow_hosts(self, cluster_layout(cluster));
}

void prices_note_moves(prices_t *self, const cluster_t *cluster)
{
    self->looks++;
    walk_layout(self, cluster, look_at_job);
}

bool prices_restart(const prices_t *self)
{
    return self->restarts;
}

bool prices_moved(prices_t *self, const struct job *job)
{
    const struct stand *stand = stand_of(self, job);

    return stand->look == self->looks && stand->ranks != stand->ranks_before;
}

struct tariff prices_tariff(const prices_t *self)
{
    return self->tariff;
}

bool prices_ran_together(const prices_t *self, int rank, int gpus)
{
    return self->groups[rank] & 1u << scaling_block_class(gpus);
}

/* The price of a start. GPUs that ran together start at the base price, even in a round that
 * restarts all others. */
static int price(const prices_t *self, int gpus, bool ran_before)
{
    return tariff_price(&self->tariff, gpus, ran_before, self->restarts);
}

int prices_of(prices_t *self, const struct job *job)
{
    const struct stand *stand = stand_of(self, job);

    return price(self, job_gpus(job), stand->ran_before);
}

int prices_of_new(const prices_t *self, int gpus)
{
    return price(self, gpus, false);
}

int prices_of_known(const prices_t *self)
{
    return price(self, 1, true);
}

void prices_begin_round(prices_t *self, bool is_early)
{
    if (self->is_early == is_early)
        return;
    self->is_early = is_early;
    renew_tariff(self);
}

void prices_end_round(prices_t *self)
{
    if (self->is_early)
        return;
    if (prices_restart(self))
        memset(self->groups, 0, self->rank_count * sizeof(*self->groups));
    self->rounds++;
    renew_tariff(self);
}

/* ---- see common/archive.h ---- */

static void archive_groups(prices_t *self, struct archive *archive)
{
    size_t count = 0;
    size_t at = 0;

    for (size_t i = 0; i < self->rank_count; i++)
        count += self->groups[i] != 0;
    count = archive_count(archive, count, self->rank_count);
    for (size_t i = 0; i < count; i++, at++) {
        while (!archive->reads && self->groups[at] == 0)
            at++;
        at = archive_count(archive, at, self->rank_count - 1);
        ARCHIVE(archive, &self->groups[at]);
    }
}

/* Whether the stand was noted at the last look: an earlier one is outdated. */
static bool tells(const prices_t *self, size_t row)
{
    const struct stand *block = self->blocks[row / BLOCK_STANDS];
    const struct stand *stand = block ? &block[row % BLOCK_STANDS] : NULL;

    return stand && (stand->look == self->looks || stand->visit == self->visits);
}

static void archive_stand(struct archive *archive, struct stand *stand)
{
    ARCHIVE(archive, &stand->number);
    ARCHIVE(archive, &stand->ran_before);
    ARCHIVE(archive, &stand->visit);
    ARCHIVE(archive, &stand->ranks);
    ARCHIVE(archive, &stand->ranks_before);
    ARCHIVE(archive, &stand->look);
}

static void archive_stands(prices_t *self, struct archive *archive)
{
    size_t count = 0;
    size_t row = 0;

    for (size_t i = 0; i < self->block_count * BLOCK_STANDS; i++)
        count += tells(self, i);
    count = archive_count(archive, count, UINT32_MAX / 4);
    for (size_t i = 0; i < count && !archive->broken; i++, row++) {
        while (!archive->reads && !tells(self, row))
            row++;
        row = archive_count(archive, row, UINT32_MAX / 4);
        archive_stand(archive, stand_in(self, (uint32_t)row));
    }
}

void prices_archive(prices_t *self, struct archive *archive)
{
    ARCHIVE(archive, &self->rounds);
    ARCHIVE(archive, &self->is_early);
    ARCHIVE(archive, &self->visits);
    ARCHIVE(archive, &self->looks);
    archive_groups(self, archive);
    archive_stands(self, archive);
    renew_tariff(self);
}
