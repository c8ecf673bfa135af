/* slice_sets.h - nodes that are given out together, and the jobs that take turns on them.
 *
 * All jobs of a set ask for the same number of GPUs, its class. A set is a queue: those at its
 * front that fit run, the others wait for their turn. Sets live from round to round; nodes are
 * given out in the order in which they came free.
 *
 * Source: Gandiva (OSDI 2018), as the simulator of the published ElasticFlow artifact keeps it. */
#ifndef REFERENCE_SLICE_SETS_H
#define REFERENCE_SLICE_SETS_H

#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stddef.h>

struct slice_set {
    int gpus; /* of each of its jobs */
    int *nodes;
    int node_count;
    int capacity;            /* so many jobs run at a time */
    int load;                /* what the policy says of it: GA-Q3 */
    const struct job **jobs; /* in the order of their turns, somewhere in `room` */
    size_t job_count;
    const struct job **room;
    size_t job_room; /* of all of `room` */
    struct slice_set *next_closed;
};

/* The sets of one job size, in an order that the policy gives them. */
struct slice_set_class {
    int gpus;
    int nodes; /* of each set */
    struct slice_set **sets;
    size_t count;
    size_t room;
    struct slice_set *closed; /* to be opened again */
};

#define SLICE_SET_CLASSES 24

typedef struct slice_sets {
    struct slice_set_class classes[SLICE_SET_CLASSES]; /* by power of two, from 1 GPU */
    int gpus_per_node;
    int node_count;
    int free_count;
    int *free_nodes; /* a ring */
    int free_first;
    bool turns_changed;       /* somewhere, since their reader last said that they had not */
    bool nodes_changed;       /* some left or came since the policy last looked */
    int class_count;          /* no class after so many was ever asked for */
    const struct job **moved; /* jobs on their way from one set to another */
    size_t moved_count;
    size_t moved_room;
} slice_sets_t;

/* No sets on a cluster of so many nodes, all free. */
slice_sets_t *slice_sets_new(int node_count, int gpus_per_node);
void slice_sets_destroy(slice_sets_t **self);

/* The class of jobs of `gpus` GPUs, a power of two. */
struct slice_set_class *slice_sets_class(slice_sets_t *self, int gpus);

/* The number of the class of `job` among the classes. */
static inline int slice_set_class_of(const struct job *job)
{
    return scaling_class(job->submission->gpus_requested) - 1;
}

/* Opens an empty set at the end of its class; NULL if too few nodes are free. */
struct slice_set *slice_sets_open(slice_sets_t *self, struct slice_set_class *class);

/* Takes `count` sets, from that at `first` on, out of their class; their nodes are free again. The
 * caller has moved their jobs, if they had any. */
void slice_sets_close(slice_sets_t *self, struct slice_set_class *class, size_t first,
                      size_t count);

/* `node` is gone: each job that had a place on it is now in self->moved, after those there; the
 * other nodes of its set are free. Or it is there again, the last of the free ones. */
void slice_sets_lose_node(slice_sets_t *self, int node);
void slice_sets_gain_node(slice_sets_t *self, int node);

/* Takes all jobs out of `set`, to after those in self->moved. */
void slice_sets_move_out(slice_sets_t *self, struct slice_set *set);

/* Deals the jobs that were moved out to the sets of `class`, which are sorted by load: each joins
 * the set in front, which then takes its place by load, before others that have as much. */
void slice_sets_deal(slice_sets_t *self, struct slice_set_class *class);

/* Moves the first set of a class to its end. */
void slice_set_class_rotate(struct slice_set_class *class);

/* Sorts the sets of a class by rising load; equal ones keep their order. */
void slice_set_class_sort(struct slice_set_class *class);

/* `job` comes last in the queue of `set`. */
void slice_sets_append(slice_sets_t *self, struct slice_set *set, const struct job *job);

/* How many jobs of `set` run. */
static inline size_t slice_set_running(const struct slice_set *set)
{
    return set->job_count < (size_t)set->capacity ? set->job_count : (size_t)set->capacity;
}

/* The first `count` jobs go after the others. */
void slice_sets_rotate(slice_sets_t *self, struct slice_set *set, size_t count);

/* Takes those of the first `count` jobs out that are done. Returns how many of them are left. */
size_t slice_sets_drop_done(slice_sets_t *self, struct slice_set *set, size_t count);

#endif
