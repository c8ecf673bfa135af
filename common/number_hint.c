/* number_hint.c - see number_hint.h. */
#include "common/number_hint.h"

#include <stdbool.h>
#include <string.h>

/* A date has three groups of digits. */
#define DATE_GROUPS 3

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static size_t digits_from(const char *text, size_t length, size_t at)
{
    size_t count = 0;

    while (at + count < length && is_digit(text[at + count]))
        count++;
    return count;
}

/* Whether the text is a date like 2026-03-01, 1/3/26 or 01.03.2026, perhaps with a time. Groups
 * of three digits are thousands. */
static bool is_date(const char *text, size_t length)
{
    size_t digits[DATE_GROUPS];
    size_t at = 0;

    for (int i = 0; i < DATE_GROUPS; i++) {
        digits[i] = digits_from(text, length, at);
        at += digits[i];
        if (i + 1 == DATE_GROUPS)
            break;
        if (at >= length || !strchr("-/.", text[at]) || text[at] == '\0' ||
            (i > 0 && text[at] != text[digits[0]]))
            return false;
        at++;
    }
    if (at < length && text[at] != 'T' && text[at] != ' ')
        return false;
    return (digits[0] == 4 || digits[0] == 2 || digits[0] == 1) &&
           (digits[1] == 2 || digits[1] == 1) &&
           (digits[2] == 4 || digits[2] == 2 || digits[2] == 1);
}

/* Whether the text is a time like 8:30 or 1:02:03. */
static bool is_time_of_day(const char *text, size_t length)
{
    const size_t digits = digits_from(text, length, 0);

    return digits > 0 && digits + 1 < length && text[digits] == ':' && is_digit(text[digits + 1]);
}

static bool is_time(const char *text, size_t length)
{
    return is_date(text, length) || is_time_of_day(text, length);
}

/* Digits with other bytes of numbers among them: separators of thousands, points, exponents. */
static bool is_number(const char *text, size_t length)
{
    size_t others = 0;

    for (size_t i = 0; i < length; i++) {
        others += !is_digit(text[i]);
        if (!is_digit(text[i]) && (text[i] == '\0' || !strchr(".,'_ +eE", text[i])))
            return false;
    }
    return others > 0 && is_digit(text[0]) && is_digit(text[length - 1]);
}

static bool has_separator(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr(",'_ ", text[i]))
            return true;
    return false;
}

const char *number_hint_whole(const char *text, size_t length)
{
    if (is_time(text, length))
        return "; write times as whole seconds, and dates as seconds from a start of your choice";
    if (is_number(text, length))
        return "; write digits alone, without points, commas, blanks or exponents";
    return "";
}

const char *number_hint_real(const char *text, size_t length)
{
    if (is_time(text, length))
        return "; write times in seconds";
    if (is_number(text, length) && has_separator(text, length))
        return "; write a decimal point, and no separators of thousands";
    return "";
}
