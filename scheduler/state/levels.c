/* levels.c - see levels.h. */
#include "scheduler/state/levels.h"

#include "common/number.h"

#include <string.h>

/* A list that is read from its front. */
struct list {
    const char *text; /* NULL after the last number */
    size_t length;
};

/* Takes the next number, from `min` to `max`, off the list. False if there is none. */
static bool take(struct list *list, int64_t min, int64_t max, int64_t *value)
{
    const char *joint = memchr(list->text, '-', list->length);
    const size_t digits = joint ? (size_t)(joint - list->text) : list->length;

    if (min > max || number_parse_whole(list->text, digits, min, max, value) != NUMBER_OK)
        return false;
    list->text = joint ? joint + 1 : NULL;
    list->length -= joint ? digits + 1 : digits;
    return true;
}

size_t levels_parse_times(const char *text, size_t length, int64_t submit_s,
                          struct job_level levels[LEVELS_MAX])
{
    struct list list = {text, length};
    int64_t time_s = -1;
    size_t count = 0;

    while (list.text) {
        if (count == LEVELS_MAX || !take(&list, time_s + 1, TIME_MAX_S - submit_s, &time_s))
            return 0;
        levels[count++].deadline_s = submit_s + time_s;
    }
    return count;
}

bool levels_parse_values(const char *text, size_t length, struct job_level levels[], size_t count)
{
    struct list list = {text, length};

    for (size_t i = 0; i < count; i++)
        if (!list.text || !take(&list, 0, LEVEL_VALUE_MAX, &levels[i].value))
            return false;
    return !list.text;
}
