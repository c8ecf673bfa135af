/* oracle_edf_round.c - the rounds of `edf` and `edf-accessctrl` (section 15). */
#include "oracle_internal.h"

/* Makes the plan of the last planning the job's plan, but leaves its end alone. */
static void job_adopt_plan(struct run *run, struct job *job)
{
    oracle_steps_assign(&run->call, &job->plan, &job->edf_plan);
    job->gpus = oracle_gpus_at(&run->call, &job->plan, run->now_s);
}

static void job_adopt_end(struct job *job)
{
    job->end_old_s = job->end_s;
    job->end_s = job->edf_end_s;
}

static bool run_edf_replan(struct run *run, struct jobs *list)
{
    return oracle_edf_replan(&run->call, list, run->now_s, &run->timeline);
}

/* Plans the live jobs and `more` on a list of their own; the order of the live jobs stays. */
static bool run_edf_trial(struct run *run, const struct jobs *more)
{
    struct jobs trial = {0};
    bool all_met;

    oracle_jobs_append_all(&run->call, &trial, &run->live);
    oracle_jobs_append_all(&run->call, &trial, more);
    all_met = run_edf_replan(run, &trial);
    oracle_jobs_drop(&run->call, &trial);
    return all_met;
}

static void edf_plan(struct run *run, const struct jobs *starts)
{
    if (starts->count == 0) {
        run_edf_replan(run, &run->live);
        return;
    }
    run_edf_trial(run, starts);
    oracle_jobs_append_all(&run->call, &run->pending, starts);
    oracle_jobs_append_all(&run->call, &run->live, starts);
}

static void edf_adopt(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct jobs placing = {0};

    for (size_t i = 0; i < run->live.count; i++) {
        struct job *job = run->live.at[i];

        job_adopt_plan(run, job);
        job_adopt_end(job);
        if (oracle_jobs_have(&run->running, job)) {
            if (job->gpus > 0)
                oracle_jobs_append(call, &placing, job);
            oracle_event_move_end(call, &run->events, job);
        } else if (job->gpus > 0) {
            oracle_run_start(run, job);
            oracle_jobs_append(call, &placing, job);
            oracle_event_add_end(call, &run->events, job);
        }
    }
    oracle_jobs_sort(&placing, oracle_job_is_larger);
    for (size_t i = 0; i < placing.count; i++)
        oracle_place(&run->placement, placing.at[i]);
    oracle_jobs_drop(call, &placing);
}

static void edf_round(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct event event;

    oracle_run_progress(run);
    event = oracle_event_copy(call, &run->events, run->now_s);
    for (size_t i = 0; i < event.ends.count; i++) {
        oracle_release(&run->placement, event.ends.at[i]);
        oracle_run_retire(run, event.ends.at[i],
                          event.ends.at[i]->end_s > event.ends.at[i]->deadline_s);
    }
    edf_plan(run, &event.starts);
    for (size_t i = 0; i < run->running.count; i++)
        if (run->running.at[i]->gpus > 0)
            oracle_release(&run->placement, run->running.at[i]);
    edf_adopt(run);
    oracle_run_record_round(run);
    oracle_events_remove(call, &run->events, event.serial);
    oracle_event_drop(call, &event);
    if (run->events.count == 0)
        run->elapsed_s = call->slot_s;
    else
        oracle_run_advance(run, NULL); /* EF-Q38: no job pays an overhead */
}

void oracle_run_edf(struct run *run)
{
    while (run->events.count > 0 || run->pending.count > 0) {
        oracle_run_pass(run);
        edf_round(run);
    }
}

/* Adopts a trial in which every job meets its deadline. */
static void accessctrl_adopt_trial(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct jobs starting = {0};

    for (size_t i = 0; i < run->running.count; i++) {
        struct job *job = run->running.at[i];

        job_adopt_plan(run, job);
        job_adopt_end(job);
        if (job->end_s > job->deadline_s)
            oracle_abort(call, ORACLE_PLAN_CHECK, "job %s at %.0f: late in a trial that succeeded",
                         job->given->id, run->now_s);
        oracle_event_move_end(call, &run->events, job);
    }
    for (size_t i = 0; i < run->pending.count; i++) {
        job_adopt_plan(run, run->pending.at[i]);
        job_adopt_end(run->pending.at[i]);
        if (run->pending.at[i]->gpus > 0)
            oracle_jobs_append(call, &starting, run->pending.at[i]);
    }
    for (size_t i = 0; i < starting.count; i++) {
        oracle_run_start(run, starting.at[i]);
        oracle_event_add_end(call, &run->events, starting.at[i]);
    }
    oracle_jobs_drop(call, &starting);
}

/* Returns whether anything was admitted. EF-Q35: here, every job for itself. EF-Q36: but one job
 * that is late has it declined all the same. */
static bool accessctrl_admit(struct run *run, const struct jobs *starts)
{
    bool admitted = false;

    for (size_t i = 0; i < starts->count; i++) {
        const struct jobs one = {.at = &starts->at[i], .count = 1};

        if (!run_edf_trial(run, &one)) {
            run->declined++;
            continue;
        }
        oracle_jobs_append(&run->call, &run->pending, starts->at[i]);
        oracle_jobs_append(&run->call, &run->live, starts->at[i]);
        accessctrl_adopt_trial(run);
        admitted = true;
    }
    return admitted;
}

static void accessctrl_replan_and_place(struct run *run)
{
    struct oracle_call *call = &run->call;

    run_edf_replan(run, &run->live);
    for (size_t i = 0; i < run->live.count; i++) {
        struct job *job = run->live.at[i];

        job_adopt_plan(run, job);
        /* EF-Q39: a job that gets no GPU keeps its end, and may be retired unfinished. */
        if (job->gpus == 0)
            continue;
        oracle_place(&run->placement, job);
        if (oracle_jobs_have(&run->pending, job)) {
            oracle_run_start(run, job);
            oracle_event_add_end(call, &run->events, job);
        }
        job->end_s = job->edf_end_s;
        oracle_event_move_end(call, &run->events, job);
    }
}

static void accessctrl_round(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct event event;

    oracle_run_progress(run);
    for (size_t i = 0; i < run->live.count; i++) {
        run->live.at[i]->end_old_s = run->live.at[i]->end_s;
        if (run->live.at[i]->nodes)
            oracle_release(&run->placement, run->live.at[i]);
    }
    event = oracle_event_copy(call, &run->events, run->now_s);
    for (size_t i = 0; i < event.ends.count; i++)
        oracle_run_retire(run, event.ends.at[i],
                          event.ends.at[i]->end_s > event.ends.at[i]->deadline_s);
    if (accessctrl_admit(run, &event.starts)) {
        /* EF-Q40: not by size, so that small jobs may leave no place for a large one. */
        for (size_t i = 0; i < run->live.count; i++)
            if (run->live.at[i]->gpus > 0)
                oracle_place(&run->placement, run->live.at[i]);
    } else {
        accessctrl_replan_and_place(run);
    }
    oracle_run_record_round(run);
    oracle_events_remove(call, &run->events, event.serial);
    oracle_event_drop(call, &event);
    if (run->events.count == 0)
        run->elapsed_s = 10;
    else
        oracle_run_advance(run, &run->running);
}

void oracle_run_edf_accessctrl(struct run *run)
{
    while (run->events.count > 0 || run->pending.count > 0) {
        oracle_run_pass(run);
        accessctrl_round(run);
    }
}
