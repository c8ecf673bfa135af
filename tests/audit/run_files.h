/* run_files.h - result folders made by hand, as texts, and broken by edits that the auditor must
 * name. */
#ifndef TESTS_RUN_FILES_H
#define TESTS_RUN_FILES_H

#include "tools/audit/audit.h"

#include <stddef.h>

enum { TRACE, CLUSTER, RATES, JOBS, WORK, ROUNDS, OUTCOMES, SUMMARY, TIMELINE, USE, FILE_COUNT };

/* A run, as the texts of its files; older ones left no timeline and no use, which are NULL. */
struct run_files {
    const char *trace;
    const char *cluster;
    const char *rates;
    const char *jobs;
    const char *work;
    const char *rounds;
    const char *outcomes;
    const char *summary;
    const char *timeline;
    const char *use; /* of the cluster */
};

#define TRACE_HEADER "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort\n"
#define JOBS_HEADER                                                                                \
    "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort\n"
#define OUTCOMES_HEADER "decided_at,job_id,verdict,reason,promised,outcome\n"
#define WORK_HEADER     "job_id,measure,asked,credited,gpu_seconds\n"
#define TIMELINE_HEADER "time,job_id,pool,gpus,reason\n"
#define USE_HEADER      "time,gpus_up,gpus_used,jobs_running,jobs_waiting,efficiency\n"
#define CLUSTER_HEADER  "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"

/* Two nodes of 4 GPUs, and models that do one iteration/s on every GPU. */
#define CLUSTER_OF_8 CLUSTER_HEADER "1,2,4,64,256\n"
#define LINEAR_RATES                                                                               \
    "model,global_batch_size,gpus,iterations_per_s\n"                                              \
    "vgg16,128,1,1\nvgg16,128,2,2\nvgg16,128,4,4\nvgg16,128,8,8\n"                                 \
    "bert,64,1,1\nbert,64,2,2\n"

/* The names in a summary of a run on CLUSTER_OF_8. */
#define SUMMARY_OF(policy)                                                                         \
    "{\"schema_version\": 1, \"policy\": \"" policy                                                \
    "\", \"rules\": \"reference\", \"trace\": \"trace.csv\", \"cluster\": \"cluster.csv\", "       \
    "\"gpu_type\": \"A100\", \"throughputs\": \"rates.csv\", \"placement\": \"elastic\", "         \
    "\"switches\": 1, \"nodes\": 2, \"gpus\": 8, \"slot_s\": 10, "

/* Puts `to` in the place of `from` in one file. */
struct edit {
    int file;
    const char *from;
    const char *to;
};

/* Audits `run`, one of its files changed by `edit` (NULL: as it is). */
int audit_edited(const struct run_files *run, const struct edit *edit, struct findings *findings,
                 struct error *error);

/* The first finding of `check`; one that `tag` explains, or a violation if that is NULL. */
const struct finding *find_finding(const struct findings *findings, const char *check,
                                   const char *tag);

/* `run` with one edit breaks `check`, and the auditor says so of `job` (NULL: of no single job). */
void expect(const struct run_files *run, struct edit edit, const char *check, const char *job);

/* `run` as it is has no violation, and exactly `count` effects of quirks, the one of `check` among
 * them. */
void expect_quirk(const struct run_files *run, size_t count, const char *check, const char *tag);

#endif
