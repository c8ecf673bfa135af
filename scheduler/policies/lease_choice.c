/* lease_choice.c - see lease_choice.h. */
#include "scheduler/policies/lease_choice.h"

#include "common/clock.h"
#include "common/memory.h"
#include "scheduler/policies/lease_model.h"

#include <stdlib.h>
#include <string.h>

/* A model beyond this is not built: nothing solves it in time. */
#define COLUMNS_MAX 1000000

/* All objectives are whole numbers: less than 1 from the best is the best. */
#define WHOLE_GAP 0.5

/* Whether all could run at once, each in as many slots as it needs. */
static bool is_uncontested(const struct lease_problem *problem)
{
    int64_t gpus = 0;

    for (size_t i = 0; i < problem->entries->count; i++) {
        const struct lease_entry *entry = &problem->entries->items[i];

        if (entry->lease->first_level != entry->lease->last_level ||
            entry->need > entry->before - problem->slot)
            return false;
        gpus += entry->gpus;
    }
    return gpus <= problem->gpu_count;
}

/* Whether the job has to run in every slot that is left. */
static bool is_due(const struct lease_problem *problem, const struct lease_entry *entry)
{
    return entry->need == entry->before - problem->slot;
}

bool lease_choose_by_closed_form(const struct lease_problem *problem, struct lease_choice choices[])
{
    if (!is_uncontested(problem))
        return false;
    for (size_t i = 0; i < problem->entries->count; i++) {
        const struct lease_entry *entry = &problem->entries->items[i];
        const bool now = problem->objective == OBJECTIVE_MAXIMIZE || is_due(problem, entry);

        choices[i].served = true;
        choices[i].now = now;
        slot_runs_append(&choices[i].later, entry->before - (entry->need - now), entry->before);
    }
    return true;
}

/* A lease round on its way through the solver. */
struct attempt {
    const struct lease_problem *problem;
    const struct leasing *leasing;
    struct lease_choice *choices;
    struct lease_round *round;
    double started_s;
};

static struct milp_limits limits_left(const struct attempt *self)
{
    const struct leasing *leasing = self->leasing;
    const double left_s = leasing->time_limit_s - (clock_s() - self->started_s);
    const double gap = leasing->gap * (double)self->problem->gpu_count;

    return (struct milp_limits){.seconds =
                                    leasing->time_limit_s > 0 ? (left_s > 1e-3 ? left_s : 1e-3) : 0,
                                .gap_absolute = gap > WHOLE_GAP ? gap : WHOLE_GAP,
                                .stop = leasing->stop_asked};
}

static bool has_point(const struct milp_result *result)
{
    return result->answer == MILP_OPTIMAL || result->answer == MILP_FEASIBLE;
}

static void take_point(const struct attempt *self, const struct lease_model *model,
                       const double values[])
{
    for (size_t i = 0; i < self->problem->entries->count; i++) {
        self->choices[i].served = model->served[i] < 0 || values[model->served[i]] > 0.5;
        self->choices[i].now = values[model->now[i]] > 0.5;
    }
}

/* Solves for the use of the slot that begins, then for the order in it. `values` becomes the point, to be
 * freed; NULL if there is none. */
static double *solve(const struct attempt *self, const struct lease_model *model)
{
    const size_t size = (size_t)milp_columns(model->milp) * sizeof(double);
    struct milp_limits limits = limits_left(self);
    struct milp_result result;
    double *values;

    lease_model_aim_at_use(model);
    milp_solve(self->leasing->solver, model->milp, &limits, &result);
    self->round->answer = (int)result.answer;
    self->round->trouble = result.error;
    if (!has_point(&result))
        return NULL;
    values = xmalloc(size + 1);
    memcpy(values, result.values, size);
    if (result.answer != MILP_OPTIMAL || self->problem->objective == OBJECTIVE_RANDOM)
        return values;
    lease_model_aim_at_order(model, values);
    limits = limits_left(self);
    milp_solve(self->leasing->solver, model->milp, &limits, &result);
    if (has_point(&result)) /* else any order will do */
        memcpy(values, result.values, size);
    return values;
}

/* Packs what does not run now into the later slots, as late as possible. */
static bool pack_later(const struct attempt *self)
{
    const struct lease_problem *problem = self->problem;
    struct lease_entries sorted = {.items = NULL};
    struct slot_capacity capacity;
    bool packed = true;

    for (size_t i = 0; i < problem->entries->count; i++) {
        struct lease_entry entry = problem->entries->items[i];

        if (!self->choices[i].served)
            continue;
        entry.need -= self->choices[i].now;
        entry.level = i; /* where its choice is */
        lease_entries_append(&sorted, &entry);
    }
    lease_entries_sort(&sorted, false);
    slot_capacity_init(&capacity, problem->gpu_count);
    for (size_t i = 0; i < sorted.count && packed; i++)
        packed = slot_capacity_take_latest(&capacity, problem->slot + 1, sorted.items[i].before,
                                           sorted.items[i].need, sorted.items[i].gpus,
                                           &self->choices[sorted.items[i].level].later);
    slot_capacity_free(&capacity);
    lease_entries_free(&sorted);
    return packed;
}

/* Later slots as the solver has them: only where each period is a slot. */
static void take_later(const struct attempt *self, const struct lease_model *model,
                       const double values[])
{
    for (size_t i = 0; i < self->problem->entries->count; i++) {
        struct lease_choice *choice = &self->choices[i];
        const size_t periods = lease_model_periods_of(model, &self->problem->entries->items[i]);

        slot_runs_clear(&choice->later);
        for (size_t p = 0; p < periods && choice->served; p++) {
            const int64_t slot = self->problem->slot + model->periods[p].from;

            if (values[model->later[i] + (int)p] > 0.5)
                slot_runs_append(&choice->later, slot, slot + 1);
        }
    }
}

static bool choose(const struct attempt *self, bool compacted)
{
    struct lease_model model;
    double *values;
    bool chosen = false;

    lease_model_build(&model, self->problem, compacted, self->leasing->model);
    self->round->columns = (size_t)milp_columns(model.milp);
    self->round->rows = (size_t)milp_rows(model.milp);
    values = solve(self, &model);
    if (values) {
        take_point(self, &model, values);
        chosen = pack_later(self);
        if (!chosen && !compacted) {
            take_later(self, &model, values);
            chosen = true;
        }
    }
    self->round->method = compacted ? LEASE_BY_COMPACTED : LEASE_BY_FULL;
    free(values);
    lease_model_free(&model);
    return chosen;
}

/* What the compacted model cannot serve, the full one cannot either. */
bool lease_choose_by_solver(const struct lease_problem *problem, const struct leasing *leasing,
                            struct lease_choice choices[], struct lease_round *round)
{
    const struct attempt attempt = {problem, leasing, choices, round, clock_s()};
    bool chosen = choose(&attempt, true);

    if (!chosen && (round->answer == MILP_OPTIMAL || round->answer == MILP_FEASIBLE)) {
        if (lease_model_columns(problem, false) <= COLUMNS_MAX) {
            chosen = choose(&attempt, false);
        } else {
            round->answer = MILP_NO_SOLUTION;
            error_set(&round->trouble, "the model would have more than %d columns", COLUMNS_MAX);
        }
    }
    round->solve_s = clock_s() - attempt.started_s;
    return chosen;
}
