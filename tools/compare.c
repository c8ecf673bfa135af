/* compare.c - `rubato compare`: policies on traces, one row each. */
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "tools/cells.h"
#include "tools/expected.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_VERSION 1

struct config {
    struct simulation simulation; /* what all cells share */
    const char *policies;         /* names with commas between them */
    const char *expected;
    int64_t parallel;
    bool json;
    bool csv;
};

/* What is printed: cells and, beside them, what was expected of them. */
struct comparison {
    struct cell *cells;
    size_t count;
    struct expected *expected; /* NULL if nothing is */
};

/* ---- which cells there are ---- */

/* Splits "a,b" in place; returns how many names there are. */
static size_t split_names(char *text, const char **names, size_t room)
{
    size_t count = 0;
    char *rest = NULL;

    for (char *name = strtok_r(text, ",", &rest); name && count < room;
         name = strtok_r(NULL, ",", &rest))
        names[count++] = name;
    return count;
}

static size_t list_policies(char *text, const char **names, size_t room, struct error *error)
{
    const size_t count = split_names(text, names, room);

    for (size_t i = 0; i < count; i++)
        if (!policy_find(names[i])) {
            error_set(error, "--policies: there is no policy \"%s\"", names[i]);
            return 0;
        }
    if (count == 0)
        error_set(error, "--policies: expected at least one policy");
    return count;
}

/* "TRACE@CLUSTER" names the cluster of one trace; cut in place. */
static void name_inputs(char *operand, struct simulation *simulation)
{
    char *at = strrchr(operand, '@');

    simulation->trace = operand;
    if (!at)
        return;
    *at = '\0';
    simulation->cluster = at + 1;
}

static void list_cells(struct comparison *comparison, const struct config *config,
                       const struct operands *operands, const char *const *policies, size_t count)
{
    comparison->count = operands->count * count;
    comparison->cells = xcalloc(comparison->count, sizeof(*comparison->cells));
    for (size_t t = 0; t < operands->count; t++) {
        struct simulation simulation = config->simulation;

        name_inputs(operands->items[t], &simulation);
        for (size_t p = 0; p < count; p++) {
            simulation.policy = policies[p];
            comparison->cells[t * count + p].simulation = simulation;
        }
    }
}

/* ---- how they are printed ---- */

enum column {
    COLUMN_TRACE,
    COLUMN_POLICY,
    COLUMN_ACCEPTED,
    COLUMN_DECLINED,
    COLUMN_EXPECTED,
    COLUMN_SATISFACTION,
    COLUMN_JCT_MEAN,
    COLUMN_JCT_P99,
    COLUMN_UTILISATION,
    COLUMN_WALL,
    COLUMN_COUNT
};

