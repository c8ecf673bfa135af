/* world_options.h - the options of simulated worlds, for the tools that simulate. */
#ifndef RUN_WORLD_OPTIONS_H
#define RUN_WORLD_OPTIONS_H

#include "common/options.h"
#include "scheduler/run/simulation.h"

/* clang-format off */
#define OPTIONS_OF_DISTURBANCES(world)                                                             \
    OPTION_TEXT("faults", "FILE", &(world)->faults,                                                \
                "nodes that are lost and come back, CSV: time,node,event, the event being gone "   \
                "or up"),                                                                          \
    OPTION_WHOLE("node-mtbf", "SECONDS", &(world)->node_mtbf_s, 0, 1000000000000,                  \
                 "each node fails at random, so many seconds apart in the mean; 0 for never"),     \
    OPTION_WHOLE("node-repair", "SECONDS", &(world)->node_repair_s, 1, 1000000000000,              \
                 "with --node-mtbf: mean time until a node is back"),                              \
    OPTION_WHOLE("nodes-down", "COUNT", &(world)->nodes_down, 0, 100000,                           \
                 "with --node-mtbf: no node fails while so many are gone; 0 for no limit"),        \
    OPTION_WHOLE("checkpoint-interval", "SECONDS", &(world)->checkpoint_s, 0, 1000000000,          \
                 "a job that loses a node loses what it did since its last checkpoint, one each "  \
                 "so many seconds of training; 0: it loses nothing"),                              \
    OPTION_REAL("speed-error", "PERCENT", &(world)->speed_error, 0, 99,                            \
                "each job is faster or slower than its table, at random by up to so much")

#define OPTIONS_OF_WORLD(world)                                                                    \
    OPTIONS_OF_DISTURBANCES(world),                                                                \
    OPTION_REAL("overhead-factor", "FACTOR", &(world)->overhead_factor, 0, 1000,                   \
                "starts, resizes, moves and restarts take so many times what is planned for "      \
                "them"),                                                                           \
    OPTION_WHOLE("seed", "NUMBER", &(world)->seed, 0, 1e15,                                        \
                 "of what is random in --node-mtbf and --speed-error")
/* clang-format on */

#endif
