/* lease_problem.c - see lease_problem.h. */
#include "tests/reference/lease_problem.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

/* A problem lends its entries; here it comes with them. */
struct kept {
    struct lease_problem problem;
    struct lease_entries entries;
    struct lease leases[LEASE_PROBLEM_JOBS];
    size_t count;
};

static struct kept *kept_of(struct lease_problem *self)
{
    return (struct kept *)self; /* its first field */
}

struct lease_problem *lease_problem_new(void)
{
    struct kept *kept = xcalloc(1, sizeof(*kept));

    kept->problem = (struct lease_problem){.entries = &kept->entries,
                                           .slot = LEASE_PROBLEM_SLOT,
                                           .gpu_count = 4,
                                           .objective = OBJECTIVE_MAXIMIZE};
    return &kept->problem;
}

void lease_problem_destroy(struct lease_problem **self)
{
    if (!*self)
        return;
    lease_entries_free(&kept_of(*self)->entries);
    free(*self);
    *self = NULL;
}

void lease_problem_clear(struct lease_problem *self)
{
    kept_of(self)->entries.count = 0;
    kept_of(self)->count = 0;
}

struct lease *lease_problem_add_job(struct lease_problem *self, size_t levels)
{
    struct kept *kept = kept_of(self);
    struct lease *lease = &kept->leases[kept->count++];

    assert(kept->count <= LEASE_PROBLEM_JOBS);
    *lease = (struct lease){.last_level = levels - 1};
    return lease;
}

void lease_problem_add_level(struct lease_problem *self, int64_t slots, int64_t need, int64_t gpus,
                             int64_t value)
{
    struct kept *kept = kept_of(self);

    lease_entries_append(&kept->entries,
                         &(struct lease_entry){.lease = &kept->leases[kept->count - 1],
                                               .before = LEASE_PROBLEM_SLOT + slots,
                                               .need = need,
                                               .gpus = gpus,
                                               .value = value});
}

void lease_problem_add(struct lease_problem *self, int64_t slots, int64_t need, int64_t gpus)
{
    (void)lease_problem_add_job(self, 1);
    lease_problem_add_level(self, slots, need, gpus, LEVEL_VALUE_FULL);
}
