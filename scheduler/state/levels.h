/* levels.h - the deadlines of a job in traces with lists of deadlines: two lists of whole numbers
 * joined by "-", the times ("1105-1245", seconds from the submission, rising) and their values
 * ("10-8", in tenths). */
#ifndef STATE_LEVELS_H
#define STATE_LEVELS_H

#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Published traces have up to four levels, worth up to 10. */
#define LEVELS_MAX      16
#define LEVEL_VALUE_MAX 1000

/* The form that the lists must have, for complaints. */
#define LEVEL_TIMES_EXPECTED                                                                       \
    "1 to 16 rising times joined by \"-\", in whole seconds from the submission"
#define LEVEL_VALUES_EXPECTED "whole numbers from 0 to 1000 joined by \"-\", as many as times"

/* Reads the times for a job that was submitted at `submit_s`. Returns their number, 0 if the text
 * is no such list or goes beyond TIME_MAX_S. */
size_t levels_parse_times(const char *text, size_t length, int64_t submit_s,
                          struct job_level levels[LEVELS_MAX]);

/* Reads the values of `count` levels. False if the text is no list of as many values. */
bool levels_parse_values(const char *text, size_t length, struct job_level levels[], size_t count);

#endif
