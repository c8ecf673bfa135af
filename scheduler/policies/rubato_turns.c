/* rubato_turns.c - see rubato.h. Of the jobs that no deadline drives one that waits begins on the
 * fewest GPUs that it runs on: larger ones shrink for it, and where that does not suffice those
 * that had a turn wait for theirs. */
#include "scheduler/policies/rubato.h"

#include <limits.h>
#include <math.h>

/* A turn lasts so many slots at least, fewer where many jobs without a deadline wait, and so many
 * times what its start costs. A job that is late, and was promised nothing, waits so many slots
 * before others make room, and nothing but both together calls for a round on its behalf: a round
 * begins a slot, for the end of which jobs with a deadline wait. A round may also restart all: so
 * many prices lie between rounds for turns alone.
 */
#define TURN_SLOTS     8
#define TURN_SLOTS_MIN 2
#define WAIT_SLOTS     16 /* of all turns before the next of a job, where turns can be so short */
#define TURN_PRICES    16
#define LATE_SLOTS     10
#define CALL_PRICES    10

/* The price of a start on `gpus` GPUs, with its part in the restarts of all. */
static int64_t price_s(const struct planner *planner, int gpus)
{
    const struct tariff *tariff = &planner->tariff;
    const int64_t rounds = tariff->restart_rounds;

    return tariff_price(tariff, gpus, false, false) +
           (rounds > 0 ? (tariff->restart_s + rounds - 1) / rounds : 0);
}

static int64_t turn_s(const struct round *round, int gpus)
{
    const struct planner *planner = &round->planner;
    const int64_t slots_s = round->turn_slots * planner->slot_s;
    const int64_t prices_s = TURN_PRICES * price_s(planner, gpus);

    return slots_s > prices_s ? slots_s : prices_s;
}

/* The fewest GPUs that the task runs on; 0 for none. */
static int least_level(const struct task *task)
{
    for (int level = 1; level <= task->scaling->reach; level++)
        if (task->usable[level] > 0)
            return level;
    return 0;
}

static int least_gpus(const struct task *task)
{
    return task_gpus(task, least_level(task));
}

/* After the first miss only a block that another holds will do, after the second none. So many
 * jobs at most give way to others in a round. */
#define MISSES_MAX 2
#define WAYS_MAX   8

static bool waits(const struct task *task)
{
    return task->level == 0 && task_may_run(task) && task->misses < MISSES_MAX &&
           least_level(task) > 0;
}

/* Since when it holds GPUs, or waits for some. */
static int64_t since_s(const struct round *round, const struct task *task)
{
    const bool as_before = (task->held > 0) == (task->level > 0) && task->stand->known;

    return as_before ? task->stand->since_s : round->view->now_s;
}

/* A job that was promised once is served before all others, and gives after them. */
static bool was_promised(const struct task *task)
{
    return task->job->promise.state != PROMISE_NONE;
}

/* Its deadline is missed, and was never promised. */
static bool is_only_late(const struct task *task)
{
    return !task->job->submission->best_effort && !was_promised(task);
}

/* From when on one that waits has others make room. */
static int64_t asks_s(const struct round *round, const struct task *task)
{
    return since_s(round, task) + (is_only_late(task) ? LATE_SLOTS * round->planner.slot_s : 0);
}

/* It is the turn of `task` at `at_s`, or when next there is a round for that, unless that of
 * another is sooner. */
static void note_turn(struct round *round, const struct task *task, int64_t at_s)
{
    const int64_t late_s = since_s(round, task) + (LATE_SLOTS + TURN_SLOTS) * round->planner.slot_s;
    const int64_t apart_s = CALL_PRICES * price_s(&round->planner, 1);

    if (at_s == NEVER_S)
        return;
    at_s = is_only_late(task) && at_s < late_s ? late_s : at_s;
    at_s = at_s < round->planner.slot_end_s ? round->planner.slot_end_s : at_s;
    if (apart_s > round->planner.slot_s)
        at_s = (at_s + apart_s - 1) / apart_s * apart_s;
    if (round->turn && round->turn_s <= at_s)
        return;
    round->turn = task;
    round->turn_s = at_s;
}

