/* slice_sets.h - nodes that are given out together, and the jobs that take turns on them.
 *
 * All jobs of a set ask for the same number of GPUs, its class. A set is a queue: the jobs at its
 * front that fit run, the other jobs wait for their turn. Sets live from round to round. Nodes are
 * given out in the order in which they came free.
 *
 * Source: Gandiva (OSDI 2018), as the simulator of the published ElasticFlow artifact keeps it. */
#ifndef REFERENCE_SLICE_SETS_H
#define REFERENCE_SLICE_SETS_H

#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stddef.h>

struct slice_set {
    int gpus; /* GPUs of each job of the set */
    int *nodes;
    int node_count;
    int capacity;            /* number of jobs that run at a time */
    int load;                /* as the policy counts load: GA-Q3 */
    const struct job **jobs; /* in the order of turns, within `room` */
    size_t job_count;
    const struct job **room;
    size_t job_room; /* size of `room` */
    struct slice_set *next_closed;
};

/* The sets of one job size, in an order set by the policy. */
struct slice_set_class {
    int gpus;
    int nodes; /* nodes of each set */
    struct slice_set **sets;
    size_t count;
    size_t room;
    struct slice_set *closed; /* sets to be opened again */
};

#define SLICE_SET_CLASSES 24

typedef struct slice_sets {
    struct slice_set_class
        classes[SLICE_SET_CLASSES]; /* a class for each power of two, from 1 GPU */
    int gpus_per_node;
    int node_count;
    int free_count;
    int *free_nodes; /* a ring */
    int free_first;
    bool turns_changed;       /* turns changed since the reader last cleared this */
    bool nodes_changed;       /* nodes left or came since the policy last looked */
    int class_count;          /* classes from this number on were never used */
    const struct job **moved; /* jobs on their way from one set to another */
    size_t moved_count;
    size_t moved_room;
} slice_sets_t;

/* No sets on a cluster of `node_count` nodes, all free. */
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

/* Takes `count` sets, from index `first` on, out of their class, and frees their nodes. The caller
 * has moved their jobs, if they had any. */
void slice_sets_close(slice_sets_t *self, struct slice_set_class *class, size_t first,
                      size_t count);

/* Removes the lost `node`: appends each job that had a place on it to self->moved, and frees the
 * other nodes of its set. slice_sets_gain_node() adds `node` as the last free node. */
void slice_sets_lose_node(slice_sets_t *self, int node);
void slice_sets_gain_node(slice_sets_t *self, int node);

/* Removes all jobs from `set` and appends them to self->moved. */
void slice_sets_move_out(slice_sets_t *self, struct slice_set *set);

/* Deals the jobs that were moved out to the sets of `class`, which are sorted by load: each joins
 * the set in front, which then takes its place by load, before sets of equal load. */
void slice_sets_deal(slice_sets_t *self, struct slice_set_class *class);

/* Moves the first set of a class to its end. */
void slice_set_class_rotate(struct slice_set_class *class);

/* Sorts the sets of a class by rising load. Sets of equal load keep their order. */
void slice_set_class_sort(struct slice_set_class *class);

/* Appends `job` to the queue of `set`. */
void slice_sets_append(slice_sets_t *self, struct slice_set *set, const struct job *job);

/* The number of running jobs of `set`. */
static inline size_t slice_set_running(const struct slice_set *set)
{
    return set->job_count < (size_t)set->capacity ? set->job_count : (size_t)set->capacity;
}

/* Moves the first `count` jobs to the end of the queue. */
void slice_sets_rotate(slice_sets_t *self, struct slice_set *set, size_t count);

/* Removes done jobs among the first `count`. Returns how many of the `count` jobs are left. */
size_t slice_sets_drop_done(slice_sets_t *self, struct slice_set *set, size_t count);

#endif
