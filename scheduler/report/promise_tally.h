/* promise_tally.h - what became of promises: of all, by week, by user and by the cause for which
 * they were withdrawn. */
#ifndef REPORT_PROMISE_TALLY_H
#define REPORT_PROMISE_TALLY_H

#include "scheduler/state/promise.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum promise_end {
    PROMISE_END_OPEN, /* the job is not over */
    PROMISE_END_KEPT,
    PROMISE_END_LATE,
    PROMISE_END_FAILED,
    PROMISE_END_CANCELLED, /* by a user: neither kept nor broken */
    PROMISE_END_EARLY,     /* the program ended by itself before its work was done: the same */
    PROMISE_ENDS,
};

/* A job that was promised its deadline, once at least. */
struct promise_record {
    const char *user; /* NULL: not known */
    const char *week; /* in which the promise is due; weeks are listed as strverscmp orders them */
    enum promise_end end;
    double
        slack_s; /* of one that was kept, or is late: from the end to the deadline, < 0 if late */
    bool was_at_risk;                   /* while it stood, once at least */
    int withdrawals[WITHDRAWAL_CAUSES]; /* so often for each cause */
    size_t falls;                       /* to a later step of a soft deadline, so often */
};

typedef struct promise_tally promise_tally_t;

promise_tally_t *promise_tally_new(void) __attribute__((returns_nonnull));
void promise_tally_destroy(promise_tally_t **self);

/* Texts are copied. */
void promise_tally_add(promise_tally_t *self, const struct promise_record *record);

/* The counts as `rubato promises --json` and docs/service.md have them; the caller's. */
json_t *promise_tally_tell(promise_tally_t *self);

#endif
