/* rubato_promise.c - see rubato.h. */
#include "scheduler/planner/shares.h"
#include "scheduler/policies/rubato.h"

#include <math.h>

/* Whether `task` can be promised beside all promised jobs: in the gaps of their plan, unless
 * `anew`, or by planning all jobs anew. */
static bool fits_too(struct round *round, struct task *task, bool anew)
{
    return (!anew && joint_adds_beside(&round->joint, task)) || joint_adds(&round->joint, &task, 1);
}

/* Standard deviations of future work for which a promise leaves room. A higher margin at arrival
 * costs promises, a lower one costs jobs. A later promise may wait until it is certain, unless the
 * job has waited for its margin before. */
#define MARGIN_AT_ARRIVAL 0.3
#define MARGIN_SCARCE     1
#define MARGIN_LATER      8

static double margin_of(const struct round *round, const struct task *task)
{
    if (task->known && task->margin <= 0)
        return MARGIN_LATER;
    return round->pricing.load > LOAD_SCARCE ? MARGIN_SCARCE : MARGIN_AT_ARRIVAL;
}

/* Whether `task` is to be promised if there is room; see pricing_holds for `planned`. */
static bool is_wanted(const struct round *round, const struct task *task, double planned)
{
    return !(round->only_new && task->known) &&
           pricing_holds(&round->pricing, task, margin_of(round, task), planned);
}

/* Whether `task` is to be promised, given the work of the promised jobs that are planned. */
static bool is_affordable(struct round *round, const struct task *task)
{
    return is_wanted(round, task, planner_reserved(&round->planner, (double)task->deadline_s));
}

/* Whether the shares of `task` have room for a promise. If not, the job is treated like any job
 * without a promise. */
static bool is_within_shares(const struct round *round, const struct task *task)
{
    return shares_allow(&round->promised, task, round->planner.gpus, round->view->now_s,
                        &task->stand->denied.share);
}

/* Promises the only job that wants a promise. Mostly there is room, so all jobs are planned once,
 * with that job. */
static bool promise_sole(struct round *round)
{
    struct task *task = round->open.items[0];

    if (round->open.count != 1 || task == round->newcomer.task ||
        chains_has_parents(round->chains, task) || !is_wanted(round, task, INFINITY) ||
        !is_within_shares(round, task) || !joint_adds_at_once(&round->joint, task))
        return false;
    task->promised = true;
    round->open.count = 0;
    return true;
}

/* Whether GPU time is cheap enough for the tasks of a chain, each with its part of the time, at the
 * margin of `last`. */
static bool chain_is_affordable(struct round *round, const struct task_list *chain,
                                const struct task *last)
{
    const double margin = margin_of(round, last);

    if (round->only_new && last->known)
        return false;
    for (size_t i = 0; i < chain->count; i++)
        if (!pricing_holds_now(&round->pricing, chain->items[i], margin))
            return false;
    return true;
}

/* Promises `last`, which has parents, and all tasks before it, or none of them. */
static bool promise_chain(struct round *round, struct task *last, bool *affordable)
{
    for (int division = 0; division < DIVISION_COUNT && !last->promised; division++) {
        struct task_list chain;
        bool holds;

        if (!chains_divide(round->chains, last, (enum division)division))
            continue;
        chain = chains_group(round->chains);
        holds = chain.count <= round->left && chain_is_affordable(round, &chain, last);
        *affordable = *affordable || holds;
        if (!holds || !joint_adds_chain(&round->joint, &chain)) {
            chains_undo(round->chains);
            continue;
        }
        for (size_t i = 0; i < chain.count; i++)
            chain.items[i]->promised = true;
    }
    return last->promised;
}

/* Whether the newcomer is affordable, and all jobs can be planned with it. Before that the promised
 * jobs need not be planned. */
