/* answer.c - see answer.h. */
#include "tools/service/answer.h"

#include <string.h>

#define RETRY_MAX_S 3600

/* The last second of the year 9999, the latest time in an answer. */
#define TIME_LAST_S INT64_C(253402300799)

json_t *answer_read(const char *verb, const char *document, struct error *error)
{
    json_error_t mistake;
    json_t *object = json_loads(document, JSON_REJECT_DUPLICATES, &mistake);

    if (json_is_object(object))
        return object;
    if (object)
        (void)error_set(error, "the answer to \"%s\" makes no sense: it is no JSON object", verb);
    else
        (void)error_set(error, "the answer to \"%s\" makes no sense: %s", verb, mistake.text);
    json_decref(object);
    return NULL;
}

bool answer_retry_after(const json_t *object, int64_t *after_s)
{
    const json_t *value = json_object_get(object, "retry_after_s");

    *after_s = json_is_integer(value) ? json_integer_value(value) : 0;
    return *after_s >= 1 && *after_s <= RETRY_MAX_S;
}

struct fields fields_of(const char *verb, const json_t *object)
{
    struct fields fields = {.verb = verb, .object = object};

    if (!json_is_object(object))
        (void)error_set(&fields.error, "the answer to \"%s\" makes no sense: a part is no object",
                        verb);
    return fields;
}

bool fields_failed(const struct fields *self)
{
    return self->error.text[0] != '\0';
}

int fields_close(const struct fields *self, struct error *error)
{
    if (!fields_failed(self))
        return 0;
    *error = self->error;
    return -1;
}

bool fields_has(const struct fields *self, const char *name)
{
    const json_t *value = json_object_get(self->object, name);

    return value && !json_is_null(value);
}

/* The member `name`, or NULL after failing the fields if the member is missing or `is_good` refuses
 * it. `expected` says in the error what a good member is. */
static const json_t *find(struct fields *self, const char *name, bool (*is_good)(const json_t *),
                          const char *expected)
{
    const json_t *value = fields_failed(self) ? NULL : json_object_get(self->object, name);

    if (value && is_good(value))
        return value;
    if (!fields_failed(self))
        (void)error_set(&self->error, "the answer to \"%s\" makes no sense: \"%s\" is %s%s",
                        self->verb, name, value ? "not " : "not there", value ? expected : "");
    return NULL;
}

static bool is_text(const json_t *value)
{
    return json_is_string(value);
}

static bool is_text_or_null(const json_t *value)
{
    return json_is_string(value) || json_is_null(value);
}

static bool is_whole(const json_t *value)
{
    return json_is_integer(value);
}

static bool is_number(const json_t *value)
{
    return json_is_number(value);
}

static bool is_switch(const json_t *value)
{
    return json_is_boolean(value);
}

static bool is_list(const json_t *value)
{
    return json_is_array(value);
}

static bool is_time(const json_t *value)
{
    return json_is_null(value) ||
           (json_is_integer(value) && json_integer_value(value) >= -TIME_LAST_S &&
            json_integer_value(value) <= TIME_LAST_S);
}

const char *fields_text(struct fields *self, const char *name)
{
    const json_t *value = find(self, name, is_text, "a text");

    return value ? json_string_value(value) : "";
}

const char *fields_text_or_null(struct fields *self, const char *name)
{
    return json_string_value(find(self, name, is_text_or_null, "a text or null"));
}

int64_t fields_whole(struct fields *self, const char *name)
{
    return json_integer_value(find(self, name, is_whole, "a whole number"));
}

double fields_real(struct fields *self, const char *name)
{
    return json_number_value(find(self, name, is_number, "a number"));
}

bool fields_switch(struct fields *self, const char *name)
{
    return json_is_true(find(self, name, is_switch, "true or false"));
}

int64_t fields_time(struct fields *self, const char *name)
{
    const json_t *value = find(self, name, is_time, "a time or null");

    return json_is_integer(value) ? json_integer_value(value) : TIME_NONE;
}

const json_t *fields_list(struct fields *self, const char *name)
{
    return find(self, name, is_list, "a list");
}