static const struct {
    const char *title; /* of the table */
    const char *key;   /* of CSV */
} titles[COLUMN_COUNT] = {
    [COLUMN_TRACE] = {"TRACE", "trace"},
    [COLUMN_POLICY] = {"POLICY", "policy"},
    [COLUMN_ACCEPTED] = {"ACCEPTED", "accepted"},
    [COLUMN_DECLINED] = {"DECLINED", "declined"},
    [COLUMN_EXPECTED] = {"REFERENCE", "reference"},
    [COLUMN_SATISFACTION] = {"SATISFIED", "deadline_satisfaction"},
    [COLUMN_JCT_MEAN] = {"MEAN JCT", "jct_mean_s"},
    [COLUMN_JCT_P99] = {"P99 JCT", "jct_p99_s"},
    [COLUMN_UTILISATION] = {"GPU USE", "gpu_utilisation"},
    [COLUMN_WALL] = {"WALL", "wall_s"},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool agrees(const struct comparison *comparison, const struct cell *cell, char *text,
                   size_t size)
{
    int64_t accepted;
    int64_t declined;

    (void)snprintf(text, size, "-");
    if (!comparison->expected || expected_find(comparison->expected, cell->simulation.trace,
                                               cell->simulation.policy, &accepted, &declined) < 0)
        return true;
    (void)snprintf(text, size, "%" PRId64 "/%" PRId64, accepted, declined);
    return accepted == cell->figures.accepted && declined == cell->figures.declined;
}

static void format_cell(const struct comparison *comparison, const struct cell *cell,
                        enum column column, bool for_people, char *text, size_t size)
{
    const struct figures *figures = &cell->figures;

    switch (column) {
    case COLUMN_TRACE:
        (void)snprintf(text, size, "%s",
                       for_people ? base_name(cell->simulation.trace) : cell->simulation.trace);
        break;
    case COLUMN_POLICY:
        (void)snprintf(text, size, "%s", cell->simulation.policy);
        break;
    case COLUMN_ACCEPTED:
        (void)snprintf(text, size, "%" PRId64, figures->accepted);
        break;
    case COLUMN_DECLINED:
        (void)snprintf(text, size, "%" PRId64, figures->declined);
        break;
    case COLUMN_EXPECTED:
        (void)agrees(comparison, cell, text, size);
        break;
    case COLUMN_SATISFACTION:
        (void)(for_people ? snprintf(text, size, "%.1f %%", 100 * figures->deadline_satisfaction)
                          : snprintf(text, size, "%.17g", figures->deadline_satisfaction));
        break;
    case COLUMN_JCT_MEAN:
        (void)snprintf(text, size, for_people ? "%.0f s" : "%.17g", figures->jct_mean_s);
        break;
    case COLUMN_JCT_P99:
        (void)snprintf(text, size, for_people ? "%.0f s" : "%.17g", figures->jct_p99_s);
        break;
    case COLUMN_UTILISATION:
        (void)(for_people ? snprintf(text, size, "%.1f %%", 100 * figures->gpu_utilisation)
                          : snprintf(text, size, "%.17g", figures->gpu_utilisation));
        break;
    case COLUMN_WALL:
        (void)snprintf(text, size, for_people ? "%.3f s" : "%.6f", cell->process_s);
        break;
    case COLUMN_COUNT:
        break;
    }
}

static bool is_shown(const struct comparison *comparison, enum column column)
{
    return column != COLUMN_EXPECTED || comparison->expected;
}

static void print_table(const struct comparison *comparison)
{
    struct libscols_table *table = scols_new_table();

    if (!table)
        abort();
    for (enum column column = 0; column < COLUMN_COUNT; column++)
        if (is_shown(comparison, column))
            scols_table_new_column(table, titles[column].title, 0,
                                   column > COLUMN_POLICY ? SCOLS_FL_RIGHT : 0);
    for (size_t i = 0; i < comparison->count; i++) {
        struct libscols_line *line;
        size_t place = 0;

        if (comparison->cells[i].state != CELL_DONE)
            continue;
        line = scols_table_new_line(table, NULL);
        for (enum column column = 0; column < COLUMN_COUNT; column++) {
            char text[4096];

            if (!is_shown(comparison, column))
                continue;
            format_cell(comparison, &comparison->cells[i], column, true, text, sizeof(text));
            if (scols_line_set_data(line, place++, text) != 0)
                abort();
        }
    }
    scols_print_table(table);
    scols_unref_table(table);
}

static void print_csv_text(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, stdout);
        return;
    }
    (void)putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            (void)putchar('"');
        (void)putchar(*text);
    }
    (void)putchar('"');
}

static void print_csv_row(const struct comparison *comparison, const struct cell *cell)
{
    for (enum column column = 0; column < COLUMN_COUNT; column++) {
        char text[4096];

        if (!is_shown(comparison, column))
            continue;
        if (cell)
            format_cell(comparison, cell, column, false, text, sizeof(text));
        if (column != COLUMN_TRACE)
            (void)putchar(',');
        print_csv_text(cell ? text : titles[column].key);
    }
    (void)putchar('\n');
}

static void print_csv(const struct comparison *comparison)
{
    print_csv_row(comparison, NULL);
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->cells[i].state == CELL_DONE)
            print_csv_row(comparison, &comparison->cells[i]);
}

static json_t *json_row(const struct comparison *comparison, const struct cell *cell)
{
    const struct figures *figures = &cell->figures;
    json_t *row =
        json_pack("{s:s, s:s, s:s?, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:f, s:I}",
                  "trace", cell->simulation.trace, "policy", cell->simulation.policy, "cluster",
                  cell->simulation.cluster, "jobs", (json_int_t)figures->jobs, "accepted",
                  (json_int_t)figures->accepted, "declined", (json_int_t)figures->declined,
                  "finished", (json_int_t)figures->finished, "deadline_satisfaction",
                  figures->deadline_satisfaction, "jct_mean_s", figures->jct_mean_s, "jct_p99_s",
                  figures->jct_p99_s, "gpu_utilisation", figures->gpu_utilisation, "makespan_s",
                  (json_int_t)figures->makespan_s, "rounds", (json_int_t)figures->rounds, "wall_s",
                  cell->process_s, "memory_kib", (json_int_t)cell->memory_kib);
    char expected[64];

    if (comparison->expected && row) {
        json_object_set_new(row, "agrees",
                            json_boolean(agrees(comparison, cell, expected, sizeof(expected))));
        json_object_set_new(row, "reference", json_string(expected));
    }
    return row;
}

