/* request.h - a user's request for a job, and the submission made of it.
 *
 * Times in a request are seconds since 1970. Times in a submission are those of the engine's clock,
 * which began when the state of the service was made. */
#ifndef SERVICE_REQUEST_H
#define SERVICE_REQUEST_H

#include "protocol/program.h"
#include "scheduler/service/job_fields.h"
#include "scheduler/service/profiles.h"
#include "scheduler/service/rows.h"
#include "scheduler/state/levels.h"
#include "scheduler/state/submission.h"

/* Reads the document of a submit. Model, batch size and iterations are required unless the job
 * takes a held quote. -1 with `error`. */
int job_request_read(const char *document, struct job_request *request, arena_t *texts,
                     struct error *error);

/* As job_request_read for a parsed document, NULL for none. */
int job_request_read_json(const json_t *document, struct job_request *request, arena_t *texts,
                          struct error *error);

/* Reads the steps of a soft deadline for a job that comes at `now_s`. `epoch` is as in struct
 * submitting. -1 with `error`. */
int job_request_steps(const struct words *steps, int64_t now_s, int64_t epoch,
                      struct job_level levels[LEVELS_MAX], struct error *error);

/* The program of a job with a command, lent from `request`. */
struct msg_program job_request_program(const struct job_request *request, uint64_t job,
                                       const char *user);

/* Copies the texts that no plan depends on into `job`, in the memory `kept`. */
void job_request_say(const struct job_request *request, struct submission *job, arena_t *kept);

/* Tables and settings for making a submission. */
struct submitting {
    const throughput_table_t *throughputs;
    const throughput_table_t *const *pools; /* tables of each pool if there are several, or NULL */
    int pool_count;
    const profiles_t *profiles; /* for models that no table knows; NULL for none */
    const char *user;           /* user of the job */
    rows_t *rows;               /* for rates that no table has */
    int cluster_gpus;
    int64_t epoch;   /* time of the engine's second 0, since 1970 */
    int64_t now_s;   /* of the engine's clock */
    int64_t grace_s; /* for which a quote is held beyond its told end */
    uint64_t number; /* number of the job */
};

/* The profile that plans the job, lent as by profiles_find. NULL if its own rates or a table tell
 * the speed, or nothing does. */
const struct profile *job_request_profile(const struct job_request *request,
                                          const struct submitting *with);

/* The submission of `request`, in the memory `kept`. NULL, with `error`, if it is impossible: an
 * unknown model, no level within the limits, a past deadline. */
struct submission *job_request_submission(const struct job_request *request,
                                          const struct submitting *with, arena_t *kept,
                                          struct error *error);

#endif
