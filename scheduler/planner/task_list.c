/* task_list.c - see task_list.h. */
#include "scheduler/planner/task_list.h"

#include "common/sort.h"

#include <string.h>

struct task_list task_list_open(arena_t *arena, size_t room, double (*key)(const struct task *task))
{
    return (struct task_list){.items = arena_alloc(arena, (room + 1) * sizeof(struct task *)),
                              .key = key};
}

void task_list_append(struct task_list *self, struct task *task)
{
    self->items[self->count++] = task;
}

void task_list_insert(struct task_list *self, struct task *task)
{
    const double key = self->key(task);
    size_t at = self->count++;

    for (; at > 0 && self->key(self->items[at - 1]) > key; at--)
        self->items[at] = self->items[at - 1];
    self->items[at] = task;
    self->planned = at < self->planned ? at : self->planned;
}

void task_list_sort(struct task_list *self, arena_t *arena)
{
    struct keyed *keyed = arena_alloc(arena, (2 * self->count + 1) * sizeof(*keyed));
    struct task **items = arena_alloc(arena, (self->count + 1) * sizeof(*items));

    for (size_t i = 0; i < self->count; i++)
        keyed[i] = (struct keyed){self->key(self->items[i]), i};
    sort_keyed(keyed, self->count, keyed + self->count);
    memcpy(items, self->items, self->count * sizeof(*items));
    for (size_t i = 0; i < self->count; i++)
        self->items[i] = items[keyed[i].item];
}

void task_list_remove(struct task_list *self, const struct task *task)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++)
        if (self->items[i] != task)
            self->items[kept++] = self->items[i];
        else if (i < self->planned)
            self->planned = i;
    self->count = kept;
}

struct task *task_list_most(const struct task_list *self, size_t count,
                            double (*number)(const struct task *task))
{
    struct task *most = self->items[0];

    for (size_t i = 1; i < count; i++)
        if (number(self->items[i]) > number(most))
            most = self->items[i];
    return most;
}

void task_list_keep(struct task_list *self, bool promised)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++)
        if (self->items[i]->promised == promised)
            self->items[kept++] = self->items[i];
    self->count = kept;
    self->planned = 0;
}
