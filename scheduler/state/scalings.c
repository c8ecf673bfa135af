/* scalings.c - see scalings.h. */
#include "scheduler/state/scalings.h"

#include "common/memory.h"

#include <stdlib.h>

struct scalings {
    const struct pool *pools;
    int pool_count;
    bool nodes_changed; /* at any time */
    struct scaling **items;
    size_t count;
    size_t capacity;
};

scalings_t *scalings_new(const cluster_t *cluster)
{
    scalings_t *self = xcalloc(1, sizeof(*self));

    self->pools = cluster_pools(cluster, &self->pool_count);
    return self;
}

void scalings_destroy(scalings_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        free((*self)->items[i]);
    free((*self)->items);
    free(*self);
    *self = NULL;
}

/* The GPUs that a scaling reckons with; all of a pool that has lost all its nodes. */
static int usable_gpus(const scalings_t *self, int pool, int gpus_max)
{
    const struct pool *own = &self->pools[pool];
    const int gpus = own->gpus_up > 0 ? own->gpus_up : own->node_count * own->gpus_per_node;
    int power = 1;

    if (!self->nodes_changed)
        return gpus;
    while (2 * power <= gpus)
        power *= 2;
    return power < gpus_max ? power : gpus;
}

static bool is_for(const scalings_t *self, const struct scaling scalings[], const struct uses *uses)
{
    for (int pool = 0; pool < self->pool_count; pool++)
        if (scalings[pool].gpus_max != uses->gpus_max[pool] ||
            scalings[pool].row != uses->rows[pool])
            return false;
    return true;
}

static int scale_in(const scalings_t *self, int pool, const struct uses *uses,
                    struct scaling *scaling, struct error *error)
{
    const struct throughput_row *row = uses->rows[pool];
    const int gpus_max = uses->gpus_max[pool];

    if (row)
        return scaling_init(scaling, row, gpus_max, usable_gpus(self, pool, gpus_max), error);
    if (self->pool_count == 1)
        scaling_init_fixed(scaling, gpus_max);
    else
        *scaling = (struct scaling){.gpus_max = gpus_max};
    return 0;
}

const struct scaling *scalings_find(scalings_t *self, const struct uses *uses, struct error *error)
{
    struct scaling *scalings;

    for (size_t i = 0; i < self->count; i++)
        if (is_for(self, self->items[i], uses))
            return self->items[i];
    scalings = xcalloc((size_t)self->pool_count, sizeof(*scalings));
    for (int pool = 0; pool < self->pool_count; pool++)
        if (scale_in(self, pool, uses, &scalings[pool], error) < 0) {
            free(scalings);
            return NULL;
        }
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(struct scaling *));
    self->items[self->count++] = scalings;
    return scalings;
}

static void renew_in(scalings_t *self, int pool)
{
    for (size_t i = 0; i < self->count && self->pools[pool].gpus_up > 0; i++) {
        struct scaling *scaling = &self->items[i][pool];
        struct error ignored; /* the row was good when the job came */

        if (scaling->row)
            (void)scaling_init(scaling, scaling->row, scaling->gpus_max,
                               usable_gpus(self, pool, scaling->gpus_max), &ignored);
    }
}

void scalings_renew(scalings_t *self)
{
    self->nodes_changed = true;
    for (int pool = 0; pool < self->pool_count; pool++)
        renew_in(self, pool);
}