static bool newcomer_fits(struct round *round, struct task *task)
{
    const bool waits = chains_has_parents(round->chains, task);

    if (!waits && !round->joint.is_planned && is_wanted(round, task, INFINITY)) {
        round->affordable = true;
        if (joint_adds_at_once(&round->joint, task))
            return true;
    }
    if (!round->joint.is_planned && !joint_plan(&round->joint))
        return false;
    if (waits)
        return promise_chain(round, task, &round->affordable);
    if (!is_affordable(round, task))
        return false;
    round->affordable = true;
    return fits_too(round, task, true);
}

/* Promises the newcomer the deadline that is tried, or an earlier one if the round searches. */
static bool promise_newcomer(struct round *round)
{
    struct task *task = round->newcomer.task;

    newcomer_try(&round->newcomer);
    if (!is_within_shares(round, task)) {
        newcomer_close(&round->newcomer);
        return false;
    }
    do
        task->promised = newcomer_fits(round, task);
    while (!task->promised && round->searches && newcomer_shorten(&round->newcomer));
    return task->promised;
}

/* Promises the best step of `task` for which there is room. False if GPU time is too scarce for
 * every step. */
static bool promise_step(struct round *round, struct task *task, bool anew)
{
    bool affordable = false;

    do {
        if (chains_has_parents(round->chains, task)) {
            (void)promise_chain(round, task, &affordable);
            continue;
        }
        if (!is_affordable(round, task))
            continue;
        affordable = true;
        task->promised = fits_too(round, task, anew);
    } while (!task->promised && soft_fall(&round->pricing, task));
    if (!task->promised)
        soft_open(&round->pricing, task, round->first_step);
    return affordable;
}

/* Whether GPU time is cheap enough for `task` beside the courses in force. */
static bool is_affordable_beside(struct round *round, struct task *task)
{
    planner_reset(task);
    return pricing_holds_now(&round->pricing, task, margin_of(round, task));
}

/* Promises the best step of `task` for which the courses in force leave room. False if GPU time is
 * too scarce for every step. */
static bool promise_step_beside(struct round *round, struct task *task)
{
    bool affordable = false;

    do {
        if (!is_affordable_beside(round, task))
            continue;
        affordable = true;
        task->promised = in_force_finds_beside(&round->seating, &round->promised, task);
    } while (!task->promised && soft_fall(&round->pricing, task));
    if (!task->promised)
        soft_open(&round->pricing, task, round->first_step);
    return affordable;
}

/* How often a round tries jobs that were not promised when they arrived. */
#define TRIES 4

/* Notes that jobs to come deny the promise: only if the job has room beside all promised ones. */
static void note_denial(struct round *round, struct task *task)
{
    if (!task->known && (task != round->newcomer.task || !round->affordable) &&
        planner_find(&round->planner, task))
        task->stand->denied.rate =
            demand_seen(&round->memory->demand, round->view->now_s, task->unit_price);
}

static void take_in_beside(struct round *round, struct task *task)
{
    in_force_put(&round->memory->in_force, task);
    task_list_insert(&round->promised, task);
}

static void promise_newcomer_beside(struct round *round)
{
    struct task *task = round->newcomer.task;

    if (!is_within_shares(round, task) || !chains_follow(round->chains, task))
        newcomer_close(&round->newcomer);
    while (round->newcomer.is_tried && !task->promised)
        if (is_affordable_beside(round, task) &&
            in_force_finds_beside(&round->seating, &round->promised, task))
            task->promised = true;
        else
            (void)newcomer_shorten(&round->newcomer);
    if (task->promised)
        take_in_beside(round, task);
}

void promise_beside(struct round *round)
{
    int failures = 0;

    (void)in_force_follow_others(&round->planner, &round->promised);
    if (round->newcomer.is_tried)
        promise_newcomer_beside(round);
    for (size_t i = 0; i < round->open.count; i++) {
        struct task *task = round->open.items[i];
        const bool known = task->known;

        if (task->promised)
            continue;
        task->stand->denied.rate = (struct demand_seen){0};
        if ((known && failures >= TRIES) ||
            !chains_take_own(round->chains, task, round->first_step) ||
            !chains_follow(round->chains, task) || !is_within_shares(round, task))
            continue;
        if (task == round->newcomer.task || !promise_step_beside(round, task)) {
            note_denial(round, task);
            continue;
        }
        if (task->promised)
            take_in_beside(round, task);
        failures += known && !task->promised;
    }
    task_list_keep(&round->open, false);
}

