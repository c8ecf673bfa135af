/* edf.c - earliest deadline first: the most urgent job takes as many GPUs as it may use, then the
 * next. `edf-accessctrl` admits a job only if all deadlines can be met with it; `edf` admits
 * every job.
 *
 * Source: the baselines of ElasticFlow, ASPLOS 2023, as the published artifact computes them. */
#include "scheduler/reference/admissions.h"
#include "scheduler/reference/aside.h"
#include "scheduler/reference/edf_planner.h"
#include "scheduler/reference/harm.h"
#include "scheduler/reference/rules.h"

#include <math.h>

#define GPUS_MAX 64

/* EF-Q10: the largest GPU count of the table, faster or not; policy_gpus_fastest is the clean rule.
 * EF-Q6: only a cell that says "nan" does not count. */
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
    return edf_plan_all(view, plan, plan_by_deadline(plan, view), EDF_STOP_IF_LATE, error);
}

static int plan_all(const struct view *view, plan_t *plan, struct error *error)
{
    plan_reset(plan, view);
    return edf_plan_all(view, plan, plan_by_deadline(plan, view), EDF_PLAN_ALL, error) < 0 ? -1 : 0;
}

int edf_prove_no_harm(const struct view *view, plan_t *plan, struct error *error)
{
    return prove_no_harm(plan_all, view, plan, error);
}

/* Plans and serves the jobs. A round with arrivals keeps the order of service; any other round
 * sorts it by deadline. */
static int plan_and_serve(const struct view *view, plan_t *plan, enum edf_extent extent,
                          struct error *error)
{
    const struct keyed *order;

    plan_reset(plan, view);
    order = view->arrival_count == 0 ? plan_order_by_deadline(plan, view)
                                     : plan_by_deadline(plan, view);
    return edf_plan_all(view, plan, order, extent, error) < 0 ? -1 : 0;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    return plan->proven ? 0 : plan_and_serve(view, plan, EDF_PLAN_ALL, error);
}

/* Plans running jobs. Jobs that wait after the last running job need no plan once no GPU is
 * free. */
static int allocate_running(const struct view *view, plan_t *plan, struct error *error)
{
    return plan_and_serve(view, plan, EDF_STOP_IF_FULL, error);
}

static const struct reference_rules rules = {
    .loop =
        {
            .credited_until_s = credited_until_end,
            .carries_overhead = false, /* EF-Q15 */
            .goes_on = goes_on_never,
            .ends_idle = idle_end_aborts,
            .judged_end_s = judged_by_end,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_round,
            .request = request_by_size,
            .wake = wake_never,
            .pays = pays_always,
            .loses_sets = true,
            .merge = merge_unless_sole, /* EF-Q16 */
            .tick_s = tick_never,
        },
    .planning = PLANNING_AS_PUBLISHED,
};

const struct policy policy_edf = {
    .name = "edf",
    .summary = "earliest deadline first, every job as large as its throughput table goes",
    .needs_powers = true,
    .placement = "elastic",
    .plans_past_deadlines = true,
    .admission = &admission_everyone,
    .gpus_max = gpus_max,
    .allocate = allocate_running,
    .rules = &rules,
    .stages =
        {
            .open = artifact_open,
            .close = artifact_close,
            .announce = artifact_announce,
            .forget = artifact_forget,
            .expect = planned_expect,
            .credit = artifact_credit,
            .pay = artifact_pay,
            .collect = artifact_collect,
            .retire = artifact_retire,
            .release = edf_release_by_start,
            .adopt = edf_adopt_in_order,
            .gather = aside_gather,
            .place = artifact_place,
            .charge = planned_leave,
            .advance = artifact_advance,
            .restart_rounds = artifact_restart_by_slot, /* EF-Q3 */
        },
};

static const struct reference_rules admitting_rules = {
    .loop =
        {
            .credited_until_s = credited_until_end,
            .carries_overhead = false, /* EF-Q15 */
            .goes_on = goes_on_never,
            .ends_idle = idle_end_retires,
            .judged_end_s = judged_by_end,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_round,
            .request = request_as_served,
            .wake = wake_never,
            .pays = pays_always,
            .look = look_at_groups,
            .loses_sets = true,
            .merge = merge_unless_sole, /* EF-Q16 */
            .tick_s = tick_never,
        },
    .planning = PLANNING_AS_PUBLISHED,
};

const struct policy policy_edf_accessctrl = {
    .name = "edf-accessctrl",
    .summary = "earliest deadline first, a job admitted only if every deadline can be met",
    .needs_powers = true,
    .placement = "elastic",
    .plans_past_deadlines = true,
    .admission = &admission_one_by_one,
    .prove = prove,
    .gpus_max = gpus_max,
    .allocate = allocate,
    .rules = &admitting_rules,
    .stages =
        {
            .open = artifact_open,
            .close = artifact_close,
            .announce = artifact_announce,
            .forget = artifact_forget,
            .expect = planned_expect,
            .credit = artifact_credit,
            .pay = artifact_pay,
            .collect = artifact_collect,
            .retire = artifact_release_and_retire,
            .adopt = planned_adopt_unless_idle,
            .adopt_proof = planned_adopt_proof,
            .place = artifact_place,
            .charge = planned_leave_and_charge,
            .advance = artifact_advance,
            .restart_rounds = artifact_restart_by_slot, /* EF-Q3 */
        },
};
