/* lease_book.c - see lease_book.h. */
#include "scheduler/reference/lease_book.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

lease_book_t *lease_book_new(int gpu_count)
{
    lease_book_t *self = xcalloc(1, sizeof(*self));

    self->by_job = side_table_new(sizeof(struct lease *));
    self->gpu_count = gpu_count;
    slot_capacity_init(&self->capacity, gpu_count);
    return self;
}

void lease_book_destroy(lease_book_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->all.count; i++) {
        slot_runs_free(&(*self)->all.items[i]->plan);
        free((*self)->all.items[i]);
    }
    slot_runs_free(&(*self)->given_up);
    slot_capacity_free(&(*self)->capacity);
    side_table_destroy(&(*self)->by_job);
    free((*self)->running.items);
    free((*self)->pending.items);
    free((*self)->all.items);
    free(*self);
    *self = NULL;
}

struct lease *lease_open(lease_book_t *self, const struct job *job)
{
    struct lease *lease = xcalloc(1, sizeof(*lease));

    *(struct lease **)side_table_at(self->by_job, job) = lease;
    lease_list_append(&self->all, lease);
    return lease;
}

void lease_list_append(struct lease_list *list, struct lease *lease)
{
    list->items = grow_array(list->items, list->count, &list->room, sizeof(*list->items));
    list->items[list->count++] = lease;
}

static void drop_done(lease_book_t *self, struct lease_list *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct lease *lease = list->items[i];

        if (!job_is_live(lease->job))
            lease_book_forget_plan(self, lease);
        else
            list->items[count++] = lease;
    }
    list->count = count;
}

void lease_book_drop_done(lease_book_t *self)
{
    drop_done(self, &self->pending);
    drop_done(self, &self->running);
}

void lease_book_resize(lease_book_t *self, int64_t gpu_count)
{
    slot_capacity_grow(&self->capacity, gpu_count - self->gpu_count);
    self->gpu_count = gpu_count;
}

int64_t lease_book_free_gpus(const lease_book_t *self)
{
    int64_t free_gpus = self->gpu_count;

    for (size_t i = 0; i < self->running.count; i++)
        free_gpus -= self->running.items[i]->job->submission->gpus_requested;
    return free_gpus;
}

void lease_book_forget_plan(lease_book_t *self, struct lease *lease)
{
    if (!lease->planned)
        return;
    slot_capacity_add(&self->capacity, &lease->plan, lease->job->submission->gpus_requested);
    slot_runs_clear(&lease->plan);
    lease->planned = false;
}

void lease_book_plan(lease_book_t *self, struct lease *lease, const struct slot_runs *plan)
{
    if (lease->planned && slot_runs_equal(&lease->plan, plan))
        return;
    lease_book_forget_plan(self, lease);
    slot_runs_copy(&lease->plan, plan);
    slot_capacity_add(&self->capacity, plan, -lease->job->submission->gpus_requested);
    lease->planned = true;
}

void lease_book_give_up_first(lease_book_t *self, struct lease *lease, int64_t count)
{
    if (!lease->planned || count <= 0)
        return;
    slot_runs_split_first(&lease->plan, count, &self->given_up);
    slot_capacity_add(&self->capacity, &self->given_up, lease->job->submission->gpus_requested);
}

void lease_book_drop_before(lease_book_t *self, int64_t slot)
{
    const struct lease_list *const lists[] = {&self->pending, &self->running};

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            slot_runs_drop_before(&lists[k]->items[i]->plan, slot);
    slot_capacity_drop_before(&self->capacity, slot);
}

double lease_overhead_s(const struct lease *lease)
{
    return (double)lease->starts * LEASE_START_S *
           (1 + log2((double)lease->job->submission->gpus_requested));
}

int64_t lease_end_due_s(const struct lease *lease)
{
    const double left_s = (double)(lease->job->submission->duration_s - lease->job->attained_s);

    return lease->since_s + (int64_t)ceil(left_s + lease_overhead_s(lease));
}

bool lease_is_done(const struct lease *lease, int64_t now_s, double *ended_s)
{
    const struct job *job = lease->job;
    const double overhead_s = lease_overhead_s(lease);

    if ((double)(now_s - lease->since_s + job->attained_s) <
        (double)job->submission->duration_s + overhead_s)
        return false;
    *ended_s =
        (double)(lease->since_s + job->submission->duration_s - job->attained_s) + overhead_s;
    return true;
}
