/* chronus.c - leases and promised deadlines: a job that can be packed before its deadline is promised it,
 * and holds its GPUs in lease slots that are planned for it; what is left goes to the others.
 *
 * Source: Gao et al., Chronus, SoCC 2021, as the published ElasticFlow artifact ships and calls it. */
#include "scheduler/reference/lease_stages.h"
#include "scheduler/policies/policy.h"

/* CH-Q17: whoever outlives his estimate loses promise and class, and goes first from then on. */
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

/* Whoever used up his estimate is planned for no more. On a lease he stays until it ends. */
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

/* Lease rounds that nobody was there to see still counted who had no promise: nobody. */
static void make_up_for_empty_rounds(const struct lease_look *look)
{
    const int64_t lease_s = look->leasing->lease_s;
    const int64_t last_round_s = (look->now_s - 1) / lease_s * lease_s;

    if (last_round_s > look->book->looked_s)
        look->book->unaccepted = 0;
    look->book->looked_s = look->now_s;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    const struct leasing *leasing = view->leasing;
    struct lease_look look = {.now_s = view->now_s,
                              .slot = view->now_s / leasing->lease_s,
                              .book = plan->leases,
                              .leasing = leasing,
                              .rules = &view->sharing->chronus};

    (void)error;
    plan_reset(plan, view);
    make_up_for_empty_rounds(&look);
    lease_book_drop_done(look.book);
    look.book->round_held = false;
    account(&look);
    if (view->disturbed)
        lease_recover(&look, view->gpu_count);
    if (view->now_s % leasing->lease_s == 0)
        lease_hold_round(&look);
    look.slot++;
    if (view->now_s % leasing->admission_s == 0) {
        lease_admit(&look, view);
        lease_hand_out(&look);
    }
    if (view->now_s % leasing->check_s == 0) /* a disturbance may come at any time */
        leases_fill(&look);
    return 0;
}

static int64_t promised_s(const plan_t *plan, const struct job *job)
{
    const struct lease *lease = lease_of(plan->leases, job);

    return lease->class == LEASE_ACCEPTED ? job->levels[lease->last_level].deadline_s
                                          : DEADLINE_NONE_S;
}

const struct policy policy_chronus = {
    .name = "chronus",
    .alias = "time-aware-with-lease",
    .summary = "Chronus: promised deadlines, kept by leases that are planned ahead",
    .placement = "best-fit",
    .leases = true,
    .admission = &admission_everyone,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate,
    .promised_s = promised_s,
    .rules =
        {
            .work = WORK_LEASED,
            .size = SIZE_REQUESTED,
            .too_large = TOO_LARGE_IS_ENDLESS,
            .ends = ENDS_ARE_NOTICED,
            .merge = MERGE_NEVER,
            .tick = TICK_AT_LEASES,
            .event = EVENT_LEAVES_FIRST,
            .late = LATE_BY_LEASE,
            .release = RELEASE_IN_ORDER_OF_SERVICE,
            .adopt = ADOPT_LEVELS,
            .place = PLACE_BY_SIZE_AND_ARRIVAL,
            .wake = WAKE_NEVER,
            .charge = CHARGE_NOBODY, /* starts are paid for in what a job is credited with */
            .best_effort = BEST_EFFORT_IS_LOST, /* CH-Q9 */
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
