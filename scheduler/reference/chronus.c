/* chronus.c - leases and promised deadlines: a job that can be packed before its deadline is
 * promised the deadline, and holds its GPUs in the lease slots planned for it. Other jobs get the
 * GPUs left.
 *
 * Source: Gao et al., Chronus, SoCC 2021, as the published ElasticFlow artifact ships and calls
 * it. */
#include "scheduler/reference/admissions.h"
#include "scheduler/reference/lease_report.h"
#include "scheduler/reference/lease_stages.h"
#include "scheduler/reference/leased_rounds.h"
#include "scheduler/reference/rules.h"
#include "scheduler/solver/milp_solver.h"

#include <stdlib.h>

/* CH-Q17: a job that outlives its estimate loses promise and class, and goes first afterwards. */
void chronus_boost_overrun(const struct lease_look *look, struct lease *lease)
{
    (void)look;
    lease->class = LEASE_UNACCEPTED;
    lease->boosted = true;
}

/* A job without a deadline has none to meet. */
void chronus_boost_if_promised(const struct lease_look *look, struct lease *lease)
{
    if (lease->class != LEASE_BEST_EFFORT)
        chronus_boost_overrun(look, lease);
}

/* Ends the plans of jobs that used up their estimate. A job on a lease stays until the lease
 * ends. */
static void account(const struct lease_look *look)
{
    const struct lease_list *running = &look->book->running;
    const bool lease_ends = look->now_s % look->leasing->lease_s == 0;

    for (size_t i = 0; i < running->count; i++) {
        struct lease *lease = running->items[i];

        lease->ran_before = true;
        if (lease->job->attained_s >= lease->estimate_s && (lease_ends || !lease->held)) {
            lease_book_forget_plan(look->book, lease);
            lease->out_of_plan = true;
            look->rules->outlive(look, lease);
        } else if (leases_are_short(look->leasing)) {
            short_leases_account(look, lease);
        }
    }
    for (size_t i = 0; i < look->book->pending.count; i++)
        look->book->pending.items[i]->ran_before = false;
}

/* Counts 0 jobs without a promise if there was a lease round since the last look: that round had no
 * jobs. */
static void make_up_for_empty_rounds(const struct lease_look *look)
{
    const int64_t lease_s = look->leasing->lease_s;
    const int64_t last_round_s = (look->now_s - 1) / lease_s * lease_s;

    if (last_round_s > look->book->looked_s)
        look->book->unaccepted = 0;
    look->book->looked_s = look->now_s;
}

struct lease_look chronus_look_of(const struct view *view)
{
    struct chronus_memory *memory = view->memory;

    return (struct lease_look){.now_s = view->now_s,
                               .slot = view->now_s / memory->leasing.lease_s,
                               .book = memory->book,
                               .leasing = &memory->leasing,
                               .rules = &sharing_of(view)->chronus};
}

/* The work before admission: settles the leases that are over, and gives out the leases of the slot
 * that begins. A second round at the same time finds the slot given out. */
static void settle_leases(const struct view *view)
{
    struct chronus_memory *memory = view->memory;
    struct lease_look look = chronus_look_of(view);
    const bool is_first = memory->looked_s != view->now_s;

    memory->looked_s = view->now_s;
    lease_book_drop_done(look.book);
    look.book->round_held = false;
    if (is_first) {
        make_up_for_empty_rounds(&look);
        account(&look);
    } else {
        look.slot++;
    }
    if (view->disturbed)
        lease_recover(&look, view->gpu_count);
    if (is_first && view->now_s % look.leasing->lease_s == 0)
        lease_hold_round(&look);
}

/* Settles leases once a round, in the first stage that looks at the jobs. */
static struct lease_look look_once(const struct view *view)
{
    struct chronus_memory *memory = view->memory;
    struct lease_look look = chronus_look_of(view);

    if (!memory->settled)
        settle_leases(view);
    memory->settled = true;
    look.slot++;
    return look;
}

static struct verdict verdict_on(const struct lease_look *look, const struct job *job)
{
    const struct lease *lease = lease_of(look->book, job);
    struct verdict verdict = verdict_promise(job);

    if (job->submission->best_effort)
        return verdict;
    if (lease->class != LEASE_ACCEPTED)
        return verdict_try(job, REASON_NO_ROOM);
    verdict.promised_s = job->submission->levels[lease->last_level].deadline_s;
    return verdict;
}

/* Admits each arrival, with the promise of its deadline if it can be packed before the deadline. */
static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const struct lease_look look = look_once(view);
    const struct job *const *arrivals = view->jobs + view->job_count - view->arrival_count;

    (void)prove;
    (void)plan;
    (void)error;
    lease_admit(&look, view);
    for (size_t k = 0; k < view->arrival_count; k++)
        verdicts[k] = lease_is_too_large(&look, arrivals[k]) ? verdict_decline(REASON_TOO_LARGE)
                                                             : verdict_on(&look, arrivals[k]);
    return 0;
}

