/* menu.c - see menu.h. */
#include "tools/trace_tools/menu.h"

#include "common/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The choices for one GPU count; choices with the same model are neighbours. */
struct course {
    struct choice *choices;
    size_t count;
    size_t *models; /* index of each model's first choice, then the number of choices */
    size_t model_count;
};

struct menu {
    struct course courses[GPU_MIX_MAX];
    size_t count;
};

static bool is_listed(const char *models, const char *name, size_t length)
{
    for (const char *at = models;; at++) {
        const size_t item = strcspn(at, ",");

        if (item == length && !strncmp(at, name, length))
            return true;
        at += item;
        if (*at == '\0')
            return false;
    }
}

static bool table_has(const throughput_table_t *table, const char *name, size_t length)
{
    for (size_t i = 0; i < throughput_count(table); i++) {
        const char *model = throughput_row_at(table, i)->model;

        if (strlen(model) == length && !strncmp(model, name, length))
            return true;
    }
    return false;
}

static int check_models(const throughput_table_t *table, const char *models, struct error *error)
{
    for (const char *at = models;; at++) {
        const size_t length = strcspn(at, ",");

        if (!table_has(table, at, length))
            return error_set(error, "--models: %s has no model \"%.*s\"", throughput_source(table),
                             (int)length, at);
        if (at[length] != '\0' && is_listed(at + length + 1, at, length))
            return error_set(error, "--models: \"%.*s\" is listed twice", (int)length, at);
        at += length;
        if (*at == '\0')
            return 0;
    }
}

static bool has_zero(const throughput_table_t *table, const char *model)
{
    for (size_t i = 0; i < throughput_count(table); i++) {
        const struct throughput_row *row = throughput_row_at(table, i);

        for (int level = 0; level < row->level_count && !strcmp(row->model, model); level++)
            if (row->iters_per_s[level] == 0)
                return true;
    }
    return false;
}

static bool is_wanted(const throughput_table_t *table, const char *models, const char *model)
{
    return models ? is_listed(models, model, strlen(model)) : !has_zero(table, model);
}

/* The rate of `row` on `gpus` GPUs; 0 if the row has none. */
static double rate_on(const struct throughput_row *row, int gpus)
{
    for (int level = 0; level < row->level_count; level++)
        if (row->gpus[level] == gpus && row->iters_per_s[level] > 0)
            return row->iters_per_s[level];
    return 0;
}

/* Orders by model, then by batch size, so that the order of the table's rows has no effect. */
static int compare_choices(const void *a, const void *b)
{
    const struct throughput_row *x = ((const struct choice *)a)->row;
    const struct throughput_row *y = ((const struct choice *)b)->row;
    const int by_model = strcmp(x->model, y->model);

    if (by_model != 0)
        return by_model;
    return (x->batch_size > y->batch_size) - (x->batch_size < y->batch_size);
}

static void find_models(struct course *course)
{
    course->models = xcalloc(course->count + 1, sizeof(*course->models));
    for (size_t i = 0; i < course->count; i++)
        if (i == 0 || strcmp(course->choices[i].row->model, course->choices[i - 1].row->model) != 0)
            course->models[course->model_count++] = i;
    course->models[course->model_count] = course->count;
}

static void fill_course(struct course *course, const throughput_table_t *table, const char *models,
                        int gpus)
{
    const size_t rows = throughput_count(table);

    course->choices = xcalloc(rows, sizeof(*course->choices));
    for (size_t i = 0; i < rows; i++) {
        const struct throughput_row *row = throughput_row_at(table, i);
        const double rate = rate_on(row, gpus);

        if (rate > 0 && is_wanted(table, models, row->model))
            course->choices[course->count++] = (struct choice){row, rate};
    }
    qsort(course->choices, course->count, sizeof(*course->choices), compare_choices);
    find_models(course);
}

menu_t *menu_new(const throughput_table_t *table, const char *models, const struct gpu_mix *mix,
                 struct error *error)
{
    menu_t *self;

    if (models && check_models(table, models, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->count = mix->count;
    for (size_t i = 0; i < mix->count; i++) {
        fill_course(&self->courses[i], table, models, mix->gpus[i]);
        if (self->courses[i].count > 0)
            continue;
        error_set(error, "--gpus-mix: no %s of %s has a rate on %d GPUs",
                  models ? "model of --models" : "model without a rate of 0",
                  throughput_source(table), mix->gpus[i]);
        menu_destroy(&self);
        return NULL;
    }
    return self;
}

void menu_destroy(menu_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++) {
        free((*self)->courses[i].choices);
        free((*self)->courses[i].models);
    }
    free(*self);
    *self = NULL;
}

static size_t pick(size_t count, double unit)
{
    const size_t picked = (size_t)((double)count * unit);

    assert(unit >= 0 && unit < 1);
    return picked < count ? picked : count - 1; /* rounding may make the product `count` */
}

struct choice menu_pick(const menu_t *self, size_t entry, double model_unit, double batch_unit)
{
    const struct course *course = &self->courses[entry];
    const size_t *model;

    assert(entry < self->count);
    model = &course->models[pick(course->model_count, model_unit)];
    return course->choices[model[0] + pick(model[1] - model[0], batch_unit)];
}
