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

/* Whether `task` gives before `other`. A job that was ever promised something gives after all
 * others. */
static bool gives_before(const struct turns *self, const struct task *task,
                         const struct task *other, bool shrinks)
{
    if (!other || task_was_promised(task) != task_was_promised(other))
        return !other || task_was_promised(other);
    return shrinks ? task_gpus(task, task->level) > task_gpus(other, other->level)
                   : turn_since_s(self, task) < turn_since_s(self, other);
}

/* The next task to shrink, or to stop. Its turn is over and it holds at least `block` GPUs. NULL
 * for none. */
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

/* Takes at least `need` GPUs off tasks that hold `block` or more, and adds them to `*gpus`. False,
 * with nothing taken, if these tasks cannot give as many. */
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

/* The GPUs for waiting jobs. */
struct room {
    int free;
    int spare; /* GPUs beside the need of the first job that waits on; INT_MAX before there is one
                */
    int fails; /* no task can get so many GPUs any more */
};

/* Whether there is room for `task`, free or given up by others. The first task for which no other
 * task makes room waits on: the time of its turn is noted, and the GPUs to spare at that time. */
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

/* Lets jobs that stopped for others go on, if possible, on the remaining GPUs. Jobs that left their
 * block go on in the next round. All other stopped jobs wait for a turn. */
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

/* Gives waiting tasks their turns in line. The first task that has to wait on gets the GPUs it
 * needs at its turn: tasks after it begin only if they leave these. */
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

/* ---- the GPUs left ---- */

/* The next higher level that is faster; 0 for none. */
static int next_level(const struct task *task)
{
    for (int level = task->level + 1; level <= task->scaling->reach; level++)
        if (task->usable[level] == level)
            return level;
    return 0;
}

/* Lets jobs that hold GPUs keep them where there is a block. Returns the number of GPUs left. */
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

/* Grows jobs by a level in turn while GPUs last. No running job grows where blocks lack. */
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

/* ---- the turns of a round ---- */

/* Whether some waiting task is due, so that others make room, with `gpus` GPUs for all of them.
 * Notes the next time at which a task is due. */
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

/* Notes the levels given out. Where blocks lack, GPUs that came free are not given out before the
 * next round. */
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
