/* rubato_decide.c - see rubato.h. */
#include "scheduler/planner/offers.h"
#include "scheduler/policies/rubato.h"

#include <math.h>

/* ---- one try at a round ---- */

/* How bad a move is for the job: worst for a promised job with little slack. */
static double weight_of(const struct round *round, const struct task *task)
{
    if (!task->promised)
        return task->drives ? 1 : 1e-3;
    if (round->continues)
        return INFINITY;
    return 2 + 1000 / fmax(1, (double)(task->deadline_s - task->course.end_s));
}

static int free_gpus(const struct round *round)
{
    int gpus = planner_gpus_now(&round->planner);

    for (size_t i = 0; i < round->count; i++)
        gpus -= task_gpus(&round->tasks[i], round->tasks[i].level);
    return gpus;
}

/* Gives away GPUs that no course needs now. Jobs that can be in time come first, then other jobs in
 * turns. Promised jobs get some only if they may grow. Under high load they are served before all
 * others. */
static void hand_out(struct round *round, bool grows)
{
    struct offers offers = offers_open(&round->planner, round->count, free_gpus(round));

    if (grows)
        offers_add(&offers, &round->promised);
    if (round->pricing.load > LOAD_HIGH)
        offers_serve(&offers);
    offers_add(&offers, &round->open);
    offers_serve(&offers);
    turns_serve(&round->turns, offers.gpus);
}

/* Gives each job its GPUs and their places. False if a promised job finds no place. */
static bool share_out(struct round *round, bool grows)
{
    bool settled;

    do {
        for (size_t i = 0; i < round->count; i++) {
            struct task *task = &round->tasks[i];

            task->level = task->planned ? course_level(&task->course, round->view->now_s) : 0;
            task->weight = weight_of(round, task);
        }
        hand_out(round, grows && !round->continues);
        settled = seating_settle(&round->seating, round->continues);
    } while (settled && turns_missed(&round->turns));
    return settled;
}

/* Tries a plan for the round. Only a `bold` try lets promised jobs grow, and plans them anew for
 * the sake of jobs without a promise. */
static bool try_round(struct round *round, bool bold)
{
    for (size_t i = 0; i < round->count; i++)
        if (!round->joint.is_planned || !round->tasks[i].promised)
            planner_reset(&round->tasks[i]);
    if (!round->joint.is_planned)
        round->promised.planned = 0;
    if (round->continues)
        in_force_follow(&round->planner, &round->promised);
    else if (!round->joint.is_planned && !joint_plan(&round->joint))
        return false;
    round->joint.is_planned = false;
    promise_plan_open(round, bold);
    return share_out(round, bold) && (round->continues || safety_holds(round));
}

static bool try_both_ways(struct round *round)
{
    return try_round(round, true) || try_round(round, false);
}

/* Makes the promises for which there is room, and tries the round with them. */
static bool promise_and_try(struct round *round)
{
    for (size_t i = 0; i < round->count; i++)
        planner_reset(&round->tasks[i]);
    if (promise_open(round) && try_both_ways(round))
        return true;
    promise_take_back(round);
    return false;
}

/* Promises only jobs that just arrived, and only the cheapest of these if they are too many. */
static bool promise_fewer(struct round *round)
{
    round->only_new = true;
    for (round->most = round->taken; round->most > 0; round->most = round->taken / 2)
        if (promise_and_try(round))
            return true;
    return false;
}

/* Tries promises that count on warm blocks, whose GPUs ran together. Other jobs may have such a
 * block by then, so if the round is not safe the promises are tried without them, then fewer
 * promises. */
static bool promise_warm_or_fewer(struct round *round, uint32_t warm)
{
    const bool is_tried = round->newcomer.is_tried;

    round->only_new = false;
    round->most = SIZE_MAX;
    round->planner.warm = warm;
    round->searches = true;
    if (promise_and_try(round))
        return true;
    if (is_tried != round->newcomer.is_tried)
        return false;
    round->searches = false;
    round->planner.warm = 0;
    return (warm != 0 && promise_and_try(round)) || promise_fewer(round);
}

/* Promises the newcomer its deadline, or an earlier one, and tries the round with it. */
static bool promise_newcomer(struct round *round)
{
    struct newcomer *newcomer = &round->newcomer;
    const uint32_t warm = round->planner.warm;
    bool holds = false;

    for (bool any = newcomer_open(newcomer); any && !holds;
         any = newcomer->is_tried && newcomer_shorten(newcomer))
        holds = promise_warm_or_fewer(round, warm);
    if (!holds)
        round->planner.warm = warm;
    return holds;
}

/* Spends the time that courses reserve for future losses. That may save a promise if more nodes are
 * gone than are in reserve. */
static bool try_spent(struct round *round)
{
    int *losses = reserve_losses(&round->promised, round->planner.arena);

    while (reserve_spend_all(&round->promised, &round->memory->order))
        if (try_both_ways(round))
            return true;
    reserve_restore(&round->promised, losses);
    return false;
}

/* Tries the best steps of soft deadlines first, then lower ones. */
static bool promise_steps(struct round *round)
{
    const uint32_t warm = round->planner.warm;

    do {
        if (promise_warm_or_fewer(round, warm))
            return true;
    } while (soft_fall_all(&round->pricing, &round->open, &round->first_step));
    return false;
}

/* Tries the round without a promise to the newcomer. */
static bool try_others(struct round *round)
{
    return promise_steps(round) || try_both_ways(round);
}

/* Whether the round is safe if the newcomer gets nothing. */
static bool holds_without(struct round *round)
{
    bool holds;

    task_list_remove(&round->open, round->newcomer.task);
    holds = try_others(round);
    promise_take_back(round);
    while (round->first_step > 0 &&
           soft_fall_all(&round->pricing, &round->open, &round->first_step))
        continue;
    task_list_insert(&round->open, round->newcomer.task);
    return holds;
}

static void decide_all(struct round *round)
{
    /* With nodes in reserve, a newcomer may be promised beside the courses in force. These courses
     * must not depend on how the newcomer's deadline would be served. */
    bool beside = false;

    if (promise_newcomer(round))
        return;
    if (round->newcomer.task && round->reserving.losses > 0)
        beside = !holds_without(round);
    if (!beside && try_others(round))
        return;
    round->continues = in_force_holds(&round->planner, &round->promised);
    if (beside && round->continues)
        (void)newcomer_open(&round->newcomer);
    if (round->continues && round->reserving.losses > 0)
        promise_beside(round);
    while (!try_both_ways(round) && !round->continues && !try_spent(round))
        safety_give_up(round);
}

void round_decide(struct round *round)
{
    decide_all(round);
    if (round->newcomer.is_tried)
        newcomer_close(&round->newcomer);
}