static void print_json(const struct comparison *comparison)
{
    json_t *rows = json_array();
    json_t *all = json_pack("{s:i, s:o}", "schema_version", SCHEMA_VERSION, "rows", rows);

    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->cells[i].state == CELL_DONE)
            json_array_append_new(rows, json_row(comparison, &comparison->cells[i]));
    (void)json_dumpf(all, stdout, JSON_INDENT(2));
    (void)putchar('\n');
    json_decref(all);
}

/* Says what is missing or wrong; returns the exit status. */
static int complain(const struct command *command, const struct comparison *comparison, size_t done)
{
    struct error error;
    char expected[64];
    int status = 0;
    size_t stopped = 0;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct cell *cell = &comparison->cells[i];

        if (cell->state == CELL_FAILED)
            status = options_fail(command, &cell->error);
        else if (cell->state == CELL_WAITING)
            stopped++;
        else if (!agrees(comparison, cell, expected, sizeof(expected))) {
            error_set(&error, "%s under %s: %" PRId64 "/%" PRId64 " accepted/declined, expected %s",
                      cell->simulation.trace, cell->simulation.policy, cell->figures.accepted,
                      cell->figures.declined, expected);
            options_fail(command, &error);
            status = status == 0 ? 1 : status;
        }
    }
    if (stopped > 0) {
        error_set(&error, "stopped: %zu of %zu simulations are done", done, comparison->count);
        options_fail(command, &error);
        status = 130;
    }
    return status;
}

static size_t count_processors(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 0 ? (size_t)processors : 1;
}

static int run(const struct command *command, const struct config *config,
               struct comparison *comparison)
{
    const size_t parallel = config->parallel > 0 ? (size_t)config->parallel : count_processors();
    const size_t done = cells_run(comparison->cells, comparison->count, parallel);

    if (config->json)
        print_json(comparison);
    else if (config->csv)
        print_csv(comparison);
    else if (done > 0)
        print_table(comparison);
    return complain(command, comparison, done);
}

static int prepare_and_run(const struct command *command, const struct config *config,
                           const struct operands *operands)
{
    struct comparison comparison = {NULL, 0, NULL};
    const char *names[32];
    char *text = xstrdup(config->policies);
    struct error error;
    const size_t count = list_policies(text, names, sizeof(names) / sizeof(names[0]), &error);
    int status = 0;

    if (count == 0)
        status = options_fail(command, &error);
    if (status == 0 && config->expected) {
        comparison.expected = expected_read(config->expected, &error);
        if (!comparison.expected)
            status = options_fail(command, &error);
    }
    if (status == 0) {
        list_cells(&comparison, config, operands, names, count);
        status = run(command, config, &comparison);
    }
    expected_destroy(&comparison.expected);
    free(comparison.cells);
    free(text);
    return status;
}

int verb_compare(int argc, char **argv)
{
    struct config config = {
        .simulation = {.placement = "elastic", .gpu_type = "A100", .slot_s = 60},
        .policies = "ef-accessctrl,ef,edf,edf-accessctrl",
    };
    struct simulation *simulation = &config.simulation;
    const struct option_spec options[] = {
        OPTION_TEXT("policies", "LIST", &config.policies, "policies, with commas between them"),
        OPTION_TEXT("cluster", "FILE", &simulation->cluster,
                    "cluster of every trace that names none, CSV (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("placement", "SCHEME", &simulation->placement, placement_names(),
                      "which GPUs a job gets"),
        OPTION_WHOLE("slot", "SECONDS", &simulation->slot_s, 1, 1000000,
                     "length of a scheduling slot"),
        OPTION_TEXT("gpu-type", "TYPE", &simulation->gpu_type, "which throughput table to use"),
        OPTION_TEXT("throughputs", "DIR", &simulation->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        {OPTION_KIND_WHOLE, "parallel", "COUNT", &config.parallel, 0, 1024, NULL,
         "how many simulations run at the same time, 0 for one on each processor", 'j'},
        OPTION_TEXT("reference", "FILE", &config.expected,
                    "print these counts (CSV: trace,policy,accepted,declined) beside the others "
                    "and fail if they differ"),
        OPTION_SWITCH("json", &config.json, "print JSON"),
        OPTION_SWITCH("csv", &config.csv, "print CSV"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato compare",
        .summary = "Run policies on traces and print them side by side",
        .operands = "TRACE[@CLUSTER]...",
        .text = "Every simulation runs in a process of its own; WALL is the time of that process. "
                "SATISFIED is the share of jobs with a deadline that met it.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected at least one trace");
    if (status != 0)
        status = status < 0 ? options_fail(&command, &error) : 0;
    else
        status = prepare_and_run(&command, &config, &operands);
    free(operands.items);
    return status;
}
