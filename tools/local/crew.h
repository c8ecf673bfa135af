/* crew.h - a whole testbed on this machine: a master, workers and a scheduler, from the first to
 * the last of them. */
#ifndef LOCAL_CREW_H
#define LOCAL_CREW_H

#include "scheduler/run/policy_values.h"

#include <stdbool.h>
#include <stdint.h>

struct crew_setting {
    /* of the run */
    const char *trace;
    const char *policy;
    const char *rules;
    const char *placement; /* NULL: the policy's */
    const char *admission; /* likewise */
    const char *gpu_type;
    const char *throughputs; /* folder, NULL: where the scheduler looks */
    const char *results;     /* folder, NULL for none */
    const char *record;      /* file, NULL for none */
    bool forced;             /* it may hold other files */
    bool json;               /* the figures as JSON, and events on standard error */
    int64_t slot_s;
    int64_t restart_threshold;
    policy_values_t *values; /* of the options of policies */

    /* of the cluster */
    int64_t gpus; /* of all nodes, a multiple of `nodes` */
    int64_t nodes;
    bool real_gpus; /* those of this machine, instead of emulated ones */
    const char *workload;
    const char *program; /* file, or NULL */
    const char *python;  /* program, or NULL */
    const char *pass_env;
    double grace_s;
    bool fast_forward;
    double time_scale; /* 0: the scheduler's own */

    const char *run_dir;  /* what the workers share; it is there already */
    const char *logs;     /* folder for a log of each process, NULL for none */
    const char *programs; /* folder of the programs */
};

/* Runs it to its end: a line on standard output for each event of the scheduler, then the figures
 * of the run, or what `json` says. `setting` is a struct crew_setting. Returns the exit status: 0,
 * 128 + n if signal n stopped it, 2, with a sentence on standard error, if one of the processes
 * failed. Fits keeper_run. */
int crew_run(void *setting);

#endif
