/* lease_round.c - a lease round: every lease ends, and leases of the slot that begins are given
 * out.
 *
 * Without a solver, jobs that have no plan yet are packed beside the others, as late as possible,
 * and each job that has planned for this slot runs. With a solver, all jobs are planned anew.
 *
 * Source: Chronus (SoCC 2021), as the published ElasticFlow artifact computes it. */
#include "scheduler/reference/lease_choice.h"
#include "scheduler/reference/lease_stages.h"

#include "common/memory.h"

#include <stdlib.h>

static void stop_all(const struct lease_look *look)
{
    lease_book_t *book = look->book;

    for (size_t i = 0; i < book->running.count; i++) {
        struct lease *lease = book->running.items[i];
        const int64_t need = lease_need(look, lease);

        lease->running = lease->held = false;
        lease->ran_before_stage = true;
        lease->since_s = look->now_s;
        if (lease->class == LEASE_ACCEPTED && need < lease->need) {
            lease_book_give_up_first(book, lease, lease->need - need);
            lease->need = need;
        }
    }
    for (size_t i = 0; i < book->pending.count; i++)
        book->pending.items[i]->ran_before_stage = false;
    for (size_t i = 0; i < book->running.count; i++)
        lease_list_append(&book->pending, book->running.items[i]);
    book->running.count = 0;
    for (size_t i = 0; i < book->pending.count; i++)
        book->pending.items[i]->forced = false;
}

/* Corrects the capacity after packing: plans are packed by the GPUs that jobs count for, and then
 * take the GPUs that jobs have. */
static void correct_capacity(const struct lease_look *look, const struct lease_entries *packed)
{
    for (size_t i = 0; i < packed->count; i++) {
        const struct lease_entry *entry = &packed->items[i];

        if (entry->lease->planned)
            slot_capacity_add(&look->book->capacity, &entry->lease->plan,
                              entry->gpus - entry->lease->job->submission->gpus_requested);
    }
}

void lease_pack_unplanned(const struct lease_look *look)
{
    struct lease_entries entries = {.items = NULL};
    struct slot_runs taken = {.items = NULL};
    size_t packed = 0;

    lease_collect_active(look, false, &entries);
    lease_entries_sort(&entries, look->rules->plans_by_value);
    for (size_t i = 0; i < entries.count; i++) {
        const struct lease_entry entry = entries.items[i];

        if (entry.lease->planned ||
            !slot_capacity_take_latest(&look->book->capacity, look->slot, entry.before, entry.need,
                                       entry.gpus, &taken))
            continue;
        slot_runs_copy(&entry.lease->plan, &taken);
        entry.lease->planned = true;
        entries.items[packed++] = entry;
    }
    entries.count = packed;
    correct_capacity(look, &entries);
    slot_runs_free(&taken);
    lease_entries_free(&entries);
}

static void select_by_plan(const struct lease_look *look, struct lease_list *selected)
{
    const struct lease_list *pending = &look->book->pending;

    lease_pack_unplanned(look);
    for (size_t i = 0; i < pending->count; i++) {
        struct lease *lease = pending->items[i];

        if (lease->class != LEASE_ACCEPTED)
            continue;
        if (!lease->planned)
            lease->class = LEASE_UNACCEPTED;
        else if (slot_runs_has(&lease->plan, look->slot))
            lease_list_append(selected, lease);
    }
}

static void adopt_choices(const struct lease_look *look, const struct lease_entries *entries,
                          const struct lease_choice choices[], struct lease_list *selected)
{
    for (size_t i = 0; i < entries->count; i++)
        if (choices[i].served) {
            lease_book_plan(look->book, entries->items[i].lease, &choices[i].later);
            if (choices[i].now)
                lease_list_append(selected, entries->items[i].lease);
        }
}

/* CH-Q5: GPUs are kept free as long as any job is without a promise. */
static enum lease_objective choose_objective(const struct lease_look *look)
{
    if (look->leasing->objective != OBJECTIVE_ADAPTIVE)
        return look->leasing->objective;
    return look->book->unaccepted > 0 ? OBJECTIVE_MINIMIZE : OBJECTIVE_MAXIMIZE;
}

/* Returns whether a choice was made. */
static bool select_by_choice(const struct lease_look *look, const struct lease_entries *entries,
                             struct lease_list *selected)
{
    const struct lease_problem problem = {.entries = entries,
                                          .slot = look->slot,
                                          .gpu_count = look->book->gpu_count,
                                          .objective =
                                              (enum lease_objective)look->book->round.objective};
    struct lease_choice *choices = xcalloc(entries->count + 1, sizeof(*choices));
    bool chosen;

