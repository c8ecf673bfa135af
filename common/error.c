/* error.c - see error.h. */
#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return -1;
}

int error_prefix(struct error *error, const char *prefix)
{
    char sentence[sizeof(error->text)];

    memcpy(sentence, error->text, sizeof(sentence));
    return error_set(error, "%s: %s", prefix, sentence);
}
