/* fault_file.c - see fault_file.h. */
#include "scheduler/simulate/fault_file.h"

#include "common/csv.h"
#include "common/memory.h"
#include "scheduler/state/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_TIME, COLUMN_NODE, COLUMN_EVENT, COLUMN_UNTIL, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_TIME] = {{"time"}, false},
    [COLUMN_NODE] = {{"node"}, false},
    [COLUMN_EVENT] = {{"event"}, false},
    [COLUMN_UNTIL] = {{"until"}, true},
};

void fault_list_free(struct fault_list *self)
{
    free(self->items);
    free(self->reserved);
    *self = (struct fault_list){.items = NULL};
}

/* The time of the last row. */
static int64_t last_time(const struct fault_list *faults)
{
    const int64_t fault_s = faults->count > 0 ? faults->items[faults->count - 1].at_s : 0;
    const int64_t reserved_s =
        faults->reserved_count > 0 ? faults->reserved[faults->reserved_count - 1].from_s : 0;

    return fault_s > reserved_s ? fault_s : reserved_s;
}

static int read_time(csv_t *csv, const struct fault_list *faults, int64_t *at_s,
                     struct error *error)
{
    const int64_t before_s = last_time(faults);
    char expected[80];

    if (csv_whole(csv, COLUMN_TIME, 0, TIME_MAX_S, at_s, error) < 0)
        return -1;
    if (*at_s >= before_s)
        return 0;
    (void)snprintf(expected, sizeof(expected),
                   "a time that is not before that of the last row, %" PRId64, before_s);
    return csv_complain(csv, COLUMN_TIME, expected, error);
}

static int read_node(csv_t *csv, int node_count, int *node, struct error *error)
{
    int64_t value;

    if (csv_whole(csv, COLUMN_NODE, 0, node_count - 1, &value, error) < 0)
        return -1;
    *node = (int)value;
    return 0;
}

static int read_event(csv_t *csv, bool was_gone, bool *gone, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, COLUMN_EVENT);

    *gone = !strcmp(cell.text, "gone");
    if (!*gone && strcmp(cell.text, "up") != 0)
        return csv_complain(csv, COLUMN_EVENT, "gone, up or reserved", error);
    if (*gone != was_gone)
        return 0;
    return csv_complain(csv, COLUMN_EVENT,
                        was_gone ? "up, as the node is gone" : "gone, as the node is up", error);
}

static int read_reserved(csv_t *csv, const struct fault *from, struct fault_list *faults,
                         struct error *error)
{
    struct reserved_time reserved = {from->node, from->at_s, 0};

    if (csv_whole(csv, COLUMN_UNTIL, from->at_s + 1, TIME_MAX_S, &reserved.to_s, error) < 0)
        return -1;
    faults->reserved = grow_array(faults->reserved, faults->reserved_count, &faults->reserved_room,
                                  sizeof(reserved));
    faults->reserved[faults->reserved_count++] = reserved;
    return 0;
}

static int read_fault(csv_t *csv, int node_count, bool is_gone[], struct fault_list *faults,
                      struct error *error)
{
    struct fault fault = {0};

    if (read_time(csv, faults, &fault.at_s, error) < 0 ||
        read_node(csv, node_count, &fault.node, error) < 0)
        return -1;
    if (!strcmp(csv_get(csv, COLUMN_EVENT).text, "reserved"))
        return read_reserved(csv, &fault, faults, error);
    if (read_event(csv, is_gone[fault.node], &fault.gone, error) < 0)
        return -1;
    is_gone[fault.node] = fault.gone;
    faults->items = grow_array(faults->items, faults->count, &faults->room, sizeof(fault));
    faults->items[faults->count++] = fault;
    return 0;
}

static int read_faults(csv_t *csv, int node_count, struct fault_list *faults, struct error *error)
{
    bool *is_gone = xcalloc((size_t)node_count, sizeof(*is_gone));
    int got = csv_expect(csv, columns, COLUMN_COUNT, error);

    if (got == 0)
        while ((got = csv_next(csv, error)) > 0)
            if (read_fault(csv, node_count, is_gone, faults, error) < 0) {
                got = -1;
                break;
            }
    free(is_gone);
    return got;
}

static int compare_faults(const void *a, const void *b)
{
    const struct fault *x = a;
    const struct fault *y = b;

    if (x->at_s != y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return x->node != y->node ? x->node - y->node : x->is_back - y->is_back;
}

/* Adds the ends of reservations as faults. */
static void add_ends(struct fault_list *faults)
{
    for (size_t i = 0; i < faults->reserved_count; i++) {
        faults->items =
            grow_array(faults->items, faults->count, &faults->room, sizeof(*faults->items));
        faults->items[faults->count++] =
            (struct fault){faults->reserved[i].to_s, faults->reserved[i].node, false, true};
    }
    if (faults->reserved_count > 0)
        qsort(faults->items, faults->count, sizeof(*faults->items), compare_faults);
}

int fault_file_read(const char *path, int node_count, struct fault_list *faults,
                    struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int result;

    *faults = (struct fault_list){.items = NULL};
    if (!csv)
        return -1;
    result = read_faults(csv, node_count, faults, error);
    csv_destroy(&csv);
    if (result == 0)
        add_ends(faults);
    else
        fault_list_free(faults);
    return result == 0 ? 0 : -1;
}
