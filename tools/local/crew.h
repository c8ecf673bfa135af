/* crew.h - a whole testbed on this machine: a master, workers and a scheduler, from start to
 * end. */
#ifndef LOCAL_CREW_H
#define LOCAL_CREW_H

#include "scheduler/run/policy_values.h"

#include <stdbool.h>
#include <stdint.h>

struct crew_setting {
    /* the run: */
    const char *trace;
    const char *policy;
    const char *rules;
    const char *placement; /* NULL: the policy's */
    const char *admission; /* mode of admission, "" for the policy's own */
    const char *gpu_type;
    const char *throughputs; /* folder, NULL: where the scheduler looks */
    const char *results;     /* folder, NULL for none */
    const char *record;      /* path of the record, NULL for none */
    bool forced;             /* existing files are replaced */
    bool json;               /* the figures as JSON, and events on standard error */
    int64_t slot_s;
    int64_t restart_threshold;
    policy_values_t *values; /* values of the policies' options */

    /* the cluster: */
    int64_t gpus; /* GPUs of all nodes, a multiple of `nodes` */
    int64_t nodes;
    bool real_gpus; /* real GPUs of this machine instead of emulated ones */
    const char *workload;
    const char *program; /* file, or NULL */
    const char *python;  /* program, or NULL */
    const char *pass_env;
    double grace_s;
    bool fast_forward;
    double time_scale; /* 0: the scheduler's own */

    const char *run_dir;  /* existing folder that the workers share */
    const char *logs;     /* folder for a log of each process, NULL for none */
    const char *programs; /* folder of the programs */
};

/* Runs the testbed to its end: prints a line for each event of the scheduler, then the figures of
 * the run, or with `json` its summary. `setting` is a struct crew_setting. Returns the exit status:
 * 0, 128 + n if signal n stopped it, 2, with a sentence on standard error, if one of the processes
 * failed. Fits keeper_run. */
int crew_run(void *setting);

#endif
