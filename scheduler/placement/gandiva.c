/* gandiva.c - jobs hold the nodes of their slice sets, side by side in the order of their turns: the
 * policy has chosen them. */
#include "scheduler/placement/placement.h"

#include <assert.h>

static void open_set(struct layout *layout, const struct slice_set *from, int gpus_per_node)
{
    const int set_index = layout->set_count++;
    int *nodes = layout->chosen + layout->nodes_taken;

    layout->sets[set_index] = (struct node_set){.nodes = nodes,
                                                .node_count = from->node_count,
                                                .capacity = from->node_count * gpus_per_node,
                                                .label = from->gpus,
                                                .class_label = from->gpus,
                                                .first_held = -1,
                                                .last_held = -1};
    layout->nodes_taken += from->node_count;
    for (int i = 0; i < from->node_count; i++) {
        nodes[i] = from->nodes[i];
        layout->set_of_node[nodes[i]] = set_index;
    }
}

static int place(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                 struct layout *layout, struct error *error)
{
    (void)error;
    for (size_t i = 0; i < count; i++) {
        assert(requests[i].set);
        if (i == 0 || requests[i].set != requests[i - 1].set)
            open_set(layout, requests[i].set, cluster_gpus_per_node(cluster));
        layout_hold(layout, layout->set_count - 1, requests[i].job, requests[i].gpus);
    }
    return 0;
}

const struct placement placement_gandiva = {
    .name = "gandiva",
    .summary = "the nodes on which the jobs take turns, packed side by side",
    .on_slice_sets = true,
    .place = place,
};
