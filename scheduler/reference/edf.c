/* edf.c - earliest deadline first: the most urgent job takes as many GPUs as it may use, then the
 * next. `edf-accessctrl` admits a job only if all deadlines can be met with it; `edf` admits
 * everybody.
 *
 * Source: the baselines of ElasticFlow, ASPLOS 2023, as the published artifact computes them. */
#include "scheduler/policies/policy.h"
#include "scheduler/reference/edf_planner.h"
#include "scheduler/reference/harm.h"

#include <math.h>

#define GPUS_MAX 64

/* EF-Q10: the largest GPU count of the table, whether it is faster or not; policy_gpus_fastest is
 * the clean rule. EF-Q6: only a cell that says "nan" does not count. */
static int gpus_max(const struct job *job, const char *gpu_type)
{
    const struct throughput_row *row = job->submission->throughput;
    int gpus = 1;

    (void)gpu_type;
    for (int i = 0; i < row->level_count; i++)
        if (!row->marked_nan[i])
            gpus = row->gpus[i];
    gpus = gpus < GPUS_MAX ? gpus : GPUS_MAX;
    return gpus < job->submission->batch_size ? gpus : job->submission->batch_size;
}

static int prove(const struct view *view, plan_t *plan, struct error *error)
{
    plan_reset(plan, view);
    return edf_plan_all(view, plan, EDF_STOP_IF_LATE, error);
}

static int plan_all(const struct view *view, plan_t *plan, struct error *error)
{
    plan_reset(plan, view);
    return edf_plan_all(view, plan, EDF_PLAN_ALL, error) < 0 ? -1 : 0;
}

int edf_prove_no_harm(const struct view *view, plan_t *plan, struct error *error)
{
    return prove_no_harm(plan_all, view, plan, error);
}

/* A round with arrivals leaves the order of service as it is; any other puts it by deadline. */
static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    if (plan->proven)
        return 0;
    plan_reset(plan, view);
    if (view->arrival_count == 0)
        plan_order_by_deadline(plan, view);
    return edf_plan_all(view, plan, EDF_PLAN_ALL, error) < 0 ? -1 : 0;
}

/* As `allocate`; those that wait behind the last running job need no plan once nothing is free. */
static int allocate_running(const struct view *view, plan_t *plan, struct error *error)
{
    plan_reset(plan, view);
    if (view->arrival_count == 0)
        plan_order_by_deadline(plan, view);
    return edf_plan_all(view, plan, EDF_STOP_IF_FULL, error) < 0 ? -1 : 0;
}

const struct policy policy_edf = {
    .name = "edf",
    .summary = "earliest deadline first, every job as large as its throughput table goes",
    .admission = &admission_everyone,
    .gpus_max = gpus_max,
    .allocate = allocate_running,
    .rules =
        {
            .rest = REST_IS_FORGIVEN, /* EF-Q15 */
            .credit = CREDIT_UNTIL_END,
            .event = EVENT_LEAVES_LAST,
            .idle_end = IDLE_END_ABORTS,
            .late = LATE_BY_END,
            .release = RELEASE_IN_ORDER_OF_START,
            .sets = SETS_ARE_LOST,
            .adopt = ADOPT_IN_ORDER,
            .place = PLACE_BY_SIZE,
            .wake = WAKE_NEVER,
            .charge = CHARGE_NOBODY,
            .restart = RESTART_BY_SLOT,
            .pays = PAYS_ALWAYS,
        },
    .planning = PLANNING_AS_PUBLISHED,
};

const struct policy policy_edf_accessctrl = {
    .name = "edf-accessctrl",
    .summary = "earliest deadline first, a job admitted only if every deadline can be met",
    .admission = &admission_one_by_one,
    .prove = prove,
    .promised_s = policy_promised_deadline,
    .gpus_max = gpus_max,
    .allocate = allocate,
    .rules =
        {
            .rest = REST_IS_FORGIVEN, /* EF-Q15 */
            .credit = CREDIT_UNTIL_END,
            .event = EVENT_LEAVES_LAST,
            .idle_end = IDLE_END_RETIRES,
            .late = LATE_BY_END,
            .release = RELEASE_IN_ORDER_OF_SERVICE,
            .sets = SETS_ARE_LOST,
            .adopt = ADOPT_IN_ORDER,
            .idle_keeps_end = true,
            .place = PLACE_AS_SERVED,
            .wake = WAKE_NEVER,
            .charge = CHARGE_RUNNING,
            .restart = RESTART_BY_SLOT,
            .pays = PAYS_ALWAYS,
        },
    .planning = PLANNING_AS_PUBLISHED,
};
