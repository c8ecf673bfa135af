/* tables.c - see tables.h. */
#include "tests/support/tables.h"

#include "common/log.h"
#include "common/memory.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_COUNT 7

static const int levels[LEVEL_COUNT] = {1, 2, 4, 8, 16, 32, 64};

struct tables {
    const char *gpu_type;
    throughput_table_t *throughputs;
    struct oracle_tables for_oracle;
    arena_t *memory;
};

const char *tables_folder(void)
{
    return "throughputs"; /* tests run in the project's root */
}

/* What was not measured is "nan" for the oracle, whose cap rules know that word only; an empty cell
 * would do the same everywhere else. */
static struct oracle_cell cell_at(const struct throughput_row *row, int gpus)
{
    for (int i = 0; i < row->level_count; i++)
        if (row->gpus[i] == gpus && !isnan(row->iters_per_s[i]))
            return (struct oracle_cell){ORACLE_CELL_NUMBER, row->iters_per_s[i]};
    return (struct oracle_cell){ORACLE_CELL_NAN, 0};
}

static const struct oracle_row *rows_of(tables_t *self, const char *model, size_t *count)
{
    const size_t all = throughput_count(self->throughputs);
    struct oracle_row *rows = arena_alloc(self->memory, all * sizeof(*rows));

    *count = 0;
    for (size_t i = 0; i < all; i++) {
        const struct throughput_row *row = throughput_row_at(self->throughputs, i);
        struct oracle_cell *cells;

        if (strcmp(row->model, model) != 0)
            continue;
        cells = arena_alloc(self->memory, LEVEL_COUNT * sizeof(*cells));
        for (size_t k = 0; k < LEVEL_COUNT; k++)
            cells[k] = cell_at(row, levels[k]);
        rows[(*count)++] = (struct oracle_row){row->batch_size, cells};
    }
    return rows;
}

static bool has_table(const struct oracle_tables *tables, const char *model)
{
    for (size_t i = 0; i < tables->count; i++)
        if (!strcmp(tables->at[i].model, model))
            return true;
    return false;
}

static void build_for_oracle(tables_t *self)
{
    const size_t all = throughput_count(self->throughputs);
    struct oracle_table *at = arena_alloc(self->memory, all * sizeof(*at));

    self->for_oracle = (struct oracle_tables){at, 0};
    for (size_t i = 0; i < all; i++) {
        const char *model = throughput_row_at(self->throughputs, i)->model;
        struct oracle_table table = {.model = model, .levels = levels, .level_count = LEVEL_COUNT};

        if (has_table(&self->for_oracle, model))
            continue;
        table.rows = rows_of(self, model, &table.row_count);
        at[self->for_oracle.count++] = table;
    }
}

tables_t *tables_new(const char *gpu_type)
{
    tables_t *self = xcalloc(1, sizeof(*self));
    struct error error;

    self->gpu_type = gpu_type;
    self->memory = arena_new();
    self->throughputs = throughput_read(tables_folder(), gpu_type, &error);
    if (!self->throughputs)
        fail_msg("%s", error.text);
    build_for_oracle(self);
    return self;
}

void tables_destroy(tables_t **self)
{
    if (!*self)
        return;
    throughput_destroy(&(*self)->throughputs);
    arena_destroy(&(*self)->memory);
    free(*self);
    *self = NULL;
}

const char *tables_gpu_type(const tables_t *self)
{
    return self->gpu_type;
}

const throughput_table_t *tables_for_engine(const tables_t *self)
{
    return self->throughputs;
}

const struct oracle_tables *tables_for_oracle(const tables_t *self)
{
    return &self->for_oracle;
}

const struct throughput_row *tables_row(const tables_t *self, const char *model, int batch_size)
{
    const struct throughput_row *row = throughput_find(self->throughputs, model, batch_size);

    if (!row)
        fail_msg("%s: no row for %s at %d", self->gpu_type, model, batch_size);
    return row;
}

/* ---- shared by a group of tests ---- */

static tables_t *a100;

int tables_set_up(void **state)
{
    (void)state;
    (void)log_to_file("/dev/null");
    a100 = tables_new("A100");
    return 0;
}

int tables_tear_down(void **state)
{
    (void)state;
    tables_destroy(&a100);
    return 0;
}

const tables_t *tables_a100(void)
{
    return a100;
}
