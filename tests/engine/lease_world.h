/* lease_world.h - one trace on one cluster under chronus, run by the engine from files as a user
 * runs it, and by the oracle. */
#ifndef TESTS_LEASE_WORLD_H
#define TESTS_LEASE_WORLD_H

#include "common/error.h"
#include "tests/engine/lease_record.h"
#include "tests/oracle/oracle_chronus.h"
#include "tests/support/folder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is run. Jobs are in the order of the trace file. */
struct lease_world {
    struct oracle_cluster cluster;
    struct oracle_chronus_setting setting; /* but for the GPUs, the quirks and the ticks */
    const char *rules;                     /* tags, or NULL for those of the reference */
    bool is_clean;   /* the tags are all there are: the engine is told "clean" */
    bool of_chronus; /* the dialect: without it, jobs have one level worth 10, or none */
    const struct oracle_chronus_job *jobs;
    size_t job_count;
};

/* How a run ended, and what it left. The caller clears it. */
struct lease_run {
    int status; /* of the engine, as of simulation_run; 0 for the oracle */
    struct error error;
    struct oracle_status oracle; /* of the oracle; done for the engine */
    bool repaired;               /* the oracle does not know what the reference would do */
    int64_t until_s;             /* the oracle knows what happens before that */
    int64_t accepted;
    int64_t declined;
    int64_t admitted;
    struct lease_record record;
};

int lease_world_gpus(const struct lease_world *self);

/* Whether the engine is to refuse it: a job is larger than the cluster, or costs more to start than
 * that brings (CH-Q8). */
bool lease_world_is_refused(const struct lease_world *self);

struct lease_run lease_world_run_engine(const struct lease_world *self);
struct lease_run lease_world_run_oracle(const struct lease_world *self, long tick_max);
void lease_run_clear(struct lease_run *run);

/* Prints the setting and the trace; and what a run made of it. */
void lease_world_print(const struct lease_world *self);
void lease_run_print(const struct lease_run *run);

#endif
