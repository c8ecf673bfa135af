/* table.c - see table.h. */
#include "tools/service/table.h"

#include "common/input.h"
#include "common/memory.h"
#include "tools/picture/look.h"
#include "tools/service/answer.h"
#include "tools/service/moment.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#define CELL_BYTES 1024

static const struct {
    const char *state;
    const char *colour;
} colours[] = {
    {"running", "green"}, {"promised", "green"},  {"up", "green"},           {"waiting", "yellow"},
    {"held", "yellow"},   {"draining", "yellow"}, {"best-effort", "yellow"}, {"failed", "red"},
    {"declined", "red"},  {"gone", "red"},        {"withdrawn", "red"},
};

struct page page_on_stdout(const char *verb)
{
    const struct look look = look_of_stdout();

    return (struct page){.out = look.out, .colours = look.colours, .verb = verb};
}

/* ---- a cell ---- */

static void put_words(const json_t *list, char *text, size_t size)
{
    const json_t *item;
    size_t used = 0;
    size_t i;

    (void)snprintf(text, size, "%s", json_array_size(list) > 0 ? "" : "-");
    json_array_foreach(list, i, item)
    {
        const char *blank = i > 0 ? " " : "";

        if (used >= size)
            return;
        if (json_is_string(item))
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", blank, json_string_value(item));
        else
            used += (size_t)snprintf(text + used, size - used, "%s%lld", blank,
                                     (long long)json_integer_value(item));
    }
}

/* Rounded down, so that a job shows 100 % only when all its iterations are done. */
static void put_done(struct fields *fields, const char *name, char *text, size_t size)
{
    const int64_t done = fields_whole(fields, name);
    const int64_t all = fields_whole(fields, "iterations");
    const double share = all > 0 ? (double)done / (double)all : 0;

    (void)snprintf(text, size, "%d %%", share >= 1 ? 100 : share > 0 ? (int)(share * 100) : 0);
}

static void put_percent(double percent, char *text, size_t size)
{
    if (percent > 0)
        (void)snprintf(text, size, "%g %%", percent);
    else
        (void)snprintf(text, size, "none");
}

static void put_raw(const struct member *member, struct fields *fields, char *text, size_t size)
{
    char part[MOMENT_BYTES];

    switch (member->kind) {
    case MEMBER_TEXT:
    case MEMBER_STATE:
        (void)snprintf(text, size, "%s", fields_text(fields, member->name));
        break;
    case MEMBER_WHOLE:
        (void)snprintf(text, size, "%" PRId64, fields_whole(fields, member->name));
        break;
    case MEMBER_SECONDS:
        (void)snprintf(text, size, "%s", duration_print(fields_whole(fields, member->name), part));
        break;
    case MEMBER_HOURS:
        (void)snprintf(text, size, "%.2f", fields_real(fields, member->name));
        break;
    case MEMBER_PERCENT:
        put_percent(fields_real(fields, member->name), text, size);
        break;
    case MEMBER_TIME:
    case MEMBER_UNTIL:
        (void)snprintf(text, size, "%s", moment_print(fields_time(fields, member->name), part));
        break;
    case MEMBER_WORDS:
        put_words(fields_list(fields, member->name), text, size);
        break;
    case MEMBER_DONE:
        put_done(fields, member->name, text, size);
        break;
    }
}

static bool is_null(const struct member *member, const json_t *object)
{
    const json_t *value = json_object_get(object, member->name);

    return json_is_null(value) || (!value && member->kind == MEMBER_UNTIL);
}

static int put_cell(const struct page *page, const struct member *member, const json_t *object,
                    char shown[CELL_BYTES], struct error *error)
{
    struct fields fields = fields_of(page->verb, object);
    char text[CELL_BYTES] = "-";

    if (!is_null(member, object))
        put_raw(member, &fields, text, sizeof(text));
    (void)input_printable(shown, CELL_BYTES, text, strlen(text));
    return fields_close(&fields, error);
}

static const char *colour_of(const char *text)
{
    for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
        if (!strcmp(colours[i].state, text))
            return colours[i].colour;
    return NULL;
}

static int set_cell(const struct page *page, const struct member *member, const json_t *object,
                    struct libscols_line *line, size_t column, struct error *error)
{
    char text[CELL_BYTES];

    if (put_cell(page, member, object, text, error) < 0)
        return -1;
    (void)scols_line_set_data(line, column, text);
    if (page->colours && member->kind == MEMBER_STATE && colour_of(text))
        (void)scols_cell_set_color(scols_line_get_cell(line, column), colour_of(text));
    return 0;
}

/* ---- tables ---- */

static struct libscols_table *new_table(const struct page *page)
{
    struct libscols_table *table = scols_new_table();

    if (!table)
        memory_out();
    (void)scols_table_set_stream(table, page->out);
    (void)scols_table_enable_colors(table, page->colours);
    return table;
}

static bool is_number(const struct member *member)
{
    return member->kind == MEMBER_WHOLE || member->kind == MEMBER_HOURS ||
           member->kind == MEMBER_DONE;
}

static int finish(struct libscols_table **table, int result)
{
    if (result == 0)
        (void)scols_print_table(*table);
    scols_unref_table(*table);
    *table = NULL;
    return result;
}

int table_print(const struct page *page, const struct member members[], const json_t *list,
                struct error *error)
{
    struct libscols_table *table = new_table(page);
    const json_t *object;
    int result = 0;
    size_t i;

    for (const struct member *member = members; member->title; member++)
        (void)scols_table_new_column(table, member->title, 0,
                                     is_number(member) ? SCOLS_FL_RIGHT : 0);
    json_array_foreach(list, i, object)
    {
        struct libscols_line *line = scols_table_new_line(table, NULL);

        for (size_t k = 0; members[k].title && result == 0; k++)
            result = set_cell(page, &members[k], object, line, k, error);
    }
    return finish(&table, result);
}

int table_print_object(const struct page *page, const struct member members[], const json_t *object,
                       struct error *error)
{
    struct libscols_table *table = new_table(page);
    int result = 0;

    (void)scols_table_new_column(table, "", 0, 0);
    (void)scols_table_new_column(table, "", 0, 0);
    (void)scols_table_enable_noheadings(table, 1);
    for (const struct member *member = members; member->title && result == 0; member++) {
        struct libscols_line *line;

        if (!json_object_get(object, member->name))
            continue;
        line = scols_table_new_line(table, NULL);
        (void)scols_line_set_data(line, 0, member->title);
        result = set_cell(page, member, object, line, 1, error);
    }
    return finish(&table, result);
}
