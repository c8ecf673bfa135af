/* oracle_ef_round.c - the rounds of `ef-accessctrl` and `ef` (section 13) and how they hand out the
 * GPUs that the plans leave idle (section 12). */
#include "oracle_internal.h"

/* Takes every job of `list` off its nodes and plans the list anew, in order of deadlines. Returns
 * whether all deadlines are met.
 *
 * keep  leave alone where the event list has the jobs' ends */
static bool run_replan(struct run *run, struct jobs *list, bool keep)
{
    bool all_met = true;

    oracle_jobs_sort(list, oracle_job_is_more_urgent);
    for (size_t i = 0; i < list->count; i++) {
        if (!keep)
            list->at[i]->end_old_s = list->at[i]->end_s;
        if (list->at[i]->nodes)
            oracle_release(&run->placement, list->at[i]);
    }
    run->timeline.count = 0;
    oracle_timeline_set(&run->call, &run->timeline, run->now_s, run->call.gpu_count);
    for (size_t i = 0; i < list->count; i++)
        if (!oracle_plan_commit(&run->call, list->at[i], run->now_s, &run->timeline))
            all_met = false;
    return all_met;
}

static struct job *first_that_can_grow(const struct jobs *list, int spare)
{
    for (size_t i = 0; i < list->count; i++) {
        struct job *job = list->at[i];

        if (job->gpus_next > job->gpus && job->gpus_next - job->gpus <= spare)
            return job;
    }
    return NULL;
}

static void job_grow(struct run *run, struct job *job)
{
    oracle_steps_assign(&run->call, &run->timeline, &job->candidate_timeline);
    oracle_steps_assign(&run->call, &job->plan, &job->candidate_plan);
    job->end_old_s = job->end_s;
    job->end_s = job->candidate_end_s;
    job->real_end_s = job->candidate_real_end_s;
    if (oracle_jobs_have(&run->pending, job))
        oracle_run_start(run, job);
    oracle_event_move_end(&run->call, &run->events, job);
    job->gpus = job->gpus_next;
    job->gpus_next = oracle_level_up(&run->call, job, job->gpus);
}

static void run_share_spare(struct run *run)
{
    struct oracle_call *call = &run->call;
    int spare = call->gpu_count;
    bool again = true;

    for (size_t i = 0; i < run->live.count; i++)
        spare -= run->live.at[i]->gpus;
    if (oracle_gpus_at(call, &run->timeline, run->now_s) != spare)
        oracle_abort(call, ORACLE_PLAN_CHECK, "at %.0f: timeline and jobs disagree", run->now_s);
    for (size_t i = 0; i < run->live.count; i++)
        run->live.at[i]->gpus_next = oracle_level_up(call, run->live.at[i], run->live.at[i]->gpus);
    if (spare == 0)
        return;

    for (size_t i = 0; i < run->live.count; i++)
        oracle_gain(call, run->live.at[i], run->now_s, &run->timeline, spare);
    oracle_jobs_sort(&run->live, oracle_job_gains_more);
    while (spare > 0 && again) {
        struct job *chosen = first_that_can_grow(&run->live, spare);

        again = chosen != NULL;
        if (chosen) {
            spare -= chosen->gpus_next - chosen->gpus;
            job_grow(run, chosen);
        }
        /* EF-Q30: a job at its largest level keeps its last gain, which orders the list on. */
        for (size_t i = 0; i < run->live.count; i++)
            if (run->live.at[i]->gpus_next > run->live.at[i]->gpus)
                oracle_gain(call, run->live.at[i], run->now_s, &run->timeline, spare);
        oracle_jobs_sort(&run->live, oracle_job_gains_more);
    }
}

/* Places the jobs of `list` that share nodes, the larger ones first. */
static void run_place_small(struct run *run, const struct jobs *list)
{
    for (int k = ORACLE_LABEL_COUNT - 1; k >= 0; k--) {
        if (oracle_labels[k] >= run->placement.gpus_per_node)
            continue;
        for (size_t i = 0; i < list->count; i++)
            if (list->at[i]->gpus == oracle_labels[k])
                oracle_place(&run->placement, list->at[i]);
    }
}

