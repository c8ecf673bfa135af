/* option_names.c - see option_names.h. */
#include "common/option_names.h"

#include "common/suggestion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 256

/* Whether an option has this name, or is the only option that begins with the name; sets
 * `found`. */
static bool is_known(const struct argp_option *table, const char *name, size_t length,
                     const struct argp_option **found)
{
    size_t beginnings = 0;

    *found = NULL;
    for (; table->name || table->key; table++) {
        if (!table->name || strncmp(table->name, name, length) != 0)
            continue;
        *found = table;
        if (!table->name[length])
            return true;
        beginnings++;
    }
    return beginnings > 0;
}

/* Whether the value of the option is the next word of the line. */
static bool takes_next(const struct argp_option *option)
{
    return option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* Whether the next word of the line is the value of the last letter in a word like "-abc". */
static bool letters_take_next(const struct argp_option *table, const char *letters)
{
    for (; *letters; letters++)
        for (const struct argp_option *option = table; option->name || option->key; option++)
            if (option->key == *letters && takes_next(option))
                return !letters[1];
    return false;
}

static int complain_unknown(const struct argp_option *table, const char *name, size_t length,
                            const char *command, struct error *error)
{
    const char *names[NAMES_MAX];
    char wrong[64];
    char hint[128];
    size_t count = 0;

    for (; (table->name || table->key) && count + 1 < NAMES_MAX; table++)
        if (table->name && !(table->flags & OPTION_HIDDEN))
            names[count++] = table->name;
    names[count] = NULL;
    (void)snprintf(wrong, sizeof(wrong), "%.*s", (int)length, name);
    suggestion_print(wrong, names, "--", "", hint, sizeof(hint));
    if (*hint)
        return error_set(error, "unrecognized option '--%s'%s", wrong, hint);
    return error_set(error, "unrecognized option '--%s'; `%s --help` lists all", wrong, command);
}

int option_names_check(const struct argp_option *table, const char *command, int argc, char **argv,
                       struct error *error)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const size_t length = strncmp(argv[i], "--", 2) ? 0 : strcspn(argv[i] + 2, "=");
        const struct argp_option *option;

        if (length == 0)
            i += argv[i][0] == '-' && letters_take_next(table, argv[i] + 1);
        else if (!is_known(table, argv[i] + 2, length, &option))
            return complain_unknown(table, argv[i] + 2, length, command, error);
        else
            i += !argv[i][2 + length] && takes_next(option);
    }
    return 0;
}
