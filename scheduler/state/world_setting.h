/* world_setting.h - the ways in which a simulated world differs from the tables: nodes are lost and
 * come back, jobs are faster or slower, starts cost more or less. */
#ifndef STATE_WORLD_SETTING_H
#define STATE_WORLD_SETTING_H

#include <stdbool.h>
#include <stdint.h>

struct world_setting {
    const char *faults;    /* file of nodes that go and come, or NULL */
    int64_t node_mtbf_s;   /* mean time between the failures of a node, 0 for none */
    int64_t node_repair_s; /* mean time until a node is back */
    int64_t nodes_down;    /* most nodes that are down at a time by random failures; 0: no limit */
    int64_t checkpoint_s;  /* training time between two checkpoints of a job; 0: nothing is lost */
    double speed_error;    /* per cent by which speeds may differ from the tables */
    double overhead_factor;
    int64_t seed; /* seed of all random numbers */
};

/* The world of the tables, with a worker's checkpoint each 600 s. */
#define WORLD_DEFAULT                                                                              \
    {                                                                                              \
        .node_repair_s = 3600, .checkpoint_s = 600, .overhead_factor = 1                           \
    }

static inline bool world_has_faults(const struct world_setting *world)
{
    return world->faults || world->node_mtbf_s > 0;
}

/* Whether the world is as in the tables. */
static inline bool world_is_plain(const struct world_setting *world)
{
    return !world ||
           (!world_has_faults(world) && world->speed_error <= 0 && world->overhead_factor == 1);
}

#endif
