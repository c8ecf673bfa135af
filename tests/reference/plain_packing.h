/* plain_packing.h - the packing test of chronus by its definition, on arrays of slots. */
#ifndef TESTS_PLAIN_PACKING_H
#define TESTS_PLAIN_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_SLOTS   200
#define PLAIN_ENTRIES 64

/* A level of a job. Slots count from the next slot that is given out. */
struct plain_entry {
    size_t job;
    int64_t slots; /* slots before the deadline; may be negative */
    int64_t need;
    int64_t gpus;
};

struct plain_list {
    struct plain_entry items[PLAIN_ENTRIES];
    size_t count;
};

/* Whether all jobs fit. Each takes the first of its entries in the order of packing. */
bool plain_packing_fits(const struct plain_list *list, const int64_t free_gpus[PLAIN_SLOTS]);

#endif
