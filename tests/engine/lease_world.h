/* lease_world.h - runs one trace on one cluster under chronus twice: by the engine, from files as a
 * user does, and by the oracle. */
#ifndef TESTS_LEASE_WORLD_H
#define TESTS_LEASE_WORLD_H

#include "common/error.h"
#include "tests/engine/lease_record.h"
#include "tests/oracle/oracle_chronus.h"
#include "tests/support/folder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The trace, the cluster and the setting. Jobs are in the order of the trace file. */
struct lease_world {
    struct oracle_cluster cluster;
    struct oracle_chronus_setting setting; /* without the GPUs, the quirks and the ticks */
    const char *rules;                     /* tags; NULL for the rules of the reference */
    bool is_clean;   /* `rules` lists all tags, so that the engine is told "clean" instead */
    bool of_chronus; /* the trace has the dialect of chronus; else a job has one level worth 10, or
                        none */
    const struct oracle_chronus_job *jobs;
    size_t job_count;
};

/* The results of a run. The caller clears them. */
struct lease_run {
    int status; /* status of simulation_run; 0 for the oracle */
    struct error error;
    struct oracle_status oracle; /* status of the oracle; done for the engine */
    bool repaired;   /* the oracle has rejected a batch for which the reference asks its solver */
    int64_t until_s; /* the oracle's results are those of the reference before this time */
    int64_t accepted;
    int64_t declined;
    int64_t admitted;
    struct lease_record record;
};

int lease_world_gpus(const struct lease_world *self);

/* Whether the engine must refuse the trace, because a job is larger than the cluster or costs more
 * to start than its lease brings (CH-Q8). */
bool lease_world_is_refused(const struct lease_world *self);

struct lease_run lease_world_run_engine(const struct lease_world *self);
struct lease_run lease_world_run_oracle(const struct lease_world *self, long tick_max);
void lease_run_clear(struct lease_run *run);

/* Print the setting and the trace, and the results of a run. */
void lease_world_print(const struct lease_world *self);
void lease_run_print(const struct lease_run *run);

#endif
