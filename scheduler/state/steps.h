/* steps.h - a soft deadline as users write it: a list of dates, each with the value of a job that
 * ends by the date, for example "+3600:10,+7200:6,+14400:1".
 *
 * Dates rise and values fall. A date with a plus counts from the submission of the job, another one
 * from the second 0 of the clock at hand. A value is 0.1 to 1000, with one digit after the point at
 * most; a job that ends after the last date is worth nothing. */
#ifndef STATE_STEPS_H
#define STATE_STEPS_H

#include "common/error.h"
#include "scheduler/state/levels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of the list, for complaints. */
#define STEPS_EXPECTED "1 to 16 steps TIME:VALUE joined by \",\""

/* Whether `text` is meant for steps, not for a single date: a colon stands in it. */
bool steps_are(const char *text, size_t length);

/* The value at `text`, in tenths. -1 if the text is no value. */
int steps_parse_value(const char *text, size_t length, int64_t *value);

/* Reads one step of a job that is submitted at `submit_s`. A date without a plus is on a clock that
 * shows `zero_s` at second 0 of the trace or engine. -1 with `error`. */
int steps_parse_one(const char *text, size_t length, int64_t submit_s, int64_t zero_s,
                    struct job_level *step, struct error *error);

/* Checks that dates rise, values fall, and each value is possible. -1 with `error`. */
int steps_check(const struct job_level steps[], size_t count, struct error *error);

/* Reads and checks the list of a trace's clock. Returns how many steps it has, 0 with `error`. */
size_t steps_parse(const char *text, size_t length, int64_t submit_s,
                   struct job_level steps[LEVELS_MAX], struct error *error);

/* The value of a level as users write it, "6" or "0.8", in at most STEP_VALUE_BYTES. */
#define STEP_VALUE_BYTES 32
const char *steps_print_value(int64_t value, char text[STEP_VALUE_BYTES]);

/* The list of up to LEVELS_MAX steps as steps_parse reads it, with dates of the trace's clock. */
#define STEPS_BYTES ((size_t)LEVELS_MAX * 48)
const char *steps_print(const struct job_level steps[], size_t count, char text[STEPS_BYTES]);

#endif
