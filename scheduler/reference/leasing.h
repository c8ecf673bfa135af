/* leasing.h - what a run of a policy that lends GPUs by the lease is told beside its rules. */
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
    OBJECTIVE_ADAPTIVE, /* as few GPUs as possible while jobs without a promise are there, else as
                           many */
    OBJECTIVE_MAXIMIZE,
    OBJECTIVE_MINIMIZE,
    OBJECTIVE_RANDOM, /* whatever is feasible */
};

struct leasing {
    int64_t lease_s; /* length of a lease */
    int64_t check_s; /* between looks at the jobs; divides the other two; 0 until it is settled */
    int64_t admission_s; /* between admissions, which also hand out what is free */
    enum lease_objective objective;
    const char *solver_name;          /* "none" for none */
    const struct milp_solver *solver; /* NULL: by plan alone */
    struct milp *model;               /* room for its models, kept from round to round */
    const struct stop *stop;          /* whether what takes long is to give up; NULL asks nothing */
    void (*observe)(void *observer, const struct lease_problem *problem); /* see lease_choice.h */
    void *observer;
    double time_limit_s; /* of a solver, for each lease round; 0 for none */
    int64_t memory_mib;  /* of a solver; 0 for no limit */
    double gap;          /* that it may leave, relative to the GPUs of a lease round */
};

/* The setting of the published runs. */
#define LEASING_DEFAULT                                                                            \
    {                                                                                              \
        .lease_s = 240, .admission_s = 240, .objective = OBJECTIVE_ADAPTIVE, .solver_name = "cbc", \
        .time_limit_s = 5, .memory_mib = 4096                                                      \
    }

/* The options of such a policy. */
extern const struct policy_options leasing_options;

/* Picks the interval between checks from the scheduling slot, unless it is given. -1 with `error`
 * if it does not divide the others. */
int leasing_settle(struct leasing *self, int64_t slot_s, struct error *error);

/* How long a job that has no lease, but room, runs from one start to the next on average: it starts
 * at an admission and stops at the next lease round. */
double leasing_run_mean_s(const struct leasing *self);

/* All names of objectives, ended with NULL; the name of one, and the one of a name that is
 * there. */
extern const char *const lease_objectives[];
const char *lease_objective_name(enum lease_objective objective);
enum lease_objective lease_objective_find(const char *name);

/* Leases as short as this are completed at once where that is possible, as if they were counted in
 * minutes (CH-Q3). */
#define SHORT_LEASE_S 30

#endif
