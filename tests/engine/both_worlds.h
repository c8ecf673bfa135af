/* both_worlds.h - runs one trace on one cluster twice: by the engine, from files as a user does,
 * and by the oracle. */
#ifndef TESTS_BOTH_WORLDS_H
#define TESTS_BOTH_WORLDS_H

#include "scheduler/run/run.h"
#include "tests/support/folder.h"
#include "tests/support/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The trace, the cluster and the policy. Jobs are in the order of the trace file. */
struct world {
    const char *policy;
    const tables_t *tables;
    struct oracle_cluster cluster;
    int slot_s;
    const struct oracle_job *jobs;
    size_t job_count;
    bool other_dialect; /* the trace has the other of the two published dialects */
    const char
        *rules; /* NULL for the rules of the reference; the oracle can correct few quirks only */
    int restart_threshold; /* of the engine; the oracle has none */
    const char *solver;    /* solver of the engine under policies with leases; NULL for none */
    const struct driver *driver; /* driver of the engine; NULL for the simulator */
};

/* The results of a run of the engine. */
struct engine_run {
    int status; /* status of simulation_run */
    struct error error;
    int64_t accepted;
    int64_t declined;
    char *jobs_csv; /* NULL if the run failed; the caller frees both texts */
    char *rounds_csv;
};

/* Writes a cluster file for `cluster` and returns its path. The folder lends the path. */
const char *write_cluster(const struct oracle_cluster *cluster, folder_t *folder);

/* The quirks that the oracle corrects under `rules`, which are tags or NULL. */
unsigned oracle_repairs_of(const char *rules);

void world_print_trace(const struct world *world, FILE *out);

/* Runs `world` by the engine, through files in `folder`, which must be empty. Returns the files of
 * the folder `results` there, which stays. */
struct engine_run world_run_engine(const struct world *world, folder_t *folder);
void engine_run_clear(struct engine_run *run);

/* Checks that the engine's run of `world`, in a folder of its own, has these counts, this jobs.csv
 * and, unless NULL, this rounds.csv. */
void world_check_engine(const struct world *world, int64_t accepted, int64_t declined,
                        const char *jobs_csv, const char *rounds_csv);

/* Checks that the runs of the engine and of the oracle both have these results. */
void world_check(const struct world *world, int64_t accepted, int64_t declined,
                 const char *jobs_csv, const char *rounds_csv);

/* The header of jobs.csv with `lines` after it. */
#define WORLD_JOBS(lines)                                                                          \
    "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort\n" lines

/* More rounds than any world of a test takes. */
#define WORLD_ROUNDS_MAX 1000

/* Runs `world` by the oracle. The caller clears `result`. */
void world_run_oracle(const struct world *world, long round_max, struct oracle_run_result *result);

/* Whether the two runs have the same counts and jobs.csv, and whether they have the same
 * rounds.csv. */
bool same_jobs(const struct engine_run *run, const struct oracle_run_result *result);
bool same_layouts(const struct engine_run *run, const struct oracle_run_result *result);

/* Prints the world and the results of both runs. */
void world_explain(const struct world *world, const struct engine_run *run,
                   const struct oracle_run_result *result);

#endif
