/* lease_recovery.c - changes of leases and promises when a real cluster deviates from the plan:
 * nodes leave or join, and jobs lose work or are slower than they should be.
 *
 * A running job goes on where there is room, for the rest of the slot. Plans cover the whole slots
 * after it. Plans that do not hold any more are made anew: by the solver for all jobs together, or
 * else in the order in which a lease round packs. A job that finds no place loses its promise, and
 * waits for free GPUs like every job without a promise. The promise may be renewed with more GPUs.
 *
 * The published artifact is a simulation, in which nothing of this can happen. */
#include "scheduler/reference/lease_stages.h"

/* Whether the engine took the job off a node that left. */
static bool is_evicted(const struct lease *lease)
{
    return lease->running && !job_holds(lease->job);
}

/* The order in which running jobs go on: jobs on leases first, and among them the jobs whose GPUs
 * are still there. */
static struct ranked rank_by_claim(const struct lease *lease, size_t index)
{
    return (struct ranked){.keys = {!lease->held, is_evicted(lease)}, .item = index};
}

static void stop(const struct lease_look *look, struct lease *lease)
{
    lease->running = lease->held = lease->forced = false;
    lease->since_s = look->now_s;
    lease_list_append(&look->book->pending, lease);
}

static void keep_who_fits(const struct lease_look *look)
{
    struct lease_list *running = &look->book->running;
    int64_t free_gpus = look->book->gpu_count;
    size_t count = 0;

    lease_list_sort(running, rank_by_claim);
    for (size_t i = 0; i < running->count; i++) {
        struct lease *lease = running->items[i];
        const int gpus = lease->job->submission->gpus_requested;

        if (is_evicted(lease)) {
            lease->ran_before = false; /* the next run of the job counts as a start */
            lease->since_s = look->now_s;
        }
        if (gpus > free_gpus) {
            stop(look, lease);
            continue;
        }
        if (is_evicted(lease))
            lease_count_start(look, lease);
        free_gpus -= gpus;
        running->items[count++] = lease;
    }
    running->count = count;
}

/* Checks a plan. A plan holds if it has all leases that are due. Leases beyond these are given
 * up. */
static void check_plan(const struct lease_look *look, struct lease *lease, bool fewer_gpus)
{
    const int64_t run_s = lease->held ? look->slot * look->leasing->lease_s - look->now_s : 0;
    const int64_t planned = slot_runs_total(&lease->plan);

    lease->need = lease_need_after(look, lease, run_s);
    if (lease->need > 0 && (fewer_gpus || planned < lease->need))
        lease_book_forget_plan(look->book, lease);
    else
        lease_book_give_up_first(look->book, lease, planned - lease->need);
}

static void review(const struct lease_look *look, const struct lease_list *list, int64_t more_gpus)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lease *lease = list->items[i];

        if (more_gpus > 0 && lease->withdrawn && lease->class == LEASE_UNACCEPTED)
            lease->class = LEASE_ACCEPTED;
        if (lease->class == LEASE_ACCEPTED && !lease->out_of_plan)
            check_plan(look, lease, more_gpus < 0);
    }
}

static bool is_unplanned(const struct lease *lease)
{
    return lease_is_active(lease) && !lease->planned;
}

static bool has_unplanned(const struct lease_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_unplanned(list->items[i]))
            return true;
    return false;
}

static void settle(const struct lease_look *look, const struct lease_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct lease *lease = list->items[i];

        if (!is_unplanned(lease)) {
            lease->withdrawn = lease->withdrawn && lease->class != LEASE_ACCEPTED;
            continue;
        }
        lease->class = LEASE_UNACCEPTED;
        lease->withdrawn = true;
        look->book->unaccepted++;
    }
}

void lease_recover(const struct lease_look *look, int64_t gpu_count)
{
    lease_book_t *book = look->book;
    const int64_t lease_s = look->leasing->lease_s;
    const int64_t more_gpus = gpu_count - book->gpu_count;
    struct lease_look ahead = *look;

    if (ahead.slot * lease_s < look->now_s)
        ahead.slot++;
    lease_book_resize(book, gpu_count);
    keep_who_fits(&ahead);
    review(&ahead, &book->pending, more_gpus);
    review(&ahead, &book->running, more_gpus);
    if ((has_unplanned(&book->pending) || has_unplanned(&book->running)) &&
        !lease_plan_by_choice(&ahead))
        lease_pack_unplanned(&ahead);
    settle(&ahead, &book->pending);
    settle(&ahead, &book->running);
}
