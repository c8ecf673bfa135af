/* axis.c - see axis.h. */
#include "tools/sweep/axis.h"

#include "common/memory.h"
#include "common/option_value.h"
#include "common/suggestion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const struct axis *self, const char *text, const char *what,
                    struct error *error)
{
    char hint[64] = "";

    if (self->option.kind == OPTION_KIND_CHOICE)
        suggestion_print(text, self->option.choices, "\"", "\"", hint, sizeof(hint));
    return error_set(error, "--%s: expected %s, found \"%s\"%s", self->option.name, what, text,
                     hint);
}

static int check_new(const struct axis *self, struct error *error)
{
    char *last = axis_text(self, self->count);
    int result = 0;

    for (size_t i = 0; i < self->count && result == 0; i++) {
        char *text = axis_text(self, i);

        if (!strcmp(text, last))
            result = error_set(error, "--%s: %s is listed twice", self->option.name, last);
        free(text);
    }
    free(last);
    return result;
}

static int read_value(struct axis *self, const char *text, struct error *error)
{
    struct option_spec option = self->option;
    char what[256];

    option.value = &self->values[self->count];
    if (*text && option_parse_value(&option, text) == 0)
        return check_new(self, error);
    option_describe(&option, what, sizeof(what));
    return complain(self, text, *text ? what : "a value between commas", error);
}

int axis_read(struct axis *self, struct error *error)
{
    size_t room = 0;
    char *rest;

    self->count = 0;
    if (!self->list) {
        self->values = grow_array(NULL, 0, &room, sizeof(*self->values));
        self->values[self->count++] = self->usual;
        return 0;
    }
    rest = self->texts = xstrdup(self->list);
    while (rest) {
        const char *text = strsep(&rest, ",");

        self->values = grow_array(self->values, self->count, &room, sizeof(*self->values));
        if (read_value(self, text, error) < 0)
            return -1;
        self->count++;
    }
    return 0;
}

void axis_clear(struct axis *self)
{
    free(self->values);
    free(self->texts);
    self->values = NULL;
    self->texts = NULL;
    self->count = 0;
}

char *axis_text(const struct axis *self, size_t index)
{
    struct option_spec option = self->option;
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        memory_out();
    option.value = &self->values[index];
    option_print_value(&option, memory);
    (void)fclose(memory);
    return text;
}