/* The first time after now at which the plan, sorted, has an entry. EF-Q12: also one of zero. */
static double plan_change(const struct run *run, const struct job *job)
{
    for (size_t i = 0; i < job->plan.count; i++)
        if (job->plan.at[i].time_s > run->now_s)
            return job->plan.at[i].time_s;
    return ORACLE_FOREVER_S;
}

static void run_adopt_plans(struct run *run)
{
    for (size_t i = 0; i < run->live.count; i++) {
        struct job *job = run->live.at[i];

        job->gpus = oracle_gpus_at(&run->call, &job->plan, run->now_s);
        oracle_event_move_end(&run->call, &run->events, job);
        job->end_old_s = job->end_s;
    }
}

static void run_remember_ends(struct run *run)
{
    for (size_t i = 0; i < run->live.count; i++)
        run->live.at[i]->end_old_s = run->live.at[i]->end_s;
}

static void run_admit(struct run *run, struct job *job)
{
    if (run->setting->policy == ORACLE_EF_ACCESSCTRL && job->given->num_gpu == 0)
        oracle_abort(&run->call, ORACLE_BAD_INPUT, "job %s: num_gpu is 0", job->given->id);
    oracle_jobs_append(&run->call, &run->pending, job);
    oracle_jobs_append(&run->call, &run->live, job);
}

/* Admits what arrives, if all deadlines can be met with it, and plans all live jobs.
 *
 * EF-Q35: all that arrives in one event is admitted or declined together. EF-Q36: a single job that
 * is late, be it an old one, has all of it declined. */
static void accessctrl_admit(struct run *run, const struct jobs *starts)
{
    struct jobs trial = {0};
    bool admitted = false;

    if (starts->count > 0) {
        oracle_jobs_append_all(&run->call, &trial, &run->live);
        oracle_jobs_append_all(&run->call, &trial, starts);
        admitted = run_replan(run, &trial, false);
        oracle_jobs_drop(&run->call, &trial);
    }
    for (size_t i = 0; i < starts->count; i++) {
        /* EF-Q34: best effort gets in even so. */
        if (admitted || starts->at[i]->given->best_effort)
            run_admit(run, starts->at[i]);
        else
            run->declined++;
    }
    if (!admitted)
        run_replan(run, &run->live, starts->count > 0);
}

static void accessctrl_start_planned(struct run *run)
{
    struct jobs pending = {0};

    oracle_jobs_append_all(&run->call, &pending, &run->pending);
    for (size_t i = 0; i < pending.count; i++)
        if (oracle_gpus_at(&run->call, &pending.at[i]->plan, run->now_s) > 0)
            oracle_run_start(run, pending.at[i]);
    oracle_jobs_drop(&run->call, &pending);
}

/* Places all live jobs and returns the earliest planned change. */
static double accessctrl_place(struct run *run)
{
    double wake_s = ORACLE_FOREVER_S;

    oracle_jobs_sort(&run->live, oracle_job_is_larger);
    for (size_t i = 0; i < run->live.count; i++) {
        double change_s;

        oracle_steps_sort(&run->live.at[i]->plan);
        change_s = plan_change(run, run->live.at[i]);
        if (change_s < wake_s)
            wake_s = change_s;
    }
    for (size_t i = 0; i < run->live.count; i++)
        if (run->live.at[i]->gpus >= run->placement.gpus_per_node)
            oracle_place(&run->placement, run->live.at[i]);
    run_place_small(run, &run->live);
    return wake_s;
}

