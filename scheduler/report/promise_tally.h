/* promise_tally.h - outcomes of promises: in total, by week, by user and by the cause of
 * withdrawal. */
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
    PROMISE_END_CANCELLED, /* cancelled by a user: neither kept nor broken */
    PROMISE_END_EARLY,     /* the program ended before its work was done: neither kept nor broken */
    PROMISE_ENDS,
};

/* A job that was promised its deadline at least once. */
struct promise_record {
    const char *user; /* NULL: not known */
    const char *week; /* week in which the promise is due; weeks are ordered as strverscmp does */
    enum promise_end end;
    double slack_s;   /* of one that was kept, or is late: from the end to the deadline, < 0 if
                         late */
    bool was_at_risk; /* the promise was ever at risk */
    int withdrawals[WITHDRAWAL_CAUSES]; /* number of withdrawals for each cause */
    size_t falls;                       /* number of falls to a later step of a soft deadline */
};

typedef struct promise_tally promise_tally_t;

promise_tally_t *promise_tally_new(void) __attribute__((returns_nonnull));
void promise_tally_destroy(promise_tally_t **self);

/* Texts are copied. */
void promise_tally_add(promise_tally_t *self, const struct promise_record *record);

/* The counts as in `rubato promises --json` and docs/service.md; the caller owns the object. */
json_t *promise_tally_tell(promise_tally_t *self);

#endif
