/* inputs.h - all that a run reads before anything happens. */
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
    struct stop stop; /* what steps that take long ask; the caller's */
    struct engine_setting setting;
    struct variant variant;   /* the policy under the rules of this run */
    void *options;            /* of the policy, settled; NULL for none */
    json_t *unusual;          /* those that are not as usual, as they were given; NULL for none */
    promise_shares_t *shares; /* of users and groups; NULL for no limit */
    throughput_table_t *tables[CLUSTER_POOLS_MAX]; /* one for each GPU type */
    size_t table_count;
    const throughput_table_t *throughputs[CLUSTER_POOLS_MAX]; /* by pool */
    throughput_table_t *unasked; /* for the cluster efficiency alone, where the policy asks none; or
                                    NULL */
    submissions_t *submissions;
    char *command; /* of a policy that is a program, cut into words; or NULL */
    const char *programs[INPUTS_PROGRAMS_MAX]; /* those of its words that are files */
    size_t program_count;
};

/* All that is known without throughput tables and a trace. -1 with `error`. */
int inputs_settle(struct inputs *inputs, const struct simulation *simulation, struct error *error);

/* Those, and the throughput tables that the policy asks. -1 with `error`. */
int inputs_read_tables(struct inputs *inputs, const struct simulation *simulation,
                       struct error *error);

/* Those, and the throughput tables also of a policy that asks none: what users submit by model is
 * made into jobs with them. -1 with `error`. */
int inputs_read_all_tables(struct inputs *inputs, const struct simulation *simulation,
                           struct error *error);

/* Reads all; the setting is good as long as `inputs` stays where it is. -1 with `error`. */
int inputs_read(struct inputs *inputs, const struct simulation *simulation, struct error *error);
void inputs_free(struct inputs *inputs);

/* -1, with `error`, if the cluster says when nodes leave: `what` has no use for that. */
int inputs_refuse_ends(const struct inputs *inputs, const char *what, struct error *error);

/* The terms of the policy's promises, by its options. */
struct promise_terms inputs_terms(const struct inputs *inputs);

/* The shares of the cluster that may be promised to users and groups by `terms`, which have some;
 * the caller destroys it. NULL with `error`. */
promise_shares_t *inputs_shares(const struct promise_terms *terms, struct error *error);

/* The setting at the beginning of a record of the run. */
struct record_setting inputs_recorded(const struct inputs *inputs,
                                      const struct simulation *simulation);

/* The submissions of all jobs of the trace, and room for `more`; the caller frees them. */
struct occurrence *inputs_announce(const struct inputs *inputs, size_t more);

/* The names of the setting that is to be run. */
struct setting_names inputs_names(const struct inputs *inputs, const struct simulation *simulation);

#endif
