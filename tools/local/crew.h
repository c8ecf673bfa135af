/* crew.h - a whole testbed on this machine, from start to end: a master, workers and a
 * scheduler. */
#ifndef LOCAL_CREW_H
#define LOCAL_CREW_H

#include "scheduler/run/policy_values.h"

#include <stdbool.h>
#include <stdint.h>

struct crew_setting {
    /* the run */
    const char *trace;
    const char *policy;
    const char *rules;
    const char *placement; /* NULL for the policy's own scheme */
    const char *admission; /* mode of admission, "" for the policy's own */
    const char *gpu_type;
    const char *throughputs; /* folder of throughput tables; NULL if the scheduler is to find it */
    const char *results;     /* folder of results, NULL for none */
    const char *record;      /* path of the record, NULL for none */
    bool forced;             /* replaces existing files */
    bool json;               /* prints the figures as JSON, and the events on standard error */
    int64_t slot_s;
    int64_t restart_threshold;
    policy_values_t *values; /* values of the policies' options */

    /* the cluster */
    int64_t gpus; /* GPUs of all nodes, a multiple of `nodes` */
    int64_t nodes;
    bool real_gpus; /* real GPUs of this machine instead of emulated ones */
    const char *workload;
    const char *program; /* file of the training program, NULL for the default */
    const char *python;  /* Python interpreter, NULL for the default */
    const char *pass_env;
    double grace_s;
    bool fast_forward;
    double time_scale; /* 0 for the scheduler's default */

    const char *run_dir;  /* existing folder that the workers share */
    const char *logs;     /* folder for a log of each process, NULL for none */
    const char *programs; /* folder of the programs */
};

/* Runs the testbed to its end. Prints a line for each event of the scheduler, then the figures of
 * the run, or with `json` its summary. `setting` is a struct crew_setting, passed as keeper_run
 * passes it. Returns the exit status: 0, 1 if jobs failed, 128 + n if signal n stopped the run, or
 * 2, with a sentence on standard error, if a process failed. */
int crew_run(void *setting);

#endif
