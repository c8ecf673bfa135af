/* lease_packing.h - whether jobs fit into the lease slots before their deadlines, each packed as
 * late as possible. Admission promises deadlines by this test, and a lease round without a solver
 * plans by it. */
#ifndef REFERENCE_LEASE_PACKING_H
#define REFERENCE_LEASE_PACKING_H

#include "scheduler/reference/lease_book.h"

#include <stdbool.h>
#include <stddef.h>

/* A job at a level. */
struct lease_entry {
    struct lease *lease;
    size_t level;
    int64_t before; /* slot cut off by the deadline: the job may run in the slots before */
    int64_t need;
    int64_t gpus; /* packed size, see lease_packed_gpus */
    int64_t value;
};

/* Entries of some jobs. The entries of a job are next to each other. */
struct lease_entries {
    struct lease_entry *items;
    size_t count;
    size_t capacity;
};

void lease_entries_free(struct lease_entries *self);
void lease_entries_append(struct lease_entries *self, const struct lease_entry *entry);

/* CH-Q10: 3 GPUs are packed as 4, and 5, 6 and 7 as 8, although the job holds the smaller
 * number. */
int64_t lease_packed_gpus_rounded(int64_t gpus);
int64_t lease_packed_gpus(int64_t gpus);

/* Sorts entries by size, the largest first, then by the time that they can still wait, then by
 * deadline, the latest first. With `by_value` the value comes first. Equal entries keep their
 * order. */
void lease_entries_sort(struct lease_entries *self, bool by_value);

/* Whether all jobs of `entries` fit into `free` from slot `from` on, each with the entry that can
 * wait least. `sorted`, `work` and `taken` are scratch memory. */
struct lease_packing {
    struct lease_entries sorted;
    struct slot_capacity work;
    struct slot_runs taken;
};

bool lease_packing_fits(struct lease_packing *self, const struct lease_entries *entries,
                        const struct slot_capacity *free, int64_t from);
void lease_packing_free(struct lease_packing *self);

#endif
