/* ef.c - ElasticFlow: every job gets the smallest number of GPUs that meets its deadline, and spare
 * GPUs go where they are worth most. `ef-accessctrl` admits a job only if all deadlines can be met
 * with it; `ef` admits every job.
 *
 * Source: Gu et al., ElasticFlow, ASPLOS 2023, as the published artifact computes it. */
#include "scheduler/reference/admissions.h"
#include "scheduler/reference/harm.h"
#include "scheduler/reference/reservation_book.h"
#include "scheduler/reference/rules.h"
#include "scheduler/reference/spare_gpus.h"

#include <string.h>

struct cap_rule {
    const char *model;
    int batch_size; /* 0: any that no rule before names */
    int gpus_max;   /* 0: the batch size, 64 at most; -1: the batch size */
};

static int cap_by_rule(const struct cap_rule rules[], const struct job *job)
{
    const int by_batch = job->submission->batch_size < 64 ? job->submission->batch_size : 64;

    for (; rules->model; rules++) {
        if (strcmp(rules->model, job->submission->model) != 0 ||
            (rules->batch_size != 0 && rules->batch_size != job->submission->batch_size))
            continue;
        if (rules->gpus_max < 0)
            return job->submission->batch_size;
        return rules->gpus_max > 0 ? rules->gpus_max : by_batch;
    }
    return 0;
}

/* The GPU count from which more GPUs do not pay off, by name and batch size. The artifact asks no
 * table. */
static int gpus_max(const struct job *job, const char *gpu_type)
{
    static const struct cap_rule on_t4[] = {
        {"bert", 0, 16},  {"cifar10", 0, 16}, {"deepspeech2", 320, 32},
        {"yolov3", 0, 4}, {"ncf", 0, 1},      {NULL, 0, 0},
    };
    static const struct cap_rule on_others[] = {
        {"deepspeech2", 0, -1},  {"gpt2", 128, 16},
        {"gpt2", 256, 32},       {"bert", 64, 8},
        {"bert", 0, 16},         {"inception3", 64, 16},
        {"inception3", 128, 32}, {"resnet50", 64, 32},
        {"vgg16", 64, 32},       {NULL, 0, 0},
    };
    const bool is_t4 = !strcmp(gpu_type, "T4");
    const int by_rule = cap_by_rule(is_t4 ? on_t4 : on_others, job);

    if (by_rule > 0)
        return by_rule;
    return is_t4 || job->submission->batch_size > 64 ? 64 : job->submission->batch_size;
}

/* Whether the trial may stop at its first late job: no job after it could abort the artifact. */
static bool may_stop(const struct view *view)
{
    for (size_t i = 0; i < view->job_count; i++)
        if (!view->jobs[i]->scaling->regular)
            return false;
    return true;
}

/* EF-Q45: overheads to come are no part of the plan, so an admitted job can still be late. */
static int prove(const struct view *view, plan_t *plan, struct error *error)
{
    struct reservation_book *book;
    int met;

    plan_reset(plan, view);
    plan_order_by_deadline(plan, view);
    book = arena_alloc(plan->scratch, sizeof(*book));
    *book = reservation_book_new(view, plan->scratch);
    met = reservation_book_fill(book, view, plan->order, may_stop(view), error);
    if (met == 1)
        reservation_book_share(book, plan);
    plan->work = book;
    return met;
}

/* Books all jobs of `view`; the book is left in plan->work. */
static int book_all(const struct view *view, plan_t *plan, struct error *error)
{
    struct reservation_book *book;

    plan_reset(plan, view);
    plan_order_by_deadline(plan, view);
    book = arena_alloc(plan->scratch, sizeof(*book));
    *book = reservation_book_new(view, plan->scratch);
    plan->work = book;
    if (reservation_book_fill(book, view, plan->order, false, error) < 0)
        return -1;
    reservation_book_share(book, plan);
    return 0;
}

int ef_prove_no_harm(const struct view *view, plan_t *plan, struct error *error)
{
    return prove_no_harm(book_all, view, plan, error);
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    struct reservation_book *book;

    if (!plan->proven && book_all(view, plan, error) < 0)
        return -1;
    book = plan->work;
    if (spare_gpus_share(book, plan, error) < 0)
        return -1;
    for (size_t i = 0; i < view->job_count; i++)
        plan->shares[i].change_s = booking_change_s(&book->bookings[i]);
    return 0;
}

static const struct reference_rules admitting_rules = {
    .loop =
        {
            .credited_until_s = credited_until_finish,
            .carries_overhead = false, /* EF-Q15 */
            .goes_on = goes_on_never,
            .ends_idle = idle_end_is_dropped,
            .judged_end_s = judged_by_finish,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_round,
            .request = request_by_size,
            .reorder = reorder_by_size,
            .wake = wake_earliest,
            .pays = pays_always,
            .look = look_at_groups,
            .loses_sets = true,
            .merge = merge_unless_sole, /* EF-Q16 */
            .tick_s = tick_never,
        },
    .planning = PLANNING_AS_PUBLISHED,
};

const struct policy policy_ef_accessctrl = {
    .name = "ef-accessctrl",
    .summary =
        "ElasticFlow: admits a job only if every deadline can be met, then shares elastically",
    .needs_powers = true,
    .placement = "elastic",
    .plans_past_deadlines = true,
    .admission = &admission_together,
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
            .collect = artifact_collect_first,
            .retire = artifact_retire,
            .release = artifact_release_by_deadline,
            .adopt = planned_adopt_then_start,
            .place = artifact_place,
            .charge = planned_charge_live,
            .foresee = planned_foresee_bare,
            .advance = artifact_advance,
            .restart_rounds = artifact_restart_by_slot, /* EF-Q3 */
        },
};

static const struct reference_rules rules = {
    .loop =
        {
            .credited_until_s = credited_until_finish,
            .carries_overhead = false, /* EF-Q15 */
            .goes_on = goes_on_never,
            .ends_idle = idle_end_aborts,
            .judged_end_s = judged_by_end,
            .is_late = late_by_deadline,
            .on_record_s = on_record_by_round,
            .request = request_by_start,
            .wake = wake_each,
            .pays = pays_always,
            .look = look_at_groups,
            .loses_sets = true,
            .merge = merge_unless_sole, /* EF-Q16 */
            .tick_s = tick_never,
        },
    .planning = PLANNING_AS_PUBLISHED,
};

const struct policy policy_ef = {
    .name = "ef",
    .summary = "ElasticFlow without admission control: every job is taken",
    .needs_powers = true,
    .placement = "elastic",
    .plans_past_deadlines = true,
    .admission = &admission_everyone,
    .gpus_max = gpus_max,
    .allocate = allocate,
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
            .release = artifact_release_by_deadline,
            .adopt = planned_adopt_and_leave,
            .place = artifact_place,
            .charge = planned_charge_running,
            .advance = artifact_advance,
            .restart_rounds = artifact_restart_by_slot, /* EF-Q3 */
        },
};
