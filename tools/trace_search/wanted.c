/* wanted.c - see wanted.h. */
#include "tools/trace_search/wanted.h"

#include "common/number.h"
#include "scheduler/policies/policy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POLICY_CHARS_MAX 64

static int complain(const char *item, size_t length, struct error *error)
{
    error_set(error, "--want: expected POLICY=ACCEPTED/DECLINED, found \"%.*s\"", (int)length,
              item);
    return -1;
}

static int parse_policy(const char *text, size_t length, const char **policy, struct error *error)
{
    char name[POLICY_CHARS_MAX] = "";
    const struct policy *found = NULL;

    if (length < sizeof(name)) {
        memcpy(name, text, length);
        found = policy_find(name);
    }
    if (!found) {
        error_set(error, "--want: there is no policy \"%.*s\"", (int)length, text);
        return -1;
    }
    *policy = found->name;
    return 0;
}

static int parse_row(const char *item, size_t length, struct wanted_counts *row,
                     struct error *error)
{
    const char *end = item + length;
    const char *equal = memchr(item, '=', length);
    const char *slash = equal ? memchr(equal, '/', (size_t)(end - equal)) : NULL;

    if (!slash || equal == item)
        return complain(item, length, error);
    if (number_parse_whole(equal + 1, (size_t)(slash - equal - 1), 0, INT32_MAX, &row->accepted) !=
            NUMBER_OK ||
        number_parse_whole(slash + 1, (size_t)(end - slash - 1), 0, INT32_MAX, &row->declined) !=
            NUMBER_OK)
        return complain(item, length, error);
    return parse_policy(item, (size_t)(equal - item), &row->policy, error);
}

static int add_row(struct wanted *wanted, const struct wanted_counts *row, struct error *error)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (!strcmp(wanted->rows[i].policy, row->policy))
            return error_set(error, "--want: \"%s\" is listed twice", row->policy);
    if (wanted->count == WANTED_MAX)
        return error_set(error, "--want: expected at most %d policies", WANTED_MAX);
    wanted->rows[wanted->count++] = *row;
    return 0;
}

int wanted_parse(const char *text, struct wanted *wanted, struct error *error)
{
    wanted->count = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        struct wanted_counts row;

        if (parse_row(at, length, &row, error) < 0 || add_row(wanted, &row, error) < 0)
            return -1;
        at += length;
        if (*at == '\0')
            return 0;
    }
}

int wanted_check_jobs(const struct wanted *wanted, int64_t jobs, bool best_effort,
                      struct error *error)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct wanted_counts *row = &wanted->rows[i];
        const int64_t counted = row->accepted + row->declined;

        if (counted > jobs || (counted < jobs && !best_effort))
            return error_set(error,
                             "--want: %s=%" PRId64 "/%" PRId64 " counts %" PRId64
                             " jobs, and --jobs makes %" PRId64,
                             row->policy, row->accepted, row->declined, counted, jobs);
    }
    return 0;
}

void wanted_describe(const struct wanted *wanted, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < wanted->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s %" PRId64 "/%" PRId64,
                                 i > 0 ? ", " : "", wanted->rows[i].policy,
                                 wanted->rows[i].accepted, wanted->rows[i].declined);
}
