/* lease_model.c - see lease_model.h. */
#include "scheduler/reference/lease_model.h"

#include "common/memory.h"
#include "common/sort.h"

#include <stdlib.h>

static int64_t slots_of(const struct lease_problem *problem, const struct lease_entry *entry)
{
    return entry->before > problem->slot ? entry->before - problem->slot : 0;
}

static bool has_levels(const struct lease_entry *entry)
{
    return entry->lease->first_level != entry->lease->last_level;
}

/* Cuts time into a period for each slot up to the last deadline. */
static void cut_at_slots(struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;
    int64_t last = 1;

    for (size_t i = 0; i < entries->count; i++) {
        const int64_t slots = slots_of(self->problem, &entries->items[i]);

        last = slots > last ? slots : last;
    }
    self->period_count = (size_t)(last - 1);
    self->periods = xmalloc((self->period_count + 1) * sizeof(*self->periods));
    for (size_t p = 0; p < self->period_count; p++)
        self->periods[p] = (struct lease_period){(int64_t)p + 1, (int64_t)p + 2};
}

/* Cuts time into a period from each deadline to the next. */
static void cut_at_deadlines(struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;
    double *slots = xmalloc((entries->count + 1) * sizeof(*slots));
    int64_t from = 1;

    for (size_t i = 0; i < entries->count; i++)
        slots[i] = (double)slots_of(self->problem, &entries->items[i]);
    sort_numbers(slots, entries->count);
    self->periods = xmalloc((entries->count + 1) * sizeof(*self->periods));
    for (size_t i = 0; i < entries->count; i++)
        if ((int64_t)slots[i] > from) {
            self->periods[self->period_count++] = (struct lease_period){from, (int64_t)slots[i]};
            from = (int64_t)slots[i];
        }
    free(slots);
}

size_t lease_model_periods_of(const struct lease_model *self, const struct lease_entry *entry)
{
    const int64_t slots = slots_of(self->problem, entry);
    size_t low = 0;
    size_t high = self->period_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->periods[middle].to <= slots)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t lease_model_columns(const struct lease_problem *problem, enum lease_detail detail)
{
    const struct lease_entries *entries = problem->entries;
    struct lease_model cut = {.problem = problem};
    int64_t columns = 0;

    if (detail != LEASE_MODEL_FULL)
        cut_at_deadlines(&cut);
    for (size_t i = 0; i < entries->count; i++) {
        const struct lease_entry *entry = &entries->items[i];
        const int64_t slots = slots_of(problem, entry);

        columns += 1 + has_levels(entry);
        if (detail != LEASE_MODEL_FULL)
            columns += (int64_t)lease_model_periods_of(&cut, entry);
        else
            columns += slots > 1 ? slots - 1 : 0;
    }
    free(cut.periods);
    return columns;
}

static void add_columns(struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;

    for (size_t i = 0; i < entries->count; i++) {
        const struct lease_entry *entry = &entries->items[i];
        const size_t periods = lease_model_periods_of(self, entry);

        self->now[i] = milp_add_column(self->milp, 0, slots_of(self->problem, entry) > 0, 0, true);
        self->later[i] = self->now[i] + 1;
        for (size_t p = 0; p < periods; p++)
            milp_add_column(self->milp, 0, (double)(self->periods[p].to - self->periods[p].from), 0,
                            true);
        self->served[i] = has_levels(entry) ? milp_add_column(self->milp, 0, 1, 0, true) : -1;
    }
}

static void add_needs(const struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;

    for (size_t i = 0; i < entries->count; i++) {
        const struct lease_entry *entry = &entries->items[i];
        const double fixed = self->served[i] < 0 ? (double)entry->need : 0;
        const size_t periods = lease_model_periods_of(self, entry);
        const int row = milp_add_row(self->milp, fixed, fixed);

        milp_add_term(self->milp, row, self->now[i], 1);
        for (size_t p = 0; p < periods; p++)
            milp_add_term(self->milp, row, self->later[i] + (int)p, 1);
        if (self->served[i] >= 0)
            milp_add_term(self->milp, row, self->served[i], -(double)entry->need);
    }
}

