/* gandiva.c - jobs hold the nodes of their slice sets, side by side in the order of their turns: the
 * policy has chosen them. */
#include "scheduler/placement/placement.h"

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

static void place_turns(const cluster_t *cluster, const slice_sets_t *sets, struct job *jobs,
                        struct layout *layout)
{
    const int gpus_per_node = cluster_gpus_per_node(cluster);

    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++) {
            const struct slice_set *set = sets->classes[c].sets[k];
            const size_t running = slice_set_running(set);

            if (running == 0)
                continue;
            open_set(layout, set, gpus_per_node);
            for (size_t i = 0; i < running; i++)
                layout_hold(layout, layout->set_count - 1, &jobs[set->jobs[i]->arrival], set->gpus);
        }
}

const struct placement placement_gandiva = {
    .name = "gandiva",
    .summary = "the nodes on which the jobs take turns, packed side by side",
    .place_turns = place_turns,
};
