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
    const char *rules; /* of the policy, see reference/quirks.h; NULL for those of the reference */
    const char *placement;         /* NULL for the one that the policy works with */
    const char *admission;         /* likewise, see admission_find */
    const char *trace;             /* file */
    const char *cluster;           /* file, or NULL for what is described */
    struct cluster_spec described; /* or, without pools, cluster_spec_default */
    const char *throughputs;       /* folder, or NULL for the one that came with the program */
    const char *gpu_type;
    int64_t slot_s;
    int64_t restart_threshold; /* rounds between restarts, 0 for none; the published policies take
                                   the slot's */
    const policy_values_t *values; /* of the options of policies; NULL: all as usual */
    bool
        shares_values; /* with other policies: it need not have every option that is not as usual */
    const void *own;   /* NULL, or the options of `policy`, as its struct, in the place of those */
    enum trace_unknown_model unknown_model;
    const char *past_deadlines;        /* one of simulation_past_deadlines */
    const struct world_setting *world; /* of a simulation; NULL for one as the tables have it */
    const char *log_path;              /* folder of the results, or NULL for none */
    bool forced;        /* it may hold other files, which stay: see report/result_folder.h */
    bool keeps_others;  /* unless that is forced, results of another run are not replaced */
    bool with_inputs;   /* the folder has copies of the inputs, too: see report/kept_inputs.h */
    json_t *options;    /* that were given, for summary.json; or NULL */
    const char *record; /* file for `rubato replay`, or NULL for none */
    bool wants_bounds;  /* beside the figures, see run/bounds.h */
    bool wants_summary; /* as an object, for the caller to print */
    bool counts_only;  /* the figures that metrics.h gathers, and the use of GPUs, are not wanted */
    bool only_check;   /* the inputs and where the results go: nothing is run, nothing is left */
    uint32_t run_id;   /* of a run on a real cluster, see protocol/job_number.h; 0: one is drawn */
    const char *label; /* of the progress line, or NULL for no line and no signal handlers */
};

/* The setting of the published runs, where they agree. */
#define SIMULATION_DEFAULT                                                                         \
    {                                                                                              \
        .policy = "ef-accessctrl", .rules = RULES_REFERENCE, .gpu_type = "A100", .slot_s = 60,     \
        .restart_threshold = 100, .past_deadlines = "refuse"                                       \
    }

/* The policy of runs that need not be those of a publication. */
#define SIMULATION_OWN_POLICY "rubato"

/* About --record, for the help of programs. */
#define RECORD_HELP "write all that is told and decided in each step here, for rubato replay"

/* About --bound, likewise. */
#define BOUNDS_HELP                                                                                \
    "also print how many jobs any policy could end on time at most, and the value it could keep, " \
    "as rubato bound does"

/* Makes paths of a trace and a cluster that are named without one: see common/data_file.h. */
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
    json_t
        *summary; /* if it was wanted: what summary.json holds, to be given up with json_decref */
};

/* Runs it. Returns 0, 1 if a signal asked to stop (`error` says what is incomplete), -1 with
 * `error`. Whatever is not 0 leaves no result, with two exceptions. A run on a real cluster
 * that a signal stopped once it had begun has its results up to there, and their summary says that
 * it was interrupted. Results that cannot be put where they belong, and those of a run on a real
 * cluster that fails, are kept aside, and `error` says where. The record is written up to where a
 * run came, however it ends. */
int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *error);

#endif
