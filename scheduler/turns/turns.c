/* turns.c - see turns.h. */
#include "scheduler/turns/turns_internal.h"

#include <limits.h>

struct turns turns_open(struct planner *planner, const struct idle *idle, size_t room)
{
    return (struct turns){.planner = planner,
                          .idle = idle,
                          .tasks = task_list_open(planner->arena, room, task_in_line)};
}

/* ---- who gives ---- */

/* A job that was promised something once gives after all others. */
static bool gives_before(const struct turns *self, const struct task *task,
                         const struct task *other, bool shrinks)
{
    if (!other || task_was_promised(task) != task_was_promised(other))
        return !other || task_was_promised(other);
    return shrinks ? task_gpus(task, task->level) > task_gpus(other, other->level)
                   : turn_since_s(self, task) < turn_since_s(self, other);
}

/* The task that shrinks next, or stops next; NULL for none whose turn is over, and that holds
 * `block` GPUs. */
static struct task *next_to_give(const struct turns *self, bool shrinks, int block)
{
    struct task *next = NULL;

    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        if (task->level == 0 || task_gpus(task, task->level) < (shrinks ? 2 * block : block) ||
            (shrinks && task->level <= turn_least_level(task)) ||
            (shrinks ? turn_shrinks_s(self, task) : turn_stops_s(self, task)) > turns_now_s(self))
            continue;
        if (gives_before(self, task, next, shrinks))
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
static bool take(struct turns *self, int need, int block, int *gpus)
{
    const size_t count = self->tasks.count;
    int *levels = arena_alloc(self->planner->arena, (count + 1) * sizeof(*levels));
    int freed = 0;
    struct task *task;

    for (size_t i = 0; i < count; i++)
        levels[i] = self->tasks.items[i]->level;
    while (freed < need && (task = next_to_give(self, true, block)))
        shrink_or_stop(task, true, &freed);
    while (freed < need && (task = next_to_give(self, false, block)))
        shrink_or_stop(task, false, &freed);
    for (size_t i = 0; i < count; i++)
        if (freed < need)
            self->tasks.items[i]->level = levels[i];
        else if (self->tasks.items[i]->level < levels[i]) {
            self->tasks.items[i]->gives = true;
            self->tasks.items[i]->leaves = block > 1 && self->tasks.items[i]->level == 0;
        }
    *gpus += freed < need ? 0 : freed;
    return freed >= need;
}

/* ---- who gets ---- */

/* The GPUs for jobs that wait. */
struct room {
    int free;
    int spare; /* beside what the first that waits on needs, once there is one */
    int fails; /* so many GPUs are not to be had any more */
};

/* Whether others make room for `task`, or need not. The first for which they do not waits on: it is
 * noted when they do, and what they have to spare then. */
static bool has_room(struct turns *self, const struct task *task, struct room *room)
{
    const int least = turn_least_gpus(task);
    const int block = task->misses > 0 ? least : 1;
    const int need = task->misses > 0 ? least : least - room->free;
    int64_t at_s;

    if (least > room->spare || least >= room->fails)
        return false;
    if (need <= 0)
        return true;
    if (turn_asks_s(self, task) > turns_now_s(self)) {
        turn_note(self, task, turn_asks_s(self, task));
        return false;
    }
    if (take(self, need, block, &room->free))
        return true;
    if (room->spare < INT_MAX) {
        room->fails = least;
        return false;
    }
    at_s = turn_comes_s(self, need, block, &room->spare);
    if (at_s < NEVER_S && task->misses > 0)
        room->spare += room->free;
    turn_note(self, task, at_s);
    return false;
}

static void give(struct task *task, struct room *room)
{
    task->level = turn_least_level(task);
    room->free -= task_gpus(task, task->level);
    room->spare -= room->spare < INT_MAX ? task_gpus(task, task->level) : 0;
}

/* Jobs that stopped for others go on, if they can, on the GPUs that these left: in the next round
 * if they left their block. Else they wait for a turn. */
static void settle_stopped(struct turns *self, struct room *room)
{
    int ignored;

    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];
        const int least = turn_least_gpus(task);

        if (!task->gives || task->level > 0)
            continue;
        if (task->leaves)
            turn_note(self, task, self->planner->slot_end_s);
        else if (least <= room->free && least <= room->spare)
            give(task, room);
        else if (room->spare == INT_MAX)
            turn_note(self, task, turn_comes_s(self, least - room->free, 1, &ignored));
    }
}

/* The first that has to wait on for others' turns gets what it needs then: of those after it only
 * such begin as leave that. */
static int give_turns(struct turns *self, int gpus)
{
    struct room room = {gpus, INT_MAX, INT_MAX};
    int all = gpus;
    size_t count;
    const struct keyed *order = line_order(self, &count);

    for (size_t i = 0; i < self->tasks.count; i++)
        all += task_gpus(self->tasks.items[i], self->tasks.items[i]->level);
    for (size_t i = 0; i < count; i++) {
        struct task *task = self->tasks.items[order[i].item];

        if (turn_least_gpus(task) > all || !has_room(self, task, &room))
            continue;
        give(task, &room);
        task->begins = true;
    }
    settle_stopped(self, &room);
    return room.free;
}

/* ---- what is left ---- */

/* The next higher level that is faster; 0 for none. */
static int next_level(const struct task *task)
{
    for (int level = task->level + 1; level <= task->scaling->reach; level++)
        if (task->usable[level] == level)
            return level;
    return 0;
}

/* Jobs that hold GPUs keep as many, if there is a block for them. Returns how many GPUs are left.
 */
static int keep_held(struct turns *self, int gpus)
{
    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        task->begins = task->gives = task->leaves = false;
        task->level = 0;
        if (task->held > 0 && line_may_keep(task) && task_gpus(task, task->held) <= gpus) {
            task->level = task->held;
            gpus -= task_gpus(task, task->held);
        }
    }
    return gpus;
}

/* Goes through the sizes in turn. No job grows where blocks lack. */
static void grow_in_turn(struct turns *self, int gpus, bool begins)
{
    bool grew = true;

    while (grew) {
        grew = false;
        for (size_t i = 0; i < self->tasks.count; i++) {
            struct task *task = self->tasks.items[i];
            const bool may = task->level > 0 ? !self->missed : begins && task->misses == 0;
            const int next = may ? next_level(task) : 0;
            const int more = task_gpus(task, next) - task_gpus(task, task->level);

            if (next == 0 || more > gpus)
                continue;
            gpus -= more;
            task->begins = task->begins || task->level == 0;
            task->level = next;
            grew = true;
        }
    }
}

/* ---- all of it ---- */

/* Whether any task waits that others make room for, with `gpus` GPUs for them all; notes when
 * others do for the next. */
static bool are_due(struct turns *self, int gpus)
{
    bool any = false;

    self->slots = turn_slots(self, gpus);
    self->next = NULL;
    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        if (!line_waits(task) || turn_least_gpus(task) > gpus)
            continue;
        if (turn_asks_s(self, task) > turns_now_s(self))
            turn_note(self, task, turn_asks_s(self, task));
        else
            any = true;
    }
    return any;
}

/* Where blocks lack what came free is not handed out before the next round. */
static void settle(struct turns *self)
{
    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        task->wanted = task->level;
        if (self->missed && task->begins)
            turn_note(self, task, self->planner->slot_end_s);
    }
}

void turns_serve(struct turns *self, int gpus)
{
    grow_in_turn(self, keep_held(self, gpus), true);
    if (are_due(self, gpus))
        grow_in_turn(self, give_turns(self, keep_held(self, gpus)), false);
    settle(self);
}