static void add_capacities(const struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;
    const double gpus = (double)self->problem->gpu_count;
    const int now = milp_add_row(self->milp, -MILP_INFINITY, gpus);

    for (size_t p = 0; p < self->period_count; p++)
        milp_add_row(self->milp, -MILP_INFINITY,
                     gpus * (double)(self->periods[p].to - self->periods[p].from));
    for (size_t i = 0; i < entries->count; i++) {
        const struct lease_entry *entry = &entries->items[i];
        const size_t periods = lease_model_periods_of(self, entry);

        milp_add_term(self->milp, now, self->now[i], (double)entry->gpus);
        for (size_t p = 0; p < periods; p++)
            milp_add_term(self->milp, now + 1 + (int)p, self->later[i] + (int)p,
                          (double)entry->gpus);
    }
}

/* Adds a row for each job with several levels, whose entries stand next to each other. */
static void add_jobs(const struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;
    int row = -1;

    for (size_t i = 0; i < entries->count; i++) {
        if (self->served[i] < 0)
            continue;
        if (i == 0 || entries->items[i].lease != entries->items[i - 1].lease)
            row = milp_add_row(self->milp, 1, 1);
        milp_add_term(self->milp, row, self->served[i], 1);
    }
}

/* The number of blocks of `size` GPUs that all jobs take together which are at least that large and
 * may run in the period. */
static int64_t blocks_wanted(const struct lease_model *self, size_t period, int64_t size)
{
    const struct lease_entries *entries = self->problem->entries;
    int64_t blocks = 0;

    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].gpus >= size &&
            period < lease_model_periods_of(self, &entries->items[i]))
            blocks += entries->items[i].gpus / size;
    return blocks;
}

/* The most terms that all rows of blocks have together. Each of these rows helps the solver, none
 * is needed. */
#define BLOCK_TERMS_MAX 3000000

/* Adds a row for a period: the jobs that hold blocks of `size` GPUs. */
static int add_block_row(const struct lease_model *self, size_t period, int64_t size,
                         int64_t *terms_left)
{
    const struct lease_entries *entries = self->problem->entries;
    const struct lease_period *slots = &self->periods[period];
    const int64_t blocks = self->problem->gpu_count / size;
    const int row =
        milp_add_row(self->milp, -MILP_INFINITY, (double)(blocks * (slots->to - slots->from)));

    for (size_t i = 0; i < entries->count; i++)
        if (entries->items[i].gpus >= size &&
            period < lease_model_periods_of(self, &entries->items[i])) {
            const int64_t held = entries->items[i].gpus / size;

            milp_add_term(self->milp, row, self->later[i] + (int)period, (double)held);
            --*terms_left;
        }
    return row;
}

/* Adds rows for blocks of `size` until no terms are left: a row for each smaller entry that takes a
 * block from the larger entries, and a row without a smaller entry where leftover GPUs seem to make
 * up more blocks. */
static void add_blocks_of(const struct lease_model *self, size_t period, int64_t size,
                          int64_t *terms_left)
{
    const struct lease_entries *entries = self->problem->entries;
    const int64_t gpus = self->problem->gpu_count;
    const int64_t wanted = blocks_wanted(self, period, size);

    if (wanted < gpus / size)
        return;
    if (wanted > gpus / size && gpus % size != 0)
        (void)add_block_row(self, period, size, terms_left);
    for (size_t i = 0; *terms_left > 0 && i < entries->count; i++) {
        const struct lease_entry *entry = &entries->items[i];

        if (entry->gpus < size && (gpus - entry->gpus) / size < gpus / size &&
            period < lease_model_periods_of(self, entry))
            milp_add_term(self->milp, add_block_row(self, period, size, terms_left),
                          self->later[i] + (int)period, 1);
    }
}

static void add_blocks(const struct lease_model *self)
{
    const struct lease_entries *entries = self->problem->entries;
    int64_t terms_left = BLOCK_TERMS_MAX;
    int64_t size = 0;

    for (;;) { /* the sizes of entries, rising */
        int64_t next = INT64_MAX;

        for (size_t i = 0; i < entries->count; i++)
            if (entries->items[i].gpus > size && entries->items[i].gpus < next)
                next = entries->items[i].gpus;
        if (next == INT64_MAX)
            return;
        size = next;
        for (size_t p = 0; p < self->period_count && terms_left > 0; p++)
            add_blocks_of(self, p, size, &terms_left);
    }
}

