/* scalings.c - see scalings.h. */
#include "scheduler/state/scalings.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* The key of a scaling in one pool. The struct has no padding. */
struct use {
    const struct throughput_row *row;
    intptr_t gpus_max;
};

/* The scalings of one combination of uses, by pool. */
struct scaled {
    struct use *uses;
    UT_hash_handle hh;
    struct scaling scalings[];
};

struct scalings {
    const struct pool *pools;
    int pool_count;
    bool keeps_plan;
    bool needs_powers;
    bool nodes_changed; /* since the run began */
    struct scaled *by_uses;
};

scalings_t *scalings_new(const cluster_t *cluster, bool keeps_plan, bool needs_powers)
{
    scalings_t *self = xcalloc(1, sizeof(*self));

    self->pools = cluster_pools(cluster, &self->pool_count);
    self->keeps_plan = keeps_plan;
    self->needs_powers = needs_powers;
    return self;
}

void scalings_destroy(scalings_t **self)
{
    struct scaled *scaled;

    if (!*self)
        return;
    scaled = (*self)->by_uses;
    HASH_CLEAR(hh, (*self)->by_uses); /* the scalings stay linked as a list */
    while (scaled) {
        struct scaled *next = scaled->hh.next;

        free(scaled->uses);
        free(scaled);
        scaled = next;
    }
    free(*self);
    *self = NULL;
}

/* The GPUs of a pool that are up. For a policy that keeps a plan also those known to come back. */
static int known_gpus(const scalings_t *self, int pool)
{
    return self->pools[pool].gpus_up + (self->keeps_plan ? self->pools[pool].gpus_away : 0);
}

/* The GPUs of a pool that a scaling counts on: those that are known, or all if none is. */
static int usable_gpus(const scalings_t *self, int pool, int gpus_max)
{
    const struct pool *own = &self->pools[pool];
    const int known = known_gpus(self, pool);
    const int gpus = known > 0 ? known : own->node_count * own->gpus_per_node;
    int power = 1;

    if (!self->nodes_changed)
        return gpus;
    while (2 * power <= gpus)
        power *= 2;
    return power < gpus_max ? power : gpus;
}

static int scale_in(const scalings_t *self, int pool, const struct uses *uses,
                    struct scaling *scaling, struct error *error)
{
    const struct throughput_row *row = uses->rows[pool];
    const int gpus_max = uses->gpus_max[pool];

    if (row && !self->needs_powers) {
        scaling_fill(scaling, row, gpus_max, usable_gpus(self, pool, gpus_max));
        return 0;
    }
    if (row) {
        if (scaling_init(scaling, row, gpus_max, usable_gpus(self, pool, gpus_max), error) < 0)
            return -1;
        /* Other GPU counts make times fractional, which the artifact would truncate. */
        return self->keeps_plan || scaling_is_in_blocks(scaling)
                   ? 0
                   : scaling_complain_of_size(scaling, error);
    }
    if (self->pool_count == 1)
        scaling_init_fixed(scaling, gpus_max);
    else
        *scaling = (struct scaling){.gpus_max = gpus_max};
    return 0;
}

static struct scaled *make(const scalings_t *self, const struct uses *uses, struct error *error)
{
    struct scaled *scaled =
        xcalloc(1, sizeof(*scaled) + (size_t)self->pool_count * sizeof(scaled->scalings[0]));

    for (int pool = 0; pool < self->pool_count; pool++)
        if (scale_in(self, pool, uses, &scaled->scalings[pool], error) < 0) {
            free(scaled);
            return NULL;
        }
    return scaled;
}

const struct scaling *scalings_find(scalings_t *self, const struct uses *uses, struct error *error)
{
    const size_t bytes = (size_t)self->pool_count * sizeof(struct use);
    struct use key[CLUSTER_POOLS_MAX];
    struct scaled *scaled;

    memset(key, 0, bytes);
    for (int pool = 0; pool < self->pool_count; pool++)
        key[pool] = (struct use){uses->rows[pool], uses->gpus_max[pool]};
    HASH_FIND(hh, self->by_uses, key, bytes, scaled);
    if (scaled)
        return scaled->scalings;
    scaled = make(self, uses, error);
    if (!scaled)
        return NULL;
    scaled->uses = memcpy(xmalloc(bytes), key, bytes);
    HASH_ADD_KEYPTR(hh, self->by_uses, scaled->uses, bytes, scaled);
    return scaled->scalings;
}

static void renew_in(scalings_t *self, int pool)
{
    for (struct scaled *scaled = self->by_uses; scaled && known_gpus(self, pool) > 0;
         scaled = scaled->hh.next) {
        struct scaling *scaling = &scaled->scalings[pool];

        if (scaling->row)
            scaling_fill(scaling, scaling->row, scaling->gpus_max,
                         usable_gpus(self, pool, scaling->gpus_max));
    }
}

void scalings_renew(scalings_t *self)
{
    self->nodes_changed = true;
    for (int pool = 0; pool < self->pool_count; pool++)
        renew_in(self, pool);
}

void scalings_archive(scalings_t *self, struct archive *archive)
{
    ARCHIVE(archive, &self->nodes_changed);
}
