/* both_worlds.h - one trace on one cluster, run by the engine from files as a user runs it, and by
 * the oracle. */
#ifndef TESTS_BOTH_WORLDS_H
#define TESTS_BOTH_WORLDS_H

#include "scheduler/run/run.h"
#include "tests/support/folder.h"
#include "tests/support/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What is run. Jobs are in the order of the trace file. */
struct world {
    const char *policy;
    const tables_t *tables;
    struct oracle_cluster cluster;
    int slot_s;
    const struct oracle_job *jobs;
    size_t job_count;
    bool other_dialect;    /* of the two published ones */
    const char *rules;     /* NULL for the reference's; the oracle can do without few quirks only */
    int restart_threshold; /* of the engine alone */
    const char *solver;    /* likewise, where leases are lent; NULL for none */
    const struct driver *driver; /* likewise; NULL for the simulator */
};

/* How a run of the engine ended. */
struct engine_run {
    int status; /* as of simulation_run */
    struct error error;
    int64_t accepted;
    int64_t declined;
    char *jobs_csv; /* NULL if the run failed; the caller frees both */
    char *rounds_csv;
};

/* Writes the file that the engine reads `cluster` from; its path is lent by the folder. */
const char *write_cluster(const struct oracle_cluster *cluster, folder_t *folder);

/* The quirks that the oracle does without under `rules`, which are tags or NULL. */
unsigned oracle_repairs_of(const char *rules);

void world_print_trace(const struct world *world, FILE *out);

/* Runs it through files in `folder`, which must be empty; what the run leaves in `results` there is
 * read and stays. */
struct engine_run world_run_engine(const struct world *world, folder_t *folder);
void engine_run_clear(struct engine_run *run);

/* The engine runs `world`, in a folder of its own, to these counts, this jobs.csv and this
 * rounds.csv; the latter is not looked at if it is NULL. */
void world_check_engine(const struct world *world, int64_t accepted, int64_t declined,
                        const char *jobs_csv, const char *rounds_csv);

/* The same of the engine and of the oracle. */
void world_check(const struct world *world, int64_t accepted, int64_t declined,
                 const char *jobs_csv, const char *rounds_csv);

/* The header of jobs.csv with `lines` after it. */
#define WORLD_JOBS(lines)                                                                          \
    "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort\n" lines

/* More rounds than any world of a test takes. */
#define WORLD_ROUNDS_MAX 1000

/* The caller clears `result`. */
void world_run_oracle(const struct world *world, long round_max, struct oracle_run_result *result);

/* Whether both ended with the same counts and the same jobs.csv; and with the same rounds.csv. */
bool same_jobs(const struct engine_run *run, const struct oracle_run_result *result);
bool same_layouts(const struct engine_run *run, const struct oracle_run_result *result);

/* Prints the world and what both made of it. */
void world_explain(const struct world *world, const struct engine_run *run,
                   const struct oracle_run_result *result);

#endif
