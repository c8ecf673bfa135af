/* ordering.h - what orders of clients about jobs and nodes have in common. */
#ifndef SERVICE_ORDERING_H
#define SERVICE_ORDERING_H

#include "scheduler/service/serving.h"

#define ORDER_BYTES (WHO_BYTES + 64)

/* A request about one job. */
struct job_order {
    int64_t job;
    int64_t deadline; /* -1 where nothing is said */
    int64_t deadline_in;
    struct words deadlines;
    struct new_deadline due; /* what the fields before say; of dates alone once the verb that
                                changes deadlines has completed it */
};

/* The fields of a request about a job that says no more than which. */
extern const struct form_field ordering_job_fields[];

/* Reads the request into `order`, and begins the transaction. Returns the job that the request is
 * about; NULL if `request` was answered or put back. */
struct entry *ordering_open(struct serving *self, struct request **request,
                            const struct form_field fields[], struct job_order *order);

/* The engine is to be told `kind` of the job. `cause` is lent until then. */
void ordering_tell(struct serving *self, const struct entry *entry, enum occurrence_kind kind,
                   const char *cause);

/* Answers `change` with the state of its job. */
void ordering_answer_state(struct serving *self, struct change *change);

/* Fails `request`, of which nothing was kept. */
void ordering_fail(struct serving *self, struct request **request, const struct error *error);

/* Writes `before`, and who gives the order about `entry`, NULL for an order about no job. */
void ordering_say(char text[ORDER_BYTES], const char *before, const client_t *client,
                  const struct entry *entry);

/* The submission of a job that was submitted before, with the work that it did and with
 * `deadline`; kept with the ledger. */
struct submission *ordering_submit_again(struct serving *self, const struct entry *entry,
                                         const struct new_deadline *deadline);

#endif