/* ---- how long a turn is ---- */

/* How many shifts there are: in each, jobs on the fewest GPUs that they run on fill `gpus` GPUs.
 * Jobs of a size share the GPUs in whole blocks of that size. */
static int64_t count_shifts(const struct round *round, int gpus)
{
    int64_t needs[SCALING_CLASSES] = {0};
    int64_t need = 0;
    int64_t most = 1;

    for (size_t i = 0; i < round->rest.count; i++)
        if (task_may_run(round->rest.items[i]))
            needs[scaling_class(least_gpus(round->rest.items[i]))]++;
    for (int size = scaling_class(gpus); size > 0; size--) {
        const int64_t block = INT64_C(1) << (size - 1);
        const int64_t room = gpus / block * block;

        need += block * (needs[size] + (int64_t)round->memory->idle.resting[size]);
        if ((need + room - 1) / room > most)
            most = (need + room - 1) / room;
    }
    return most;
}

static bool any_without_deadline(const struct round *round)
{
    for (size_t i = 0; i < round->rest.count; i++)
        if (round->rest.items[i]->job->submission->best_effort)
            return true;
    return false;
}

/* Turns of late jobs alone stay long: their rounds cost jobs that can be in time. */
static int turn_slots(const struct round *round, int gpus)
{
    const int64_t others = any_without_deadline(round) ? count_shifts(round, gpus) - 1 : 0;

    if (others * TURN_SLOTS <= WAIT_SLOTS)
        return TURN_SLOTS;
    return others * TURN_SLOTS_MIN < WAIT_SLOTS ? (int)(WAIT_SLOTS / others) : TURN_SLOTS_MIN;
}

/* ---- when the next turn is ---- */

bool turns_are_due(struct round *round, int gpus)
{
    bool any = false;

    round->turn_slots = turn_slots(round, gpus);
    round->turn = NULL;
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (!waits(task) || least_gpus(task) > gpus)
            continue;
        if (asks_s(round, task) > round->view->now_s)
            note_turn(round, task, asks_s(round, task));
        else
            any = true;
    }
    return any;
}

/* ---- who gives ---- */

/* From when on it may shrink for another, and wait for another. */
static int64_t shrinks_s(const struct round *round, const struct task *task)
{
    return task->held > 0 ? task->stand->shrinks_s
                          : round->view->now_s + turn_s(round, least_gpus(task));
}

static int64_t stops_s(const struct round *round, const struct task *task)
{
    const int64_t over_s = since_s(round, task) + turn_s(round, task_gpus(task, task->level));
    const int64_t after_s = shrinks_s(round, task);

    return over_s > after_s ? over_s : after_s;
}

static bool gives_before(const struct round *round, const struct task *task,
                         const struct task *other, bool shrinks)
{
    if (!other || was_promised(task) != was_promised(other))
        return !other || was_promised(other);
    return shrinks ? task_gpus(task, task->level) > task_gpus(other, other->level)
                   : since_s(round, task) < since_s(round, other);
}

/* The task that shrinks next, or stops next; NULL for none whose turn is over, and that holds
 * `block` GPUs. */
static struct task *next_to_give(const struct round *round, bool shrinks, int block)
{
    struct task *next = NULL;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->level == 0 || task_gpus(task, task->level) < (shrinks ? 2 * block : block) ||
            (shrinks && task->level <= least_level(task)) ||
            (shrinks ? shrinks_s(round, task) : stops_s(round, task)) > round->view->now_s)
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

/* When tasks that hold `block` GPUs at least have given `need`, and how many more by then; NEVER_S
 * if they do not. */
