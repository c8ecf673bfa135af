/* leasing_options.h - the options of policies that lend GPUs by the lease, for every program that
 * runs a simulation. `s` is what separates words in the names: "_" as the artifact has it, or
 * "-". */
#ifndef REFERENCE_LEASING_OPTIONS_H
#define REFERENCE_LEASING_OPTIONS_H

#include "common/options.h"
#include "scheduler/run/simulation.h"

/* clang-format off */
#define OPTIONS_OF_LEASING(simulation, s)                                                          \
    OPTION_WHOLE("lease" s "term" s "interval", "SECONDS", &(simulation)->leasing.lease_s,         \
                 1, 1000000, "chronus: length of a lease"),                                        \
    OPTION_WHOLE("check" s "time" s "interval", "SECONDS", &(simulation)->leasing.check_s,         \
                 0, 1000000, "chronus: time between two looks at the jobs; 0: the greatest "       \
                 "common divisor of slot, lease and time between admissions"),                     \
    OPTION_WHOLE("admission" s "interval", "SECONDS", &(simulation)->leasing.admission_s,          \
                 1, 1000000, "chronus: time between two admissions of arrivals"),                  \
    OPTION_CHOICE("solver", "SOLVER", &(simulation)->solver, simulation_solvers,                   \
                  "chronus: the solver that chooses the leases of a round; with none, the plan "   \
                  "that was made at admission decides"),                                           \
    OPTION_CHOICE("mip" s "objective", "WHAT", &(simulation)->lease_objective,                     \
                  lease_objective_names(),                                                         \
                  "chronus: lend as many GPUs now as possible, as few, or as few while jobs "      \
                  "without a promise wait"),                                                       \
    OPTION_REAL("mip" s "time" s "limit", "SECONDS", &(simulation)->leasing.time_limit_s,          \
                0, 1000000, "chronus: how long a solver may take in each lease round; after that " \
                "the plan decides. 0 for no limit"),                                               \
    OPTION_WHOLE("mip" s "memory" s "limit", "MIB", &(simulation)->leasing.memory_mib,             \
                 0, 1000000000, "chronus: how much memory a solver may take; beyond that the "     \
                 "plan decides. 0 for no limit"),                                                  \
    OPTION_REAL("mip" s "gap", "PART", &(simulation)->leasing.gap,                                 \
                0, 1, "chronus: how much worse than the best a choice may be")
/* clang-format on */

#endif
