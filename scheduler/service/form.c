/* form.c - see form.h. */
#include "scheduler/service/form.h"

#include "common/input.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const struct form_field *find(const struct form_field fields[], const char *name)
{
    for (; fields->name; fields++)
        if (!strcmp(fields->name, name))
            return fields;
    return NULL;
}

static int complain_kind(const struct form_field *field, struct error *error)
{
    static const char *const kinds[] = {
        [FORM_TEXT] = "a text",           [FORM_LABEL] = "a text",
        [FORM_LINE] = "a text",           [FORM_WHOLE] = "a whole number",
        [FORM_REAL] = "a number",         [FORM_SWITCH] = "true or false",
        [FORM_WORDS] = "a list of texts", [FORM_WHOLES] = "a list of whole numbers"};

    return error_set(error, "field \"%s\": expected %s", field->name, kinds[field->kind]);
}

/* A label is one word in tables, logs and records. */
static bool is_label(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_.:+@=#", *text))
            return false;
    return true;
}

/* A line is shown in tables and on terminals without escapes. */
static bool is_line(const char *text, size_t length)
{
    char shown[FORM_LINE_MAX + 1];

    (void)input_printable(shown, sizeof(shown), text, length);
    return !strcmp(shown, text);
}

static const char *read_text(const struct form_field *field, const json_t *value, arena_t *texts,
                             struct error *error)
{
    const char *text = json_string_value(value);
    const size_t length = text ? json_string_length(value) : 0;

    if (!text)
        complain_kind(field, error);
    else if (length > (size_t)field->max || (length == 0 && field->kind != FORM_WORDS))
        error_set(error, "field \"%s\": expected 1 to %" PRId64 " bytes, found %zu", field->name,
                  field->max, length);
    else if (strlen(text) != length)
        error_set(error, "field \"%s\": a text with a NUL inside", field->name);
    else if (field->kind == FORM_LABEL && !is_label(text))
        error_set(error, "field \"%s\": expected letters, digits and -_.:+@=#", field->name);
    else if (field->kind == FORM_LINE && !is_line(text, length))
        error_set(error, "field \"%s\": expected a line without control characters", field->name);
    else
        return arena_text(texts, text, length);
    return NULL;
}

static int read_whole(const struct form_field *field, const json_t *value, int64_t *whole,
                      struct error *error)
{
    if (!json_is_integer(value))
        return complain_kind(field, error);
    *whole = json_integer_value(value);
    if (*whole >= field->min && *whole <= field->max)
        return 0;
    return error_set(error, "field \"%s\": %" PRId64 " is not within %" PRId64 " to %" PRId64,
                     field->name, *whole, field->min, field->max);
}

static int read_real(const struct form_field *field, const json_t *value, double *real,
                     struct error *error)
{
    if (!json_is_number(value))
        return complain_kind(field, error);
    *real = json_number_value(value);
    if (*real >= (double)field->min && *real <= (double)field->max)
        return 0;
    return error_set(error, "field \"%s\": %g is not within %" PRId64 " to %" PRId64, field->name,
                     *real, field->min, field->max);
}

static int check_count(const struct form_field *field, size_t count, struct error *error)
{
    return count <= FORM_WORDS_MAX
               ? 0
               : error_set(error, "field \"%s\": %zu %s, more than %d", field->name, count,
                           field->kind == FORM_WORDS ? "texts" : "numbers", FORM_WORDS_MAX);
}

static int read_words(const struct form_field *field, const json_t *value, struct words *words,
                      arena_t *texts, struct error *error)
{
    if (!json_is_array(value))
        return complain_kind(field, error);
    words->count = json_array_size(value);
    if (check_count(field, words->count, error) < 0)
        return -1;
    words->items = arena_alloc(texts, (words->count + 1) * sizeof(*words->items));
    for (size_t i = 0; i < words->count; i++) {
        words->items[i] = read_text(field, json_array_get(value, i), texts, error);
        if (!words->items[i])
            return -1;
    }
    words->items[words->count] = NULL;
    return 0;
}

static int read_wholes(const struct form_field *field, const json_t *value, struct wholes *wholes,
                       arena_t *texts, struct error *error)
{
    if (!json_is_array(value))
        return complain_kind(field, error);
    wholes->count = json_array_size(value);
    if (check_count(field, wholes->count, error) < 0)
        return -1;
    wholes->items = arena_alloc(texts, (wholes->count + 1) * sizeof(*wholes->items));
    for (size_t i = 0; i < wholes->count; i++)
        if (read_whole(field, json_array_get(value, i), &wholes->items[i], error) < 0)
            return -1;
    return 0;
}

static int read_field(const struct form_field *field, const json_t *value, void *form,
                      arena_t *texts, struct error *error)
{
    void *place = (char *)form + field->place;

    switch (field->kind) {
    case FORM_TEXT:
    case FORM_LABEL:
    case FORM_LINE:
        assert(field->kind != FORM_LINE || field->max <= FORM_LINE_MAX);
        return (*(const char **)place = read_text(field, value, texts, error)) ? 0 : -1;
    case FORM_WHOLE:
        return read_whole(field, value, place, error);
    case FORM_REAL:
        return read_real(field, value, place, error);
    case FORM_SWITCH:
        if (!json_is_boolean(value))
            return complain_kind(field, error);
        *(bool *)place = json_is_true(value);
        return 0;
    case FORM_WORDS:
        return read_words(field, value, place, texts, error);
    case FORM_WHOLES:
        return read_wholes(field, value, place, texts, error);
    }
    return -1;
}

static bool is_missing(const json_t *object, const struct form_field *field)
{
    const json_t *value = json_object_get(object, field->name);

    return !value || json_is_null(value);
}

static int read_fields(const json_t *object, const struct form_field fields[], void *form,
                       arena_t *texts, struct error *error)
{
    const char *name;
    const json_t *value;

    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const struct form_field *field = find(fields, name);
        char shown[64];

        if (!field) {
            (void)input_printable(shown, sizeof(shown), name, strlen(name));
            return error_set(error, "there is no field \"%s\"", shown);
        }
        if (!json_is_null(value) && read_field(field, value, form, texts, error) < 0)
            return -1;
    }
    for (const struct form_field *field = fields; field->name; field++)
        if (field->needed && is_missing(object, field))
            return error_set(error, "field \"%s\" is missing", field->name);
    return 0;
}

int form_read_json(const json_t *document, const struct form_field fields[], void *form,
                   arena_t *texts, struct error *error)
{
    return json_is_object(document) ? read_fields(document, fields, form, texts, error)
                                    : error_set(error, "expected a JSON object");
}

json_t *form_parse(const char *document, struct error *error)
{
    json_error_t why;
    json_t *object = json_loads(document, JSON_REJECT_DUPLICATES, &why);

    if (!object)
        (void)error_set(error, "no JSON: %s", why.text);
    return object;
}

int form_read(const char *document, const struct form_field fields[], void *form, arena_t *texts,
              struct error *error)
{
    json_t *object = form_parse(document, error);
    const int status = object ? form_read_json(object, fields, form, texts, error) : -1;

    json_decref(object);
    return status;
}
