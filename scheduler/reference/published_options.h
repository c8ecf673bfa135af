/* published_options.h - the command line of the published Chronus program, where it differs from
 * the command line of ElasticFlow: other names of the same options, a cluster given by numbers, and
 * options that play no role in a simulation here. */
#ifndef REFERENCE_PUBLISHED_OPTIONS_H
#define REFERENCE_PUBLISHED_OPTIONS_H

#include "common/options.h"
#include "scheduler/placement/placement.h"
#include "scheduler/run/simulation.h"
#include "scheduler/state/cluster_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct published_options {
    const char *trace;
    const char *log_path;
    const char *placement;
    int64_t switches; /* the next three: 0 if not given */
    int64_t nodes;
    int64_t gpus;

    /* Options that are ignored. */
    struct {
        const char *ident;
        const char *name_list;
        int64_t cpus;
        int64_t memory;
        bool aggressive;
        bool profile;
        bool disable_turn_off;
    } idle;
};

#define CHRONUS_IDLE "Chronus has it; it plays no role here"

/* clang-format off */
#define OPTIONS_OF_PUBLISHED(published)                                                            \
    OPTION_TEXT("trace", "FILE", &(published)->trace, "another name of --trace_file"),             \
    OPTION_TEXT("save_log_dir", "DIR", &(published)->log_path, "another name of --log_path"),      \
    OPTION_CHOICE("placement", "SCHEME", &(published)->placement, placement_names(),               \
                  "another name of --scheme"),                                                     \
    OPTION_WHOLE("num_switch", "COUNT", &(published)->switches, 0, CLUSTER_NODES_MAX,              \
                 "a cluster without --cluster_spec: its switches; 0 for 1"),                       \
    OPTION_WHOLE("num_node_p_switch", "COUNT", &(published)->nodes, 0, CLUSTER_NODES_MAX,          \
                 "a cluster without --cluster_spec: nodes below each switch; 0 for 75"),           \
    OPTION_WHOLE("num_gpu_p_node", "COUNT", &(published)->gpus, 0, CLUSTER_GPUS_PER_NODE_MAX,      \
                 "a cluster without --cluster_spec: GPUs of each node; 0 for 8"),                  \
    OPTION_WHOLE("num_cpu_p_node", "COUNT", &(published)->idle.cpus, 0, INT32_MAX, CHRONUS_IDLE),  \
    OPTION_WHOLE("mem_p_node", "GIB", &(published)->idle.memory, 0, INT32_MAX, CHRONUS_IDLE),      \
    OPTION_TEXT("ident", "NAME", &(published)->idle.ident, CHRONUS_IDLE),                          \
    OPTION_TEXT("name_list", "LIST", &(published)->idle.name_list, CHRONUS_IDLE),                  \
    OPTION_SWITCH("aggressive", &(published)->idle.aggressive, CHRONUS_IDLE),                      \
    OPTION_SWITCH("profile", &(published)->idle.profile, CHRONUS_IDLE),                            \
    OPTION_SWITCH("disable_turn_off", &(published)->idle.disable_turn_off, CHRONUS_IDLE)
/* clang-format on */

/* Puts the given options into `simulation`. -1, with `error` that names the options, if another
 * name of an option was given another value, or if there is no such cluster. */
int published_options_settle(const struct published_options *self, struct simulation *simulation,
                             struct error *error);

#endif
