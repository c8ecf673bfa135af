/* settings.h - what a worker is told on its command line. */
#ifndef WORKER_SETTINGS_H
#define WORKER_SETTINGS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define GPU_TYPE_DEFAULT "A100"

struct worker_settings {
    /* as the artifact has them */
    const char *master_address;
    int64_t master_port;
    int64_t port;      /* first of those for rendezvous */
    int64_t gpu_count; /* 0: all there are */
    const char *group_address;
    int64_t group_port;
    int64_t group_world;
    const char *run_dir;
    const char *python;
    bool dynamic_requests;
    int64_t scheduler_port;
    const char *scheduler_address;

    /* not the artifact's */
    const char *name;
    const char *address;
    const char *keys;
    const char *user; /* to become */
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
    int64_t gpu_memory_mib; /* of GPUs that are made up, 0 if unknown */
    bool emulate;           /* never look for real GPUs */
    bool real_gpus;         /* never emulate any */
    bool check;             /* and start nothing */
    bool list_gpus;         /* and do nothing else */
};

/* Parses and checks. 0 to go on; 1 when there is nothing left to do, 2 for a mistake that was told:
 * then the exit status is in `status`. */
int worker_settings_parse(struct worker_settings *self, int argc, char **argv, int *status);

/* Whether trainers emulate training, and run no program. */
bool worker_settings_emulate_training(const struct worker_settings *self);

/* Prints "worker: SENTENCE"; returns 2. */
int worker_settings_fail(const struct error *error);

#endif
