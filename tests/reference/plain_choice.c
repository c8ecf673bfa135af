/* plain_choice.c - see plain_choice.h. */
#include "tests/reference/plain_choice.h"

#include "tests/support/test.h"

/* Half a plan: everything up to some entry is settled. */
struct walk {
    const struct lease_problem *problem;
    struct plain_best *best;
    int64_t free_gpus[PLAIN_CHOICE_SLOTS];
    struct plain_worth worth;
};

int64_t plain_choice_objective(const struct lease_problem *problem, const struct plain_worth *worth)
{
    const int64_t value = worth->value * problem->gpu_count;

    switch (problem->objective) {
    case OBJECTIVE_MAXIMIZE:
        return value + worth->gpus;
    case OBJECTIVE_MINIMIZE:
        return value - worth->gpus;
    case OBJECTIVE_RANDOM:
    case OBJECTIVE_ADAPTIVE:
        break;
    }
    return 0;
}

static bool is_due_before(const struct lease_entry *a, const struct lease_entry *b)
{
    if (a->before != b->before)
        return a->before < b->before;
    return a->before - a->need < b->before - b->need;
}

/* From 1. */
static int64_t place_of(const struct lease_problem *problem, size_t entry)
{
    const struct lease_entry *items = problem->entries->items;
    int64_t place = 1;

    for (size_t i = 0; i < problem->entries->count; i++)
        place += is_due_before(&items[i], &items[entry]) ||
                 (i < entry && !is_due_before(&items[entry], &items[i]));
    return place;
}

/* The entry runs in the slot that begins. */
static void run_now(const struct lease_problem *problem, size_t entry, struct plain_worth *worth)
{
    const int64_t gpus = problem->entries->items[entry].gpus;

    worth->gpus += gpus;
    worth->order += gpus * place_of(problem, entry);
}

static void note(const struct walk *self)
{
    struct plain_best *best = self->best;
    const int64_t objective = plain_choice_objective(self->problem, &self->worth);
    int64_t *least = &best->least_order[self->worth.value][self->worth.gpus];

    if (!best->possible || objective > best->objective)
        best->objective = objective;
    best->possible = true;
    if (self->worth.order < *least)
        *least = self->worth.order;
}

static size_t next_job(const struct lease_entries *entries, size_t at)
{
    const struct lease *lease = entries->items[at].lease;

    while (at < entries->count && entries->items[at].lease == lease)
        at++;
    return at;
}

static void walk_jobs(struct walk *self, size_t at);

/* All ways to give the entry `need` slots from `slot` on. */
static void walk_slots(struct walk *self, size_t entry, int64_t slot, int64_t need)
{
    const struct lease_entry *item = &self->problem->entries->items[entry];

    if (need == 0) {
        walk_jobs(self, next_job(self->problem->entries, entry));
        return;
    }
    for (; slot + need <= item->before - self->problem->slot; slot++) {
        const struct plain_worth worth = self->worth;

        if (self->free_gpus[slot] < item->gpus)
            continue;
        self->free_gpus[slot] -= item->gpus;
        if (slot == 0)
            run_now(self->problem, entry, &self->worth);
        walk_slots(self, entry, slot + 1, need - 1);
        self->free_gpus[slot] += item->gpus;
        self->worth = worth;
    }
}

/* All levels of the job that begins at `at`, and of those after it. */
static void walk_jobs(struct walk *self, size_t at)
{
    const struct lease_entries *entries = self->problem->entries;

    if (at == entries->count) {
        note(self);
        return;
    }
    for (size_t i = at; i < next_job(entries, at); i++) {
        const struct plain_worth worth = self->worth;

        self->worth.value += entries->items[i].value;
        walk_slots(self, i, 0, entries->items[i].need);
        self->worth = worth;
    }
}

void plain_choice_best(const struct lease_problem *problem, struct plain_best *best)
{
    struct walk walk = {.problem = problem, .best = best};

    *best = (struct plain_best){.possible = false};
    for (size_t i = 0; i < PLAIN_CHOICE_VALUE; i++)
        for (size_t k = 0; k <= PLAIN_CHOICE_GPUS; k++)
            best->least_order[i][k] = INT64_MAX;
    for (size_t i = 0; i < PLAIN_CHOICE_SLOTS; i++)
        walk.free_gpus[i] = problem->gpu_count;
    walk_jobs(&walk, 0);
}

static void check_entry(const struct lease_problem *problem, const struct lease_entry *entry,
                        const struct lease_choice *choice, int64_t free_gpus[])
{
    const struct slot_runs *later = &choice->later;

    assert_int_equal(slot_runs_total(later) + choice->now, entry->need);
    assert_true(later->count == 0 || later->items[0].from > problem->slot);
    assert_true(later->count == 0 || slot_runs_end(later) <= entry->before);
    assert_true(!choice->now || entry->before > problem->slot);
    free_gpus[0] -= choice->now ? entry->gpus : 0;
    for (int64_t slot = 1; slot < PLAIN_CHOICE_SLOTS; slot++)
        if (slot_runs_has(later, problem->slot + slot))
            free_gpus[slot] -= entry->gpus;
}

/* Returns the one of the levels from `at` to `end` that is served. */
static size_t level_served(const struct lease_choice choices[], size_t at, size_t end)
{
    size_t served = end;
    size_t count = 0;

    for (size_t i = at; i < end; i++)
        if (choices[i].served) {
            served = i;
            count++;
        }
    assert_int_equal(count, 1);
    return served;
}

struct plain_worth plain_choice_check(const struct lease_problem *problem,
                                      const struct lease_choice choices[])
{
    const struct lease_entries *entries = problem->entries;
    struct plain_worth worth = {0};
    int64_t free_gpus[PLAIN_CHOICE_SLOTS];

    for (size_t i = 0; i < PLAIN_CHOICE_SLOTS; i++)
        free_gpus[i] = problem->gpu_count;
    for (size_t at = 0; at < entries->count; at = next_job(entries, at)) {
        const size_t i = level_served(choices, at, next_job(entries, at));

        check_entry(problem, &entries->items[i], &choices[i], free_gpus);
        worth.value += entries->items[i].value;
        if (choices[i].now)
            run_now(problem, i, &worth);
    }
    for (size_t i = 0; i < PLAIN_CHOICE_SLOTS; i++)
        assert_true(free_gpus[i] >= 0);
    return worth;
}
