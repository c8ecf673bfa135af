/* wanted.h - the wanted counts of a search, written "ef-accessctrl=6/4,edf=1/9": for each policy
 * the number of jobs that it accepts and the number that it declines. */
#ifndef TRACE_SEARCH_WANTED_H
#define TRACE_SEARCH_WANTED_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WANTED_MAX 32

struct wanted_counts {
    const char *policy; /* name of the policy in the table of policies */
    int64_t accepted;
    int64_t declined;
};

struct wanted {
    size_t count; /* at least 1 */
    struct wanted_counts rows[WANTED_MAX];
};

/* Reads the list. Returns -1, with `error` naming the option --want, if the list is malformed. */
int wanted_parse(const char *text, struct wanted *wanted, struct error *error);

/* Checks that traces of `jobs` jobs can give the counts. Every job with a deadline is counted once;
 * `best_effort` allows jobs without a deadline. Returns -1 with `error` if the counts are
 * impossible. */
int wanted_check_jobs(const struct wanted *wanted, int64_t jobs, bool best_effort,
                      struct error *error);

/* Writes the counts for a message, such as "ef-accessctrl 6/4, edf 1/9". */
void wanted_describe(const struct wanted *wanted, char *text, size_t size);

#endif
