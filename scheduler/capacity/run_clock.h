/* run_clock.h - the clock of a run in real time. It goes on while its scheduler is away, and never
 * back: while the machine is up by the time since it was started, which is never set; after that by
 * the time of day. */
#ifndef CAPACITY_RUN_CLOCK_H
#define CAPACITY_RUN_CLOCK_H

#include "scheduler/journal/journal.h"

#include <stdbool.h>
#include <stdint.h>

struct run_clock {
    bool runs;
    int64_t from_s;   /* where it stood */
    double started_s; /* at this time of clock_s */
    double scale;     /* its seconds to a second of real time */
    bool kept;        /* in the journal */
    int64_t ahead_us; /* of the time of day to that since the machine was started; 0: unknown */
};

/* The clock stands at `now_s` and runs from here on, unless it runs already. */
void run_clock_start(struct run_clock *self, int64_t now_s);
double run_clock_now(const struct run_clock *self);

/* Says in the log if the time of day was set since the last look. */
void run_clock_look(struct run_clock *self);

/* Puts it into the transaction at hand, unless the journal has it. -1 with `error`. */
int run_clock_keep(const struct run_clock *self, journal_t *journal, struct error *error);

/* The clock goes on as the journal kept it, if the journal has it. -1 with `error`. */
int run_clock_resume(struct run_clock *self, journal_t *journal, struct error *error);

/* The clock is set to `now_s` if it is behind: the time of day was set back. */
void run_clock_not_before(struct run_clock *self, int64_t now_s);

#endif
