/* overhead_trace.c - see overhead_trace.h. */
#include "tools/trace_tools/overhead_trace.h"

#include "master/commands/gpu_mask.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define JOB      1
#define PORTS    1000
#define PORT_MAX 65535

const char *const overhead_case_names[] = {"profile", "intranode", "internode", "migration", NULL};

/* A trace in the making. The job holds `gpus` GPUs from the rank `first` on. */
struct trace {
    const struct overhead_case *wanted;
    output_t *output;
    int sizes[THROUGHPUT_LEVELS_MAX]; /* GPU counts on which the model runs and which fit the
                                         cluster, rising */
    int size_count;
    int first;
    int gpus; /* 0 while the job does not run */
    int starts;
    int starts_before; /* number of starts of earlier cases */
};

static bool is_full(const struct trace *self)
{
    return self->wanted->steps > 0 && self->starts >= self->wanted->steps;
}

/* Writes the address of a node's worker. */
static void write_address(const struct trace *self, int node)
{
    const char *at = self->wanted->addresses;

    for (; node > 0 && strchr(at, ','); node--)
        at = strchr(at, ',') + 1;
    output_bytes(self->output, at, strcspn(at, ","));
}

static void write_ranks(const struct trace *self, int first, int count)
{
    for (int i = 0; i < count; i++)
        output_format(self->output, " %d", first + i);
}

/* Writes the command for the part of the job on one worker. */
static void write_part(const struct trace *self, int first_node, int nodes, int node, bool scratch)
{
    const struct overhead_case *wanted = self->wanted;
    const int per_node = (int)wanted->gpus_per_node;
    const int low = self->first > node * per_node ? self->first : node * per_node;
    const int end = self->first + self->gpus;
    const int high = end < (node + 1) * per_node ? end : (node + 1) * per_node;
    int32_t gpus[NODE_GPUS_MAX];
    char mask[GPU_MASK_TEXT];

    for (int rank = low; rank < high; rank++)
        gpus[rank - low] = rank - node * per_node;
    gpu_mask_print(gpus, (size_t)(high - low), mask);
    output_format(self->output, "R %d %s %" PRId64 " %d %d %d %d ", node, wanted->model,
                  wanted->batch_size, JOB, high - low, nodes, node - first_node);
    write_address(self, first_node);
    output_format(self->output, " %" PRId64 " %s %" PRId64 " %d",
                  wanted->port + (self->starts_before + self->starts - 1) % PORTS, mask,
                  wanted->iterations, scratch ? 1 : 0);
    write_ranks(self, low, high - low);
    output_char(self->output, '\n');
}

/* Writes the commands that stop the job on all its workers. */
static void write_stop(struct trace *self)
{
    const int per_node = (int)self->wanted->gpus_per_node;

    if (self->gpus == 0)
        return;
    for (int node = self->first / per_node; node <= (self->first + self->gpus - 1) / per_node;
         node++)
        output_format(self->output, "K %d %d\n", node, JOB);
    output_format(self->output, "W %g\n", self->wanted->pause_s);
    self->gpus = 0;
}

/* Writes the commands that stop the job, start it on `gpus` GPUs from rank `first` on, and let it
 * train for a while. */
static void write_start(struct trace *self, int first, int gpus, bool scratch)
{
    const int per_node = (int)self->wanted->gpus_per_node;
    const int first_node = first / per_node;
    const int last_node = (first + gpus - 1) / per_node;
    const int came_from = self->gpus > 0 ? self->first : first;

    if (is_full(self))
        return;
    write_stop(self);
    self->first = first;
    self->gpus = gpus;
    self->starts++;
    output_format(self->output, "G 1 %d", JOB);
    write_ranks(self, first, gpus);
    output_char(self->output, '\n');
    if (!scratch && came_from != first)
        output_format(self->output, "G 0 %d %d %d %d\n", JOB, came_from, first, came_from);
    for (int node = first_node; node <= last_node; node++)
        write_part(self, first_node, last_node - first_node + 1, node, scratch);
    output_format(self->output, "F\nT\nW %g\n", self->wanted->train_s);
}

/* ---- the cases ---- */

static void write_profile(struct trace *self)
{
    for (int i = 0; i < self->size_count; i++)
        write_start(self, 0, self->sizes[i], true);
}

/* Writes a start with each size, up to the last size and down again. */
static void write_scaling(struct trace *self, const int sizes[], int count)
{
    for (int i = 0; i < count && count > 1; i++)
        write_start(self, 0, sizes[i], i == 0);
    for (int i = count - 2; i >= 0; i--)
        write_start(self, 0, sizes[i], false);
}

static void write_intranode(struct trace *self)
{
    int count = 0;

    while (count < self->size_count && self->sizes[count] <= self->wanted->gpus_per_node)
        count++;
    write_scaling(self, self->sizes, count);
}

