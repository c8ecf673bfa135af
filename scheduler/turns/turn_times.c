/* turn_times.c - see turns_internal.h: how long turns of jobs that no deadline drives last,
 * and when the next begins. */
#include "scheduler/turns/turns_internal.h"

#include "scheduler/plan/level.h"

/* A turn lasts at least TURN_SLOTS, down to TURN_SLOTS_MIN where many jobs without a deadline wait,
 * and at least TURN_PRICES times the cost of its start. A late job without a promise waits
 * LATE_SLOTS before others make room for it, and calls for a round of its own only after LATE_SLOTS
 * + TURN_SLOTS: a round begins a slot, and jobs with a deadline wait for the end of a slot. A round
 * may also restart all jobs, so CALL_PRICES prices lie between rounds for turns alone. */
#define TURN_SLOTS     8
#define TURN_SLOTS_MIN 2
#define WAIT_SLOTS     16 /* of all turns before a job's next turn, with turns below TURN_SLOTS */
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

static int64_t turn_s(const struct turns *self, int gpus)
{
    const struct planner *planner = self->planner;
    const int64_t slots_s = self->slots * planner->slot_s;
    const int64_t prices_s = TURN_PRICES * price_s(planner, gpus);

    return slots_s > prices_s ? slots_s : prices_s;
}

int64_t turn_since_s(const struct turns *self, const struct task *task)
{
    const bool as_before = (task->held > 0) == (task->level > 0) && task->known;

    return as_before ? task->since_s : turns_now_s(self);
}

/* Whether the deadline of the job is missed and was never promised. */
static bool is_only_late(const struct task *task)
{
    return !task->job->submission->best_effort && !task_was_promised(task);
}

int64_t turn_asks_s(const struct turns *self, const struct task *task)
{
    return turn_since_s(self, task) + (is_only_late(task) ? LATE_SLOTS * self->planner->slot_s : 0);
}

void turn_note(struct turns *self, const struct task *task, int64_t at_s)
{
    const int64_t late_s =
        turn_since_s(self, task) + (LATE_SLOTS + TURN_SLOTS) * self->planner->slot_s;
    const int64_t apart_s = CALL_PRICES * price_s(self->planner, 1);

    if (at_s == NEVER_S)
        return;
    at_s = is_only_late(task) && at_s < late_s ? late_s : at_s;
    at_s = at_s < self->planner->slot_end_s ? self->planner->slot_end_s : at_s;
    if (apart_s > self->planner->slot_s)
        at_s = (at_s + apart_s - 1) / apart_s * apart_s;
    if (self->next && self->next_s <= at_s)
        return;
    self->next = task;
    self->next_s = at_s;
}

/* ---- how long a turn is ---- */

/* The number of shifts in which jobs, on the fewest GPUs that they run on, fill `gpus` GPUs. Jobs
 * of equal size share the GPUs in whole blocks of that size. */
static int64_t count_shifts(const struct turns *self, int gpus)
{
    int64_t needs[SCALING_CLASSES] = {0};
    int64_t need = 0;
    int64_t most = 1;

    for (size_t i = 0; i < self->tasks.count; i++)
        if (task_may_run(self->tasks.items[i]))
            needs[scaling_class(turn_least_gpus(self->tasks.items[i]))]++;
    for (int size = scaling_class(gpus); size > 0; size--) {
        const int64_t block = INT64_C(1) << (size - 1);
        const int64_t room = gpus / block * block;

        need += block * (needs[size] + (int64_t)self->idle->resting[size]);
        if ((need + room - 1) / room > most)
            most = (need + room - 1) / room;
    }
    return most;
}

static bool any_without_deadline(const struct turns *self)
{
    for (size_t i = 0; i < self->tasks.count; i++)
        if (self->tasks.items[i]->job->submission->best_effort)
            return true;
    return false;
}

/* Turns of late jobs alone stay long: their rounds cost jobs that can be in time. */
int turn_slots(const struct turns *self, int gpus)
{
    const int64_t others = any_without_deadline(self) ? count_shifts(self, gpus) - 1 : 0;

    if (others * TURN_SLOTS <= WAIT_SLOTS)
        return TURN_SLOTS;
    return others * TURN_SLOTS_MIN < WAIT_SLOTS ? (int)(WAIT_SLOTS / others) : TURN_SLOTS_MIN;
}

/* ---- when GPUs come free ---- */

int64_t turn_shrinks_s(const struct turns *self, const struct task *task)
{
    return task->held > 0 ? task->shrinks_s
                          : turns_now_s(self) + turn_s(self, turn_least_gpus(task));
}

int64_t turn_stops_s(const struct turns *self, const struct task *task)
{
    const int64_t over_s = turn_since_s(self, task) + turn_s(self, task_gpus(task, task->level));
    const int64_t after_s = turn_shrinks_s(self, task);

    return over_s > after_s ? over_s : after_s;
}

int64_t turn_comes_s(const struct turns *self, int need, int block, int *spare)
{
    const size_t count = self->tasks.count;
    struct keyed *gifts = arena_alloc(self->planner->arena, 4 * (count + 1) * sizeof(*gifts));
    size_t used = 0;
    size_t next = 0;

    for (size_t i = 0; i < count; i++) {
        const struct task *task = self->tasks.items[i];

        if (task->level == 0 || task_gpus(task, task->level) < block)
            continue;
        gifts[used++] =
            (struct keyed){(double)turn_shrinks_s(self, task),
                           (size_t)(task_gpus(task, task->level) - turn_least_gpus(task))};
        gifts[used++] =
            (struct keyed){(double)turn_stops_s(self, task), (size_t)turn_least_gpus(task)};
    }
    sort_keyed(gifts, used, gifts + used);
    while (next < used && need > 0)
        need -= (int)gifts[next++].item;
    if (need > 0)
        return NEVER_S;
    *spare = -need;
    return (int64_t)gifts[next - 1].key;
}

/* ---- turns that a job has had ---- */

void turn_enter(const struct turn *self, struct task *task)
{
    task->since_s = self->since_s;
    task->shrinks_s = self->shrinks_s;
}

void turns_note(const struct turns *self, const struct task *task, struct turn *turn)
{
    const int64_t now_s = turns_now_s(self);
    const int before = level_held(task->job);
    const int after = task->now.level;

    if (!task->known || (before > 0) != (after > 0))
        turn->since_s = now_s;
    if (!task->known || (before == 0 && after > 0))
        turn->shrinks_s = now_s;
    else if (task->gives && after < before)
        turn->shrinks_s = now_s + turn_s(self, task_gpus(task, before));
}
