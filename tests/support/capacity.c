/* capacity.c - see capacity.h. */
#include "tests/support/capacity.h"

int64_t capacity_at(const struct slot_capacity *capacity, int64_t slot)
{
    size_t at = 0;

    while (at + 1 < capacity->count && capacity->steps[at + 1].from <= slot)
        at++;
    return capacity->steps[at].free_gpus;
}
