/* findings.c - see findings.h. */
#include "tests/e2e/check/findings.h"

#include <stdarg.h>
#include <stdlib.h>

struct findings {
    FILE *out;
    size_t count;
};

findings_t *findings_new(FILE *out)
{
    findings_t *self = xcalloc(1, sizeof(*self));

    self->out = out;
    return self;
}

void findings_destroy(findings_t **self)
{
    free(*self);
    *self = NULL;
}

void findings_add(findings_t *self, const char *invariant, const struct log_line *at,
                  const char *format, ...)
{
    va_list arguments;

    self->count++;
    (void)fprintf(self->out, "%s:%zu: %s: ", at->file, at->number, invariant);
    va_start(arguments, format);
    (void)vfprintf(self->out, format, arguments);
    va_end(arguments);
    (void)fputc('\n', self->out);
}

size_t findings_count(const findings_t *self)
{
    return self->count;
}
