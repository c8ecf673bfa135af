/* ranks.h - lists of ranks of GPUs. */
#ifndef MASTER_RANKS_H
#define MASTER_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy in rising order, that the caller frees. */
int32_t *ranks_sorted(const int32_t *ranks, size_t count);

/* No rank stands there twice. */
bool ranks_differ(const int32_t *ranks, size_t count);

/* Whether `rank` stands in `sorted`, which rises. */
bool ranks_have(const int32_t *sorted, size_t count, int32_t rank);

#endif
