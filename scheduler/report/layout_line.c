/* layout_line.c - see layout_line.h. */
#include "scheduler/report/layout_line.h"

#include "common/digits.h"
#include "common/list.h"
#include "protocol/job_number.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/* The most bytes that a run takes, with a blank. */
#define RUN_BYTES (3 * DIGITS_BYTES + 4)

struct layout_line {
    int64_t layout;  /* number of the layout in `text` */
    bool written;    /* whether `text` has a layout */
    LIST(char) text; /* runs, and the end of the line */
};

layout_line_t *layout_line_new(void)
{
    return xcalloc(1, sizeof(layout_line_t));
}

void layout_line_destroy(layout_line_t **self)
{
    if (!*self)
        return;
    free((*self)->text.items);
    free(*self);
    *self = NULL;
}

/* GPUs of one job that lie side by side: a run. */
struct run {
    const struct job *job;
    int rank;
    int gpus;
};

static char *room_for_run(layout_line_t *self)
{
    if (self->text.capacity - self->text.count < RUN_BYTES)
        list_reserve(&self->text, self->text.count + RUN_BYTES);
    return self->text.items + self->text.count;
}

static void put_guests(layout_line_t *self, const struct layout *layout, const struct job *host)
{
    const int own_count = layout_own_parts(layout);

    for (int i = layout->held_count - 1; i >= own_count; i--) {
        const struct held *held = &layout->held[i];
        char *at = room_for_run(self);

        if (held->job->held != i || layout->held[held->of].job != host)
            continue;
        *at++ = '&';
        at = digits_put(at, (int64_t)job_number_row(held->job->submission->number));
        self->text.count = (size_t)(at - self->text.items);
    }
}

static void put_run(layout_line_t *self, const struct layout *layout, const struct run *run)
{
    char *at;

    if (!run->job)
        return;
    at = room_for_run(self);
    at = digits_put(at, (int64_t)job_number_row(run->job->submission->number));
    self->text.count = (size_t)(at - self->text.items);
    put_guests(self, layout, run->job);
    at = room_for_run(self);
    *at++ = '@';
    at = digits_put(at, run->rank);
    *at++ = 'x';
    at = digits_put(at, run->gpus);
    *at++ = ' ';
    self->text.count = (size_t)(at - self->text.items);
}

static void extend(layout_line_t *self, const struct layout *layout, struct run *run,
                   const struct job *job, int rank, int gpus)
{
    if (run->job == job && run->rank + run->gpus == rank) {
        run->gpus += gpus;
        return;
    }
    put_run(self, layout, run);
    *run = (struct run){job, rank, gpus};
}

/* The number of a node in its set. */
static int number_in_set(const struct node_set *set, int node)
{
    int number = 0;

    while (set->nodes[number] != node)
        number++;
    return number;
}

/* Writes the GPUs of a node that jobs hold. GPUs of a set are numbered through its nodes. */
static void put_node(layout_line_t *self, const cluster_t *cluster, int node, struct run *run)
{
    const struct layout *layout = cluster_layout(cluster);
    const struct pool *pool = pool_at(cluster_pools(cluster, NULL), node);
    const int per_node = pool->gpus_per_node;
    const int rank = pool_rank(pool, node);
    const struct node_set *set = &layout->sets[layout->set_of_node[node]];
    const int number = number_in_set(set, node);
    const int first = number * per_node;
    /* GPUs beyond the set are shown after its last node, for the audit to see. */
    const int end = number + 1 < set->node_count ? first + per_node : INT_MAX;

    for (int i = set->first_held; i >= 0; i = layout->held[i].next) {
        const struct held *held = &layout->held[i];
        const int held_end = held->first + held->gpus;
        const int from = held->first > first ? held->first : first;
        const int to = held_end < end ? held_end : end;

        if (to > from && held->of < 0)
            extend(self, layout, run, held->job, rank + from - first, to - from);
    }
}

/* Writes the layout of `cluster` into `text`. */
static void tell(layout_line_t *self, const cluster_t *cluster)
{
    const struct layout *layout = cluster_layout(cluster);
    const int nodes = cluster_node_count(cluster);
    struct run run = {NULL, 0, 0};

    self->text.count = 0;
    for (int node = 0; node < nodes; node++)
        if (layout->set_of_node[node] >= 0)
            put_node(self, cluster, node, &run);
    put_run(self, layout, &run);
    if (self->text.count > 0)
        self->text.items[self->text.count - 1] = '\n'; /* replaces the last blank */
    else
        list_append(&self->text, '\n');
    self->layout = layout->number;
    self->written = true;
}

void layout_line_write(layout_line_t *self, output_t *out, int64_t now_s, const cluster_t *cluster)
{
    char *at = digits_put(output_room(out, DIGITS_BYTES + 1), now_s);

    *at++ = ',';
    output_wrote(out, at);
    if (!self->written || self->layout != cluster_layout(cluster)->number)
        tell(self, cluster);
    output_bytes(out, self->text.items, self->text.count);
}
