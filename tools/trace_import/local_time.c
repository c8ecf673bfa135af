/* local_time.c - see local_time.h. */
#include "tools/trace_import/local_time.h"

#include "common/memory.h"
#include "common/number.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define YEAR_MIN 1971
#define YEAR_MAX 3000
#define DAY_S    86400

/* Whether the folder of zones has a file of the zone. The folder also has subfolders, lists, and
 * zones with leap seconds ("right/"), which are refused because times since 1970 do not count
 * these. */
static bool is_zone(const char *zone)
{
    static const char magic[] = {'T', 'Z', 'i', 'f'};
    char path[256];
    char start[sizeof(magic)];
    const int length = snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", zone);
    int fd;
    bool is;

    if (zone[0] == '\0' || zone[0] == '/' || strstr(zone, "..") || !strncmp(zone, "right/", 6) ||
        length < 0 || (size_t)length >= sizeof(path))
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    is = read(fd, start, sizeof(start)) == (ssize_t)sizeof(start) &&
         !memcmp(start, magic, sizeof(magic));
    (void)close(fd);
    return is;
}

int local_time_zone(const char *zone, struct error *error)
{
    if (strcmp(zone, "UTC") != 0 && !is_zone(zone))
        return error_set(error,
                         "--time-zone: expected a zone that this system knows, as UTC or "
                         "Europe/Berlin, found \"%s\"",
                         zone);
    if (setenv("TZ", zone, 1) != 0)
        memory_out();
    tzset();
    return 0;
}

/* Takes `count` digits at `*text`, which moves on. Returns false if there are fewer digits or the
 * number is out of range. */
static bool take_digits(const char **text, size_t count, int min, int max, int *value)
{
    int64_t number;

    if (strnlen(*text, count) < count ||
        number_parse_whole(*text, count, min, max, &number) != NUMBER_OK)
        return false;
    *value = (int)number;
    *text += count;
    return true;
}

static bool take(const char **text, const char *one_of)
{
    if (**text == '\0' || !strchr(one_of, **text))
        return false;
    ++*text;
    return true;
}

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month] + (month == 1 && leap);
}

static bool take_date(const char **text, struct tm *time)
{
    if (!take_digits(text, 4, YEAR_MIN, YEAR_MAX, &time->tm_year) || !take(text, "-/") ||
        !take_digits(text, 2, 1, 12, &time->tm_mon) || !take(text, "-/") ||
        !take_digits(text, 2, 1, 31, &time->tm_mday))
        return false;
    time->tm_mon--;
    if (time->tm_mday > days_of(time->tm_year, time->tm_mon))
        return false;
    time->tm_year -= 1900;
    return true;
}

static bool take_clock(const char **text, struct tm *time)
{
    return take_digits(text, 2, 0, 23, &time->tm_hour) && take(text, ":") &&
           take_digits(text, 2, 0, 59, &time->tm_min) && take(text, ":") &&
           take_digits(text, 2, 0, 60, &time->tm_sec);
}

/* Takes the fraction of a second, such as ".25", if there is one. */
static bool take_part(const char **text, double *part)
{
    const size_t length = strspn(*text + 1, "0123456789") + 1;

    *part = 0;
    if (**text != '.')
        return true;
    if (length == 1 || length > 12 || number_parse_real(*text, length, 0, 1, part) != NUMBER_OK)
        return false;
    *text += length;
    return true;
}

/* Takes "", "Z", or an offset such as "+02:00" or "-0800". A time with "" is in the zone of the
 * process. */
static bool take_offset(const char **text, bool *has_offset, int *offset_s)
{
    const int sign = **text == '-' ? -1 : 1;
    int hours = 0;
    int minutes = 0;

    *has_offset = **text != '\0';
    *offset_s = 0;
    if (!*has_offset || (take(text, "Z") && **text == '\0'))
        return true;
    if (!take(text, "+-") || !take_digits(text, 2, 0, 14, &hours))
        return false;
    (void)take(text, ":");
    if (**text != '\0' && !take_digits(text, 2, 0, 59, &minutes))
        return false;
    *offset_s = sign * (hours * 3600 + minutes * 60);
    return **text == '\0';
}

/* Seconds by which the clocks of the zone are ahead of UTC at `when`. */
static long ahead_s(time_t when)
{
    struct tm local;

    return localtime_r(&when, &local) ? local.tm_gmtoff : 0;
}

/* Reads `shown`, the time on the zone's clocks in seconds as if it were UTC. Assumes that clocks
 * change at most once in two days. */
static struct local_time read_clock(time_t shown)
{
    const time_t before = shown - ahead_s(shown - DAY_S);
    const time_t after = shown - ahead_s(shown + DAY_S);
    const bool is_before = before + ahead_s(before) == shown;
    const bool is_after = after + ahead_s(after) == shown;

    if (is_before == is_after)
        return (struct local_time){(double)before, (double)after};
    if (is_before)
        return (struct local_time){(double)before, (double)before};
    return (struct local_time){(double)after, (double)after};
}

bool local_time_parse(const char *text, struct local_time *parsed)
{
    struct tm time = {.tm_isdst = 0};
    double part;
    bool has_offset;
    int offset_s;

    if (!take_date(&text, &time) || !take(&text, " T") || !take_clock(&text, &time) ||
        !take_part(&text, &part) || !take_offset(&text, &has_offset, &offset_s))
        return false;
    if (has_offset)
        parsed->seconds = parsed->otherwise = (double)(timegm(&time) - offset_s);
    else
        *parsed = read_clock(timegm(&time));
    parsed->seconds += part;
    parsed->otherwise += part;
    return true;
}

/* The reading of time `i` after the change if bit `i` of `changed` is set, else the usual
 * reading. */
static double reading(const struct local_time *time, size_t i, unsigned changed)
{
    return changed >> i & 1 ? time->otherwise : time->seconds;
}

static bool in_order(const struct local_time times[], size_t count, unsigned changed)
{
    double last = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        const double at = reading(&times[i], i, changed);

        if (at < last)
            return false;
        last = isnan(at) ? last : at;
    }
    return true;
}

void local_time_order(struct local_time times[], size_t count)
{
    unsigned best = 0;
    bool found = false;

    assert(count <= LOCAL_TIME_CHAIN_MAX);
    for (unsigned changed = 0; changed < 1U << count; changed++) {
        if (!in_order(times, count, changed) ||
            (found && __builtin_popcount(changed) >= __builtin_popcount(best)))
            continue;
        best = changed;
        found = true;
    }
    if (!found && count > 2) {
        local_time_order(times + 1, count - 1);
        return;
    }
    for (size_t i = 0; i < count; i++)
        times[i].seconds = reading(&times[i], i, best);
}

bool local_time_is_none(const char *text)
{
    static const char *const none[] = {"", "none", "unknown", "n/a", "null", "nan"};

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        if (!strcasecmp(text, none[i]))
            return true;
    return false;
}
