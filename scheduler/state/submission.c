/* submission.c - see submission.h. */
#include "scheduler/state/submission.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Unused room costs nothing, and room that is outgrown has to be copied. */
#define ROOM_AT_FIRST 512

struct submissions {
    struct submission *jobs;
    size_t count;
    size_t capacity;
    arena_t *texts;         /* also of levels and rows */
    const char *last_model; /* names are stored once: most traces have few models */
    const struct pool_rows *last_rows;
};

submissions_t *submissions_new(void)
{
    submissions_t *self = xcalloc(1, sizeof(*self));

    self->texts = arena_new();
    self->capacity = ROOM_AT_FIRST;
    self->jobs = xmalloc(self->capacity * sizeof(*self->jobs));
    return self;
}

void submissions_destroy(submissions_t **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->texts);
    free((*self)->jobs);
    free(*self);
    *self = NULL;
}

static const char *keep_model(submissions_t *self, const struct submission *job)
{
    if (job->throughput && !strcmp(job->model, job->throughput->model))
        return job->throughput->model;
    if (!self->last_model || strcmp(self->last_model, job->model) != 0)
        self->last_model = arena_text(self->texts, job->model, strlen(job->model));
    return self->last_model;
}

static const struct job_level *keep_levels(submissions_t *self, const struct submission *job)
{
    const size_t size = job->level_count * sizeof(*job->levels);
    struct job_level *copy;

    if (job->level_count == 0)
        return NULL;
    copy = arena_alloc(self->texts, size);
    memcpy(copy, job->levels, size);
    return copy;
}

static const struct pool_rows *keep_rows(submissions_t *self, const struct submission *job)
{
    struct pool_rows *copy;

    if (!job->pool_rows)
        return NULL;
    if (!self->last_rows || memcmp(self->last_rows, job->pool_rows, sizeof(*copy)) != 0) {
        copy = arena_alloc(self->texts, sizeof(*copy));
        *copy = *job->pool_rows;
        self->last_rows = copy;
    }
    return self->last_rows;
}

static const struct job_share *keep_shares(submissions_t *self, const struct submission *job)
{
    struct job_share *copy;

    if (job->share_count == 0)
        return NULL;
    copy = arena_alloc(self->texts, job->share_count * sizeof(*copy));
    for (size_t i = 0; i < job->share_count; i++) {
        copy[i] = job->shares[i];
        copy[i].name = arena_text(self->texts, copy[i].name, strlen(copy[i].name));
    }
    return copy;
}

const struct throughput_row *submissions_keep_row(submissions_t *self,
                                                  const struct throughput_row *row)
{
    struct throughput_row *copy = arena_alloc(self->texts, sizeof(*copy));

    *copy = *row;
    copy->model = arena_text(self->texts, row->model, strlen(row->model));
    return copy;
}

static const struct parent *keep_parents(submissions_t *self, const struct submission *job)
{
    struct parent *copy;

    if (job->parent_count == 0)
        return NULL;
    copy = arena_alloc(self->texts, job->parent_count * sizeof(*copy));
    for (size_t i = 0; i < job->parent_count; i++) {
        copy[i] = job->parents[i];
        copy[i].id = arena_text(self->texts, copy[i].id, strlen(copy[i].id));
    }
    return copy;
}

static const struct job_text *keep_texts(submissions_t *self, const struct submission *job)
{
    struct job_text *copy;

    if (job->text_count == 0)
        return NULL;
    copy = arena_alloc(self->texts, job->text_count * sizeof(*copy));
    for (size_t i = 0; i < job->text_count; i++) {
        const struct job_text *own = &job->texts[i];

        copy[i].field = arena_text(self->texts, own->field, strlen(own->field));
        copy[i].text = arena_text(self->texts, own->text, strlen(own->text));
    }
    return copy;
}

void submissions_append(submissions_t *self, const struct submission *job)
{
    struct submission *copy;

    self->jobs = grow_array(self->jobs, self->count, &self->capacity, sizeof(*self->jobs));
    copy = &self->jobs[self->count++];
    *copy = *job;
    copy->id = arena_text(self->texts, job->id, strlen(job->id));
    copy->model = keep_model(self, job);
    copy->levels = keep_levels(self, job);
    copy->parents = keep_parents(self, job);
    copy->texts = keep_texts(self, job);
    copy->pool_rows = keep_rows(self, job);
    copy->shares = keep_shares(self, job);
}

static int compare_arrival(const void *a, const void *b)
{
    const struct submission *x = a;
    const struct submission *y = b;

    if (x->submit_s != y->submit_s)
        return x->submit_s < y->submit_s ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void submissions_sort(submissions_t *self)
{
    for (size_t i = 1; i < self->count; i++)
        if (compare_arrival(&self->jobs[i - 1], &self->jobs[i]) > 0) {
            qsort(self->jobs, self->count, sizeof(*self->jobs), compare_arrival);
            return;
        }
}

size_t submissions_count(const submissions_t *self)
{
    return self->count;
}

struct submission *submissions_at(submissions_t *self, size_t index)
{
    assert(index < self->count);
    return &self->jobs[index];
}

static uint64_t hash_id(const char *id)
{
    size_t left = strlen(id);
    uint64_t hash = left;

    for (;;) {
        const size_t size = left < sizeof(hash) ? left : sizeof(hash);
        uint64_t word = 0;

        memcpy(&word, id, size);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio, made odd */
        hash ^= hash >> 32;                         /* the low bits depend on all */
        if (left == size)
            return hash;
        id += size;
        left -= size;
    }
}

/* `seen` has each job at the first free place from that of its hash on. At most half of the places
 * are used. */
const struct submission *submissions_repeated(const submissions_t *self,
                                              const struct submission **first)
{
    const struct submission *again = NULL;
    const struct submission **seen;
    size_t places = 16;

    while (places <= 2 * self->count)
        places *= 2;
    seen = xcalloc(places, sizeof(*seen));
    *first = NULL;
    for (size_t i = 0; i < self->count && !*first; i++) {
        size_t place;

        again = &self->jobs[i];
        place = (size_t)hash_id(again->id) & (places - 1);
        while (seen[place] && strcmp(seen[place]->id, again->id) != 0)
            place = (place + 1) & (places - 1);
        *first = seen[place];
        seen[place] = again;
    }
    free(seen);
    return *first ? again : NULL;
}
