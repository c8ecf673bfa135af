/* world_options.h - the options of simulated worlds, for the tools that simulate. */
#ifndef RUN_WORLD_OPTIONS_H
#define RUN_WORLD_OPTIONS_H

#include "common/options.h"
#include "scheduler/run/simulation.h"

/* clang-format off */
#define OPTIONS_OF_DISTURBANCES(world)                                                             \
    OPTION_TEXT("faults", "FILE", &(world)->faults,                                                \
                "nodes that are lost and come back, CSV: time,node,event, the event being gone "   \
                "or up, or reserved with a fourth column, until"),                                 \
    OPTION_WHOLE("node-mtbf", "SECONDS", &(world)->node_mtbf_s, 0, 1000000000000,                  \
                 "mean time between the failures of a node, which are random; 0 for none"),        \
    OPTION_WHOLE("node-repair", "SECONDS", &(world)->node_repair_s, 1, 1000000000000,              \
                 "with --node-mtbf: mean time until a node is back"),                              \
    OPTION_WHOLE("nodes-down", "COUNT", &(world)->nodes_down, 0, 100000,                           \
                 "with --node-mtbf: how many nodes are gone at the same time at most; 0 for any"), \
    OPTION_WHOLE("checkpoint-interval", "SECONDS", &(world)->checkpoint_s, 0, 1000000000,          \
                 "time between two checkpoints of a job; what it did after the last one is lost "  \
                 "with its node. 0: nothing is lost"),                                             \
    OPTION_REAL("speed-error", "PERCENT", &(world)->speed_error, 0, 99,                            \
                "how far the speed of each job may be off its table, at random")

#define OPTIONS_OF_WORLD(world)                                                                    \
    OPTIONS_OF_DISTURBANCES(world),                                                                \
    OPTION_REAL("overhead-factor", "FACTOR", &(world)->overhead_factor, 0, 1000,                   \
                "how long starts, resizes, moves and restarts take, over what is planned"),        \
    OPTION_WHOLE("seed", "NUMBER", &(world)->seed, 0, 1e15,                                        \
                 "where the random numbers of --node-mtbf and --speed-error begin")
/* clang-format on */

#endif
