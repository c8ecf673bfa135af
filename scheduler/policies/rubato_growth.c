/* rubato_growth.c - see rubato.h. GPUs go where they save most work per GPU, sooner where the
 * deadline is near. */
#include "scheduler/policies/rubato.h"

#include "common/heap.h"

#include <math.h>
#include <string.h>

/* What a job does on more GPUs counts for so long, as a round will have given them anew by then,
 * but not after its deadline. */
#define AHEAD_S 1000

/* A job that may grow: what each level saves it, and the jump that saves most per GPU. */
struct offer {
    struct task *task;
    double values[SCALING_LEVELS];
    int level;
    double gain; /* per GPU; 0 for no jump */
};

/* GPU-seconds that each level saves, weighed by the deadline and by what an iteration takes on the
 * level that needs least of them and ends in time. */
static void value_levels(const struct round *round, struct offer *offer)
{
    const struct task *task = offer->task;
    const double *rate = task->scaling->rate;
    const double left_s = fmax(1, (double)(task->deadline_s - round->view->now_s));
    const double ahead_s = fmin(AHEAD_S, left_s);
    double least = INFINITY;
    double weight;

    offer->values[0] = 0;
    for (int level = 1; level <= task->scaling->reach; level++) {
        const int gpus = task_gpus(task, level);
        const int cost_s = planner_price_now(&round->planner, gpus);
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

static size_t enter_offers(const struct round *round, const struct task_list *tasks, int gpus,
                           struct offer offers[])
{
    size_t count = 0;

    for (size_t i = 0; i < tasks->count; i++) {
        struct offer *offer = &offers[count];

        if (!task_may_run(tasks->items[i]))
            continue;
        offer->task = tasks->items[i];
        value_levels(round, offer);
        find_jump(offer, gpus);
        count++;
    }
    return count;
}

/* The heap has the smallest key first; positive numbers are in the order of their bits. */
static int64_t key_of(const struct offer *offer)
{
    int64_t bits;

    memcpy(&bits, &offer->gain, sizeof(bits));
    return -bits;
}

static int free_gpus(const struct round *round)
{
    int gpus = round->planner.gpus;

    for (size_t i = 0; i < round->count; i++)
        gpus -= task_gpus(&round->tasks[i], round->tasks[i].level);
    return gpus;
}

/* The next higher level that is faster; 0 for none. */
static int next_level(const struct task *task)
{
    for (int level = task->level + 1; level <= task->scaling->reach; level++)
        if (task->usable[level] == level)
            return level;
    return 0;
}

/* Those that hold GPUs keep as many, if there is a block for them. Returns how many are left. */
static int keep_held(struct round *round, int gpus)
{
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        task->begins = task->gives = task->leaves = false;
        task->level = 0;
        if (task->held > 0 && turns_may_keep(task) && task_gpus(task, task->held) <= gpus) {
            task->level = task->held;
            gpus -= task_gpus(task, task->held);
        }
    }
    return gpus;
}

/* Goes through the sizes in turn. No job grows where blocks lack. */
static void grow_in_turn(struct round *round, int gpus, bool begins)
{
    bool grew = true;

    while (grew) {
        grew = false;
        for (size_t i = 0; i < round->rest.count; i++) {
            struct task *task = round->rest.items[i];
            const bool may = task->level > 0 ? !round->missed : begins && task->misses == 0;
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

/* Jobs that no deadline drives get the GPUs that are left. */
static void serve_rest(struct round *round, int gpus)
{
    grow_in_turn(round, keep_held(round, gpus), true);
    if (turns_are_due(round, gpus))
        grow_in_turn(round, turns_give(round, keep_held(round, gpus)), false);
    turns_open(round);
}

/* Jump after jump, the one that saves most first; returns how many GPUs are left. */
static int serve_offers(struct offer offers[], size_t count, int gpus)
{
    heap_t *heap = heap_new();
    struct offer *best;

    for (size_t i = 0; i < count; i++)
        if (offers[i].gain > 0)
            heap_push(heap, key_of(&offers[i]), &offers[i]);
    while (gpus > 0 && (best = heap_first(heap))) {
        const int more =
            task_gpus(best->task, best->level) - task_gpus(best->task, best->task->level);

        if (more <= gpus) {
            gpus -= more;
            best->task->level = best->level;
        }
        find_jump(best, gpus);
        if (best->gain > 0)
            heap_replace_first(heap, key_of(best), best);
        else
            heap_pop(heap);
    }
    heap_destroy(&heap);
    return gpus;
}

void growth_hand_out(struct round *round, bool to_promised)
{
    struct offer *offers = arena_alloc(round->planner.arena, (round->count + 1) * sizeof(*offers));
    int gpus = free_gpus(round);
    size_t count = 0;

    if (to_promised)
        count = enter_offers(round, &round->promised, gpus, offers);
    if (round->load > LOAD_HIGH) {
        gpus = serve_offers(offers, count, gpus);
        count = 0;
    }
    count += enter_offers(round, &round->open, gpus, offers + count);
    serve_rest(round, serve_offers(offers, count, gpus));
}
