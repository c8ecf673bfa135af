/* offers.c - see offers.h. */
#include "scheduler/planner/offers.h"

#include "common/heap.h"

#include <math.h>
#include <string.h>

/* Seconds for which the work that a job does on more GPUs counts, but not after the deadline. After
 * so long a round has given the GPUs out anew. */
#define AHEAD_S 1000

/* Computes the GPU-seconds that each level saves. The savings are weighed by the nearness of the
 * deadline and by the cost of an iteration on the cheapest level that ends in time. */
static void value_levels(const struct planner *planner, struct offer *offer)
{
    const struct task *task = offer->task;
    const double *rate = task->scaling->rate;
    const double left_s = fmax(1, (double)(task->deadline_s - planner->view->now_s));
    const double ahead_s = fmin(AHEAD_S, left_s);
    double least = INFINITY;
    double weight;

    offer->values[0] = 0;
    for (int level = 1; level <= task->scaling->reach; level++) {
        const int gpus = task_gpus(task, level);
        const int cost_s = planner_price_now(planner, gpus);
        const double wait_s = level == task->held ? task->debt_s : cost_s;
        const double done = wait_s < ahead_s ? rate[level] * (ahead_s - wait_s) : 0;

        offer->values[level] = done < task->left ? done : task->left;
        if (task->usable[level] == level && rate[level] * (left_s - cost_s) >= task->left &&
            gpus < least * rate[level])
            least = gpus / rate[level];
    }
    weight = (isfinite(least) ? least : task_gpus(task, 1) / rate[1]) / sqrt(left_s);
    for (int level = 1; level <= task->scaling->reach; level++)
        offer->values[level] *= weight;
}

static void find_jump(struct offer *offer, int free_gpus)
{
    const struct task *task = offer->task;

    offer->gain = 0;
    for (int level = task->level + 1; level <= task->scaling->reach; level++) {
        const int more = task_gpus(task, level) - task_gpus(task, task->level);
        double gain;

        if (more > free_gpus)
            break;
        if (task->usable[level] != level)
            continue;
        gain = (offer->values[level] - offer->values[task->level]) / more;
        if (gain > offer->gain) {
            offer->level = level;
            offer->gain = gain;
        }
    }
}

struct offers offers_open(const struct planner *planner, size_t room, int gpus)
{
    return (struct offers){.planner = planner,
                           .items = arena_alloc(planner->arena, (room + 1) * sizeof(struct offer)),
                           .gpus = gpus};
}

void offers_add(struct offers *self, const struct task_list *tasks)
{
    for (size_t i = 0; i < tasks->count; i++) {
        struct offer *offer = &self->items[self->count];

        if (!task_may_run(tasks->items[i]) || tasks->items[i]->waits)
            continue;
        offer->task = tasks->items[i];
        value_levels(self->planner, offer);
        find_jump(offer, self->gpus);
        self->count++;
    }
}

/* The key of an offer in the heap, which has the smallest key first. Positive doubles have the
 * order of their bits. */
static int64_t key_of(const struct offer *offer)
{
    int64_t bits;

    memcpy(&bits, &offer->gain, sizeof(bits));
    return -bits;
}

/* Serves jump after jump, the jump that saves most per GPU first. */
void offers_serve(struct offers *self)
{
    heap_t *heap = heap_new();
    struct offer *best;

    for (size_t i = 0; i < self->count; i++)
        if (self->items[i].gain > 0)
            heap_push(heap, key_of(&self->items[i]), &self->items[i]);
    while (self->gpus > 0 && (best = heap_first(heap))) {
        const int more =
            task_gpus(best->task, best->level) - task_gpus(best->task, best->task->level);

        if (more <= self->gpus) {
            self->gpus -= more;
            best->task->level = best->level;
        }
        find_jump(best, self->gpus);
        if (best->gain > 0)
            heap_replace_first(heap, key_of(best), best);
        else
            heap_pop(heap);
    }
    heap_destroy(&heap);
    self->count = 0;
}
