/* inputs.h - the inputs of a run, read before it begins. */
#ifndef RUN_INPUTS_H
#define RUN_INPUTS_H

#include "common/stop.h"
#include "scheduler/engine/engine.h"
#include "scheduler/record/record.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/report/report.h"
#include "scheduler/run/simulation.h"
#include "scheduler/state/promise_shares.h"

/* A command of a policy has as many words at most. */
#define INPUTS_PROGRAMS_MAX 64

struct inputs {
    struct stop stop; /* asked during long steps; set by the caller */
    struct engine_setting setting;
    struct variant variant;   /* the policy under the rules of this run */
    void *options;            /* settled options of the policy; NULL for none */
    json_t *unusual;          /* given options that differ from the default; NULL for none */
    promise_shares_t *shares; /* shares of users and groups; NULL for no limit */
    throughput_table_t *tables[CLUSTER_POOLS_MAX]; /* one for each GPU type */
    size_t table_count;
    const throughput_table_t *throughputs[CLUSTER_POOLS_MAX]; /* by pool */
    throughput_table_t *unasked; /* for the cluster efficiency alone, where the policy uses no
                                    table; or NULL */
    submissions_t *submissions;
    char *command; /* command of a policy that is a program, cut into words; or NULL */
    const char *programs[INPUTS_PROGRAMS_MAX]; /* the words that are files */
    size_t program_count;
};

/* Settles the inputs that need neither throughput tables nor a trace. -1 with `error`. */
int inputs_settle(struct inputs *inputs, const struct simulation *simulation, struct error *error);

/* As inputs_settle, and reads the throughput tables that the policy uses. -1 with `error`. */
int inputs_read_tables(struct inputs *inputs, const struct simulation *simulation,
                       struct error *error);

/* As inputs_read_tables, and reads throughput tables even for a policy that uses none: they turn
 * submissions by model into jobs. -1 with `error`. */
int inputs_read_all_tables(struct inputs *inputs, const struct simulation *simulation,
                           struct error *error);

/* Reads all inputs; `inputs` must not be moved afterwards. -1 with `error`. */
int inputs_read(struct inputs *inputs, const struct simulation *simulation, struct error *error);
void inputs_free(struct inputs *inputs);

/* -1, with `error`, if the cluster says when nodes leave, which `what` does not support. */
int inputs_refuse_ends(const struct inputs *inputs, const char *what, struct error *error);

/* The terms of the policy's promises, by its options. */
struct promise_terms inputs_terms(const struct inputs *inputs);

/* The shares of the cluster that may be promised to users and groups by `terms`, which have any;
 * the caller destroys them. NULL with `error`. */
promise_shares_t *inputs_shares(const struct promise_terms *terms, struct error *error);

/* The setting at the beginning of a record of the run. */
struct record_setting inputs_recorded(const struct inputs *inputs,
                                      const struct simulation *simulation);

/* The submissions of all jobs of the trace, and room for `more`; the caller frees them. */
struct occurrence *inputs_announce(const struct inputs *inputs, size_t more);

/* The names of the run's setting. */
struct setting_names inputs_names(const struct inputs *inputs, const struct simulation *simulation);

#endif