static int64_t comes_s(const struct round *round, int need, int block, int *spare)
{
    const size_t count = round->rest.count;
    struct keyed *gifts = arena_alloc(round->planner.arena, 4 * (count + 1) * sizeof(*gifts));
    size_t used = 0;
    size_t next = 0;

    for (size_t i = 0; i < count; i++) {
        const struct task *task = round->rest.items[i];

        if (task->level == 0 || task_gpus(task, task->level) < block)
            continue;
        gifts[used++] = (struct keyed){(double)shrinks_s(round, task),
                                       (size_t)(task_gpus(task, task->level) - least_gpus(task))};
        gifts[used++] = (struct keyed){(double)stops_s(round, task), (size_t)least_gpus(task)};
    }
    sort_keyed(gifts, used, gifts + used);
    while (next < used && need > 0)
        need -= (int)gifts[next++].item;
    if (need > 0)
        return NEVER_S;
    *spare = -need;
    return (int64_t)gifts[next - 1].key;
}

/* Who waits longest is first, and before that who was promised something once. */
static double place_in_line(const struct round *round, const struct task *task)
{
    if (was_promised(task))
        return -INFINITY;
    return (double)(task->held == 0 && task->stand->known ? task->stand->since_s
                                                          : round->view->now_s);
}

static struct keyed *in_order(const struct round *round, size_t *count)
{
    struct keyed *order =
        arena_alloc(round->planner.arena, 2 * (round->rest.count + 1) * sizeof(*order));

    *count = 0;
    for (size_t i = 0; i < round->rest.count; i++)
        if (waits(round->rest.items[i]))
            order[(*count)++] = (struct keyed){place_in_line(round, round->rest.items[i]), i};
    sort_keyed(order, *count, order + *count);
    return order;
}

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
    const int least = least_gpus(task);
    const int block = task->misses > 0 ? least : 1;
    const int need = task->misses > 0 ? least : least - offer->free;
    int64_t at_s;

    if (least > offer->spare || least >= offer->fails)
        return false;
    if (need <= 0)
        return true;
    if (asks_s(round, task) > round->view->now_s) {
        note_turn(round, task, asks_s(round, task));
        return false;
    }
    if (take(round, need, block, &offer->free))
        return true;
    if (offer->spare < INT_MAX) {
        offer->fails = least;
        return false;
    }
    at_s = comes_s(round, need, block, &offer->spare);
    if (at_s < NEVER_S && task->misses > 0)
        offer->spare += offer->free;
    note_turn(round, task, at_s);
    return false;
}

static void give(struct task *task, struct offer *offer)
{
    task->level = least_level(task);
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
        const int least = least_gpus(task);

        if (!task->gives || task->level > 0)
            continue;
        if (task->leaves)
            note_turn(round, task, round->planner.slot_end_s);
        else if (least <= offer->free && least <= offer->spare)
            give(task, offer);
        else if (offer->spare == INT_MAX)
            note_turn(round, task, comes_s(round, least - offer->free, 1, &ignored));
    }
}

/* The first that has to wait on for others' turns gets what it needs then: of those after it only
 * such begin as leave that. */
int turns_give(struct round *round, int gpus)
{
    struct offer offer = {gpus, INT_MAX, INT_MAX};
    int all = gpus;
    size_t count;
    const struct keyed *order = in_order(round, &count);

    for (size_t i = 0; i < round->rest.count; i++)
        all += task_gpus(round->rest.items[i], round->rest.items[i]->level);
    for (size_t i = 0; i < count; i++) {
        struct task *task = round->rest.items[order[i].item];

        if (least_gpus(task) > all || !has_room(round, task, &offer))
            continue;
        give(task, &offer);
        task->begins = true;
    }
    settle_stopped(round, &offer);
    return offer.free;
}

/* ---- what comes of it ---- */

bool turns_may_keep(const struct task *task)
{
    return task->misses < MISSES_MAX;
}

