/* seats.h - who has a place on a set of nodes, and whose turns on them may have changed before the
 * interval that just ended was credited (GA-Q7).
 *
 * Gandiva files its sets of nodes by the size of their jobs. In each round it weighs for each size
 * what its jobs ask for against the nodes of its sets, and opens or closes sets accordingly; jobs that
 * move then may come to the front of a set, or lose their place there. Both sides of the scales are
 * in the results: who has a place is in the records, and a set is known by the nodes of those whose
 * turn it is. */
#ifndef AUDIT_SEATS_H
#define AUDIT_SEATS_H

#include "tools/audit/case.h"
#include "tools/audit/history.h"
#include "tools/audit/rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct audit_seats audit_seats_t;

audit_seats_t *audit_seats_new(const struct audit_case *given, const struct audit_policy *policy,
                               const struct audit_history histories[]);
void audit_seats_destroy(audit_seats_t **self);

/* Goes on to the interval from round `number` to the next; never back. */
void audit_seats_move(audit_seats_t *self, size_t number);

/* The jobs that have a place then, whether it is their turn or not, as rows of the trace. */
const size_t *audit_seats_jobs(const audit_seats_t *self, size_t *count);

/* Whether turns of jobs of `gpus` GPUs may have changed at the end of the interval, before it was
 * credited; and whether one of them was retired then, and made room. */
bool audit_seats_may_change(const audit_seats_t *self, int64_t gpus);
bool audit_seats_make_room(const audit_seats_t *self, int64_t gpus);

#endif
