/* ordering.h - the common part of clients' orders about jobs and nodes. */
#ifndef SERVICE_ORDERING_H
#define SERVICE_ORDERING_H

#include "scheduler/service/serving.h"

#define ORDER_BYTES (WHO_BYTES + 64)

/* A request about one job. */
struct job_order {
    int64_t job;
    int64_t deadline; /* -1 if absent */
    int64_t deadline_in;
    struct words deadlines;
    struct new_deadline due; /* the new deadline, complete once its verb has read a date */
};

/* The fields of a request that only names a job. */
extern const struct form_field ordering_job_fields[];

/* Reads the request into `order`, and begins a transaction. Returns the job of the request; NULL if
 * `request` was answered or put back. */
struct entry *ordering_open(struct serving *self, struct request **request,
                            const struct form_field fields[], struct job_order *order);

/* Adds an occurrence of `kind` about the job for the engine. `cause` is lent until the step. */
void ordering_tell(struct serving *self, const struct entry *entry, enum occurrence_kind kind,
                   const char *cause);

/* Answers `change` with the state of its job. */
void ordering_answer_state(struct serving *self, struct change *change);

/* Fails `request`. Nothing of it was stored. */
void ordering_fail(struct serving *self, struct request **request, const struct error *error);

/* Writes `before`, and who gives the order about `entry`; NULL for an order about no job. */
void ordering_say(char text[ORDER_BYTES], const char *before, const client_t *client,
                  const struct entry *entry);

/* The submission of a known job once more, with its work so far and with `deadline`; in the
 * ledger's memory. */
struct submission *ordering_submit_again(struct serving *self, const struct entry *entry,
                                         const struct new_deadline *deadline);

#endif
