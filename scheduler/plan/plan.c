/* plan.c - see plan.h. */
#include "scheduler/plan/plan.h"

#include "common/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

plan_t *plan_new(void)
{
    plan_t *self = xcalloc(1, sizeof(*self));

    self->scratch = arena_new();
    return self;
}

void plan_destroy(plan_t **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->scratch);
    free((*self)->growths);
    free((*self)->service);
    free((*self)->order);
    free((*self)->shares);
    free(*self);
    *self = NULL;
}

static void open_plan(plan_t *self, size_t count)
{
    if (count > self->capacity) {
        self->capacity = count * 2;
        self->shares = xrealloc(self->shares, self->capacity * sizeof(*self->shares));
        self->order = xrealloc(self->order, self->capacity * sizeof(*self->order));
        self->service = xrealloc(self->service, self->capacity * sizeof(*self->service));
    }
    self->count = count;
}

void plan_reset(plan_t *self, const struct view *view)
{
    open_plan(self, view->job_count);
    for (size_t i = 0; i < self->count; i++) {
        self->shares[i] = (struct share){
            .end_s = NEVER_S, .finish_s = NEVER_S, .start_s = NEVER_S, .change_s = NEVER_S};
        self->order[i] = self->service[i] = i;
    }
    self->growth_count = 0;
    self->proven = false;
    arena_reset(self->scratch);
}

void plan_allocate(plan_t *self, const struct view *view, size_t place, int level)
{
    plan_allocate_in(self, view, place, view->jobs[place]->pool, level);
}

void plan_allocate_in(plan_t *self, const struct view *view, size_t place, int pool, int level)
{
    const struct job *job = view->jobs[place];
    const struct scaling *scaling = job_scaling(job, pool);
    struct share *share = &self->shares[place];

    assert(place < self->count);
    assert(level >= 0 && level <= scaling->top);
    *share = (struct share){.level = level,
                            .pool = pool,
                            .end_s = NEVER_S,
                            .finish_s = NEVER_S,
                            .start_s = NEVER_S,
                            .change_s = NEVER_S};
    if (level == 0)
        return;
    share->end_s = (int64_t)ceil((double)view->now_s + job->iterations_left / scaling->rate[level]);
    if (share->end_s <= view->now_s) /* less than rounding can show: an end is never now */
        share->end_s = view->now_s + 1;
    share->finish_s = share->end_s;
    share->start_s = view->now_s;
    share->change_s = share->end_s;
}

void plan_drop(plan_t *self, size_t place)
{
    assert(place < self->count && self->shares[place].level == 0);
    self->count--;
    for (size_t i = place; i < self->count; i++)
        self->shares[i] = self->shares[i + 1];
    for (size_t i = 0; i < self->count; i++)
        self->order[i] = self->service[i] = i;
}

void plan_grow(plan_t *self, const struct growth *growth)
{
    assert(growth->place < self->count);
    self->growths = grow_array(self->growths, self->growth_count, &self->growth_capacity,
                               sizeof(*self->growths));
    self->growths[self->growth_count++] = *growth;
}

const struct keyed *plan_by_deadline(plan_t *self, const struct view *view)
{
    struct keyed *keys = arena_alloc(self->scratch, 2 * self->count * sizeof(*keys));

    for (size_t i = 0; i < self->count; i++)
        keys[i] = (struct keyed){(double)view->jobs[self->order[i]]->submission->deadline_s,
                                 self->order[i]};
    sort_keyed(keys, self->count, keys + self->count);
    return keys;
}

const struct keyed *plan_order_by_deadline(plan_t *self, const struct view *view)
{
    const struct keyed *keys = plan_by_deadline(self, view);

    for (size_t i = 0; i < self->count; i++)
        self->order[i] = self->service[i] = keys[i].item;
    return keys;
}

void plan_archive(plan_t *self, struct archive *archive)
{
    const size_t count = archive_count(archive, self->count, UINT32_MAX);

    if (archive->reads)
        open_plan(self, count);
    for (size_t i = 0; i < count && !archive->broken; i++) {
        if (archive->reads)
            self->shares[i] = (struct share){.level = 0};
        ARCHIVE(archive, &self->shares[i].start_s);
        ARCHIVE(archive, &self->shares[i].change_s);
        ARCHIVE(archive, &self->shares[i].end_s);
    }
}
