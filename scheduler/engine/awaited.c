/* awaited.c - see awaited.h. */
#include "scheduler/engine/awaited.h"

#include <stdlib.h>
#include <uthash.h>

struct awaited_job {
    uint64_t number;
    numbers_t children;
    UT_hash_handle hh;
};

static struct awaited_job *find(const struct awaited *self, uint64_t number)
{
    struct awaited_job *found;

    HASH_FIND(hh, self->by_number, &number, sizeof(number), found);
    return found;
}

static void free_all(struct awaited_job *job)
{
    while (job) {
        struct awaited_job *next = job->hh.next;

        free(job->children.items);
        free(job);
        job = next;
    }
}

void awaited_close(struct awaited *self)
{
    struct awaited_job *all = self->by_number;

    HASH_CLEAR(hh, self->by_number); /* the items stay linked as a list */
    free_all(all);
}

void awaited_add(struct awaited *self, uint64_t parent, uint64_t child)
{
    struct awaited_job *job = find(self, parent);

    if (!job) {
        job = xcalloc(1, sizeof(*job));
        job->number = parent;
        HASH_ADD(hh, self->by_number, number, sizeof(job->number), job);
    }
    list_append(&job->children, child);
}

const numbers_t *awaited_children(const struct awaited *self, uint64_t parent)
{
    const struct awaited_job *job = find(self, parent);

    return job ? &job->children : NULL;
}

void awaited_drop(struct awaited *self, uint64_t parent)
{
    struct awaited_job *job = find(self, parent);

    if (!job)
        return;
    HASH_DEL(self->by_number, job);
    free(job->children.items);
    free(job);
}
