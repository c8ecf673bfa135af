/* proof.c - see proof.h. */
#include "scheduler/planner/proof.h"

#include "common/sort.h"

struct proof proof_open(int64_t now_s, int gpus, arena_t *arena)
{
    struct proof self = {.now_s = now_s, .in_time = true, .arena = arena};

    blocks_open(&self.blocks, gpus, arena);
    return self;
}

static void append(struct proof *self, struct proof_change change)
{
    self->changes =
        arena_grow(self->arena, self->changes, self->count, &self->room, sizeof(change));
    self->changes[self->count++] = change;
}

void proof_add(struct proof *self, const struct task *task, const struct course *course)
{
    self->in_time = self->in_time && course->end_s <= task->deadline_s;
    for (int i = 0; i < course->count; i++) {
        const struct piece *piece = &course->pieces[i];
        const int64_t until_s = i + 1 < course->count ? piece[1].at_s : course->end_s;
        const int64_t from_s = piece->at_s > self->now_s ? piece->at_s : self->now_s;
        const int gpus = task_gpus(task, piece->level);

        if (piece->level == 0 || from_s >= until_s)
            continue;
        append(self, (struct proof_change){from_s, true, piece->rank, gpus});
        append(self, (struct proof_change){until_s, false, piece->rank, gpus});
    }
}

void proof_close(struct proof *self, const struct closures *closures)
{
    for (size_t k = 0; k < closures->count; k++) {
        const struct closure *closure = &closures->items[k];
        const int rank = closure->place * closures->order->per_node;
        const int64_t from_s = closure->from_s > self->now_s ? closure->from_s : self->now_s;

        for (int i = 0; from_s < closure->to_s && i < closure->gpus; i++) {
            append(self, (struct proof_change){from_s, true, rank + i, 1});
            append(self, (struct proof_change){closure->to_s, false, rank + i, 1});
        }
    }
}

/* The GPUs given back and taken, by time. At equal times GPUs are given back first. */
static const struct keyed *by_time(const struct proof *self)
{
    struct keyed *keyed = arena_alloc(self->arena, (2 * self->count + 1) * sizeof(*keyed));

    for (size_t i = 0; i < self->count; i++)
        keyed[i] =
            (struct keyed){2 * (double)self->changes[i].at_s + (self->changes[i].takes ? 1 : 0), i};
    sort_keyed(keyed, self->count, keyed + self->count);
    return keyed;
}

static bool take(struct blocks *blocks, const struct proof_change *change)
{
    if (change->rank < 0 || !blocks_is_free(blocks, change->rank, change->gpus))
        return false;
    blocks_take(blocks, change->rank, change->gpus, 0);
    return true;
}

bool proof_holds(struct proof *self)
{
    const struct keyed *order = by_time(self);

    for (size_t i = 0; i < self->count; i++) {
        const struct proof_change *change = &self->changes[order[i].item];

        if (!change->takes)
            blocks_give(&self->blocks, change->rank, change->gpus);
        else if (!take(&self->blocks, change))
            return false;
    }
    return self->in_time;
}
