/* rubato_turns.c - see rubato.h. Of the jobs that no deadline drives one that waits begins on the
 * fewest GPUs that it runs on: larger ones shrink for it, and where that does not suffice those
 * that had a turn wait for theirs. */
#include "scheduler/policies/rubato_turns.h"

#include <limits.h>

/* ---- when the next turn is ---- */

bool turns_are_due(struct round *round, int gpus)
{
    bool any = false;

    round->turn_slots = turn_slots(round, gpus);
    round->turn = NULL;
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (!line_waits(task) || turn_least_gpus(task) > gpus)
            continue;
        if (turn_asks_s(round, task) > round->view->now_s)
            turn_note(round, task, turn_asks_s(round, task));
        else
            any = true;
    }
    return any;
}

/* ---- who gives ---- */

/* A job that was promised something once gives after all others. */
static bool gives_before(const struct round *round, const struct task *task,
                         const struct task *other, bool shrinks)
{
    if (!other || task_was_promised(task) != task_was_promised(other))
        return !other || task_was_promised(other);
    return shrinks ? task_gpus(task, task->level) > task_gpus(other, other->level)
                   : turn_since_s(round, task) < turn_since_s(round, other);
}

/* The task that shrinks next, or stops next; NULL for none whose turn is over, and that holds
 * `block` GPUs. */
static struct task *next_to_give(const struct round *round, bool shrinks, int block)
{
    struct task *next = NULL;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->level == 0 || task_gpus(task, task->level) < (shrinks ? 2 * block : block) ||
            (shrinks && task->level <= turn_least_level(task)) ||
            (shrinks ? turn_shrinks_s(round, task) : turn_stops_s(round, task)) >
                round->view->now_s)
            continue;
        if (gives_before(round, task, next, shrinks))
            next = task;
    }
    return next;
}

static void shrink_or_stop(struct task *task, bool shrinks, int *freed)
{
    const int level = shrinks ? task->usable[task->level - 1] : 0;

    *freed += task_gpus(task, task->level) - task_gpus(task, level);
    task->level = level;
}

/* Takes `need` GPUs or a few more off tasks that hold `block` at least, which come to those that
 * are free, or none if they have not as many to give. */
static bool take(struct round *round, int need, int block, int *gpus)
{
    const size_t count = round->rest.count;
    int *levels = arena_alloc(round->planner.arena, (count + 1) * sizeof(*levels));
    int freed = 0;
    struct task *task;

    for (size_t i = 0; i < count; i++)
        levels[i] = round->rest.items[i]->level;
    while (freed < need && (task = next_to_give(round, true, block)))
        shrink_or_stop(task, true, &freed);
    while (freed < need && (task = next_to_give(round, false, block)))
        shrink_or_stop(task, false, &freed);
    for (size_t i = 0; i < count; i++)
        if (freed < need)
            round->rest.items[i]->level = levels[i];
        else if (round->rest.items[i]->level < levels[i]) {
            round->rest.items[i]->gives = true;
            round->rest.items[i]->leaves = block > 1 && round->rest.items[i]->level == 0;
        }
    *gpus += freed < need ? 0 : freed;
    return freed >= need;
}

/* ---- who gets ---- */

/* What there is for those that wait. */
struct offer {
    int free;
    int spare; /* beside what the first that waits on needs, once there is one */
    int fails; /* so many GPUs are not to be had any more */
};

/* Whether others make room for `task`, or need not. The first for which they do not waits on: it is
 * noted when they do, and what they have to spare then. */
static bool has_room(struct round *round, const struct task *task, struct offer *offer)
{
    const int least = turn_least_gpus(task);
    const int block = task->misses > 0 ? least : 1;
    const int need = task->misses > 0 ? least : least - offer->free;
    int64_t at_s;

    if (least > offer->spare || least >= offer->fails)
        return false;
    if (need <= 0)
        return true;
    if (turn_asks_s(round, task) > round->view->now_s) {
        turn_note(round, task, turn_asks_s(round, task));
        return false;
    }
    if (take(round, need, block, &offer->free))
        return true;
    if (offer->spare < INT_MAX) {
        offer->fails = least;
        return false;
    }
    at_s = turn_comes_s(round, need, block, &offer->spare);
    if (at_s < NEVER_S && task->misses > 0)
        offer->spare += offer->free;
    turn_note(round, task, at_s);
    return false;
}

static void give(struct task *task, struct offer *offer)
{
    task->level = turn_least_level(task);
    offer->free -= task_gpus(task, task->level);
    offer->spare -= offer->spare < INT_MAX ? task_gpus(task, task->level) : 0;
}

/* Those that stopped for others go on if they can on what these left: in the next round if they
 * left their block. Else they wait for a turn. */
static void settle_stopped(struct round *round, struct offer *offer)
{
    int ignored;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];
        const int least = turn_least_gpus(task);

        if (!task->gives || task->level > 0)
            continue;
        if (task->leaves)
            turn_note(round, task, round->planner.slot_end_s);
        else if (least <= offer->free && least <= offer->spare)
            give(task, offer);
        else if (offer->spare == INT_MAX)
            turn_note(round, task, turn_comes_s(round, least - offer->free, 1, &ignored));
    }
}

/* The first that has to wait on for others' turns gets what it needs then: of those after it only
 * such begin as leave that. */
int turns_give(struct round *round, int gpus)
{
    struct offer offer = {gpus, INT_MAX, INT_MAX};
    int all = gpus;
    size_t count;
    const struct keyed *order = line_order(round, &count);

    for (size_t i = 0; i < round->rest.count; i++)
        all += task_gpus(round->rest.items[i], round->rest.items[i]->level);
    for (size_t i = 0; i < count; i++) {
        struct task *task = round->rest.items[order[i].item];

        if (turn_least_gpus(task) > all || !has_room(round, task, &offer))
            continue;
        give(task, &offer);
        task->begins = true;
    }
    settle_stopped(round, &offer);
    return offer.free;
}

/* ---- what comes of it ---- */

/* Where blocks lack what came free is not handed out before the next round. */
void turns_open(struct round *round)
{
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        task->wanted = task->level;
        if (round->missed && task->begins)
            turn_note(round, task, round->planner.slot_end_s);
    }
}