static bool promise_all(struct round *round, bool anew)
{
    int failures = 0;

    round->left = round->most;
    round->promised.planned = 0;
    if (round->newcomer.is_tried && !promise_newcomer(round))
        return false;
    if (promise_sole(round))
        return true;
    if (!round->joint.is_planned && !joint_plan(&round->joint))
        return false;
    for (size_t i = 0; i < round->open.count && round->left > 0; i++) {
        struct task *task = round->open.items[i];
        const size_t before = round->promised.count;
        const bool known = task->known;

        if (task->promised)
            continue;
        task->stand->denied.rate = (struct demand_seen){0};
        if ((known && failures >= TRIES) ||
            !chains_take_own(round->chains, task, round->first_step) ||
            !is_within_shares(round, task))
            continue;
        if (task == round->newcomer.task || !promise_step(round, task, anew)) {
            note_denial(round, task);
            continue;
        }
        round->left -= round->promised.count - before;
        failures += known && !task->promised;
    }
    task_list_keep(&round->open, false);
    return round->joint.is_planned || joint_plan(&round->joint);
}

/* Promises what it can. Each job may fit beside the others while all together cannot be planned in
 * order. Then each job is tried by planning all anew. */
bool promise_open(struct round *round)
{
    const bool is_tried = round->newcomer.is_tried;

    if (promise_all(round, false))
        return true;
    promise_take_back(round);
    return is_tried == round->newcomer.is_tried && promise_all(round, true);
}

void promise_take_back(struct round *round)
{
    const size_t before = round->open.count;

    round->joint.is_planned = false;
    chains_undo_all(round->chains);
    for (size_t i = 0; i < round->promised.count; i++) {
        struct task *task = round->promised.items[i];

        task->promised = task->stand->promised;
        if (task->promised)
            continue;
        soft_open(&round->pricing, task, round->first_step);
        task_list_append(&round->open, task);
    }
    round->taken = round->open.count - before;
    task_list_keep(&round->promised, true);
    task_list_sort(&round->open, round->planner.arena);
}

/* How often a round plans all jobs anew. More tries serve jobs without a promise, and leave less
 * for jobs to come. */
#define JOINT_TRIES 6

/* Whether promised jobs may be planned anew for the sake of `task`, which has no promise. Under
 * overload its price must leave enough for cheaper jobs to come. */
static bool may_join(struct round *round, const struct task *task)
{
    return round->pricing.load <= LOAD_FULL || pricing_holds_now(&round->pricing, task, 0);
}

void promise_plan_open(struct round *round, bool jointly)
{
    struct planner *planner = &round->planner;
    struct task_list together = task_list_open(planner->arena, round->count, task_latest_start);
    int tries = round->continues || !jointly ? 0 : JOINT_TRIES;

    for (size_t i = 0; i < round->promised.count; i++)
        task_list_append(&together, round->promised.items[i]);
    together.planned = round->continues ? 0 : together.count;
    for (size_t i = 0; i < round->open.count; i++) {
        struct task *task = round->open.items[i];

        if (!task_may_run(task))
            continue;
        if (soft_finds(&round->pricing, task, round->first_step)) {
            planner_reserve(planner, &task->course, task->scaling);
            task_list_insert(&together, task);
            continue;
        }
        if (tries <= 0 || !may_join(round, task))
            continue;
        tries--;
        task_list_insert(&together, task);
        if (planner_find_all(planner, &together, round->view->now_s))
            continue;
        tries = 0;
        task_list_remove(&together, task);
        (void)planner_find_all(planner, &together, round->view->now_s);
        task->planned = false;
    }
}