static void accessctrl_round(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct event event;
    double wake_s;

    oracle_run_progress(run);
    event = oracle_event_copy(call, &run->events, run->now_s);
    oracle_events_remove(call, &run->events, event.serial);
    /* EF-Q44: the run ends with a wake-up at the end of time. */
    if (run->pending.count == 0 && run->running.count == 0 && event.starts.count == 0 &&
        event.ends.count == 0)
        return;

    for (size_t i = 0; i < event.ends.count; i++) {
        struct job *job = event.ends.at[i];

        /* EF-Q32: the end of a job without GPUs is forgotten until it is planned again. */
        if (!job->nodes)
            continue;
        oracle_release(&run->placement, job);
        /* EF-Q33: neither overhead nor slot counts here. */
        oracle_run_retire(run, job, job->real_end_s > job->deadline_s);
    }
    run_remember_ends(run);
    accessctrl_admit(run, &event.starts);
    oracle_jobs_sort(&run->live, oracle_job_is_more_urgent);
    run_adopt_plans(run);
    run_replan(run, &run->live, true); /* gives the same plans, and the timeline to them */
    accessctrl_start_planned(run);
    run_share_spare(run);
    wake_s = accessctrl_place(run);
    oracle_run_record_round(run);
    oracle_event_drop(call, &event);

    /* EF-Q13: one wake-up at most, and only if nothing else comes first. */
    oracle_events_sort(&run->events);
    if (run->events.count == 0 || wake_s < run->events.at[0].time_s)
        oracle_event_add_wakeup(call, &run->events, wake_s);
    oracle_run_advance(run, &run->live);
}

void oracle_run_ef_accessctrl(struct run *run)
{
    while (run->events.count > 0 || run->pending.count > 0 || run->running.count > 0) {
        oracle_run_pass(run);
        accessctrl_round(run);
    }
}

static double plan_first_use(const struct job *job)
{
    for (size_t i = 0; i < job->plan.count; i++)
        if (job->plan.at[i].gpus > 0)
            return job->plan.at[i].time_s;
    return ORACLE_FOREVER_S;
}

static void ef_start_planned(struct run *run)
{
    struct jobs starting = {0};

    for (size_t i = 0; i < run->pending.count; i++) {
        struct job *job = run->pending.at[i];
        double use_s = plan_first_use(job);

        if (use_s > run->now_s)
            oracle_event_add_wakeup(&run->call, &run->events, use_s);
        else
            oracle_jobs_append(&run->call, &starting, job);
    }
    for (size_t i = 0; i < starting.count; i++)
        oracle_run_start(run, starting.at[i]);
    oracle_jobs_drop(&run->call, &starting);
}

/* Places all running jobs. EF-Q13: wakes at every planned change, and lets old wake-ups be. */
static void ef_place(struct run *run)
{
    for (size_t i = 0; i < run->running.count; i++) {
        struct job *job = run->running.at[i];
        double change_s;

        oracle_steps_sort(&job->plan);
        change_s = plan_change(run, job);
        if (change_s < ORACLE_FOREVER_S)
            oracle_event_add_wakeup(&run->call, &run->events, change_s);
        if (job->gpus >= run->placement.gpus_per_node)
            oracle_place(&run->placement, job);
    }
    run_place_small(run, &run->running);
}

static void ef_round(struct run *run)
{
    struct oracle_call *call = &run->call;
    struct event event;

    oracle_run_progress(run);
    event = oracle_event_copy(call, &run->events, run->now_s);
    for (size_t i = 0; i < event.ends.count; i++) {
        struct job *job = event.ends.at[i];

        oracle_release(&run->placement, job);
        /* EF-Q33: the end is on the slot grid, and late by the last overhead. */
        oracle_run_retire(run, job, job->end_s > job->deadline_s);
    }
    run_remember_ends(run);
    for (size_t i = 0; i < event.starts.count; i++)
        run_admit(run, event.starts.at[i]);
    oracle_jobs_sort(&run->live, oracle_job_is_more_urgent);
    run_replan(run, &run->live, false);
    run_adopt_plans(run);
    oracle_events_remove(call, &run->events, event.serial);
    oracle_event_drop(call, &event);
    ef_start_planned(run);
    run_share_spare(run);
    ef_place(run);
    oracle_run_record_round(run);
    if (run->events.count == 0) {
        run->now_s += 10;
        run->elapsed_s = 10;
        return;
    }
    oracle_run_advance(run, &run->running);
}

void oracle_run_ef(struct run *run)
{
    while (run->events.count > 0 || run->pending.count > 0 || run->running.count > 0) {
        oracle_run_pass(run);
        ef_round(run);
    }
}
