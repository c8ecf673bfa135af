/* run_clock.h - the clock of a run in real time. The clock runs on while its scheduler is away, and
 * never goes back. It follows the machine's time since its start, which is never set, and after a
 * restart of the machine the time of day. */
#ifndef CAPACITY_RUN_CLOCK_H
#define CAPACITY_RUN_CLOCK_H

#include "scheduler/journal/journal.h"

#include <stdbool.h>
#include <stdint.h>

struct run_clock {
    bool runs;
    int64_t from_s;   /* its time when it was last set */
    double started_s; /* clock_s() when it was last set */
    double scale;     /* its seconds in a second of real time */
    bool kept;        /* stored in the journal */
    int64_t ahead_us; /* time of day less the time since the machine's start; 0: unknown */
};

/* Starts the clock at `now_s`, unless it runs already. */
void run_clock_start(struct run_clock *self, int64_t now_s);
double run_clock_now(const struct run_clock *self);

/* Logs whether the time of day was set since the last look. */
void run_clock_look(struct run_clock *self);

/* Puts the clock into the current transaction, unless the journal has it. -1 with `error`. */
int run_clock_keep(const struct run_clock *self, journal_t *journal, struct error *error);

/* Resumes the clock of the journal, if there is one. -1 with `error`. */
int run_clock_resume(struct run_clock *self, journal_t *journal, struct error *error);

/* Advances the clock to `now_s` if it is behind: the time of day was set back. */
void run_clock_not_before(struct run_clock *self, int64_t now_s);

#endif
