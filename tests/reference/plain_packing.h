/* plain_packing.h - the packing test of chronus by its definition: arrays of slots, one by one. */
#ifndef TESTS_PLAIN_PACKING_H
#define TESTS_PLAIN_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_SLOTS   200
#define PLAIN_ENTRIES 64

/* A job at a level; slots are counted from the next one to be given out. */
struct plain_entry {
    size_t job;
    int64_t slots; /* before the deadline; may be negative */
    int64_t need;
    int64_t gpus;
};

struct plain_list {
    struct plain_entry items[PLAIN_ENTRIES];
    size_t count;
};

/* Whether all jobs fit, each by the first of its entries in the order of packing. */
bool plain_packing_fits(const struct plain_list *list, const int64_t free_gpus[PLAIN_SLOTS]);

#endif
