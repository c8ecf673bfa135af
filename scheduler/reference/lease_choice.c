/* lease_choice.c - see lease_choice.h. */
#include "scheduler/reference/lease_choice.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/reference/lease_model.h"
#include "scheduler/solver/milp_solver.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Models with more columns are not built: no solver solves them in time. */
#define COLUMNS_MAX 1000000

/* All objectives are whole numbers, so a point within less than 1 of the best is a best point. */
#define WHOLE_GAP 0.5

/* Whether all jobs could run at once, each in as many slots as it needs. */
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

/* Whether the job has to run in every slot that is left before its deadline. */
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
                                .memory_mib = leasing->memory_mib,
                                .gap_absolute = gap > WHOLE_GAP ? gap : WHOLE_GAP,
                                .stop = leasing->stop};
}

static void ask(const struct attempt *self, const struct lease_model *model,
                const struct milp_limits *limits, struct milp_result *result)
{
    milp_solve(self->leasing->solver, model->milp, limits, result);
    self->round->out_of_memory = self->round->out_of_memory || result->out_of_memory;
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

/* Solves `model` for its present aim. No point is better than `best`, which is known from a model
 * solved before if `by_shortcuts`. Shortcuts are enough then: a point within the gap of `best` is
 * optimal however it was found, and any other point is feasible with that bound. A proof for a full
 * model may take minutes. */
static void solve_aim(const struct attempt *self, const struct lease_model *model, double best,
                      bool by_shortcuts, struct milp_result *result)
{
    struct milp_limits limits = limits_left(self);

    limits.unproven = by_shortcuts;
    ask(self, model, &limits, result);
    if (by_shortcuts && !has_point(result)) {
        limits = limits_left(self);
        ask(self, model, &limits, result);
    }
    if (!has_point(result) || result->answer == MILP_OPTIMAL)
        return;
    result->bound = fmin(result->bound, best);
    if (result->bound - result->objective <= limits.gap_absolute) {
        result->answer = MILP_OPTIMAL;
        result->error.text[0] = '\0';
    }
}

/* Among equally good points, prefers the point that runs the earliest deadlines now. No proof is
 * needed, as any of the points will do. */
static void settle_order(const struct attempt *self, const struct lease_model *model,
                         double values[])
{
    struct milp_limits limits = limits_left(self);
    struct milp_result result;

    limits.unproven = true;
    lease_model_aim_at_order(model, values);
    ask(self, model, &limits, &result);
    if (has_point(&result))
        memcpy(values, result.values, (size_t)milp_columns(model->milp) * sizeof(double));
}

/* Writes why there is no point. The text states the limit of the round, not the part that was left
 * for the last solve. */
static void say_trouble(const struct attempt *self, const struct milp_result *result)
{
    struct error *trouble = &self->round->trouble;
    const double limit_s = self->leasing->time_limit_s;

    if (result->out_of_memory && self->leasing->memory_mib > 0)
        error_set(trouble, "%s: no choice was found within the limit of %" PRId64 " MiB of memory",
                  self->leasing->solver->name, self->leasing->memory_mib);
    else if (result->out_of_memory)
        error_set(trouble, "%s: no choice was found before memory ran out",
                  self->leasing->solver->name);
    else if (result->answer == MILP_NO_SOLUTION && limit_s > 0)
        error_set(trouble, "%s: no choice was found within the limit of %g s",
                  self->leasing->solver->name, limit_s);
    else if (result->answer == MILP_NO_SOLUTION && !*trouble->text)
        error_set(trouble, "%s: no choice was found", self->leasing->solver->name);
    else if (!*trouble->text)
        error_set(trouble, "the model is %s", milp_answer_name(result->answer));
}

/* Solves for the use of the slot that begins, then for the order in it. Returns the point, to be
 * freed; NULL if there is none. No point is better than `*best`, which becomes the bound of this
 * model. */
static double *solve(const struct attempt *self, const struct lease_model *model, bool by_shortcuts,
                     double *best)
{
    const size_t size = (size_t)milp_columns(model->milp) * sizeof(double);
    struct milp_result result;
    double *values;

    lease_model_aim_at_use(model);
    solve_aim(self, model, *best, by_shortcuts, &result);
    self->round->answer = (int)result.answer;
    self->round->trouble = result.error;
    if (!has_point(&result)) {
        say_trouble(self, &result);
        return NULL;
    }
    *best = fmin(*best, result.bound);
    self->round->gap = fmax(*best - result.objective, 0);
    values = xmalloc(size + 1);
    memcpy(values, result.values, size);
    if (self->problem->objective != OBJECTIVE_RANDOM)
        settle_order(self, model, values);
    return values;
}

/* Packs the leases that do not run now into the later slots, as late as possible. */
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
        entry.level = i; /* index of the entry's choice */
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

/* The entries that run in a period, the largest first, and how many of its slots each still
 * needs. */
struct portion {
    struct ranked *ranks;
    int64_t *left; /* slots left for each rank */
    size_t count;
};

/* Gives out a slot: first to each job that needs all its slots left, then to each job that fits,
 * the largest first. False, with nothing given, if the jobs that need the slot do not fit. */
static bool give_slot(const struct attempt *self, const struct portion *portion, int64_t slot,
                      int64_t slots_left)
{
    const struct lease_entries *entries = self->problem->entries;
    int64_t free_gpus = self->problem->gpu_count;

    for (size_t k = 0; k < portion->count; k++)
        if (portion->left[k] == slots_left)
            free_gpus -= entries->items[portion->ranks[k].item].gpus;
    if (free_gpus < 0)
        return false;
    for (size_t k = 0; k < portion->count; k++) {
        const size_t i = portion->ranks[k].item;
        const int64_t gpus = entries->items[i].gpus;

        if (portion->left[k] == 0 || (portion->left[k] < slots_left && gpus > free_gpus))
            continue;
        if (portion->left[k] < slots_left)
            free_gpus -= gpus;
        portion->left[k]--;
        slot_runs_append(&self->choices[i].later, slot, slot + 1);
    }
    return true;
}

/* Cuts the model's numbers for a period into its slots. */
static bool cut_period(const struct attempt *self, const struct lease_model *model, size_t period,
                       const double values[], struct portion *portion)
{
    const struct lease_entries *entries = self->problem->entries;
    const struct lease_period *slots = &model->periods[period];
    bool cut = true;

    portion->count = 0;
    for (size_t i = 0; i < entries->count; i++)
        if (period < lease_model_periods_of(model, &entries->items[i]) &&
            values[model->later[i] + (int)period] > 0.5)
            portion->ranks[portion->count++] =
                (struct ranked){.keys = {-entries->items[i].gpus}, .item = i};
    sort_ranked(portion->ranks, portion->count, portion->ranks + portion->count);
    for (size_t k = 0; k < portion->count; k++)
        portion->left[k] =
            (int64_t)round(values[model->later[portion->ranks[k].item] + (int)period]);
    for (int64_t slot = slots->from; slot < slots->to && cut; slot++)
        cut = give_slot(self, portion, self->problem->slot + slot, slots->to - slot);
    for (size_t k = 0; k < portion->count; k++)
        cut = cut && portion->left[k] == 0;
    return cut;
}

/* Cuts the model's numbers for all periods into slots. Always possible where each period is a
 * slot. */
static bool cut_periods(const struct attempt *self, const struct lease_model *model,
                        const double values[])
{
    const size_t count = self->problem->entries->count;
    struct portion portion = {.ranks = xmalloc((2 * count + 1) * sizeof(*portion.ranks)),
                              .left = xmalloc((count + 1) * sizeof(*portion.left))};
    bool cut = true;

    for (size_t i = 0; i < count; i++)
        slot_runs_clear(&self->choices[i].later);
    for (size_t p = 0; p < model->period_count && cut; p++)
        cut = cut_period(self, model, p, values, &portion);
    free(portion.ranks);
    free(portion.left);
    return cut;
}

static bool is_too_large(const struct attempt *self, enum lease_detail detail)
{
    if (lease_model_columns(self->problem, detail) <= COLUMNS_MAX)
        return false;
    self->round->answer = MILP_NO_SOLUTION;
    error_set(&self->round->trouble, "the model would have more than %d columns", COLUMNS_MAX);
    return true;
}

/* A tightened model can have more rows than the full one. */
static void note_size(struct lease_round *round, const struct lease_model *model)
{
    const size_t columns = (size_t)milp_columns(model->milp);
    const size_t rows = (size_t)milp_rows(model->milp);

    round->columns = columns > round->columns ? columns : round->columns;
    round->rows = rows > round->rows ? rows : round->rows;
}

static bool choose(const struct attempt *self, enum lease_detail detail, double *best)
{
    struct lease_model model;
    double *values;
    bool chosen = false;

    if (is_too_large(self, detail))
        return false;
    lease_model_build(&model, self->problem, detail, self->leasing->model);
    note_size(self->round, &model);
    values = solve(self, &model, detail == LEASE_MODEL_FULL, best);
    if (values) {
        take_point(self, &model, values);
        chosen = pack_later(self) || cut_periods(self, &model, values);
    }
    self->round->method = detail == LEASE_MODEL_FULL ? LEASE_BY_FULL : LEASE_BY_COMPACTED;
    free(values);
    lease_model_free(&model);
    return chosen;
}

/* Whether the last model was solved, although its point could not be cut into slots. */
static bool is_open(const struct lease_round *round)
{
    return round->answer == MILP_OPTIMAL || round->answer == MILP_FEASIBLE;
}

/* A job that a compacted model cannot serve cannot be served by the full one, and neither can be
 * better. */
bool lease_choose_by_solver(const struct lease_problem *problem, const struct leasing *leasing,
                            struct lease_choice choices[], struct lease_round *round)
{
    const struct attempt attempt = {problem, leasing, choices, round, clock_s()};
    double best = MILP_INFINITY;
    bool chosen = choose(&attempt, LEASE_MODEL_COMPACTED, &best);

    if (!chosen && is_open(round))
        chosen = choose(&attempt, LEASE_MODEL_TIGHTENED, &best);
    if (!chosen && is_open(round))
        chosen = choose(&attempt, LEASE_MODEL_FULL, &best);
    round->solve_s = clock_s() - attempt.started_s;
    return chosen;
}
