/* lease_hand_out.c - free GPUs go to jobs without a promise: jobs that outlived their estimate
 * first, then the shortest jobs, then jobs whose deadline is lost, by how late they are.
 *
 * Source: Chronus (SoCC 2021), as the published ElasticFlow artifact computes it. */
#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/reference/lease_stages.h"

#include <stdlib.h>

int64_t lease_urgency(const struct lease_look *look, const struct lease *lease)
{
    const struct job *job = lease->job;
    const int64_t left_s = lease->estimate_s - job->attained_s;

    if (lease->class == LEASE_UNACCEPTED || lease->class == LEASE_BEST_EFFORT)
        return -left_s * job->submission->gpus_requested;
    return -(lease->deadline_s - look->now_s - left_s) * job->submission->gpus_requested;
}

static bool is_hopeless(const struct lease_look *look, const struct lease *lease)
{
    const struct job *job = lease->job;

    return lease->deadline_s < look->now_s + job->submission->duration_s - job->attained_s;
}

/* CH-Q17: a job that outlived its estimate goes first, also when its deadline is lost. */
void chronus_boost_stays(struct lease *lease)
{
    (void)lease;
}

void chronus_boost_no_more(struct lease *lease)
{
    lease->boosted = false;
}

void lease_reclass(const struct lease_look *look, struct lease *lease)
{
    if ((lease->class == LEASE_ACCEPTED || lease->class == LEASE_UNACCEPTED) &&
        is_hopeless(look, lease)) {
        lease->class = LEASE_LOWEST;
        look->rules->lose_hope(lease);
        lease_book_forget_plan(look->book, lease);
    }
    lease->urgency = lease_urgency(look, lease);
}

void lease_run(const struct lease_look *look, struct lease *lease)
{
    lease->since_s = look->now_s;
    lease->running = true;
    lease_list_append(&look->book->running, lease);
}

struct ranked lease_rank(const struct lease *lease, size_t index)
{
    const bool promised_or_lower = lease->class <= LEASE_ACCEPTED;

    return (struct ranked){.keys = {-(int64_t)lease->boosted,
                                    promised_or_lower ? -(int64_t)lease->class : -1,
                                    -lease->urgency, lease->job->submission->submit_s},
                           .item = index};
}

static struct ranked rank_by_class(const struct lease *lease, size_t index)
{
    return (struct ranked){
        .keys = {-(int64_t)lease->class, -lease->urgency, -lease->job->submission->submit_s},
        .item = index};
}

void lease_list_sort(struct lease_list *list,
                     struct ranked (*rank)(const struct lease *lease, size_t index))
{
    struct ranked *ranks = xmalloc((2 * list->count + 1) * sizeof(*ranks));
    struct lease **sorted = xmalloc((list->count + 1) * sizeof(struct lease *));

    for (size_t i = 0; i < list->count; i++)
        ranks[i] = rank(list->items[i], i);
    sort_ranked(ranks, list->count, ranks + list->count);
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = list->items[ranks[i].item];
    for (size_t i = 0; i < list->count; i++)
        list->items[i] = sorted[i];
    free(sorted);
    free(ranks);
}

static void start_fitting(const struct lease_look *look, bool with_accepted, int64_t free_gpus)
{
    struct lease_list *pending = &look->book->pending;
    size_t waiting = 0;

    for (size_t i = 0; i < pending->count; i++) {
        struct lease *lease = pending->items[i];
        const int gpus = lease->job->submission->gpus_requested;

        if (gpus > free_gpus || (lease->class == LEASE_ACCEPTED && !with_accepted)) {
            pending->items[waiting++] = lease;
            continue;
        }
        free_gpus -= gpus;
        lease_run(look, lease);
    }
    pending->count = waiting;
}

/* CH-Q8: every start costs, also the start of a job that ran until now. */
bool chronus_every_start_costs(const struct lease *lease)
{
    (void)lease;
    return true;
}

bool chronus_changes_cost(const struct lease *lease)
{
    return !lease->ran_before;
}

void lease_count_start(const struct lease_look *look, struct lease *lease)
{
    if (look->rules->start_costs(lease))
        lease->starts++;
}

static void look_at_pending(const struct lease_look *look)
{
    const struct lease_list *pending = &look->book->pending;

    for (size_t i = 0; i < pending->count; i++) {
        pending->items[i]->since_s = look->now_s;
        lease_reclass(look, pending->items[i]);
    }
}

void lease_hand_out(const struct lease_look *look)
{
    lease_book_t *book = look->book;
    const bool shorts = leases_are_short(look->leasing);
    const struct lease_list running = book->running;
    int64_t free_gpus;

    for (size_t i = 0; i < running.count; i++)
        running.items[i]->ran_before_stage = true;
    for (size_t i = 0; i < book->pending.count; i++)
        book->pending.items[i]->ran_before_stage = false;
    if (shorts)
        short_leases_force(look);
    look_at_pending(look);
    if (shorts)
        short_leases_run_forced(look);
    lease_list_sort(&book->pending, rank_by_class);
    free_gpus = lease_book_free_gpus(book);
    if (free_gpus > 0) {
        lease_list_sort(&book->pending, lease_rank);
        start_fitting(look, shorts, free_gpus);
    }
    for (size_t i = 0; i < book->running.count; i++)
        if (!book->running.items[i]->ran_before_stage)
            lease_count_start(look, book->running.items[i]);
}