/* Where blocks lack what came free is not handed out before the next round. */
void turns_open(struct round *round)
{
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        task->wanted = task->level;
        if (round->missed && task->begins)
            note_turn(round, task, round->planner.slot_end_s);
    }
}

static bool is_unseated(const struct task *task)
{
    return task->wanted > 0 && task->level == 0;
}

/* The fewest GPUs of those that were to begin and found no block; INT_MAX for none. */
static int lacking_gpus(const struct round *round)
{
    int lacks = INT_MAX;

    for (size_t i = 0; i < round->rest.count; i++) {
        const struct task *task = round->rest.items[i];

        if (task->begins && is_unseated(task) && least_gpus(task) < lacks)
            lacks = least_gpus(task);
    }
    return lacks;
}

/* Of those that were to begin on so many GPUs the last in line. */
static struct task *last_in_line(const struct round *round, int gpus)
{
    struct task *last = NULL;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->begins && least_gpus(task) == gpus &&
            (!last || place_in_line(round, task) >= place_in_line(round, last)))
            last = task;
    }
    return last;
}

static void miss(struct task *task)
{
    task->begins = false;
    task->misses++;
}

/* The first in line of those that were to begin on `gpus` GPUs and found no block. */
static const struct task *first_unseated(const struct round *round, int gpus)
{
    const struct task *first = NULL;

    for (size_t i = 0; i < round->rest.count; i++) {
        const struct task *task = round->rest.items[i];

        if (task->begins && is_unseated(task) && least_gpus(task) == gpus &&
            (!first || place_in_line(round, task) < place_in_line(round, first)))
            first = task;
    }
    return first;
}

/* Larger blocks are found first: one that begins on more GPUs, and came to wait later than the
 * first that finds no block, leaves its own to that. */
static bool gives_way(struct round *round, int lacks)
{
    const struct task *first = first_unseated(round, lacks);
    struct task *last = NULL;

    if (!first || round->ways >= WAYS_MAX)
        return false;
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->begins && task->level > 0 && least_gpus(task) > lacks &&
            place_in_line(round, task) > place_in_line(round, last ? last : first))
            last = task;
    }
    if (!last)
        return false;
    last->begins = false;
    last->misses = MISSES_MAX;
    round->ways++;
    return true;
}

static bool any_is_unseated(const struct round *round)
{
    for (size_t i = 0; i < round->rest.count; i++)
        if (is_unseated(round->rest.items[i]))
            return true;
    return false;
}

/* Where there is no block for those that are last in line, there is none for others that wait for
 * as many GPUs. */
static void miss_turns(struct round *round, int lacks)
{
    int unseated = 0;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->begins && is_unseated(task) && least_gpus(task) == lacks)
            unseated++;
        else if ((!task->begins && is_unseated(task)) ||
                 (task->level == 0 && least_gpus(task) >= lacks))
            miss(task);
    }
    for (; unseated > 0; unseated--)
        miss(last_in_line(round, lacks));
}

/* Blocks may lack because others grew: the next try is without that, and no job misses its turn
 * before it. */
bool turns_missed(struct round *round)
{
    const int lacks = lacking_gpus(round);
    const bool grew = !round->missed;

    if (!any_is_unseated(round))
        return false;
    round->missed = true;
    if (!grew && !gives_way(round, lacks))
        miss_turns(round, lacks);
    return true;
}

void turns_note(const struct round *round, struct task *task)
{
    const int64_t now_s = round->view->now_s;
    const int before = task->job->level;
    const int after = task->now.level;

    if (!task->stand->known || (before > 0) != (after > 0))
        task->stand->since_s = now_s;
    if (!task->stand->known || (before == 0 && after > 0))
        task->stand->shrinks_s = now_s;
    else if (task->gives && after < before)
        task->stand->shrinks_s = now_s + turn_s(round, task_gpus(task, before));
}
