/* settings.h - the settings of a worker from its command line. */
#ifndef WORKER_SETTINGS_H
#define WORKER_SETTINGS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define GPU_TYPE_DEFAULT "A100"

struct worker_settings {
    /* names of the artifact: */
    const char *master_address;
    int64_t master_port;
    int64_t port;      /* first of the ports for rendezvous */
    int64_t gpu_count; /* 0: all GPUs */
    const char *group_address;
    int64_t group_port;
    int64_t group_world;
    const char *run_dir;
    const char *python;
    bool dynamic_requests;
    int64_t scheduler_port;
    const char *scheduler_address;

    /* not in the artifact: */
    const char *name;
    const char *address;
    const char *keys;
    const char *user; /* user to become */
    const char *gpu_type;
    bool says_type; /* the type was given: the master is told */
    const char *throughputs;
    const char *workload;
    const char *program;
    const char *pass_env;
    const char *trainer; /* program */
    const char *faults;
    double grace_s;
    double stable_after_s;
    int64_t checkpoint_every_s;
    int64_t log_mib;
    int64_t gpu_memory_mib; /* memory of GPUs that are made up, 0 if unknown */
    bool emulate;           /* never looks for real GPUs */
    bool real_gpus;         /* never emulates GPUs */
    bool check;             /* checks the settings and starts nothing */
    bool list_gpus;         /* lists the GPUs and ends */
};

/* Parses and checks the command line. 0 to go on; else the program ends with exit status `status`,
 * and the function returns 1 after --help and the like, 2 for a mistake, which was printed. */
int worker_settings_parse(struct worker_settings *self, int argc, char **argv, int *status);

/* Whether trainers emulate training, and run no program. */
bool worker_settings_emulate_training(const struct worker_settings *self);

/* Prints "worker: SENTENCE"; returns 2. */
int worker_settings_fail(const struct error *error);

#endif
