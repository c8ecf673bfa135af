/* document.c - see document.h.
 *
 * page_before and page_after are the texts of the page itself, which CMake makes from the folder
 * page/. The data of the runs stand between these texts: one JSON object for names and figures, and
 * columns of numbers (column.h). */
#include "tools/report/document.h"

#include "tools/report/column.h"
#include "tools/report/curves.h"
#include "tools/report/page.h"

#include <stdlib.h>
#include <string.h>

/* ---- names and figures ---- */

static json_t *pack_pools(const struct results *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->pool_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "name", run->pools[i].name,
                                              "nodes", (json_int_t)run->pools[i].nodes, "gpus",
                                              (json_int_t)run->pools[i].gpus));
    return list;
}

static json_t *pack_names(const struct audit_case *given)
{
    json_t *list = json_array();

    for (size_t i = 0; i < given->job_count; i++)
        json_array_append_new(list, json_string(given->jobs[i].id));
    return list;
}

static bool have_same_jobs(const struct audit_case *a, const struct audit_case *b)
{
    if (a->job_count != b->job_count)
        return false;
    for (size_t i = 0; i < a->job_count; i++)
        if (strcmp(a->jobs[i].id, b->jobs[i].id) != 0)
            return false;
    return true;
}

/* The first run whose jobs have the same names: the page has these names once. */
static size_t first_with_names(const struct results runs[], size_t run)
{
    size_t first = 0;

    while (!have_same_jobs(runs[first].given, runs[run].given))
        first++;
    return first;
}

/* Lists the models in the order of their first job in the trace, and sets `models` to each job's
 * place in the list. */
static json_t *pack_models(const struct audit_case *given, int64_t models[])
{
    json_t *list = json_array();
    json_t *places = json_object();

    for (size_t i = 0; i < given->job_count; i++) {
        const char *model = given->jobs[i].model;
        json_t *place = json_object_get(places, model);

        if (place) {
            models[i] = json_integer_value(place);
            continue;
        }
        models[i] = (int64_t)json_array_size(list);
        json_object_set_new(places, model, json_integer((json_int_t)models[i]));
        json_array_append_new(list, json_string(model));
    }
    json_decref(places);
    return list;
}

static json_t *pack_run(const struct results runs[], size_t index, int64_t models[])
{
    const struct results *run = &runs[index];
    const size_t first = first_with_names(runs, index);
    json_t *object =
        json_pack("{s:s, s:O, s:o, s:o, s:I, s:b}", "folder", run->folder, "summary", run->summary,
                  "pools", pack_pools(run), "models", pack_models(run->given, models), "end_s",
                  (json_int_t)run->end_s, "has_timeline", run->given->has_timeline);

    if (first < index)
        json_object_set_new(object, "names_of", json_integer((json_int_t)first));
    else
        json_object_set_new(object, "names", pack_names(run->given));
    return object;
}

/* Writes JSON that no browser takes for the end of the element around the JSON: "<" is escaped,
 * which only strings contain. */
static int write_json(const char *text, size_t size, void *out)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<')
            output_text(out, "\\u003c");
        else
            output_char(out, text[i]);
    return 0;
}

static void write_object(json_t *object, output_t *out)
{
    output_text(out, "<script type=\"application/json\" class=\"run\">");
    json_dump_callback(object, write_json, out, JSON_COMPACT);
    output_text(out, "</script>\n");
    json_decref(object);
}

/* ---- columns ---- */

typedef int64_t number_fn(const struct results *run, size_t index);

static int64_t job_submit(const struct results *run, size_t i)
{
    return run->given->jobs[i].submit_s;
}

static int64_t job_deadline(const struct results *run, size_t i)
{
    const int64_t deadline_s = run->given->jobs[i].deadline_s;

    return deadline_s == AUDIT_DEADLINE_NONE_S ? -1 : deadline_s;
}

static int64_t job_promised(const struct results *run, size_t i)
{
    const struct audit_outcome *outcome = run->outcomes[i];

    return outcome && outcome->promised_s != AUDIT_DEADLINE_NONE_S ? outcome->promised_s : -1;
}

static int64_t job_decided(const struct results *run, size_t i)
{
    return run->outcomes[i] ? run->outcomes[i]->decided_s : -1;
}

static int64_t job_verdict(const struct results *run, size_t i)
{
    return run->outcomes[i] ? (int64_t)run->outcomes[i]->verdict : -1;
}

static int64_t job_reason(const struct results *run, size_t i)
{
    return run->outcomes[i] ? (int64_t)run->outcomes[i]->reason : -1;
}

static int64_t job_fate(const struct results *run, size_t i)
{
    return (int64_t)fate_of(run, i);
}

static int64_t job_end(const struct results *run, size_t i)
{
    return run->records[i] ? run->records[i]->end_s : -1;
}

static int64_t job_gpus(const struct results *run, size_t i)
{
    return run->given->jobs[i].gpus;
}

static int64_t job_iterations(const struct results *run, size_t i)
{
    return run->given->jobs[i].iterations;
}

static int64_t job_batch_size(const struct results *run, size_t i)
{
    return run->given->jobs[i].batch_size;
}

static int64_t seat_from(const struct results *run, size_t i)
{
    return run->seats[i].from_s;
}

static int64_t seat_lasts(const struct results *run, size_t i)
{
    return run->seats[i].until_s - run->seats[i].from_s;
}

static int64_t seat_rank(const struct results *run, size_t i)
{
    return run->seats[i].rank;
}

static int64_t seat_gpus(const struct results *run, size_t i)
{
    return run->seats[i].gpus;
}

