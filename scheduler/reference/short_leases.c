/* short_leases.c - the differences of short leases, whose length is as if counted in minutes
 * (CH-Q3): a job that can be done before the next lease round is run to its end at once, and a job
 * with a promise may use free GPUs.
 *
 * Source: Chronus (SoCC 2021), as the published ElasticFlow artifact computes it. */
#include "scheduler/reference/lease_stages.h"

#include "common/memory.h"
#include "common/sort.h"

#include <stdlib.h>

bool leases_are_short(const struct leasing *leasing)
{
    return leasing->lease_s <= SHORT_LEASE_S;
}

void short_leases_account(const struct lease_look *look, struct lease *lease)
{
    const int64_t need = lease_need(look, lease);

    if (lease->class != LEASE_ACCEPTED || lease->held || lease->forced || need == lease->need)
        return;
    lease->need = need;
    lease_book_give_up_first(look->book, lease, 1);
}

static int64_t left_s(const struct lease *lease)
{
    return lease->job->submission->duration_s - lease->job->attained_s;
}

/* GPUs that neither leases nor forced jobs need until the next lease round. */
static int64_t unforced_gpus(const lease_book_t *book)
{
    int64_t gpus = book->gpu_count;

    for (size_t i = 0; i < book->running.count; i++)
        if (book->running.items[i]->held || book->running.items[i]->forced)
            gpus -= book->running.items[i]->job->submission->gpus_requested;
    for (size_t i = 0; i < book->pending.count; i++)
        if (book->pending.items[i]->forced && book->pending.items[i]->class == LEASE_ACCEPTED)
            gpus -= book->pending.items[i]->job->submission->gpus_requested;
    return gpus;
}

static struct ranked rank_by_urgency(const struct lease *lease, size_t index)
{
    return (struct ranked){.keys = {-lease->urgency}, .item = index};
}

static void force(const struct lease_look *look, struct lease *lease)
{
    lease->forced = lease->out_of_plan = true;
    if (lease->job->submission->submit_s >= (look->slot - 1) * look->leasing->lease_s)
        lease->class = LEASE_ACCEPTED;
}

void short_leases_force(const struct lease_look *look)
{
    const lease_book_t *book = look->book;
    const int64_t until_round_s = look->slot * look->leasing->lease_s - look->now_s;
    struct lease_list short_ones = {xmalloc((book->pending.count + 1) * sizeof(struct lease *)), 0,
                                    book->pending.count + 1};
    int64_t budget;

    for (size_t i = 0; i < book->pending.count; i++) {
        struct lease *lease = book->pending.items[i];

        if (lease->class != LEASE_UNACCEPTED || left_s(lease) > until_round_s)
            continue;
        lease->urgency = -left_s(lease) * lease->job->submission->gpus_requested;
        lease_list_append(&short_ones, lease);
    }
    lease_list_sort(&short_ones, rank_by_urgency);
    budget = unforced_gpus(book);
    for (size_t i = 0; i < short_ones.count; i++) {
        if (short_ones.items[i]->job->submission->gpus_requested > budget)
            continue;
        budget -= short_ones.items[i]->job->submission->gpus_requested;
        force(look, short_ones.items[i]);
    }
    free(short_ones.items);
}

static int64_t forced_gpus(const struct lease_list *pending)
{
    int64_t gpus = 0;

    for (size_t i = 0; i < pending->count; i++)
        if (pending->items[i]->forced)
            gpus += pending->items[i]->job->submission->gpus_requested;
    return gpus;
}

/* The order in which leases are stopped. */
static struct ranked rank_last_first(const struct lease *lease, size_t index)
{
    struct ranked ranked = lease_rank(lease, index);

    for (int k = 0; k < RANK_KEYS; k++)
        ranked.keys[k] = -ranked.keys[k];
    return ranked;
}

static void stop(const struct lease_look *look, struct lease *lease)
{
    const int64_t need = lease_need(look, lease);

    lease->running = lease->held = false;
    lease->since_s = look->now_s;
    if (need != lease->need) {
        lease_book_give_up_first(look->book, lease, slot_runs_total(&lease->plan) - need);
        lease->need = need;
    }
    lease_list_append(&look->book->pending, lease);
}

/* Stops jobs without a lease until `gpus` GPUs are free. */
static void make_room(const struct lease_look *look, int64_t gpus)
{
    struct lease_list *running = &look->book->running;
    struct lease_list loose = {xmalloc((running->count + 1) * sizeof(struct lease *)), 0,
                               running->count + 1};
    int64_t free_gpus = lease_book_free_gpus(look->book);
    size_t count = 0;

    for (size_t i = 0; i < running->count; i++) {
        struct lease *lease = running->items[i];

        if (lease->held || lease->forced)
            continue;
        if (lease->class != LEASE_BEST_EFFORT)
            lease_reclass(look, lease);
        lease_list_append(&loose, lease);
    }
    lease_list_sort(&loose, rank_last_first);
    for (size_t i = 0; i < loose.count && free_gpus < gpus; i++) {
        free_gpus += loose.items[i]->job->submission->gpus_requested;
        stop(look, loose.items[i]);
    }
    for (size_t i = 0; i < running->count; i++)
        if (running->items[i]->running)
            running->items[count++] = running->items[i];
    running->count = count;
    free(loose.items);
}

void short_leases_run_forced(const struct lease_look *look)
{
    struct lease_list *pending = &look->book->pending;
    const int64_t gpus = forced_gpus(pending);
    size_t waiting = 0;

    if (gpus > lease_book_free_gpus(look->book))
        make_room(look, gpus);
    for (size_t i = 0; i < pending->count; i++)
        if (pending->items[i]->forced)
            lease_run(look, pending->items[i]);
        else
            pending->items[waiting++] = pending->items[i];
    pending->count = waiting;
}

static struct ranked rank_for_filling(const struct lease *lease, size_t index)
{
    return (struct ranked){.keys = {lease->class, lease->urgency}, .item = index};
}

/* CH-Q6: meant for every slot, but the artifact divides time by the number of a class. */
bool chronus_fill_at_odd_times(const struct lease_look *look)
{
    return look->now_s % 2 != 0;
}

bool chronus_fill_at_admissions(const struct lease_look *look)
{
    return look->now_s % look->leasing->admission_s == 0;
}

/* Starts jobs on free GPUs, accepted jobs first. Their wait is credited (CH-Q1), and the start
 * costs nothing. */
void leases_fill(const struct lease_look *look)
{
    struct lease_list *pending = &look->book->pending;
    int64_t free_gpus = lease_book_free_gpus(look->book);
    size_t waiting = 0;

    if (!look->rules->fills(look) || free_gpus <= 0)
        return;
    lease_list_sort(pending, rank_for_filling);
    for (size_t i = 0; i < pending->count; i++) {
        struct lease *lease = pending->items[i];

        if (lease->job->submission->gpus_requested > free_gpus) {
            pending->items[waiting++] = lease;
            continue;
        }
        free_gpus -= lease->job->submission->gpus_requested;
        lease->since_s = lease_credited_from_s(look, lease);
        lease->waited_s += look->now_s - lease->since_s;
        lease->running = true;
        lease_list_append(&look->book->running, lease);
    }
    pending->count = waiting;
}
