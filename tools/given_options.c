/* given_options.c - see given_options.h. */
#include "tools/given_options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_t *given_options_now(const struct option_spec options[])
{
    json_t *values = json_object();

    for (; options->kind; options++) {
        char *text = option_text(options);

        if (text)
            json_object_set_new(values, options->name, json_string(text));
        free(text);
    }
    return values;
}

static bool is_one_of(const char *name, const char *const names[])
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

json_t *given_options(const struct option_spec options[], const json_t *before,
                      const char *const left_out[])
{
    json_t *now = given_options_now(options);
    json_t *given = json_object();
    const char *name;
    json_t *value;

    json_object_foreach(now, name, value)
    {
        if (!is_one_of(name, left_out) && !json_equal(value, json_object_get(before, name)))
            json_object_set(given, name, value);
    }
    json_decref(now);
    return given;
}