static int64_t seat_job(const struct results *run, size_t i)
{
    return (int64_t)run->seats[i].job;
}

static int64_t change_job(const struct results *run, size_t i)
{
    return (int64_t)run->changes[i].job;
}

static int64_t change_at(const struct results *run, size_t i)
{
    return run->changes[i].at_s;
}

static int64_t change_gpus(const struct results *run, size_t i)
{
    return run->changes[i].gpus;
}

static int64_t change_pool(const struct results *run, size_t i)
{
    return (int64_t)run->changes[i].pool;
}

static int64_t change_reason(const struct results *run, size_t i)
{
    return (int64_t)run->changes[i].reason;
}

static int64_t moment_at(const struct results *run, size_t i)
{
    return run->moments[i].at_s;
}

static int64_t moment_up(const struct results *run, size_t i)
{
    return run->moments[i].gpus_up;
}

static int64_t moment_used(const struct results *run, size_t i)
{
    return run->moments[i].gpus_used;
}

static int64_t moment_running(const struct results *run, size_t i)
{
    return run->moments[i].running;
}

static int64_t moment_waiting(const struct results *run, size_t i)
{
    return run->moments[i].waiting;
}

static int64_t moment_efficiency(const struct results *run, size_t i)
{
    return run->moments[i].efficiency_ppm;
}

struct numbers {
    const char *name;
    number_fn *get;
};

static const struct numbers job_numbers[] = {
    {"job_submit", job_submit},
    {"job_deadline", job_deadline},
    {"job_decided", job_decided},
    {"job_verdict", job_verdict},
    {"job_reason", job_reason},
    {"job_promised", job_promised},
    {"job_fate", job_fate},
    {"job_end", job_end},
    {"job_gpus", job_gpus},
    {"job_iterations", job_iterations},
    {"job_batch_size", job_batch_size},
    {NULL, NULL},
};
static const struct numbers seat_numbers[] = {
    {"seat_from", seat_from}, {"seat_lasts", seat_lasts}, {"seat_rank", seat_rank},
    {"seat_gpus", seat_gpus}, {"seat_job", seat_job},     {NULL, NULL},
};
static const struct numbers change_numbers[] = {
    {"change_job", change_job},   {"change_at", change_at},         {"change_gpus", change_gpus},
    {"change_pool", change_pool}, {"change_reason", change_reason}, {NULL, NULL},
};
static const struct numbers moment_numbers[] = {
    {"moment_at", moment_at},
    {"moment_up", moment_up},
    {"moment_used", moment_used},
    {"moment_running", moment_running},
    {"moment_waiting", moment_waiting},
    {"moment_efficiency", moment_efficiency},
    {NULL, NULL},
};

struct page {
    output_t *out;
    const struct results *run;
    size_t index; /* number of the run */
};

static void write_numbers(const struct page *page, const struct numbers *numbers, size_t count)
{
    struct page_column column;

    for (; numbers->name; numbers++) {
        column_begin(&column, page->out, page->index, numbers->name, count);
        for (size_t i = 0; i < count; i++)
            column_add(&column, numbers->get(page->run, i));
        column_end(&column);
    }
}

static void write_plain(const struct page *page, const char *name, const int64_t *numbers)
{
    const size_t count = page->run->given->job_count;
    struct page_column column;

    column_begin(&column, page->out, page->index, name, count);
    for (size_t i = 0; i < count; i++)
        column_add(&column, numbers[i]);
    column_end(&column);
}

static void write_curve(const struct page *page, const char *name, const struct curve *curve)
{
    struct page_column column;

    column_begin(&column, page->out, page->index, name, curve->count);
    for (size_t i = 0; i < curve->count; i++)
        column_add(&column, (int64_t)curve->items[i]);
    column_end(&column);
}

static void write_curves(const struct page *page)
{
    static const char *const names[CURVES] = {"jct",      "queueing", "slack",
                                              "admitted", "declined", "missed"};
    struct curves curves;

    curves_find(page->run, &curves);
    for (size_t i = 0; i < CURVES; i++)
        write_curve(page, names[i], &curves.of[i]);
    curves_clear(&curves);
}

static void find_gpu_seconds(const struct audit_case *given, int64_t numbers[])
{
    memset(numbers, 0, given->job_count * sizeof(*numbers));
    for (size_t i = 0; i < given->work_count; i++)
        if (given->works[i].job != AUDIT_NO_JOB)
            numbers[given->works[i].job] = given->works[i].gpu_seconds;
}

static void write_run(const struct results runs[], size_t index, output_t *out)
{
    const struct results *run = &runs[index];
    const struct page page = {.out = out, .run = run, .index = index};
    int64_t *numbers = xcalloc(run->given->job_count, sizeof(*numbers));

    write_object(pack_run(runs, index, numbers), out);
    write_plain(&page, "job_model", numbers);
    find_gpu_seconds(run->given, numbers);
    write_plain(&page, "job_gpu_seconds", numbers);
    write_numbers(&page, job_numbers, run->given->job_count);
    write_numbers(&page, seat_numbers, run->seat_count);
    write_numbers(&page, change_numbers, run->change_count);
    write_numbers(&page, moment_numbers, run->moment_count);
    write_curves(&page);
    free(numbers);
}

void document_write(struct results runs[], size_t count, output_t *out)
{
    output_text(out, DOCUMENT_MARK);
    output_bytes(out, page_before, page_before_bytes);
    for (size_t i = 0; i < count; i++) {
        if (!runs[i].given->has_timeline)
            curves_wait(&runs[i]);
        write_run(runs, i, out);
    }
    output_bytes(out, page_after, page_after_bytes);
}
