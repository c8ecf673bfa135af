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
    error->unwritten = false;
    return -1;
}

int error_unwritten(struct error *error, const char *path, int number)
{
    (void)error_set(error, "%s: cannot be written%s%s", path, number != 0 ? ": " : "",
                    number != 0 ? strerror(number) : "");
    error->unwritten = true;
    return -1;
}

int error_append(struct error *error, const char *format, ...)
{
    const size_t used = strlen(error->text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(error->text + used, sizeof(error->text) - used, format, arguments);
    va_end(arguments);
    return -1;
}

int error_prefix(struct error *error, const char *prefix)
{
    const struct error plain = *error;

    (void)error_set(error, "%s: %s", prefix, plain.text);
    error->unwritten = plain.unwritten;
    return -1;
}
