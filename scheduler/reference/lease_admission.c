/* lease_admission.c - admission: which arrivals are promised their deadlines.
 *
 * A job is promised its deadline if it can be packed into the lease slots before it, as late as
 * possible, beside the plans of all jobs that have a promise already. These plans are not moved. A
 * job that gets no promise waits for free GPUs.
 *
 * Source: Chronus (SoCC 2021), as the published ElasticFlow artifact computes it. */
#include "scheduler/reference/lease_stages.h"

#include <assert.h>
#include <math.h>

/* The margin of the estimate over the known time. */
#define ESTIMATE_MARGIN 1.1

struct lease_batch {
    const struct lease_look *look;
    struct lease_entries entries; /* entries that are packed together */
    int64_t reach;                /* the slot from which on no job has a deadline yet */
    struct lease_packing packing;
};

static int64_t estimate_s(const struct lease_look *look, const struct job *job)
{
    const double starts_s = (1 + log2((double)job->submission->gpus_requested)) * LEASE_START_S;

    return (int64_t)((double)job->submission->duration_s *
                     (1 + starts_s / (double)look->leasing->lease_s) * ESTIMATE_MARGIN);
}

int64_t lease_need_after(const struct lease_look *look, const struct lease *lease, int64_t run_s)
{
    const int64_t lease_s = look->leasing->lease_s;
    const int64_t left_s = lease->estimate_s - lease->job->attained_s - run_s;

    return left_s > 0 ? (left_s + lease_s - 1) / lease_s : 0;
}

int64_t lease_need(const struct lease_look *look, const struct lease *lease)
{
    return lease_need_after(look, lease, 0);
}

static void append_level(const struct lease_look *look, struct lease *lease, size_t level,
                         struct lease_entries *entries)
{
    const struct job *job = lease->job;
    const struct job_level *meant = &job->submission->levels[level];

    lease_entries_append(entries,
                         &(struct lease_entry){
                             .lease = lease,
                             .level = level,
                             .before = meant->deadline_s / look->leasing->lease_s,
                             .need = lease->need,
                             .gpus = look->rules->packed_gpus(job->submission->gpus_requested),
                             .value = meant->value,
                         });
}

static void append_levels(const struct lease_look *look, struct lease *lease,
                          struct lease_entries *entries)
{
    for (size_t level = lease->first_level; level <= lease->last_level; level++)
        append_level(look, lease, level, entries);
}

static void collect(const struct lease_look *look, const struct lease_list *list, bool with_plan,
                    struct lease_entries *entries)
{
    for (size_t i = 0; i < list->count; i++)
        if (lease_is_active(list->items[i]) && (with_plan || !list->items[i]->planned))
            append_levels(look, list->items[i], entries);
}

void lease_collect_active(const struct lease_look *look, bool with_plan,
                          struct lease_entries *entries)
{
    collect(look, &look->book->pending, with_plan, entries);
    collect(look, &look->book->running, with_plan, entries);
}

static int64_t last_deadline_slot(const struct lease_entries *entries, int64_t at_least)
{
    int64_t last = at_least;

    for (size_t i = 0; i < entries->count; i++)
        last = entries->items[i].before > last ? entries->items[i].before : last;
    return last;
}

/* Whether the batch fits. False at once if a stop of the run is requested, as a batch of thousands
 * takes long. */
static bool fits(struct lease_batch *batch)
{
    if (stop_is_asked(batch->look->leasing->stop))
        return false;
    return lease_packing_fits(&batch->packing, &batch->entries, &batch->look->book->capacity,
                              batch->look->slot);
}

/* Whether the last job is done before its deadline, and the whole batch fits. The batch is tested
 * only if the last job is in time. */
static bool last_fits(struct lease_batch *batch)
{
    const struct lease_entry *last = &batch->entries.items[batch->entries.count - 1];

    return last->need <= last->before - batch->look->slot && fits(batch);
}

/* CH-Q18: a job is tested at the level that can wait least, and admitted at the last level. */
bool chronus_fits_at_tightest(struct lease_batch *batch, struct lease *lease)
{
    append_levels(batch->look, lease, &batch->entries);
    return last_fits(batch);
}

/* Tests a job level by level, the best first. If no level fits, the job counts as tested at the
 * last. */
