/* lease_report.h - what a run of a policy that lends GPUs by the lease writes in addition: the
 * promised deadlines and whether they were kept, and how each lease round chose.
 *
 *   promises.csv  job_id,class,estimated_s,promised,starts,leases,waited_s,missed
 *                 in the order of retirement: the class at the end (accepted, unaccepted, lowest,
 *                 best-effort), the run time that was reckoned with, the deadline that was in force
 *                 (empty for best effort), how often the job was started, how many leases it was
 *                 granted, the seconds that were credited although it waited (CH-Q1), and 1 if its
 *                 end was late
 *   leases.csv    time,objective,method,answer,entries,columns,rows,granted_gpus
 *                 a line for each lease round that had jobs to choose from: how they were chosen
 *                 in the end (plan, closed-form, compacted, full), what the solver answered if
 *                 it was asked ("-" if not), the jobs and levels to choose from, the size of the
 *                 largest model, and the GPUs that were lent */
#ifndef REFERENCE_LEASE_REPORT_H
#define REFERENCE_LEASE_REPORT_H

#include "common/error.h"
#include "common/output.h"
#include "scheduler/policies/policy_figures.h"
#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/leasing.h"
#include "scheduler/solver/milp.h"

#include <stdint.h>

/* The figures of a finished run. */
struct lease_figures {
    struct leasing leasing; /* the setting */
    char solver[32];        /* name of the solver, "none" for none */
    int64_t admitted;       /* number of jobs whose promise stood to the end */
    int64_t broken;         /* number of these jobs that were late */
    int64_t rounds;         /* number of lease rounds with jobs to choose from */
    int64_t by_method[LEASE_METHODS];
    int64_t by_answer[MILP_ANSWERS];
    int64_t fallbacks; /* rounds in which a solver was asked and the plan decided */
    int64_t first_fallback_s;
    struct error trouble; /* the reason why the first fallback had no optimal answer */
    int64_t columns_max;  /* largest number of columns of a model */
    int64_t rows_max;
    double gap_max;     /* largest gap left by a solver: GPUs, if jobs have one level */
    double solve_p50_s; /* over rounds in which a solver was asked; wall time, 0 if there were
                           none */
    double solve_p95_s;
    double solve_max_s;
};

typedef struct lease_report lease_report_t;

/* Starts the two files, which are lent; NULL for no files. */
lease_report_t *lease_report_new(output_t *promises, output_t *leases)
    __attribute__((returns_nonnull));
void lease_report_destroy(lease_report_t **self);

/* `job` is done; `late` is the judgement of its end. */
void lease_report_promise(lease_report_t *self, const struct lease *lease, bool late);

/* The lease round at `now_s`. */
void lease_report_round(lease_report_t *self, int64_t now_s, const struct lease_round *round);

/* Completes all figures except the setting. */
void lease_report_count(lease_report_t *self, struct lease_figures *figures);

/* The table of the figures. */
extern const struct policy_figures lease_figures_table;

#endif