static void write_internode(struct trace *self)
{
    int sizes[THROUGHPUT_LEVELS_MAX];
    int count = 0;

    for (int i = 0; i < self->size_count; i++)
        if (self->sizes[i] >= self->wanted->gpus_per_node)
            sizes[count++] = self->sizes[i];
    write_scaling(self, sizes, count);
}

/* Writes moves of each size: to other GPUs of the node if it has enough, then to other nodes. */
static void write_migration(struct trace *self)
{
    const int per_node = (int)self->wanted->gpus_per_node;
    const int all = per_node * (int)self->wanted->nodes;

    for (int i = 0; i < self->size_count; i++) {
        const int size = self->sizes[i];
        const int next_node = size < per_node ? per_node : size;

        if (2 * size > all || (2 * size > per_node && next_node + size > all))
            continue;
        write_start(self, 0, size, true);
        if (2 * size <= per_node)
            write_start(self, size, size, false);
        if (next_node + size <= all)
            write_start(self, next_node, size, false);
    }
}

/* ---- the file ---- */

/* Whether `gpus` GPUs are whole nodes or fit into one node. */
static bool is_even(const struct overhead_case *wanted, int gpus)
{
    return gpus <= wanted->gpus_per_node || gpus % wanted->gpus_per_node == 0;
}

static int find_sizes(struct trace *self, const throughput_table_t *table, struct error *error)
{
    const struct overhead_case *wanted = self->wanted;
    const struct throughput_row *row =
        throughput_find(table, wanted->model, (int)wanted->batch_size);

    if (!throughput_has_model(table, wanted->model))
        return error_set(error, "--model: %s has no model \"%s\"", throughput_source(table),
                         wanted->model);
    if (!row)
        return error_set(error, "--batch-size: %s has no %s at %" PRId64, throughput_source(table),
                         wanted->model, wanted->batch_size);
    for (int i = 0; i < row->level_count; i++)
        if (row->iters_per_s[i] > 0 && row->gpus[i] >= wanted->min_gpus &&
            row->gpus[i] <= wanted->nodes * wanted->gpus_per_node && is_even(wanted, row->gpus[i]))
            self->sizes[self->size_count++] = row->gpus[i];
    return 0;
}

static bool is_word_in_commands(const char *text, const char *others)
{
    for (const char *at = text; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') &&
            !(*at >= '0' && *at <= '9') && !strchr(others, *at))
            return false;
    return *text != '\0';
}

static int check(const struct overhead_case *wanted, struct error *error)
{
    if (!is_word_in_commands(wanted->model, "._-"))
        return error_set(error,
                         "--model: expected a name of letters, digits, '.', '_' and '-', "
                         "found \"%s\"",
                         wanted->model);
    if (!is_word_in_commands(wanted->addresses, ".:-_,"))
        return error_set(error,
                         "--addresses: expected addresses with commas between them, found "
                         "\"%s\"",
                         wanted->addresses);
    if (wanted->port + PORTS - 1 > PORT_MAX)
        return error_set(error, "--port: expected at most %d", PORT_MAX - PORTS + 1);
    return 0;
}

static void write_case(struct trace *self)
{
    if (!strcmp(self->wanted->name, "profile"))
        write_profile(self);
    else if (!strcmp(self->wanted->name, "intranode"))
        write_intranode(self);
    else if (!strcmp(self->wanted->name, "internode"))
        write_internode(self);
    else
        write_migration(self);
}

/* Writes the commands of a case. Returns the number of the case's starts; -1 with `error`. */
static int write_commands(const struct overhead_case *wanted, int starts_before,
                          const throughput_table_t *table, output_t *output, struct error *error)
{
    struct trace trace = {.wanted = wanted, .output = output, .starts_before = starts_before};

    if (check(wanted, error) < 0 || find_sizes(&trace, table, error) < 0)
        return -1;
    write_case(&trace);
    write_stop(&trace);
    if (trace.starts == 0)
        return error_set(error,
                         "--case=%s: there is none for %s on %" PRId64 " nodes of %" PRId64 " GPUs",
                         wanted->name, wanted->model, wanted->nodes, wanted->gpus_per_node);
    return trace.starts;
}

static void write_subject(const struct overhead_case *wanted, output_t *output)
{
    output_format(
        output, "# %s of %s, %" PRId64 " to a batch: %" PRId64 " nodes of %" PRId64 " GPUs\n",
        wanted->name, wanted->model, wanted->batch_size, wanted->nodes, wanted->gpus_per_node);
}

int overhead_trace_write(const struct overhead_case cases[], size_t count,
                         const throughput_table_t *table, int starts[], output_t *output,
                         struct error *error)
{
    int all = 0;

    for (size_t i = 0; i < count; i++) {
        int more;

        write_subject(&cases[i], output);
        if (i == 0)
            output_format(output, "%" PRId64 "\nW %g\n", cases->nodes, cases->warm_up_s);
        more = write_commands(&cases[i], all, table, output, error);
        if (more < 0)
            return -1;
        if (starts)
            starts[i] = more;
        all += more;
    }
    output_text(output, "S\n");
    return all;
}
