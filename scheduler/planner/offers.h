/* offers.h - free GPUs that no course needs now go to the jobs where they save most work per GPU.
 * Jobs near their deadlines come sooner. */
#ifndef PLANNER_OFFERS_H
#define PLANNER_OFFERS_H

#include "scheduler/planner/planner.h"

/* A job that may grow: the savings of each level, and the jump that saves most per GPU. */
struct offer {
    struct task *task;
    double values[SCALING_LEVELS];
    int level;
    double gain; /* per GPU; 0 for no jump */
};

struct offers {
    const struct planner *planner;
    struct offer *items;
    size_t count;
    int gpus; /* number of free GPUs */
};

/* Offers with room for `room` tasks. */
struct offers offers_open(const struct planner *planner, size_t room, int gpus);

/* offers_add: adds the tasks of `tasks` that may run. offers_serve: gives all added tasks more
 * GPUs. */
void offers_add(struct offers *self, const struct task_list *tasks);
void offers_serve(struct offers *self);

#endif
