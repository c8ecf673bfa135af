/* leasing.c - see leasing.h. */
#include "scheduler/reference/leasing.h"

#include "scheduler/policies/policy.h"
#include "scheduler/solver/milp_solver.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

const char *const lease_objectives[] = {
    [OBJECTIVE_ADAPTIVE] = "adaptive", [OBJECTIVE_MAXIMIZE] = "maximize",
    [OBJECTIVE_MINIMIZE] = "minimize", [OBJECTIVE_RANDOM] = "random",
    [OBJECTIVE_RANDOM + 1] = NULL,
};

const char *lease_objective_name(enum lease_objective objective)
{
    return lease_objectives[objective];
}

enum lease_objective lease_objective_find(const char *name)
{
    size_t index = 0;

    while (lease_objectives[index + 1] && strcmp(lease_objectives[index], name) != 0)
        index++;
    return (enum lease_objective)index;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b > 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

int leasing_settle(struct leasing *self, int64_t slot_s, struct error *error)
{
    const int64_t common_s = common_divisor(self->lease_s, self->admission_s);

    if (self->check_s == 0)
        self->check_s = common_divisor(slot_s, common_s);
    if (common_s % self->check_s == 0)
        return 0;
    return error_set(error,
                     "--check_time_interval: %" PRId64
                     " s does not divide both the lease of %" PRId64 " s and the %" PRId64
                     " s between admissions (CH-Q12)",
                     self->check_s, self->lease_s, self->admission_s);
}

/* Lease rounds and admissions drift against each other by their common divisor, so every distance
 * from a round to the next admission is equally frequent. A distance of a lease or more brings no
 * run. */
double leasing_run_mean_s(const struct leasing *self)
{
    const double lease_s = (double)self->lease_s;
    const double admission_s = (double)self->admission_s;
    const double common_s = (double)common_divisor(self->lease_s, self->admission_s);

    return admission_s > lease_s ? (lease_s + common_s) / 2
                                 : lease_s - (admission_s - common_s) / 2;
}

/* ---- options ---- */

static const char *const solvers[] = {"none", "cbc", NULL};

static const struct policy_option items[] = {
    {POLICY_OPTION(struct leasing, lease_s, "lease-term-interval", "SECONDS", 1, 1000000,
                   "chronus: length of a lease"),
     .record = RECORD_ALWAYS, .record_key = "lease"},
    {POLICY_OPTION(struct leasing, check_s, "check-time-interval", "SECONDS", 0, 1000000,
                   "chronus: time between two looks at the jobs; 0: the greatest common divisor of "
                   "slot, lease and time between admissions"),
     .record = RECORD_ALWAYS, .record_key = "check"},
    {POLICY_OPTION(struct leasing, admission_s, "admission-interval", "SECONDS", 1, 1000000,
                   "chronus: time between two admissions of arrivals"),
     .record = RECORD_ALWAYS, .record_key = "admission"},
    {POLICY_CHOICE(struct leasing, objective, "mip-objective", "WHAT", lease_objectives,
                   "chronus: lend as many GPUs now as possible, as few, or as few while jobs "
                   "without a promise wait"),
     .record = RECORD_QUOTED, .record_key = "objective"},
    {POLICY_CHOICE(struct leasing, solver_name, "solver", "SOLVER", solvers,
                   "chronus: the solver that chooses the leases of a round; with none, the plan "
                   "that was made at admission decides"),
     .record = RECORD_QUOTED},
    {POLICY_OPTION(struct leasing, time_limit_s, "mip-time-limit", "SECONDS", 0, 1000000,
                   "chronus: how long a solver may take in each lease round; after that the plan "
                   "decides. 0 for no limit"),
     .record = RECORD_ALWAYS, .record_key = "limit"},
    {POLICY_OPTION(struct leasing, memory_mib, "mip-memory-limit", "MIB", 0, 1000000000,
                   "chronus: how much memory a solver may take; beyond that the plan decides. 0 "
                   "for no limit"),
     .record = RECORD_NEVER},
    {POLICY_OPTION(struct leasing, gap, "mip-gap", "PART", 0, 1,
                   "chronus: how much worse than the best a choice may be"),
     .record = RECORD_ALWAYS, .record_key = "gap"},
    POLICY_OPTIONS_END};

static int settle(void *values, const struct policy_setting *setting, struct error *error)
{
    struct leasing *self = values;

    if (leasing_settle(self, setting->slot_s, error) < 0)
        return -1;
    if (!strcmp(self->solver_name, "none"))
        return 0;
    self->solver = milp_find_solver(self->solver_name, error);
    return self->solver ? 0 : -1;
}

static const struct leasing usual = LEASING_DEFAULT;

const struct policy_options leasing_options = {.items = items,
                                               .usual = &usual,
                                               .size = sizeof(usual),
                                               .record_word = "leasing",
                                               .passed_over = true,
                                               .settle = settle};
