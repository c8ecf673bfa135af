/* figures_json.c - see figures_json.h. */
#include "scheduler/report/figures_json.h"

#include <assert.h>
#include <math.h>

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *each_json(const struct figure *figure, const int64_t numbers[])
{
    json_t *object = json_object();

    for (size_t i = 0; figure->names[i]; i++)
        json_object_set_new(object, figure->names[i], json_integer((json_int_t)numbers[i]));
    return object;
}

static json_t *list_json(const struct figure *figure, const void *values)
{
    const int64_t *numbers = figure_in(figure, values);
    const int length = figure_length(figure, values);
    json_t *list = json_array();

    for (int i = 0; i < length; i++)
        json_array_append_new(list, json_integer((json_int_t)numbers[i]));
    return list;
}

static json_t *real_or_null(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

json_t *figure_json(const struct figure *figure, const void *values)
{
    const void *value = figure_in(figure, values);

    switch (figure->kind) {
    case FIGURE_KIND_SWITCH:
        return json_boolean(*(const bool *)value);
    case FIGURE_KIND_WHOLE:
        return json_integer((json_int_t) * (const int64_t *)value);
    case FIGURE_KIND_REAL:
    case FIGURE_KIND_TENTHS:
        return real_or_null(figure_real(figure, values));
    case FIGURE_KIND_TEXT:
        return text_or_null(*(const char *const *)value);
    case FIGURE_KIND_NAME:
        return json_string(value);
    case FIGURE_KIND_CHOICE:
        return json_string(figure->names[*(const unsigned *)value]);
    case FIGURE_KIND_EACH:
        return each_json(figure, value);
    case FIGURE_KIND_LIST:
        return list_json(figure, values);
    case FIGURE_KIND_END:
        break;
    }
    assert(false);
    return NULL;
}

json_t *figures_json(const struct figure items[], const void *values)
{
    json_t *object = json_object();

    for (const struct figure *item = items; item->kind != FIGURE_KIND_END; item++)
        json_object_set_new(object, item->key, figure_json(item, values));
    return object;
}
