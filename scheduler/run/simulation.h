/* simulation.h - the setting of a whole run, simulated or on a real cluster: inputs are read, the
 * engine goes round until nothing is left, results are written. */
#ifndef RUN_SIMULATION_H
#define RUN_SIMULATION_H

#include "common/error.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/report/report.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/trace.h"
#include "scheduler/state/world_setting.h"

#include <stdint.h>

struct simulation {
    const char *policy;
    const char *rules;     /* rules of the policy, see reference/quirks.h; NULL for those of the
                              reference */
    const char *placement; /* NULL for the policy's own */
    const char *admission; /* NULL for the policy's own, see admission_find */
    const char *trace;     /* file */
    const char *cluster;   /* file, or NULL for `described` */
    struct cluster_spec described; /* used without a file; without pools cluster_spec_default is */
    const char *throughputs;       /* folder, or NULL for the program's own */
    const char *gpu_type;
    int64_t slot_s;
    int64_t restart_threshold; /* rounds between restarts, 0 for none; the published policies derive
                                  them from the slot */
    const policy_values_t *values; /* options of policies; NULL: all defaults */
    bool shares_values; /* with other policies: it need not have every option that is not as
                           usual */
    const void *own;    /* options of `policy`, as its struct, instead of `values`; or NULL */
    enum trace_unknown_model unknown_model;
    const char *past_deadlines;        /* one of simulation_past_deadlines */
    const struct world_setting *world; /* world of a simulation; NULL: as in the tables */
    const char *log_path;              /* folder of the results, or NULL for none */
    bool forced;       /* the folder may have other files, which stay: see report/result_folder.h */
    bool keeps_others; /* unless `forced`, results of another run are not replaced */
    bool with_inputs;  /* the folder gets copies of the inputs: see report/kept_inputs.h */
    json_t *options;   /* given options, for summary.json; or NULL */
    const char *record; /* file for `rubato replay`, or NULL for none */
    bool wants_bounds;  /* beside the figures, see run/bounds.h */
    bool wants_summary; /* returns the summary as an object, for the caller to print */
    bool counts_only;   /* omits the figures of metrics.h, and the use of GPUs */
    bool only_check;    /* only checks inputs and result folder: runs nothing, writes nothing */
    uint32_t run_id;    /* id of a run on a real cluster, see protocol/job_number.h; 0: drawn */
    const char *label;  /* label of the progress line, or NULL for neither line nor signal
                           handlers */
};

/* The setting of the published runs, where they agree. */
#define SIMULATION_DEFAULT                                                                         \
    {                                                                                              \
        .policy = "ef-accessctrl", .rules = RULES_REFERENCE, .gpu_type = "A100", .slot_s = 60,     \
        .restart_threshold = 100, .past_deadlines = "refuse"                                       \
    }

/* The policy of runs that reproduce no publication. */
#define SIMULATION_OWN_POLICY "rubato"

/* About --record, for the help of programs. */
#define RECORD_HELP "write all that is told and decided in each step here, for rubato replay"

/* The help of --bound. */
#define BOUNDS_HELP                                                                                \
    "also print how many jobs any policy could end on time at most, and the value it could keep, " \
    "as rubato bound does"

/* Finds the paths of a trace and a cluster that are given without one: see common/data_file.h. */
void simulation_find_inputs(struct simulation *simulation);

/* The treatments of deadlines before the submission: "refuse" or "clamp"; ended with NULL. */
extern const char *const simulation_past_deadlines[];
#define PAST_DEADLINES_HELP                                                                        \
    "what to do with a deadline before the submission; clamp takes it for the submission, and "    \
    "published policies plan with it as the artifact does"

struct simulation_result {
    struct figures figures;
    struct cluster_spec cluster;
    int nodes;
    int gpus;
    json_t *summary; /* if it was wanted: what summary.json holds, to be given up with
                        json_decref */
};

/* Runs the simulation. Returns 0, 1 if a signal asked to stop (`error` says what is incomplete), -1
 * with `error`. A run that does not return 0 leaves no result, with two exceptions. A run on a real
 * cluster that a signal stopped once it had begun has its results up to there, and their summary
 * says that it was interrupted. Results that cannot be put where they belong, and those of a run on
 * a real cluster that fails, are kept aside, and `error` says where. The record is written up to
 * where a run came, however it ends. */
int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *error);

#endif
