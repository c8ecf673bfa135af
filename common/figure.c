/* figure.c - see figure.h. */
#include "common/figure.h"

#include "common/number.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void print_each(const struct figure *self, const int64_t numbers[], char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; self->names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s %" PRId64, i > 0 ? ", " : "",
                                 self->names[i], numbers[i]);
}

static void print_list(const struct figure *self, const void *values, char *text, size_t size)
{
    const int64_t *numbers = figure_in(self, values);
    const int length = figure_length(self, values);
    size_t used = 0;

    for (int i = 0; i < length && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRId64, i > 0 ? " " : "", numbers[i]);
}

double figure_real(const struct figure *self, const void *values)
{
    const void *value = figure_in(self, values);

    if (self->kind == FIGURE_KIND_TENTHS)
        return (double)*(const int64_t *)value / 10;
    assert(self->kind == FIGURE_KIND_REAL);
    return *(const double *)value;
}

static const char *text_of(const struct figure *self, const void *value)
{
    if (self->kind == FIGURE_KIND_SWITCH)
        return *(const bool *)value ? "yes" : "no";
    if (self->kind == FIGURE_KIND_TEXT)
        return *(const char *const *)value;
    if (self->kind == FIGURE_KIND_NAME)
        return value;
    assert(self->kind == FIGURE_KIND_CHOICE);
    return self->names[*(const unsigned *)value];
}

bool figure_text(const struct figure *self, const void *values, char *text, size_t size)
{
    const void *value = figure_in(self, values);
    char digits[NUMBER_TEXT_BYTES];
    const char *known = NULL;

    assert(size > 0);
    text[0] = '\0';
    if (self->kind == FIGURE_KIND_WHOLE) {
        (void)snprintf(text, size, "%" PRId64, *(const int64_t *)value);
        return true;
    }
    if (self->kind == FIGURE_KIND_EACH) {
        print_each(self, value, text, size);
        return true;
    }
    if (self->kind == FIGURE_KIND_LIST) {
        print_list(self, values, text, size);
        return true;
    }
    if (self->kind != FIGURE_KIND_REAL && self->kind != FIGURE_KIND_TENTHS)
        known = text_of(self, value);
    else if (!isnan(figure_real(self, values)))
        known = number_print_real(figure_real(self, values), digits);
    (void)snprintf(text, size, "%s", known ? known : "");
    return known != NULL;
}
