/* options_fail.c - the sentence of a program that cannot do what it was asked to. */
#include "common/input.h"
#include "common/option_places.h"
#include "common/options.h"

#include <stdio.h>
#include <string.h>

int options_fail(const struct command *command, const struct error *error)
{
    char shown[sizeof(error->text)]; /* a path, for one, may hold escape sequences */
    struct error told = *error;

    option_places_tell(&told);
    (void)input_printable(shown, sizeof(shown), told.text, strlen(told.text));
    (void)fprintf(stderr, "%s: %s\n", command->name, shown);
    return 2;
}
