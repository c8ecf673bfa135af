/* foreign.c - see foreign.h. */
#include "tools/trace_import/foreign.h"

#include "common/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace takes 128; what makes a name unique needs some of them. */
#define NAME_BYTES_KEPT ((size_t)100)
#define NAME_BYTES_MAX  (NAME_BYTES_KEPT + 24)

struct entry {
    struct foreign_job job;
    char *name;   /* what job.name lends */
    size_t place; /* in the source */
};

struct foreign {
    struct entry *entries;
    size_t count;
    size_t capacity;
    size_t left_out[FOREIGN_REASON_COUNT];
};

foreign_t *foreign_new(void)
{
    return xcalloc(1, sizeof(foreign_t));
}

void foreign_destroy(foreign_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        free((*self)->entries[i].name);
    free((*self)->entries);
    free(*self);
    *self = NULL;
}

/* `name` with every character that a trace does not take as '_'. */
static char *plain_name(const char *name)
{
    const size_t length = strnlen(name, NAME_BYTES_KEPT);
    char *plain = xmalloc(NAME_BYTES_MAX);

    for (size_t i = 0; i < length; i++)
        plain[i] = isalnum((unsigned char)name[i]) || strchr("-_.:+@=", name[i]) ? name[i] : '_';
    plain[length] = '\0';
    if (length == 0)
        (void)snprintf(plain, NAME_BYTES_MAX, "_");
    return plain;
}

static int check(const char *what, double value, double max, const char *path, int64_t line,
                 struct error *error)
{
    if (value >= 0 && value <= max)
        return 0;
    return error_set(error, "%s:%" PRId64 ": expected %s from 0 to %g, found %g", path, line, what,
                     max, value);
}

int foreign_add(foreign_t *self, const struct foreign_job *job, const char *path, int64_t line,
                struct error *error)
{
    struct entry *entry;

    if (!(job->gpus > 0)) {
        self->left_out[FOREIGN_WITHOUT_GPUS]++;
        return 0;
    }
    if (!(job->duration_s > 0) || isnan(job->submit_s)) {
        self->left_out[FOREIGN_NEVER_RAN]++;
        return 0;
    }
    if (check("a submission", job->submit_s, FOREIGN_SUBMIT_MAX_S, path, line, error) < 0 ||
        check("a duration", job->duration_s, FOREIGN_DURATION_MAX_S, path, line, error) < 0 ||
        check("a number of GPUs", job->gpus, FOREIGN_GPUS_MAX, path, line, error) < 0)
        return -1;
    self->entries = grow_array(self->entries, self->count, &self->capacity, sizeof(*self->entries));
    entry = &self->entries[self->count];
    *entry = (struct entry){*job, plain_name(job->name), self->count};
    entry->job.name = entry->name;
    self->count++;
    return 0;
}

static int by_submission(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;

    if (x->job.submit_s != y->job.submit_s)
        return x->job.submit_s < y->job.submit_s ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int by_name(const void *a, const void *b)
{
    struct entry *const *x = a;
    struct entry *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);

    return order != 0 ? order : ((*x) > (*y)) - ((*x) < (*y));
}

/* No name of a source has a '#' here, so that what is added meets no other name. */
static void number_repeated(foreign_t *self)
{
    struct entry **named = xcalloc(self->count + 1, sizeof(struct entry *));
    size_t same = 1;

    for (size_t i = 0; i < self->count; i++)
        named[i] = &self->entries[i];
    qsort(named, self->count, sizeof(struct entry *), by_name);
    for (size_t i = 1; i < self->count; i++) {
        char *name = named[i]->name;
        const size_t length = strlen(name);

        same = !strcmp(name, named[i - same]->name) ? same + 1 : 1;
        if (same > 1)
            (void)snprintf(name + length, NAME_BYTES_MAX - length, "#%zu", same);
    }
    free(named);
}

void foreign_order(foreign_t *self)
{
    if (self->count > 1)
        qsort(self->entries, self->count, sizeof(*self->entries), by_submission);
    number_repeated(self);
}

size_t foreign_count(const foreign_t *self)
{
    return self->count;
}

const struct foreign_job *foreign_at(const foreign_t *self, size_t index)
{
    return &self->entries[index].job;
}

size_t foreign_left_out(const foreign_t *self, enum foreign_reason reason)
{
    return self->left_out[reason];
}

const char *foreign_reason_words(enum foreign_reason reason)
{
    static const char *const words[FOREIGN_REASON_COUNT] = {
        [FOREIGN_WITHOUT_GPUS] = "asked for no GPU",
        [FOREIGN_NEVER_RAN] = "never ran",
    };

    return words[reason];
}
