/* pairs.c - a policy for tests, with all that a grant can say: jobs in pairs on the same three
 * GPUs, with twice their batch size and a rate that is the policy's own. A linear program in each
 * round chooses the pairs.
 *
 * No other file knows it but the table of policies that tests/docs/adding_a_policy_test.sh makes.
 */
#include "scheduler/policies/policy.h"
#include "scheduler/policies/policy_solver.h"

#include <stdlib.h>

#define GPUS_OF_PAIR 3

struct pairs_options {
    int64_t shared_percent;
};

struct pairs_figures {
    int64_t pair_rounds;
    double pairs_worth;
};

struct pairs {
    struct pairs_options options;
    struct pairs_figures figures;
    policy_solver_t *solver;
};

/* The rate that the policy has measured on three GPUs: between those of the table on two and four.
 */
static double rate_of(const struct pairs *self, const struct job *job, bool is_shared)
{
    const struct scaling *scaling = job->scaling;
    const double two = scaling->rate[scaling_fit(scaling, GPUS_OF_PAIR)];
    const double four = scaling->rate[scaling_fit(scaling, GPUS_OF_PAIR + 1)];
    const double share = is_shared ? (double)self->options.shared_percent / 100 : 1;

    return (two + four) / 2 * share;
}

/* Pairs that wait longer are worth more. */
static int solve(struct pairs *self, const struct view *view, struct milp_result *result,
                 struct error *error)
{
    milp_t *model = policy_solver_begin(self->solver);
    const int row = milp_add_row(model, 0, view->gpu_count);

    milp_set_maximise(model, true);
    for (size_t i = 0; i < view->job_count; i += 2)
        milp_add_term(model, row, milp_add_column(model, 0, 1, 1.0 / (double)(i + 1), false),
                      GPUS_OF_PAIR);
    return policy_solver_solve(self->solver, result, error);
}

/* The job at `place` with the GPUs of `host`, or its own. */
static void give(const struct pairs *self, const struct view *view, plan_t *plan, size_t place,
                 const struct job *host, bool is_shared)
{
    const struct job *job = view->jobs[place];

    plan_grant(plan, view, place,
               (struct grant){.pool = job->grant.pool,
                              .gpus = GPUS_OF_PAIR,
                              .batch = 2 * job->submission->batch_size,
                              .rate = rate_of(self, job, is_shared),
                              .partner = host});
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct pairs *self = view->memory;
    int free_gpus = view->gpu_count;
    struct milp_result result;

    plan_reset(plan, view);
    if (view->job_count == 0)
        return 0;
    if (solve(self, view, &result, error) < 0)
        return -1;
    self->figures.pairs_worth += result.objective;
    for (size_t i = 0; i < view->job_count; i += 2) {
        const bool is_pair = i + 1 < view->job_count;

        if (result.values[i / 2] < 0.999 || free_gpus < GPUS_OF_PAIR)
            continue;
        give(self, view, plan, i, NULL, is_pair);
        if (is_pair)
            give(self, view, plan, i + 1, view->jobs[i], true);
        free_gpus -= GPUS_OF_PAIR;
        self->figures.pair_rounds += is_pair;
    }
    return 0;
}

static void *open_pairs(const struct policy_setting *setting)
{
    struct pairs *self = xcalloc(1, sizeof(*self));

    self->options = *(const struct pairs_options *)setting->options;
    self->solver = policy_solver_new(setting->stop);
    return self;
}

static void close_pairs(void *memory)
{
    struct pairs *self = memory;

    policy_solver_destroy(&self->solver);
    free(self);
}

static void archive_pairs(void *memory, struct archive *archive, struct job *const live[],
                          size_t count)
{
    struct pairs *self = memory;

    (void)live;
    (void)count;
    ARCHIVE(archive, &self->figures.pair_rounds);
    ARCHIVE(archive, &self->figures.pairs_worth);
}

static int price_s(const void *memory, const struct job *job, const struct grant *grant)
{
    (void)memory;
    (void)job;
    return 3 + grant->gpus;
}

static const struct policy_option items[] = {
    {POLICY_OPTION(struct pairs_options, shared_percent, "pairs-shared", "PERCENT", 1, 100,
                   "pairs: the rate of a job that shares its GPUs, by its rate alone")},
    POLICY_OPTIONS_END};

static const struct pairs_options usual = {.shared_percent = 80};

static const struct policy_options options = {
    .items = items, .usual = &usual, .size = sizeof(usual)};

static const struct figure figure_items[] = {
    {FIGURE(struct pairs_figures, pair_rounds, "pair_rounds", "rounds",
            "rounds in which two jobs shared GPUs, for each pair")},
    {FIGURE(struct pairs_figures, pairs_worth, "pairs_worth", NULL, "worth of the pairs"),
     .decimals = 1},
    FIGURES_END};

static const struct policy_figures figures = {.items = figure_items,
                                              .size = sizeof(struct pairs_figures)};

static void count(const void *memory, void *counted)
{
    *(struct pairs_figures *)counted = ((const struct pairs *)memory)->figures;
}

const struct policy policy_pairs = {
    .name = "pairs",
    .summary = "for tests: pairs of jobs on three GPUs",
    .admission = &admission_everyone,
    .own_grants = true,
    .gpus_max = policy_gpus_measured,
    .price_s = price_s,
    .options = &options,
    .open = open_pairs,
    .close = close_pairs,
    .archive = archive_pairs,
    .allocate = allocate,
    .figures = &figures,
    .count = count,
};