    if (look->leasing->observe)
        look->leasing->observe(look->leasing->observer, &problem);
    chosen = lease_choose_by_closed_form(&problem, choices);
    if (chosen)
        look->book->round.method = LEASE_BY_CLOSED_FORM;
    else
        chosen = lease_choose_by_solver(&problem, look->leasing, choices, &look->book->round);
    if (chosen)
        adopt_choices(look, entries, choices, selected);
    for (size_t i = 0; i < entries->count; i++)
        slot_runs_free(&choices[i].later);
    free(choices);
    return chosen;
}

static void open_record(const struct lease_look *look, size_t entries)
{
    look->book->round = (struct lease_round){.objective = (int)choose_objective(look),
                                             .method = LEASE_BY_PLAN,
                                             .answer = LEASE_UNASKED,
                                             .entries = entries};
}

static void select_leases(const struct lease_look *look, struct lease_list *selected)
{
    struct lease_entries entries = {.items = NULL};

    lease_collect_active(look, true, &entries);
    open_record(look, entries.count);
    if (!look->leasing->solver ||
        (entries.count > 0 && !select_by_choice(look, &entries, selected))) {
        look->book->round.method = LEASE_BY_PLAN;
        select_by_plan(look, selected);
    }
    lease_entries_free(&entries);
}

/* An empty list with room for all leases. */
static struct lease_list new_list(const lease_book_t *book)
{
    const size_t count = book->pending.count + book->running.count;

    return (struct lease_list){xmalloc((count + 1) * sizeof(struct lease *)), 0, count + 1};
}

/* Enters the present slot into the plan of a job that the choice runs now. The lease itself is not
 * given out yet. */
static void plan_slot(const struct lease_look *look, struct lease *lease)
{
    struct slot_runs plan = {.items = NULL};

    slot_runs_append(&plan, look->slot, look->slot + 1);
    for (size_t i = 0; i < lease->plan.count; i++)
        slot_runs_append(&plan, lease->plan.items[i].from, lease->plan.items[i].to);
    lease_book_plan(look->book, lease, &plan);
    slot_runs_free(&plan);
}

bool lease_plan_by_choice(const struct lease_look *look)
{
    struct lease_entries entries = {.items = NULL};
    struct lease_list selected;
    bool chosen;

    if (!look->leasing->solver)
        return false;
    selected = new_list(look->book);
    lease_collect_active(look, true, &entries);
    open_record(look, entries.count);
    chosen = select_by_choice(look, &entries, &selected);
    for (size_t i = 0; i < selected.count; i++)
        plan_slot(look, selected.items[i]);
    lease_entries_free(&entries);
    free(selected.items);
    return chosen;
}

/* CH-Q1: the wait of a job since the last look counts as time on its GPUs. */
int64_t chronus_credit_waiting(const struct lease *lease, int64_t now_s)
{
    (void)now_s;
    return lease->since_s;
}

int64_t chronus_credit_from_start(const struct lease *lease, int64_t now_s)
{
    (void)lease;
    return now_s;
}

/* The real work of trainers says nothing of the time that a job waited. */
int64_t lease_credited_from_s(const struct lease_look *look, const struct lease *lease)
{
    return lease->job->deviates ? look->now_s : look->rules->credited_from_s(lease, look->now_s);
}

/* Gives up the plan of a job that needs no more leases. A job credited with more than a lease at
 * once may have planned for more leases than it needs. */
static void keep_needed(const struct lease_look *look, struct lease *lease)
{
    if (lease->need == 0)
        lease_book_give_up_first(look->book, lease, slot_runs_total(&lease->plan));
}

static void start(const struct lease_look *look, struct lease *lease)
{
    lease->since_s = lease_credited_from_s(look, lease);
    lease->waited_s += look->now_s - lease->since_s;
    lease->running = lease->held = true;
    lease->need--;
    keep_needed(look, lease);
    lease->leases++;
    if (!lease->ran_before_stage)
        lease_count_start(look, lease);
    look->book->round.granted_gpus += lease->job->submission->gpus_requested;
    lease_list_append(&look->book->running, lease);
}

static void start_all(const struct lease_look *look, const struct lease_list *selected)
{
    struct lease_list *pending = &look->book->pending;
    size_t waiting = 0;

    for (size_t i = 0; i < selected->count; i++)
        start(look, selected->items[i]);
    for (size_t i = 0; i < pending->count; i++)
        if (!pending->items[i]->running)
            pending->items[waiting++] = pending->items[i];
    pending->count = waiting;
}

void lease_hold_round(const struct lease_look *look)
{
    lease_book_t *book = look->book;
    struct lease_list selected;

    stop_all(look);
    selected = new_list(book);
    select_leases(look, &selected);
    start_all(look, &selected);
    free(selected.items);
    lease_book_drop_before(book, look->slot + 1);
    book->unaccepted = 0;
    for (size_t i = 0; i < book->pending.count; i++)
        book->unaccepted += book->pending.items[i]->class == LEASE_UNACCEPTED;
    book->round_held = book->round.entries > 0;
}
