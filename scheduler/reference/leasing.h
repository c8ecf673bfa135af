/* leasing.h - the setting of a policy that lends GPUs by the lease, beside its rules. */
#ifndef REFERENCE_LEASING_H
#define REFERENCE_LEASING_H

#include "common/error.h"
#include "common/stop.h"
#include "scheduler/policies/policy_options.h"

#include <stdbool.h>
#include <stdint.h>

struct lease_problem;
struct milp;
struct milp_solver;

/* The aims of the choice of a lease round. */
enum lease_objective {
    OBJECTIVE_ADAPTIVE, /* fewest GPUs while jobs without a promise exist, else most */
    OBJECTIVE_MAXIMIZE,
    OBJECTIVE_MINIMIZE,
    OBJECTIVE_RANDOM, /* any feasible choice */
};

struct leasing {
    int64_t lease_s; /* length of a lease */
    int64_t
        check_s; /* interval of checks of jobs; divides the other two; 0 until leasing_settle() */
    int64_t admission_s; /* interval of admissions, which also hand out free GPUs */
    enum lease_objective objective;
    const char *solver_name;          /* "none" for no solver */
    const struct milp_solver *solver; /* NULL for no solver: leases go by plan alone */
    struct milp *model;               /* memory of the solver's models, kept from round to round */
    const struct stop *stop; /* stops long computations on request; NULL: no request comes */
    void (*observe)(void *observer, const struct lease_problem *problem); /* see lease_choice.h */
    void *observer;
    double time_limit_s; /* limit of a solver in each lease round; 0 for none */
    int64_t memory_mib;  /* limit of a solver; 0 for none */
    double gap; /* the gap that a solver may leave, relative to the GPUs of a lease round */
};

/* The setting of the published runs. */
#define LEASING_DEFAULT                                                                            \
    {                                                                                              \
        .lease_s = 240, .admission_s = 240, .objective = OBJECTIVE_ADAPTIVE, .solver_name = "cbc", \
        .time_limit_s = 5, .memory_mib = 4096                                                      \
    }

/* The options of policies that lend GPUs by the lease. */
extern const struct policy_options leasing_options;

/* Picks the interval between checks from the scheduling slot, unless the interval is given. -1 with
 * `error` if it does not divide the intervals of leases and admissions. */
int leasing_settle(struct leasing *self, int64_t slot_s, struct error *error);

/* The average run of a job on free GPUs without a lease: the job starts at an admission and stops
 * at the next lease round. */
double leasing_run_mean_s(const struct leasing *self);

/* lease_objectives: the names of all objectives, and a NULL at the end. lease_objective_name: the
 * name of an objective. lease_objective_find: the objective of an existing name. */
extern const char *const lease_objectives[];
const char *lease_objective_name(enum lease_objective objective);
enum lease_objective lease_objective_find(const char *name);

/* Jobs under leases up to this length are completed at once where possible, as if they were counted
 * in minutes (CH-Q3). */
#define SHORT_LEASE_S 30

#endif
