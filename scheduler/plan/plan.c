/* plan.c - see plan.h. */
#include "scheduler/plan/plan.h"

#include "common/sort.h"
#include "scheduler/plan/level.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A job whose work lasts longer than this, at a rate of its policy's own, has no planned end. */
#define LONGEST_S 1e15

plan_t *plan_new(void)
{
    plan_t *self = xcalloc(1, sizeof(*self));

    self->scratch = arena_new();
    self->names_all = true;
    return self;
}

void plan_destroy(plan_t **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->scratch);
    free((*self)->growths);
    free((*self)->named);
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
        self->named = xrealloc(self->named, self->capacity * sizeof(*self->named));
    }
    self->count = count;
}

static const struct share no_share = {
    .end_s = NEVER_S, .finish_s = NEVER_S, .start_s = NEVER_S, .change_s = NEVER_S};

/* Clears all of a share but its grant. */
static inline void blank_course(struct share *share)
{
    share->seat = no_share.seat;
    share->promised = share->at_risk = false;
    share->step = 0;
    share->end_s = share->finish_s = share->start_s = share->change_s = NEVER_S;
    share->exposure = no_share.exposure;
}

/* Clears a share. Of a grant without GPUs only the pool counts: clearing the rest for each job of
 * each round would take time. */
static inline void blank(struct share *share)
{
    share->grant.pool = share->grant.gpus = 0;
    blank_course(share);
}

static void reset_from(plan_t *self, const struct view *view, size_t first)
{
    struct share *shares;
    size_t *order;
    size_t *service;

    open_plan(self, view->job_count);
    shares = self->shares;
    order = self->order;
    service = self->service;
    for (size_t i = first; i < view->job_count; i++) {
        blank(&shares[i]);
        order[i] = service[i] = i;
    }
    self->named_count = 0;
    self->growth_count = 0;
    self->patience_gpu_s = 0;
    self->proven = false;
    arena_reset(self->scratch);
}

void plan_reset(plan_t *self, const struct view *view)
{
    self->names_all = true;
    reset_from(self, view, 0);
}

void plan_reset_few(plan_t *self, const struct view *view)
{
    if (self->names_all)
        self->blank_count = 0;
    else
        for (size_t i = 0; i < self->named_count; i++)
            self->shares[self->named[i]] = no_share;
    self->names_all = false;
    reset_from(self, view, self->blank_count);
    if (self->blank_count < self->count)
        self->blank_count = self->count;
}

void plan_allocate(plan_t *self, const struct view *view, size_t place, int level)
{
    plan_allocate_in(self, view, place, view->jobs[place]->grant.pool, level);
}

static void name(plan_t *self, size_t place)
{
    assert(self->named_count == 0 || self->named[self->named_count - 1] < place);
    self->named[self->named_count++] = place;
}

/* Inline, so that a grant is made where it is to be. */
static inline void give(plan_t *self, const struct view *view, size_t place,
                        const struct grant *grant)
{
    struct share *share = &self->shares[place];
    double left_s;

    assert(place < self->count);
    if (!self->names_all)
        name(self, place);
    blank_course(share);
    share->grant = *grant;
    if (!grant_holds(grant))
        return;
    left_s = view->jobs[place]->iterations_left / grant->rate;
    if (!(left_s < LONGEST_S))
        return;
    share->end_s = (int64_t)ceil((double)view->now_s + left_s);
    if (share->end_s <= view->now_s) /* rounding hides the rest of the work: an end is never now */
        share->end_s = view->now_s + 1;
    share->finish_s = share->end_s;
    share->start_s = view->now_s;
    share->change_s = share->end_s;
}

void plan_grant(plan_t *self, const struct view *view, size_t place, struct grant grant)
{
    give(self, view, place, &grant);
}

void plan_allocate_in(plan_t *self, const struct view *view, size_t place, int pool, int level)
{
    const struct job *job = view->jobs[place];
    const struct grant grant = level_grant(job, pool, level);

    assert(level >= 0 && level <= job_scaling(job, pool)->top);
    give(self, view, place, &grant);
}

static void drop_name(plan_t *self, size_t place)
{
    size_t kept = self->named_count;

    while (kept > 0 && self->named[kept - 1] >= place)
        kept--;
    for (size_t i = kept; i < self->named_count; i++)
        if (self->named[i] > place)
            self->named[kept++] = self->named[i] - 1;
    self->named_count = kept;
}

void plan_drop(plan_t *self, size_t place)
{
    assert(place < self->count && !grant_holds(&self->shares[place].grant));
    self->count--;
    for (size_t i = place; i < self->count; i++)
        self->shares[i] = self->shares[i + 1];
    self->shares[self->count] = no_share;
    drop_name(self, place);
    for (size_t i = 0; i < self->count && self->names_all; i++)
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

int64_t plan_end_call_s(const plan_t *self, const struct job *job)
{
    return job->end_s + (int64_t)fmin(self->patience_gpu_s / job_gpus(job), INT32_MAX);
}

static int64_t change_s(const struct share *share, int64_t now_s)
{
    if (share->start_s > now_s)
        return share->start_s;
    return share->change_s > now_s && share->change_s < share->end_s ? share->change_s : NEVER_S;
}

int64_t plan_change_s(const plan_t *self, int64_t now_s)
{
    const size_t count = self->names_all ? self->count : self->named_count;
    int64_t first_s = NEVER_S;

    for (size_t i = 0; i < count; i++) {
        const size_t place = self->names_all ? i : self->named[i];
        const int64_t own_s = change_s(&self->shares[place], now_s);

        first_s = own_s < first_s ? own_s : first_s;
    }
    return first_s;
}

void plan_archive(plan_t *self, struct archive *archive)
{
    const size_t count = archive_count(archive, self->count, UINT32_MAX);

    if (archive->reads) {
        open_plan(self, count);
        self->names_all = true;
    }
    for (size_t i = 0; i < count && !archive->broken; i++) {
        if (archive->reads)
            self->shares[i] = (struct share){.grant = {0}};
        ARCHIVE(archive, &self->shares[i].start_s);
        ARCHIVE(archive, &self->shares[i].change_s);
        ARCHIVE(archive, &self->shares[i].end_s);
    }
    ARCHIVE(archive, &self->patience_gpu_s);
}
