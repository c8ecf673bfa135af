/* promising_options.h - the options of policies that keep a plan for their promises, for every
 * program that runs a simulation. `s` is what separates words in the names: "_" as the artifact has
 * it, or "-". */
#ifndef RUN_PROMISING_OPTIONS_H
#define RUN_PROMISING_OPTIONS_H

#include "common/options.h"
#include "scheduler/run/simulation.h"

/* clang-format off */
#define OPTIONS_OF_RESERVE(simulation, s)                                                          \
    OPTION_CHOICE("objective", "WHAT", &(simulation)->objective, promise_objective_names(),        \
                  "rubato: what to promise as much of as possible: jobs, their column value, or "  \
                  "the GPU-hours that they take at least"),                                        \
    OPTION_WHOLE("spare" s "nodes", "COUNT", &(simulation)->promising.spare_nodes, 0, 100000,      \
                 "rubato: promise only what holds if so many nodes are lost at any time"),         \
    OPTION_WHOLE("node" s "loss", "SECONDS", &(simulation)->promising.node_loss_s, 0, 1000000,     \
                 "rubato, with --spare" s "nodes: how much work a job loses with a node at most, " \
                 "from its last checkpoint to its new start")

#define OPTIONS_OF_PROMISES(simulation, s)                                                         \
    OPTIONS_OF_RESERVE(simulation, s),                                                             \
    OPTION_REAL("confidence", "PERCENT", &(simulation)->promising.confidence, 0, CONFIDENCE_MAX,   \
                "rubato: promise only what holds with this chance, by how slow jobs are beside "   \
                "their profiles; 0 takes profiles as they are"),                                   \
    OPTION_TEXT("promise" s "share", "WHO=SHARE,...", &(simulation)->promise_share,                \
                "rubato: how much of the cluster may be promised ahead at one time, as a share of "\
                "its GPU-hours in the --promise" s "horizon: to all jobs of a user, of @GROUP, or "\
                "with * of each user who is not named"),                                           \
    OPTION_WHOLE("promise" s "horizon", "SECONDS", &(simulation)->promise_horizon_s, 1,            \
                 PROMISE_HORIZON_MAX_S, "time that a --promise" s "share is a share of")
/* clang-format on */

#endif