bool chronus_fits_at_best(struct lease_batch *batch, struct lease *lease)
{
    const size_t first = batch->entries.count;

    for (size_t level = lease->first_level; level <= lease->last_level; level++) {
        batch->entries.count = first;
        append_level(batch->look, lease, level, &batch->entries);
        if (last_fits(batch)) {
            lease->first_level = lease->last_level = level;
            return true;
        }
    }
    return false;
}

/* CH-Q2: a rejected job still takes room from jobs after it in the batch, at the earliest deadline
 * at which it would fit. No job takes that offer. The test is not monotone, so the bisection
 * follows the reference step for step. */
void chronus_keep_rejected(struct lease_batch *batch, size_t first)
{
    const int64_t slot = batch->look->slot;
    struct lease_entry *last = &batch->entries.items[batch->entries.count - 1];
    int64_t low = last->before - slot > last->need ? last->before - slot : last->need;
    int64_t high;

    (void)first;
    last->before = slot + low;
    high = last_deadline_slot(&batch->entries, batch->reach) - slot + last->need + 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        last->before = slot + middle;
        if (fits(batch))
            high = middle;
        else
            low = middle + 1;
    }
    last->before = slot + high;
}

void chronus_forget_rejected(struct lease_batch *batch, size_t first)
{
    batch->entries.count = first;
}

/* CH-Q7: the end is compared with the promise, which was rounded down to a lease boundary. */
int64_t chronus_judge_by_promise(const struct lease *lease)
{
    return lease->deadline_s;
}

int64_t chronus_judge_by_deadline(const struct lease *lease)
{
    return lease->job->submission->levels[lease->last_level].deadline_s;
}

static void promise(const struct lease_look *look, struct lease *lease)
{
    const int64_t lease_s = look->leasing->lease_s;

    lease->class = LEASE_ACCEPTED;
    lease->deadline_s =
        lease->job->submission->levels[lease->last_level].deadline_s / lease_s * lease_s;
    lease->judged_s = look->rules->judged_s(lease);
}

/* Decides on a job. Each test sorts the entries, and only the next job's entries are then out of
 * order. */
static void decide(struct lease_batch *batch, struct lease *lease)
{
    const struct lease_look *look = batch->look;
    const size_t first = batch->entries.count;

    if (look->rules->fits(batch, lease)) {
        promise(look, lease);
    } else {
        lease->class = LEASE_UNACCEPTED;
        look->book->unaccepted++;
        look->rules->settle_rejected(batch, first);
    }
    lease_entries_sort(&batch->entries, false);
}

static struct lease *open_lease(const struct lease_look *look, const struct job *job)
{
    struct lease *lease = lease_of(look->book, job);

    *lease = (struct lease){.job = job,
                            .class = LEASE_BEST_EFFORT,
                            .deadline_s = DEADLINE_NONE_S,
                            .judged_s = DEADLINE_NONE_S,
                            .estimate_s = estimate_s(look, job),
                            .since_s = look->now_s,
                            .urgency = LEASE_NEVER_LOOKED_AT};
    lease->need = lease_need(look, lease);
    if (!job->submission->best_effort) {
        assert(job->submission->level_count > 0);
        lease->last_level = job->submission->level_count - 1;
        lease->deadline_s = lease->judged_s = job->submission->levels[0].deadline_s;
    }
    return lease;
}

void lease_admit(const struct lease_look *look, const struct view *view)
{
    struct lease_batch batch = {.look = look, .reach = look->slot};

    if (view->arrival_count == 0)
        return;
    lease_collect_active(look, true, &batch.entries);
    batch.reach = last_deadline_slot(&batch.entries, look->slot);
    batch.entries.count = 0;
    lease_collect_active(look, false, &batch.entries);
    for (size_t k = view->job_count - view->arrival_count; k < view->job_count; k++) {
        struct lease *lease;

        if (lease_is_too_large(look, view->jobs[k]))
            continue;
        lease = open_lease(look, view->jobs[k]);
        if (!lease->job->submission->best_effort)
            decide(&batch, lease);
        lease_list_append(&look->book->pending, lease);
    }
    lease_entries_free(&batch.entries);
    lease_packing_free(&batch.packing);
}
