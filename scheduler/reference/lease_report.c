/* lease_report.c - see lease_report.h. */
#include "scheduler/reference/lease_report.h"

#include "common/memory.h"
#include "common/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lease_report {
    output_t *promises; /* NULL if nothing is written */
    output_t *leases;
    struct lease_figures figures;
    double *solves_s;
    size_t solve_count;
    size_t capacity;
};

static const char *const methods[LEASE_METHODS] = {
    [LEASE_BY_PLAN] = "plan",
    [LEASE_BY_CLOSED_FORM] = "closed-form",
    [LEASE_BY_COMPACTED] = "compacted",
    [LEASE_BY_FULL] = "full",
};

static const char *class_name(enum lease_class class)
{
    switch (class) {
    case LEASE_LOWEST:
        return "lowest";
    case LEASE_ACCEPTED:
        return "accepted";
    case LEASE_UNACCEPTED:
        return "unaccepted";
    case LEASE_BEST_EFFORT:
        break;
    }
    return "best-effort";
}

lease_report_t *lease_report_new(output_t *promises, output_t *leases)
{
    lease_report_t *self = xcalloc(1, sizeof(*self));

    if (!promises)
        return self;
    self->promises = promises;
    self->leases = leases;
    output_text(self->promises,
                "job_id,class,estimated_s,promised,starts,leases,waited_s,missed\n");
    output_text(self->leases, "time,objective,method,answer,entries,columns,rows,granted_gpus\n");
    return self;
}

void lease_report_destroy(lease_report_t **self)
{
    if (!*self)
        return;
    output_destroy(&(*self)->promises);
    output_destroy(&(*self)->leases);
    free((*self)->solves_s);
    free(*self);
    *self = NULL;
}

static void write_wholes(output_t *out, const int64_t values[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        output_char(out, ',');
        output_whole(out, values[i]);
    }
}

void lease_report_promise(lease_report_t *self, const struct lease *lease, bool late)
{
    const int64_t counts[] = {lease->starts, lease->leases, lease->waited_s, late};

    self->figures.admitted += lease->class == LEASE_ACCEPTED;
    self->figures.broken += lease->class == LEASE_ACCEPTED && late;
    if (!self->promises)
        return;
    output_text(self->promises, lease->job->submission->id);
    output_char(self->promises, ',');
    output_text(self->promises, class_name(lease->class));
    write_wholes(self->promises, &lease->estimate_s, 1);
    output_char(self->promises, ',');
    if (!lease->job->submission->best_effort)
        output_whole(self->promises, lease->deadline_s);
    write_wholes(self->promises, counts, sizeof(counts) / sizeof(counts[0]));
    output_char(self->promises, '\n');
}

static void write_round(output_t *out, int64_t now_s, const struct lease_round *round)
{
    const int64_t counts[] = {(int64_t)round->entries, (int64_t)round->columns,
                              (int64_t)round->rows, round->granted_gpus};

    output_whole(out, now_s);
    output_format(
        out, ",%s,%s,%s", lease_objective_name((enum lease_objective)round->objective),
        methods[round->method],
        round->answer == LEASE_UNASKED ? "-" : milp_answer_name((enum milp_answer)round->answer));
    write_wholes(out, counts, sizeof(counts) / sizeof(counts[0]));
    output_char(out, '\n');
}

void lease_report_round(lease_report_t *self, int64_t now_s, const struct lease_round *round)
{
    struct lease_figures *figures = &self->figures;

    figures->rounds++;
    figures->by_method[round->method]++;
    figures->columns_max =
        round->columns > figures->columns_max ? round->columns : figures->columns_max;
    figures->rows_max = round->rows > figures->rows_max ? round->rows : figures->rows_max;
    if (round->method != LEASE_BY_PLAN && round->gap > figures->gap_max)
        figures->gap_max = round->gap;
    if (round->answer != LEASE_UNASKED && round->method == LEASE_BY_PLAN &&
        figures->fallbacks++ == 0) {
        figures->first_fallback_s = now_s;
        figures->trouble = round->trouble;
    }
    if (round->answer != LEASE_UNASKED) {
        figures->by_answer[round->answer]++;
        self->solves_s =
            grow_array(self->solves_s, self->solve_count, &self->capacity, sizeof(*self->solves_s));
        self->solves_s[self->solve_count++] = round->solve_s;
    }
    if (self->leases)
        write_round(self->leases, now_s, round);
}

/* The nearest rank of sorted times. */
static double percentile(const lease_report_t *self, size_t percent)
{
    return self->solve_count > 0 ? self->solves_s[(self->solve_count * percent + 99) / 100 - 1] : 0;
}

void lease_report_count(lease_report_t *self, struct lease_figures *figures)
{
    self->figures.leasing = figures->leasing;
    memcpy(self->figures.solver, figures->solver, sizeof(figures->solver));
    *figures = self->figures;
    sort_numbers(self->solves_s, self->solve_count);
    figures->solve_p50_s = percentile(self, 50);
    figures->solve_p95_s = percentile(self, 95);
    figures->solve_max_s = percentile(self, 100);
}

void lease_figures_warn(const struct lease_figures *figures, const char *program)
{
    if (figures->fallbacks == 0)
        return;
    (void)fprintf(stderr,
                  "%s: in %" PRId64 " of %" PRId64 " lease rounds the solver %s left the choice to "
                  "the plan, first at %" PRId64 " s: %s\n",
                  program, figures->fallbacks, figures->rounds, figures->solver,
                  figures->first_fallback_s, figures->trouble.text);
}

output_t **lease_report_promises(lease_report_t *self)
{
    return &self->promises;
}

output_t **lease_report_leases(lease_report_t *self)
{
    return &self->leases;
}

static void add_counts(json_t *summary, const struct lease_figures *figures)
{
    json_t *by_method = json_object();
    json_t *by_answer = json_object();

    for (int i = 0; i < LEASE_METHODS; i++)
        json_object_set_new(by_method, methods[i], json_integer((json_int_t)figures->by_method[i]));
    for (int i = 0; i < MILP_ANSWERS; i++)
        json_object_set_new(by_answer, milp_answer_name((enum milp_answer)i),
                            json_integer((json_int_t)figures->by_answer[i]));
    json_object_set_new(summary, "by_method", by_method);
    json_object_set_new(summary, "by_answer", by_answer);
}

json_t *lease_report_summary(const struct lease_figures *figures)
{
    const struct leasing *leasing = &figures->leasing;
    json_t *summary = json_pack(
        "{s:I, s:I, s:I, s:s, s:s, s:f, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, "
        "s:f}",
        "lease_s", (json_int_t)leasing->lease_s, "check_s", (json_int_t)leasing->check_s,
        "admission_s", (json_int_t)leasing->admission_s, "objective",
        lease_objective_name(leasing->objective), "solver", figures->solver, "time_limit_s",
        leasing->time_limit_s, "memory_limit_mib", (json_int_t)leasing->memory_mib, "gap",
        leasing->gap, "admitted", (json_int_t)figures->admitted, "broken",
        (json_int_t)figures->broken, "rounds", (json_int_t)figures->rounds, "fallbacks",
        (json_int_t)figures->fallbacks, "columns_max", (json_int_t)figures->columns_max, "rows_max",
        (json_int_t)figures->rows_max, "gap_max", figures->gap_max, "solve_p50_s",
        figures->solve_p50_s, "solve_p95_s", figures->solve_p95_s, "solve_max_s",
        figures->solve_max_s);

    add_counts(summary, figures);
    return summary;
}
