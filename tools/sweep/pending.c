/* pending.c - see pending.h. */
#include "tools/sweep/pending.h"

#include "common/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sized {
    int64_t bytes;
    size_t cell;
};

/* The first field, behind the key, in which the stored row differs from the cell; GRID_FIELDS if no
 * field differs. */
static size_t find_change(const struct field fields[GRID_FIELDS],
                          const struct field row[STORE_FIELDS_MAX])
{
    size_t i = GRID_KEY_FIELDS;

    while (i < GRID_FIELDS && row[i].kind == FIELD_TEXT && !strcmp(row[i].text, fields[i].text))
        i++;
    return i;
}

static void print_reason(struct pending *self, const struct field fields[GRID_FIELDS],
                         size_t changed)
{
    static const struct {
        const char *what;
        size_t name; /* the field with the name of the changed input, GRID_FIELDS for none */
    } reasons[GRID_FIELDS - GRID_KEY_FIELDS] = {
        {"the trace ", 0},
        {"the cluster ", 1},
        {"the throughput tables", GRID_FIELDS},
        {"the file of --faults", GRID_FIELDS},
        {"Rubato", GRID_FIELDS},
        {"Rubato", GRID_FIELDS},
        {"the program of the policy ", GRID_AXIS_FIELD + AXIS_POLICY},
    };
    const size_t kind = changed - GRID_KEY_FIELDS;
    const size_t name = reasons[kind].name;

    if (!self->reason[0])
        (void)snprintf(self->reason, sizeof(self->reason), "%s%.400s", reasons[kind].what,
                       name < GRID_FIELDS ? fields[name].text : "");
}

/* Whether some store has the cell with unchanged inputs; -1 with `error`. */
static int is_done(struct pending *self, store_t *const stores[],
                   const struct field fields[GRID_FIELDS], struct error *error)
{
    struct field row[STORE_FIELDS_MAX];
    bool stale = false;

    for (; *stores; stores++) {
        const int found = store_find(*stores, fields, row, error);
        const size_t changed = found > 0 ? find_change(fields, row) : 0;

        if (found < 0)
            return -1;
        if (found > 0 && changed == GRID_FIELDS)
            return 1;
        if (found > 0)
            print_reason(self, fields, changed);
        stale = stale || found > 0;
    }
    self->stale += stale;
    return 0;
}

static int check_cell(struct pending *self, const struct sweep_grid *grid, size_t index,
                      store_t *const stores[], struct error *error)
{
    struct field fields[GRID_FIELDS];
    char *texts[AXES];
    int done;

    grid_fields(grid, index, fields, texts);
    done = is_done(self, stores, fields, error);
    for (int i = 0; i < AXES; i++)
        free(texts[i]);
    return done;
}

static int by_size(const void *one, const void *other)
{
    const struct sized *a = one;
    const struct sized *b = other;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

int pending_find(struct pending *self, const struct sweep_grid *grid, store_t *const stores[],
                 const struct sweep_share *share, struct error *error)
{
    size_t room = 0;
    struct sized *sized = grow_array(NULL, 0, &room, sizeof(*sized));
    int done = 0;

    *self = (struct pending){.cells = NULL};
    for (size_t i = (size_t)share->number; i < grid->count && done >= 0;
         i += (size_t)share->count) {
        done = check_cell(self, grid, i, stores, error);
        if (done != 0)
            continue;
        sized = grow_array(sized, self->count, &room, sizeof(*sized));
        sized[self->count++] = (struct sized){grid_trace_bytes(grid, i), i};
    }
    qsort(sized, self->count, sizeof(*sized), by_size);
    self->cells = xcalloc(self->count + 1, sizeof(*self->cells));
    for (size_t i = 0; i < self->count; i++)
        self->cells[i] = sized[i].cell;
    free(sized);
    return done < 0 ? -1 : 0;
}

void pending_clear(struct pending *self)
{
    free(self->cells);
    self->cells = NULL;
}
