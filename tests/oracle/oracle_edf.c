/* oracle_edf.c - the planner of the EDF policies (section 14): every job takes all the GPUs it can
 * use at any time, whatever its deadline (EF-Q10). */
#include "oracle_internal.h"

/* The timeline is changed at entries only until the job ends, so `free` and `timeline` have the
 * same entries while the loop runs. */
bool oracle_edf_commit(struct oracle_call *call, struct job *job, double now_s,
                       struct oracle_steps *timeline)
{
    int base = job->cap < call->gpu_count ? job->cap : call->gpu_count;
    double work_iters = job->work_iters;
    struct oracle_steps free = {0};
    struct oracle_steps plan = {0};
    double at_s = now_s;
    bool in_time = true;
    bool ended = false;
    double end_s = 0;
    size_t i;

    oracle_steps_assign(call, &free, timeline);
    oracle_plan_set(call, &plan, now_s, 0);
    for (i = 0; i + 1 < timeline->count && !ended; i++) {
        double next_s = timeline->at[i + 1].time_s;
        int available = free.at[i].gpus;
        int gpus = 0;

        if (available >= 1) {
            gpus = available >= base ? base : oracle_column_down(call, job, available);
            oracle_plan_set(call, &plan, at_s, gpus);
            end_s = oracle_ceil(
                call, at_s + oracle_duration(call, work_iters, oracle_rate(call, job, gpus)));
            if (next_s >= end_s) {
                int hold = available;

                /* A job too short to last until its own end reserves nothing, but only if it had
                 * all the GPUs it can use. */
                if (end_s > at_s || available < base)
                    free.at[i].gpus = available - gpus;
                /* EF-Q37: asks about the exact end, writes at the aligned one, and so may
                 * overwrite what is free from there on. */
                if (!oracle_step_at(timeline, end_s))
                    oracle_timeline_set(call, &free, oracle_align(call, now_s, end_s), hold);
                ended = true;
                break;
            }
            work_iters -= (next_s - at_s) * oracle_rate(call, job, gpus);
            free.at[i].gpus -= gpus;
        } else {
            oracle_plan_set(call, &plan, at_s, 0);
        }
        at_s = next_s;
        if (at_s > job->deadline_s)
            in_time = false;
    }
    if (!ended) {
        oracle_plan_set(call, &plan, at_s, base);
        end_s = oracle_ceil(call,
                            at_s + oracle_duration(call, work_iters, oracle_rate(call, job, base)));
        oracle_timeline_set(call, &free, at_s, call->gpu_count - base);
        oracle_timeline_set(call, &free, oracle_align(call, now_s, end_s), call->gpu_count);
    }
    for (i = 0; i < free.count; i++)
        if (free.at[i].gpus < 0)
            oracle_abort(call, ORACLE_PLAN_CHECK, "job %s at %.0f: fewer than no GPUs are free",
                         job->given->id, now_s);

    oracle_steps_compress(&free);
    oracle_steps_assign(call, timeline, &free);
    oracle_steps_compress(&plan);
    oracle_steps_assign(call, &job->edf_plan, &plan);
    job->edf_end_s = end_s;
    oracle_steps_drop(call, &free);
    oracle_steps_drop(call, &plan);
    return in_time && end_s <= job->deadline_s;
}

bool oracle_edf_replan(struct oracle_call *call, struct jobs *list, double now_s,
                       struct oracle_steps *timeline)
{
    bool all_met = true;

    timeline->count = 0;
    oracle_timeline_set(call, timeline, now_s, call->gpu_count);
    oracle_jobs_sort(list, oracle_job_is_more_urgent);
    for (size_t i = 0; i < list->count; i++)
        if (!oracle_edf_commit(call, list->at[i], now_s, timeline))
            all_met = false;
    return all_met;
}
