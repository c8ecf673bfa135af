/* dlas_gpu.c - Tiresias: the less service a job has attained, in GPUs x time, the sooner it is
 * served. Service is divided into only three queues, so that jobs do not take each other's GPUs all
 * the time. A job that has used up the limit of its queue goes to the end of the next queue.
 *
 * A job that does not fit is passed over. Deadlines play no role.
 *
 * Source: Gu et al., Tiresias, NSDI 2019 (discretised two-dimensional least attained service), as
 * the published ElasticFlow artifact computes it. */
#include "scheduler/reference/rules.h"

#include "scheduler/plan/level.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define QUEUES 3

/* GPU seconds of attained service at which a job leaves its queue. No job leaves the last queue. */
static const int64_t queue_limit_gpu_s[QUEUES - 1] = {3250, 7200};

/* The places of jobs in the view, queue by queue. */
struct queues {
    size_t *places[QUEUES];
    size_t count[QUEUES];
};

/* The queue of each job, by job: that is all that Tiresias remembers. */
static int *queue_of(void *queues, const struct job *job)
{
    return side_table_at(queues, job);
}

static bool has_used_up(const struct job *job, int queue)
{
    return job_holds(job) && queue < QUEUES - 1 &&
           job->attained_s * job->submission->gpus_requested >= queue_limit_gpu_s[queue];
}

struct demotion {
    const struct job *job;
    size_t place;
};

static int compare_demotions(const void *a, const void *b)
{
    return job_compare_size(((const struct demotion *)a)->job, ((const struct demotion *)b)->job);
}

static void append(struct queues *queues, int queue, size_t place)
{
    queues->places[queue][queues->count[queue]++] = place;
}

/* Sorts jobs into queues. A job that stays in its queue keeps its place. Demoted jobs come last in
 * the next queue. A job falls by at most one queue, and only if it ran: TI-Q8. */
static struct queues sort_into_queues(const struct view *view, plan_t *plan)
{
    struct queues queues = {.count = {0}};
    struct demotion *demoted = arena_alloc(plan->scratch, (view->job_count + 1) * sizeof(*demoted));
    size_t *places = arena_alloc(plan->scratch, (QUEUES * view->job_count + 1) * sizeof(*places));
    size_t count = 0;

    for (int k = 0; k < QUEUES; k++)
        queues.places[k] = places + (size_t)k * view->job_count;
    for (size_t i = 0; i < view->job_count; i++) {
        const int queue = *queue_of(view->memory, view->jobs[i]);

        if (has_used_up(view->jobs[i], queue))
            demoted[count++] = (struct demotion){view->jobs[i], i};
        else
            append(&queues, queue, i);
    }
    if (count > 1)
        qsort(demoted, count, sizeof(*demoted), compare_demotions);
    for (size_t i = 0; i < count; i++)
        append(&queues, ++*queue_of(view->memory, demoted[i].job), demoted[i].place);
    return queues;
}

/* TI-Q3: the attained service is divided by the GPUs as well, so the job is expected to use up its
 * limit later than it does. */
double tiresias_limit_left_divided(const struct job *job, int64_t limit_gpu_s)
{
    return (double)(limit_gpu_s - job->attained_s) / job->submission->gpus_requested;
}

double tiresias_limit_left(const struct job *job, int64_t limit_gpu_s)
{
    return (double)limit_gpu_s / job->submission->gpus_requested - (double)job->attained_s;
}

/* The time at which the job is demoted. No service is attained while an overhead is paid, so an
 * overhead that is carried over puts off the demotion. TI-Q2: nothing is carried over. */
static int64_t demotion_s(const struct view *view, const struct job *job, int queue)
{
    return view->now_s + (job_holds(job) ? job->overhead_s : 0) +
           (int64_t)ceil(sharing_of(view)->tiresias.limit_left_s(job, queue_limit_gpu_s[queue]));
}

/* Returns whether the job fits. */
static bool serve(const struct view *view, plan_t *plan, size_t place, int queue, int *free_gpus)
{
    const struct job *job = view->jobs[place];
    struct share *share = &plan->shares[place];

    if (job->submission->gpus_requested > *free_gpus)
        return false;
    *free_gpus -= job->submission->gpus_requested;
    share->grant = job_holds(job) ? job->grant : level_grant_here(job, job->scaling->top);
    if (queue < QUEUES - 1)
        share->change_s = demotion_s(view, job, queue);
    return true;
}

/* Serves a queue. Jobs that fit come first in the order of service, after the `served` jobs before.
 * Then come the jobs that wait; the memory of the queue holds them meanwhile. Returns the number of
 * jobs served by now. */
static size_t serve_queue(const struct view *view, plan_t *plan, struct queues *queues, int queue,
                          size_t served, int *free_gpus)
{
    size_t *places = queues->places[queue];
    size_t waiting = 0;

    for (size_t i = 0; i < queues->count[queue]; i++)
        if (serve(view, plan, places[i], queue, free_gpus))
            plan->service[served++] = places[i];
        else
            places[waiting++] = places[i];
    for (size_t i = 0; i < waiting; i++)
        plan->service[served++] = places[i];
    return served;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct queues queues;
    int free_gpus = view->gpu_count;
    size_t count = 0;

    (void)error;
    plan_reset(plan, view);
    queues = sort_into_queues(view, plan);
    for (int k = 0; k < QUEUES; k++)
        count = serve_queue(view, plan, &queues, k, count, &free_gpus);
    assert(count == view->job_count);
    return 0;
}

static void *open_memory(const struct policy_setting *setting)
{
    (void)setting;
    return side_table_new(sizeof(int));
}

static void close_memory(void *memory)
{
    side_table_t *queues = memory;

    side_table_destroy(&queues);
}

static int tell_queue(void *memory, const struct job *job)
{
    return *queue_of(memory, job);
}

static const struct reference_rules rules = {
    .loop =
        {
            .carries_overhead = false, /* TI-Q2 */
            .goes_on = goes_on_never,
            .ends_idle = idle_end_retires,
            .judged_end_s = judged_by_end,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_end,
            .request = request_by_arrival,
            .loses_sets = true,
            .merge = merge_unless_sole,
            .keep_stale_ends = stale_ends_happen, /* TI-Q11 */
            .seen_s = seen_after_slot,
            .foresees = foresees_restarts,
        },
    .sharing.tiresias = {.limit_left_s = tiresias_limit_left_divided},
};

const struct policy policy_dlas_gpu = {
    .name = "dlas-gpu",
    .alias = "tiresias",
    .summary = "Tiresias: least attained service first, in three queues",
    .needs_powers = true,
    .placement = "elastic",
    .plans_past_deadlines = true,
    .queues = QUEUES,
    .open = open_memory,
    .close = close_memory,
    .queue_of = tell_queue,
    .admission = &admission_everyone,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate,
    .rules = &rules,
    .stages =
        {
            .open = artifact_open,
            .close = artifact_close,
            .measure = MEASURE_SECONDS,
            .check = requested_check,
            .announce = artifact_announce,
            .forget = artifact_forget,
            .expect = tiresias_expect,
            .credit = artifact_credit,
            .pay = artifact_pay,
            .collect = tiresias_collect,
            .retire = artifact_retire,
            .release = artifact_release_as_placed,
            .adopt = requested_adopt,
            .place = artifact_place,
            .charge = tiresias_charge,
            .foresee = requested_foresee,
            .advance = tiresias_advance,
            .restart_rounds = artifact_restart_by_slot, /* CO-Q1 */
        },
};