void lease_model_build(struct lease_model *self, const struct lease_problem *problem,
                       enum lease_detail detail, milp_t *milp)
{
    const size_t count = problem->entries->count;

    *self = (struct lease_model){.milp = milp, .problem = problem};
    self->now = xmalloc((count + 1) * sizeof(*self->now));
    self->later = xmalloc((count + 1) * sizeof(*self->later));
    self->served = xmalloc((count + 1) * sizeof(*self->served));
    if (detail != LEASE_MODEL_FULL)
        cut_at_deadlines(self);
    else
        cut_at_slots(self);
    milp_clear(milp);
    add_columns(self);
    add_needs(self);
    add_capacities(self);
    add_jobs(self);
    if (detail == LEASE_MODEL_TIGHTENED)
        add_blocks(self);
}

void lease_model_free(struct lease_model *self)
{
    free(self->periods);
    free(self->now);
    free(self->later);
    free(self->served);
    *self = (struct lease_model){.milp = NULL};
}

/* A tenth of value is worth more than all GPUs of a slot: the model of the artifact divides the
 * GPUs by their number instead. */
void lease_model_aim_at_use(const struct lease_model *self)
{
    const struct lease_problem *problem = self->problem;
    const double sign = problem->objective == OBJECTIVE_MINIMIZE ? -1 : 1;

    milp_set_maximise(self->milp, true);
    for (size_t i = 0; i < problem->entries->count; i++) {
        const struct lease_entry *entry = &problem->entries->items[i];

        if (problem->objective != OBJECTIVE_RANDOM)
            milp_set_objective(self->milp, self->now[i], sign * (double)entry->gpus);
        if (self->served[i] >= 0 && problem->objective != OBJECTIVE_RANDOM)
            milp_set_objective(self->milp, self->served[i],
                               (double)(entry->value * problem->gpu_count));
    }
}

/* The place of each entry in the order of deadlines, from 1; the caller frees it. */
static int64_t *rank_by_deadline(const struct lease_entries *entries)
{
    struct ranked *ranks = xmalloc((2 * entries->count + 1) * sizeof(*ranks));
    int64_t *places = xmalloc((entries->count + 1) * sizeof(*places));

    for (size_t i = 0; i < entries->count; i++)
        ranks[i] = (struct ranked){
            .keys = {entries->items[i].before, entries->items[i].before - entries->items[i].need},
            .item = i};
    sort_ranked(ranks, entries->count, ranks + entries->count);
    for (size_t i = 0; i < entries->count; i++)
        places[ranks[i].item] = (int64_t)i + 1;
    free(ranks);
    return places;
}

/* Keeps the weighted sum of the columns in `columns` at its value in `values`. */
static void keep(const struct lease_model *self, const int columns[], const double weights[],
                 const double values[])
{
    const size_t count = self->problem->entries->count;
    const int row = milp_add_row(self->milp, 0, 0);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (columns[i] >= 0) {
            milp_add_term(self->milp, row, columns[i], weights[i]);
            sum += weights[i] * values[columns[i]];
        }
    milp_set_row(self->milp, row, sum, sum);
}

void lease_model_aim_at_order(const struct lease_model *self, const double values[])
{
    const struct lease_entries *entries = self->problem->entries;
    double *gpus = xmalloc((entries->count + 1) * sizeof(*gpus));
    double *worth = xmalloc((entries->count + 1) * sizeof(*worth));
    int64_t *places = rank_by_deadline(entries);

    for (size_t i = 0; i < entries->count; i++) {
        gpus[i] = (double)entries->items[i].gpus;
        worth[i] = (double)entries->items[i].value;
    }
    keep(self, self->now, gpus, values);
    keep(self, self->served, worth, values);
    milp_set_maximise(self->milp, false);
    for (size_t i = 0; i < entries->count; i++) {
        milp_set_objective(self->milp, self->now[i], gpus[i] * (double)places[i]);
        if (self->served[i] >= 0)
            milp_set_objective(self->milp, self->served[i], 0);
    }
    free(places);
    free(worth);
    free(gpus);
}
