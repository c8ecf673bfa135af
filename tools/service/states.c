/* states.c - see states.h. */
#include "tools/service/states.h"

#include <stdbool.h>
#include <string.h>

const char *const states_words[] = {"quoted",    "held",     "waiting", "running", "done", "failed",
                                    "cancelled", "declined", "lapsed",  "live",    "all",  NULL};

static const char *const *const states = states_words;

#define STATES      9 /* words of one state; the words behind them stand for several states */
#define STATES_LIVE 4 /* number of states of live jobs, which come first */

static bool is_state(const char *word, size_t length)
{
    for (size_t i = 0; i < STATES; i++)
        if (strlen(states[i]) == length && !strncmp(states[i], word, length))
            return true;
    return false;
}

static int add_words(json_t *array, const char *list, struct error *error)
{
    for (;;) {
        const size_t length = strcspn(list, ",");

        if (!is_state(list, length))
            return error_set(error, "--state: there is no state \"%.*s\"", (int)length, list);
        json_array_append_new(array, json_stringn(list, length));
        if (!list[length])
            return 0;
        list += length + 1;
    }
}

int states_add(json_t *document, const char *list, struct error *error)
{
    json_t *array;

    if (!strcmp(list, "all"))
        return 0;
    array = json_array();
    json_object_set_new(document, "states", array);
    if (strcmp(list, "live") != 0)
        return add_words(array, list, error);
    for (size_t i = 0; i < STATES_LIVE; i++)
        json_array_append_new(array, json_string(states[i]));
    return 0;
}
