/* node_faults.h - the times at which nodes of a simulated cluster are lost, reserved and come back:
 * from a file, or at random.
 *
 * Each node has a random stream of its own, so that one node does not affect the others. The times
 * between its return and its next failure, and until it is repaired, are exponential. */
#ifndef SIMULATE_NODE_FAULTS_H
#define SIMULATE_NODE_FAULTS_H

#include "scheduler/simulate/fault_file.h"
#include "scheduler/state/stays.h"
#include "scheduler/state/world_setting.h"

typedef struct node_faults node_faults_t;

/* Faults of `node_count` nodes, all up at first; the setting is lent. NULL with `error` if the file
 * cannot be read. */
node_faults_t *node_faults_new(const struct world_setting *setting, int node_count,
                               struct error *error);
void node_faults_destroy(node_faults_t **self);

/* Nodes fail at random from now on. */
void node_faults_begin(node_faults_t *self, int64_t now_s);

/* Whether any node is reserved at any time. */
bool node_faults_reserves(const node_faults_t *self);

/* When reservations leave the node, which is there from `now_s` to `until_s` otherwise, to jobs. */
struct stays node_faults_leave(const node_faults_t *self, int node, int64_t now_s, int64_t until_s);

/* The time of the next fault, which may turn out to be none; NEVER_S if there is none. */
int64_t node_faults_next_s(const node_faults_t *self);

/* Takes the next fault at `now_s` or before. False if there is none. */
bool node_faults_take(node_faults_t *self, int64_t now_s, struct fault *fault);

#endif
