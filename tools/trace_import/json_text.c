/* json_text.c - see json_text.h. */
#include "tools/trace_import/json_text.h"

#include "common/input.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX ((size_t)4 * 1024 * 1024 * 1024)

/* The size of a printable copy of jansson's cause. */
#define CAUSE_BYTES 120

struct json_text {
    char *path;
    char *text;
    size_t length;
    size_t at;
    int64_t line; /* the line of the byte `at` */
    int64_t value_line;
    bool begun;
};

json_text_t *json_text_open(const char *path, struct error *error)
{
    json_text_t *self = xcalloc(1, sizeof(*self));

    self->path = xstrdup(path);
    self->line = 1;
    self->text = input_read_whole(path, TEXT_BYTES_MAX, &self->length, error);
    if (!self->text)
        json_text_destroy(&self);
    return self;
}

void json_text_destroy(json_text_t **self)
{
    if (!*self)
        return;
    free((*self)->text);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

static void go_to(json_text_t *self, size_t at)
{
    for (; self->at < at; self->at++)
        self->line += self->text[self->at] == '\n';
}

static void skip_blanks(json_text_t *self)
{
    while (self->at < self->length && strchr(" \t\r\n", self->text[self->at]))
        go_to(self, self->at + 1);
}

static int complain(const json_text_t *self, const char *expected, struct error *error)
{
    char shown[16];

    (void)input_printable(shown, sizeof(shown), self->text + self->at, self->length - self->at);
    if (self->at == self->length)
        return error_set(error, "%s:%" PRId64 ": expected %s, found the end of the file",
                         self->path, self->line, expected);
    return error_set(error, "%s:%" PRId64 ": expected %s, found \"%s\"", self->path, self->line,
                     expected, shown);
}

/* Complains about a value. The sentence of jansson contains bytes of the file; it is made printable
 * for terminals. */
static int complain_value(const json_text_t *self, const json_error_t *cause, struct error *error)
{
    char shown[CAUSE_BYTES];

    (void)input_printable(shown, sizeof(shown), cause->text, strlen(cause->text));
    return error_set(error, "%s:%" PRId64 ": no JSON: %s", self->path,
                     self->line + (cause->line > 0 ? cause->line - 1 : 0), shown);
}

static json_t *take_value(json_text_t *self, size_t flags, struct error *error)
{
    json_error_t cause;
    json_t *value;

    skip_blanks(self);
    self->value_line = self->line;
    value = json_loadb(self->text + self->at, self->length - self->at,
                       flags | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &cause);
    if (!value) {
        complain_value(self, &cause, error);
        return NULL;
    }
    go_to(self, self->at + (size_t)cause.position);
    return value;
}

json_t *json_text_whole(json_text_t *self, struct error *error)
{
    return take_value(self, 0, error);
}

static bool take(json_text_t *self, char wanted)
{
    skip_blanks(self);
    if (self->at == self->length || self->text[self->at] != wanted)
        return false;
    go_to(self, self->at + 1);
    return true;
}

static int end_list(json_text_t *self, struct error *error)
{
    skip_blanks(self);
    return self->at == self->length ? 0 : complain(self, "nothing after the list", error);
}

int json_text_next(json_text_t *self, json_t **element, struct error *error)
{
    if (!self->begun) {
        if (!take(self, '['))
            return complain(self, "a list, which begins with [", error);
        self->begun = true;
        if (take(self, ']'))
            return end_list(self, error);
    } else if (take(self, ']')) {
        return end_list(self, error);
    } else if (!take(self, ',')) {
        return complain(self, "a comma or the end of the list", error);
    }
    *element = take_value(self, JSON_DISABLE_EOF_CHECK, error);
    return *element ? 1 : -1;
}

const char *json_text_path(const json_text_t *self)
{
    return self->path;
}

int64_t json_text_line(const json_text_t *self)
{
    return self->value_line;
}
