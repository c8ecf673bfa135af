/* request.h - what a user asks of the service for a job, and the submission that it becomes.
 *
 * Times are seconds since 1970 here, and of the engine's own clock in submissions; the difference
 * is the time at which the service's state was made. */
#ifndef SERVICE_REQUEST_H
#define SERVICE_REQUEST_H

#include "protocol/program.h"
#include "scheduler/service/job_fields.h"
#include "scheduler/service/profiles.h"
#include "scheduler/service/rows.h"
#include "scheduler/state/levels.h"
#include "scheduler/state/submission.h"

/* Reads the document of a submit: model, batch size and iterations are there unless it takes a
 * quote that is held. -1 with `error`. */
int job_request_read(const char *document, struct job_request *request, arena_t *texts,
                     struct error *error);

/* The same for a document that is parsed; NULL for none. */
int job_request_read_json(const json_t *document, struct job_request *request, arena_t *texts,
                          struct error *error);

/* Reads the steps of a soft deadline of a job that comes at `now_s`; `epoch` is as below. -1 with
 * `error`. */
int job_request_steps(const struct words *steps, int64_t now_s, int64_t epoch,
                      struct job_level levels[LEVELS_MAX], struct error *error);

/* The program of the job, if it has a command: lent from `request`. */
struct msg_program job_request_program(const struct job_request *request, uint64_t job,
                                       const char *user);

/* The texts of the job by which nothing plans become those of `job`, in `kept`. */
void job_request_say(const struct job_request *request, struct submission *job, arena_t *kept);

/* The tables and settings that a submission is made with. */
struct submitting {
    const throughput_table_t *throughputs;
    const throughput_table_t *const *pools; /* those of each pool if there are several, or NULL */
    int pool_count;
    const profiles_t *profiles; /* of models that the tables do not know; NULL for none */
    const char *user;           /* whose job it is */
    rows_t *rows;               /* where those are kept that no table has */
    int cluster_gpus;
    int64_t epoch;   /* time of the engine's second 0, since 1970 */
    int64_t now_s;   /* of the engine */
    int64_t grace_s; /* that a quote is held longer than its user is told */
    uint64_t number; /* of the job */
};

/* The profile by which the job is planned, lent as by profiles_find. NULL where its own rates or a
 * table say how fast it trains, or where nothing does. */
const struct profile *job_request_profile(const struct job_request *request,
                                          const struct submitting *with);

/* The submission of `request`, in `kept`; NULL, with `error`, if there can be none: its model is
 * unknown, no level lies within its limits, its deadline is past. */
struct submission *job_request_submission(const struct job_request *request,
                                          const struct submitting *with, arena_t *kept,
                                          struct error *error);

#endif
