/* programs.c - see programs.h. */
#include "master/programs.h"

#include "common/memory.h"

#include <stdlib.h>
#include <uthash.h>

struct programs {
    uint64_t job;
    struct msg_program *program;
    bool old; /* the program came in a session that ended */
    UT_hash_handle hh;
};

static struct programs *find(const struct programs *self, uint64_t job)
{
    struct programs *found;

    HASH_FIND(hh, self, &job, sizeof(job), found);
    return found;
}

static void drop(struct programs **self, struct programs *entry)
{
    /* The analyser believes that the macro reads a removed entry. NOLINTNEXTLINE */
    HASH_DEL(*self, entry);
    free(entry->program);
    free(entry);
}

void programs_clear(struct programs **self)
{
    programs_age(*self);
    programs_drop_old(self);
}

void programs_put(struct programs **self, const struct msg_program *program)
{
    struct programs *entry = find(*self, program->job);

    if (!entry) {
        entry = xcalloc(1, sizeof(*entry));
        entry->job = program->job;
        HASH_ADD(hh, *self, job, sizeof(entry->job), entry);
    }
    free(entry->program);
    entry->program = program_copy(program);
    entry->old = false;
}

const struct msg_program *programs_find(const struct programs *self, uint64_t job)
{
    const struct programs *const entry = find(self, job);

    return entry ? entry->program : NULL;
}

void programs_drop(struct programs **self, uint64_t job)
{
    struct programs *const entry = find(*self, job);

    if (entry)
        drop(self, entry);
}

void programs_age(struct programs *self)
{
    for (struct programs *entry = self; entry; entry = entry->hh.next)
        entry->old = true;
}

void programs_drop_old(struct programs **self)
{
    struct programs *entry;
    struct programs *next;

    HASH_ITER(hh, *self, entry, next)
    {
        if (entry->old)
            drop(self, entry);
    }
}
