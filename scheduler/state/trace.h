/* trace.h - the jobs of a trace file, in any of the published CSV dialects.
 *
 *   meaning                      column
 *   identifier                   job_id
 *   arrival, seconds             submission_time or submit_time
 *   iterations to train          iteration, num_iteration or iterations
 *   deadline, absolute seconds   deadline or ddl; or the steps of a soft deadline, see steps.h
 *   model, global batch size     model_name, batch_size
 *   1 for best effort, else 0    best_effort (optional)
 *   GPUs asked for               num_gpu (optional)
 *   seconds it took              duration (optional)
 *   worth of its end in time     value (optional): a whole number from 1 on, 1 without it
 *   1: promise it or decline it  promise_or_decline (optional): 0 lets it run as best effort
 *   chance of its promise, %     confidence (optional): empty, that of the run; 0, none
 *   jobs that it waits for       after (optional): their ids, see parents.h
 *
 * Where promises are limited by shares (promise_shares.h):
 *
 *   whose job it is              user: at most 128 bytes, empty for no user
 *   the user's groups            group: with ; between them
 *
 * One dialect has lists of deadlines in the place of a deadline, see levels.h:
 *
 *   seconds until each           expect_time_list
 *   what each is worth, tenths   expect_value_list
 *   strict, soft or best         job_type (optional): one deadline, several, or best effort
 *
 * Columns come in any order, others are ignored; a file called *.txt is separated by blanks. */
#ifndef STATE_TRACE_H
#define STATE_TRACE_H

#include "common/error.h"
#include "scheduler/state/promise_shares.h"
#include "scheduler/state/throughput.h"

/* A model that no table knows is refused, unless the artifact's treatment is asked for. */
enum trace_unknown_model { UNKNOWN_MODEL_REFUSED, UNKNOWN_MODEL_IS_RESNET50 };

/* A deadline before the submission: refused, taken for the submission, or as stated, which is how
 * the artifact plans with such deadlines. */
enum trace_past_deadline { PAST_DEADLINE_REFUSED, PAST_DEADLINE_CLAMPED, PAST_DEADLINE_STANDS };

struct trace_rules {
    const throughput_table_t *throughputs; /* NULL: models and batch sizes are not looked up */
    const throughput_table_t *const
        *pools; /* tables of each pool if there are several, `throughputs` first */
    int pool_count;
    enum trace_unknown_model unknown_model;
    enum trace_past_deadline past_deadline;
    const promise_shares_t
        *shares;          /* shares of users and groups; NULL: their columns are not read */
    bool zero_iterations; /* a job may have no iterations, as its duration tells its end */
    bool zero_gpus;       /* a job may ask for 0 GPUs; the caller that sets this leaves it out */
};

/* The jobs of the trace at `path` in order of arrival; the caller destroys them. NULL, with `error`
 * set to file, line and column, if the file cannot be read or a cell makes no sense. */
submissions_t *trace_read(const char *path, const struct trace_rules *rules, struct error *error);

#endif