const struct admission admission_by_lease = {
    .name = "by-lease", .promises = true, .decide = decide};

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    const struct lease_look look = look_once(view);
    struct chronus_memory *memory = view->memory;

    (void)error;
    memory->settled = false;
    plan_reset(plan, view);
    if (view->now_s % look.leasing->admission_s == 0)
        lease_hand_out(&look);
    if (view->now_s % look.leasing->check_s == 0) /* a disturbance may come at any time */
        leases_fill(&look);
    return 0;
}

static void *open_memory(const struct policy_setting *setting)
{
    const struct leasing *leasing = setting->options;
    struct chronus_memory *memory = xcalloc(1, sizeof(*memory));

    memory->leasing = *leasing;
    memory->leasing.stop = setting->stop;
    memory->book = lease_book_new(setting->node_count * setting->gpus_per_node);
    memory->submissions = arena_new();
    memory->looked_s = NEVER_S;
    if (leasing->solver)
        memory->leasing.model = milp_new();
    return memory;
}

static void close_memory(void *opened)
{
    struct chronus_memory *memory = opened;

    milp_destroy(&memory->leasing.model);
    arena_destroy(&memory->submissions);
    lease_book_destroy(&memory->book);
    free(memory);
}

/* A solver has looked at its watch before the time is up. How much memory a solver takes depends on
 * the machine, too. */
static bool by_clock(const void *opened)
{
    const struct chronus_memory *memory = opened;
    const struct leasing *leasing = &memory->leasing;
    const struct lease_round *round = &memory->book->round;

    if (!memory->book->round_held || round->answer == LEASE_UNASKED)
        return false;
    return (leasing->time_limit_s > 0 && round->solve_s > leasing->time_limit_s * 0.9) ||
           round->out_of_memory || stop_is_asked(leasing->stop);
}

extern const struct policy_report chronus_report;

static void count(const void *opened, void *counted)
{
    const struct chronus_memory *memory = opened;
    const struct milp_solver *solver = memory->leasing.solver;
    struct lease_figures *figures = counted;

    figures->leasing = memory->leasing;
    (void)snprintf(figures->solver, sizeof(figures->solver), "%s", solver ? solver->name : "none");
}

static const struct reference_rules rules = {
    .loop =
        {
            .carries_overhead = true,
            .goes_on = goes_on_never,
            .ends_idle = idle_end_retires,
            .judged_end_s = judged_by_end,
            .is_late = late_by_lease, /* CH-Q7 */
            .on_record_s = on_record_by_round,
            .request = request_by_arrival,
            .merge = merge_never,
            .tick_s = tick_at_leases,
        },
    .sharing.chronus =
        {
            .credited_from_s = chronus_credit_waiting,
            .settle_rejected = chronus_keep_rejected,
            .judged_s = chronus_judge_by_promise,
            .start_costs = chronus_every_start_costs,
            .packed_gpus = lease_packed_gpus_rounded,
            .outlive = chronus_boost_overrun,
            .lose_hope = chronus_boost_stays,
            .fills = chronus_fill_at_odd_times,
            .plans_by_value = true,
            .fits = chronus_fits_at_tightest,
        },
};

const struct policy policy_chronus = {
    .name = "chronus",
    .alias = "time-aware-with-lease",
    .summary = "Chronus: promised deadlines, kept by leases that are planned ahead",
    .needs_powers = true,
    .placement = "best-fit",
    .reads_no_tables = true,
    .holds_back = true,
    .admits = true,
    .options = &leasing_options,
    .open = open_memory,
    .close = close_memory,
    .admission = &admission_by_lease,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate,
    .by_clock = by_clock,
    .figures = &lease_figures_table,
    .count = count,
    .report = &chronus_report,
    .rules = &rules,
    .stages =
        {
            .open = artifact_open,
            .close = artifact_close,
            .measure = MEASURE_SECONDS,
            .whole_s = leased_whole_s,
            .check = leased_check_as_job, /* CH-Q9 */
            .announce = leased_announce,
            .forget = artifact_forget,
            .expect = leased_expect,
            .credit = leased_credit,
            .pay = artifact_pay,
            .collect = artifact_collect_first,
            .retire = artifact_release_and_retire,
            .adopt = leased_adopt,
            .place = artifact_place,
            .charge = requested_charge_nothing, /* starts are paid for in the time credited */
            .foresee = leased_foresee,
            .in_time = leased_in_time,
            .advance = leased_advance,
        },
};
