/* moment.c - see moment.h. */
#include "tools/service/moment.h"

#include "common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DURATION_MAX_S INT64_C(1000000000)
#define EXPECTED       "expected +3h, +90m, 2026-11-24T18:00 or none"

struct unit {
    const char *name; /* name in output */
    char letter;      /* letter in input */
    int64_t s;
};

static const struct unit units[] = {
    {"d", 'd', 86400},
    {"h", 'h', 3600},
    {"min", 'm', 60},
    {"s", 's', 1},
};

#define UNITS (sizeof(units) / sizeof(units[0]))

/* ---- reading ---- */

static const struct unit *find_unit(char letter)
{
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].letter == letter)
            return &units[i];
    return NULL;
}

/* Reads a duration such as "1h30m": numbers, each with the letter of a unit, the largest unit
 * first. */
static int parse_duration(const char *text, int64_t *duration_s)
{
    const struct unit *last = NULL;

    *duration_s = 0;
    do {
        const size_t digits = strspn(text, "0123456789");
        const struct unit *unit = find_unit(text[digits]);
        int64_t count;

        if (!unit || (last && unit <= last) ||
            number_parse_whole(text, digits, 0, DURATION_MAX_S, &count) != NUMBER_OK)
            return -1;
        *duration_s += count * unit->s;
        text += digits + 1;
        last = unit;
    } while (*text);
    return *duration_s >= 1 && *duration_s <= DURATION_MAX_S ? 0 : -1;
}

/* Whether the date that strptime read is in the calendar. mktime has made another date of 31
 * February. */
static bool is_in_calendar(const struct tm *asked, const struct tm *made)
{
    return asked->tm_mday == made->tm_mday && asked->tm_mon == made->tm_mon &&
           asked->tm_sec == made->tm_sec;
}

static int parse_moment(const char *text, int64_t *moment_s)
{
    static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
                                          "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"};

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct tm asked = {.tm_isdst = -1};
        struct tm made;
        const char *end = strptime(text, formats[i], &asked);
        const bool is_utc = end && !strcmp(end, "Z");

        if (!end || (*end && !is_utc))
            continue;
        made = asked;
        *moment_s = is_utc ? timegm(&made) : mktime(&made);
        return is_in_calendar(&asked, &made) && *moment_s > 0 ? 0 : -1;
    }
    return -1;
}

int deadline_parse(const char *text, struct deadline *deadline, struct error *error)
{
    int result = 0;

    *deadline = (struct deadline){DEADLINE_NONE, 0};
    if (*text == '+') {
        deadline->kind = DEADLINE_IN;
        result = parse_duration(text + 1, &deadline->s);
    } else if (strcmp(text, "none") != 0) {
        deadline->kind = DEADLINE_AT;
        result = parse_moment(text, &deadline->s);
    }
    return result < 0 ? error_set(error, EXPECTED ", found \"%s\"", text) : 0;
}

/* ---- printing ---- */

const char *moment_print(int64_t moment_s, char text[MOMENT_BYTES])
{
    const time_t moment = (time_t)moment_s;
    struct tm local;

    if (!localtime_r(&moment, &local) ||
        strftime(text, MOMENT_BYTES, "%Y-%m-%d %H:%M:%S", &local) == 0)
        (void)snprintf(text, MOMENT_BYTES, "%" PRId64 " s", moment_s);
    return text;
}

const char *duration_print(int64_t duration_s, char text[DURATION_BYTES])
{
    const char *sign = duration_s < 0 ? "-" : "";
    uint64_t left = duration_s < 0 ? -(uint64_t)duration_s : (uint64_t)duration_s;
    size_t first = 0;
    int used;

    while (first + 1 < UNITS && left < (uint64_t)units[first].s)
        first++;
    used = snprintf(text, DURATION_BYTES, "%s%" PRIu64 " %s", sign, left / (uint64_t)units[first].s,
                    units[first].name);
    left %= (uint64_t)units[first].s;
    if (first + 1 < UNITS && left >= (uint64_t)units[first + 1].s)
        (void)snprintf(text + used, DURATION_BYTES - (size_t)used, " %" PRIu64 " %s",
                       left / (uint64_t)units[first + 1].s, units[first + 1].name);
    return text;
}
