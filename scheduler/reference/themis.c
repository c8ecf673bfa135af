/* themis.c - finish-time fairness: in every slot the jobs with the largest fair share of time hold
 * the GPUs they asked for.
 *
 * A job that does not fit is passed over. Deadlines play no role.
 * Source: Mahajan et al., Themis, NSDI 2020, in the form of Gavel (OSDI 2020), as the published
 * ElasticFlow artifact computes it; where that leaves the answer to a solver, fair_shares.h says
 * which one is meant. */
#include "common/sort.h"
#include "scheduler/plan/level.h"
#include "scheduler/reference/fair_shares.h"
#include "scheduler/reference/rules.h"

/* TH-Q2: the fair number of GPUs of each job, rounded up. */
static int fair_gpus(const struct view *view)
{
    const int jobs = (int)view->job_count;

    return (view->gpu_count + jobs - 1) / jobs;
}

/* TH-Q1: the speed of the job on `part` of the GPUs it asked for, as a fraction of its full speed.
 * Work divided by this speed comes in iterations, not in seconds. */
double themis_speed_as_fraction(const struct job *job, double part)
{
    (void)job;
    return part / (part > 1 ? part : 1);
}

double themis_speed(const struct job *job, double part)
{
    return part / (part > 1 ? part : 1) * job->scaling->rate[job->scaling->top];
}

/* TH-Q3: the time since the job arrived, but as of the last arrival or end. */
double themis_elapsed_until_event(const struct view *view, const struct job *job)
{
    return (double)(view->event_s - job->submission->submit_s);
}

double themis_elapsed(const struct view *view, const struct job *job)
{
    return (double)(view->now_s - job->submission->submit_s);
}

/* TH-Q5: the shares are priorities and no more; a job that got little so far does not catch up. */
double themis_priority_by_share(const struct view *view, const struct job *job, double share)
{
    (void)view;
    (void)job;
    return share;
}

/* TH-Q5 put right: the share divided by the slots that the job has had, this slot included. */
double themis_priority_by_debt(const struct view *view, const struct job *job, double share)
{
    const int64_t slots = job->attained_s / view->slot_s;

    return share / ((double)slots + 1);
}

/* The memory of a job. */
struct fair_note {
    double fair_work;    /* work on a fair share so far, in iterations per unit of share */
    double left_before;  /* iterations left a round ago */
    double share_before; /* the share a round ago, 0 before the first round */
};

static struct fair_claim claim_of(const struct view *view, const struct job *job)
{
    struct fair_note *note = side_table_at(view->memory, job);
    const double left = job->iterations_left;
    const double speed = sharing_of(view)->themis.fair_speed(
        job, (double)fair_gpus(view) / job->submission->gpus_requested);

    if (note->share_before > 0)
        note->fair_work += (note->left_before - left) / note->share_before;
    note->left_before = left;
    note->share_before = speed;
    return (struct fair_claim){.elapsed = sharing_of(view)->themis.elapsed_s(view, job),
                               .need = left / job->scaling->rate[job->scaling->top],
                               .fair = note->fair_work + left / speed,
                               .gpus = job->submission->gpus_requested};
}

static void serve_by_priority(const struct view *view, plan_t *plan,
                              const struct fair_claim *claims)
{
    const size_t count = view->job_count;
    struct keyed *keys = arena_alloc(plan->scratch, 2 * count * sizeof(*keys));

    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed){
            -sharing_of(view)->themis.priority(view, view->jobs[i], claims[i].share), i};
    sort_keyed(keys, count, keys + count);
    for (size_t i = 0; i < count; i++)
        plan->service[i] = keys[i].item;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct fair_claim *claims;
    int free_gpus = view->gpu_count;

    (void)error;
    plan_reset(plan, view);
    if (view->job_count == 0)
        return 0;
    claims = arena_alloc(plan->scratch, view->job_count * sizeof(*claims));
    for (size_t i = 0; i < view->job_count; i++)
        claims[i] = claim_of(view, view->jobs[i]);
    fair_shares(claims, view->job_count, view->gpu_count);
    serve_by_priority(view, plan, claims);
    for (size_t i = 0; i < view->job_count && free_gpus > 0; i++) {
        const struct job *job = view->jobs[plan->service[i]];

        if (job->submission->gpus_requested > free_gpus)
            continue;
        plan->shares[plan->service[i]].grant = level_grant_here(job, job->scaling->top);
        free_gpus -= job->submission->gpus_requested;
    }
    return 0;
}

static void *open_memory(const struct policy_setting *setting)
{
    (void)setting;
    return side_table_new(sizeof(struct fair_note));
}

static void close_memory(void *memory)
{
    side_table_t *notes = memory;

    side_table_destroy(&notes);
}

static const struct reference_rules rules = {
    .loop =
        {
            .carries_overhead = true,
            .goes_on = goes_on_never,
            .ends_idle = idle_end_retires,
            .judged_end_s = judged_by_end,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_end,
            .ends_with_interval = true, /* TH-Q6 */
            .request = request_by_size,
            .loses_sets = true,
            .merge = merge_always,
            .tick_s = tick_every_slot,
        },
    .sharing.themis = {.fair_speed = themis_speed_as_fraction,
                       .elapsed_s = themis_elapsed_until_event,
                       .priority = themis_priority_by_share},
};

const struct policy policy_themis = {
    .name = "themis",
    .summary = "Themis: the jobs with the largest fair share of time, slot by slot",
    .needs_powers = true,
    .placement = "elastic",
    .plans_past_deadlines = true,
    .open = open_memory,
    .close = close_memory,
    .admission = &admission_everyone,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate,
    .rules = &rules,
    .stages =
        {
            .open = artifact_open,
            .close = artifact_close,
            .measure = MEASURE_EITHER,
            .check = requested_check_size,
            .announce = artifact_announce,
            .forget = artifact_forget,
            .expect = requested_expect_either,
            .credit = artifact_credit,
            .pay = artifact_pay,
            .collect = artifact_collect_first,
            .retire = artifact_release_and_retire,
            .adopt = requested_adopt,
            .place = artifact_place,
            .charge = requested_charge_nothing, /* TH-Q4 */
            .foresee = requested_foresee,
            .advance = artifact_advance,
        },
};
