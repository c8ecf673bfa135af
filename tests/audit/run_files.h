/* run_files.h - result folders made by hand, as texts. A test breaks them by edits, whose fault the
 * auditor must name. */
#ifndef TESTS_RUN_FILES_H
#define TESTS_RUN_FILES_H

#include "tools/audit/audit.h"

#include <stddef.h>

enum { TRACE, CLUSTER, RATES, JOBS, WORK, ROUNDS, OUTCOMES, SUMMARY, TIMELINE, USE, FILE_COUNT };

/* The texts of a run's files. Older runs have no timeline and no use, which are NULL. */
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
    const char *use; /* use of the cluster */
};

#define TRACE_HEADER "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort\n"
#define JOBS_HEADER                                                                                \
    "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort\n"
#define OUTCOMES_HEADER "decided_at,job_id,verdict,reason,promised,outcome\n"
#define WORK_HEADER     "job_id,measure,asked,credited,gpu_seconds\n"
#define TIMELINE_HEADER "time,job_id,pool,gpus,reason\n"
#define USE_HEADER      "time,gpus_up,gpus_used,jobs_running,jobs_waiting,efficiency\n"
#define CLUSTER_HEADER  "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"

/* Two nodes of 4 GPUs, and models that train at one iteration/s on every GPU. */
#define CLUSTER_OF_8 CLUSTER_HEADER "1,2,4,64,256\n"
#define LINEAR_RATES                                                                               \
    "model,global_batch_size,gpus,iterations_per_s\n"                                              \
    "vgg16,128,1,1\nvgg16,128,2,2\nvgg16,128,4,4\nvgg16,128,8,8\n"                                 \
    "bert,64,1,1\nbert,64,2,2\n"

/* The fields of a summary that describe a run on CLUSTER_OF_8. */
#define SUMMARY_OF(policy)                                                                         \
    "{\"schema_version\": 1, \"policy\": \"" policy                                                \
    "\", \"rules\": \"reference\", \"trace\": \"trace.csv\", \"cluster\": \"cluster.csv\", "       \
    "\"gpu_type\": \"A100\", \"throughputs\": \"rates.csv\", \"placement\": \"elastic\", "         \
    "\"switches\": 1, \"nodes\": 2, \"gpus\": 8, \"slot_s\": 10, "

/* Replaces `from` by `to` in one file. */
struct edit {
    int file;
    const char *from;
    const char *to;
};

/* Audits `run` after `edit`, or as it is if `edit` is NULL. */
int audit_edited(const struct run_files *run, const struct edit *edit, struct findings *findings,
                 struct error *error);

/* The first finding of `check` with the tag `tag`, or without a tag if `tag` is NULL. NULL if there
 * is none. */
const struct finding *find_finding(const struct findings *findings, const char *check,
                                   const char *tag);

/* Checks that `run` after `edit` violates `check`, and that the finding names `job`, or no job if
 * `job` is NULL. */
void expect(const struct run_files *run, struct edit edit, const char *check, const char *job);

/* Checks that `run` has no violation and exactly `count` effects of quirks, and that `tag` explains
 * the effect on `check`. */
void expect_quirk(const struct run_files *run, size_t count, const char *check, const char *tag);

#endif
