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

static const char *const methods[LEASE_METHODS + 1] = {
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

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void lease_report_round(lease_report_t *self, int64_t now_s, const struct lease_round *round)
{
    struct lease_figures *figures = &self->figures;

    figures->rounds++;
    figures->by_method[round->method]++;
    figures->columns_max = larger(figures->columns_max, (int64_t)round->columns);
    figures->rows_max = larger(figures->rows_max, (int64_t)round->rows);
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

/* ---- the table ---- */

static void tell(const void *values)
{
    const struct lease_figures *figures = values;

    printf("promises that stood     %" PRId64 ", %" PRId64 " of them late by their lease\n",
           figures->admitted, figures->broken);
    printf("lease rounds            %" PRId64 ": %" PRId64 " by plan, %" PRId64
           " in closed form, %" PRId64 " compacted, %" PRId64 " in full\n",
           figures->rounds, figures->by_method[LEASE_BY_PLAN],
           figures->by_method[LEASE_BY_CLOSED_FORM], figures->by_method[LEASE_BY_COMPACTED],
           figures->by_method[LEASE_BY_FULL]);
    if (figures->solve_max_s > 0)
        printf("solves                  median %.1f ms, 95th percentile %.1f ms, longest %.1f ms\n",
               1000 * figures->solve_p50_s, 1000 * figures->solve_p95_s,
               1000 * figures->solve_max_s);
}

/* Warns of the number of rounds that fell back on the plan, and of the first reason. */
static bool warn(const void *values, struct error *warning)
{
    const struct lease_figures *figures = values;

    if (figures->fallbacks == 0)
        return false;
    error_set(warning,
              "in %" PRId64 " of %" PRId64 " lease rounds the solver %s left the choice to the "
              "plan, first at %" PRId64 " s: %s",
              figures->fallbacks, figures->rounds, figures->solver, figures->first_fallback_s,
              figures->trouble.text);
    return true;
}

#define OF(member, key, unit, help)                                                                \
    {                                                                                              \
        FIGURE(struct lease_figures, member, key, unit, help), .no_column = true                   \
    }

static const struct figure items[] = {
    OF(leasing.lease_s, "lease_s", "s", "length of a lease"),
    OF(leasing.check_s, "check_s", "s", "time between two looks at the jobs"),
    OF(leasing.admission_s, "admission_s", "s", "time between two admissions"),
    {FIGURE_CHOICE(struct lease_figures, leasing.objective, "objective", lease_objectives,
                   "what lease rounds aimed at"),
     .no_column = true},
    OF(solver, "solver", NULL, "the solver of lease rounds"),
    OF(leasing.time_limit_s, "time_limit_s", "s", "how long a solver may take in a round"),
    OF(leasing.memory_mib, "memory_limit_mib", "MiB", "how much memory a solver may take"),
    OF(leasing.gap, "gap", NULL, "how much worse than the best a choice may be"),
    {FIGURE(struct lease_figures, admitted, "admitted", NULL,
            "jobs whose promise stood to the end")},
    OF(broken, "broken", NULL, "of these, jobs that were late by their lease boundary"),
    OF(rounds, "rounds", NULL, "rows of leases.csv"),
    OF(fallbacks, "fallbacks", NULL, "rounds in which a solver was asked and the plan decided"),
    OF(columns_max, "columns_max", NULL, "columns of the largest model"),
    OF(rows_max, "rows_max", NULL, "rows of the largest model"),
    OF(gap_max, "gap_max", NULL, "what the solver's choice of a round left open at most"),
    OF(solve_p50_s, "solve_p50_s", "s", "median of the time that a round with a solver took"),
    OF(solve_p95_s, "solve_p95_s", "s", "95th percentile of that time"),
    OF(solve_max_s, "solve_max_s", "s", "longest such time"),
    {FIGURE_EACH(struct lease_figures, by_method, "by_method", methods, NULL,
                 "rows of leases.csv by method"),
     .no_column = true},
    {FIGURE_EACH(struct lease_figures, by_answer, "by_answer", milp_answer_names, NULL,
                 "rows of leases.csv by the solver's answer"),
     .no_column = true},
    FIGURES_END};

const struct policy_figures lease_figures_table = {.items = items,
                                                   .size = sizeof(struct lease_figures),
                                                   .object = "leasing",
                                                   .tell = tell,
                                                   .warn = warn};
