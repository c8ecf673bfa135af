/* ranks.c - see ranks.h. */
#include "master/commands/ranks.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

int32_t *ranks_sorted(const int32_t *ranks, size_t count)
{
    int32_t *sorted = xcalloc(count, sizeof(*sorted));

    memcpy(sorted, ranks, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare);
    return sorted;
}

bool ranks_differ(const int32_t *ranks, size_t count)
{
    int32_t *sorted = ranks_sorted(ranks, count);
    bool differ = true;

    for (size_t i = 1; i < count; i++)
        differ = differ && sorted[i] != sorted[i - 1];
    free(sorted);
    return differ;
}

bool ranks_have(const int32_t *sorted, size_t count, int32_t rank)
{
    return bsearch(&rank, sorted, count, sizeof(*sorted), compare) != NULL;
}
