/* json_text.c - see json_text.h. */
#include "common/json_text.h"

#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any document here takes. */
#define BYTES_MAX ((size_t)64 << 20)

json_t *json_read(const char *path, struct error *error)
{
    size_t length;
    char *text = input_read_whole(path, BYTES_MAX, &length, error);
    json_error_t why;
    json_t *document;

    if (!text)
        return NULL;
    document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    free(text);
    if (!document)
        error_set(error, "%s:%d:%d: %s", path, why.line, why.column, why.text);
    return document;
}

static void put_value(const json_t *value, int depth, FILE *out);

static void put_line_end(int depth, FILE *out)
{
    (void)fprintf(out, "\n%*s", 2 * depth, "");
}

/* Writes a real number with a point, so that a reader sees a real number. */
static void put_real(double value, FILE *out)
{
    char text[NUMBER_TEXT_BYTES];

    (void)number_print_real(value, text);
    (void)fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void put_array(const json_t *array, int depth, FILE *out)
{
    const json_t *item;
    size_t i;

    (void)fputc('[', out);
    json_array_foreach(array, i, item)
    {
        (void)fputs(i > 0 ? "," : "", out);
        put_line_end(depth + 1, out);
        put_value(item, depth + 1, out);
    }
    if (json_array_size(array) > 0)
        put_line_end(depth, out);
    (void)fputc(']', out);
}

/* Writes a text, a whole number, true, false or null as jansson does. */
static void put_plain(const json_t *value, FILE *out)
{
    const int status = json_dumpf(value, out, JSON_ENCODE_ANY);

    assert(status == 0);
    (void)status;
}

static void put_object(const json_t *object, int depth, FILE *out)
{
    const char *before = "";

    (void)fputc('{', out);
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        json_t *key = json_string(json_object_iter_key(at));

        (void)fputs(before, out);
        put_line_end(depth + 1, out);
        put_plain(key, out);
        (void)fputs(": ", out);
        put_value(json_object_iter_value(at), depth + 1, out);
        json_decref(key);
        before = ",";
    }
    if (*before)
        put_line_end(depth, out);
    (void)fputc('}', out);
}

static void put_value(const json_t *value, int depth, FILE *out)
{
    if (json_is_object(value))
        put_object(value, depth, out);
    else if (json_is_array(value))
        put_array(value, depth, out);
    else if (json_is_real(value))
        put_real(json_real_value(value), out);
    else
        put_plain(value, out);
}

char *json_text(const json_t *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert(value);
    if (!out)
        memory_out();
    put_value(value, 0, out);
    (void)fputc('\n', out);
    (void)fclose(out);
    return text;
}

int json_print(const json_t *value)
{
    char *text = json_text(value);

    input_show(text, strlen(text), stdout);
    free(text);
    return ferror(stdout) != 0;
}
