/* large_pages.c - see large_pages.h. */
#include "common/large_pages.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* since Linux 6.1 */
#endif

#define LARGE_PAGE     ((uintptr_t)2 << 20)
#define PAGE_LEAST     4096
#define LINE_BYTES_MAX 4352 /* longest line, with a path */

/* A mapping, as /proc/self/smaps lists it. */
struct mapping {
    uintptr_t begins;
    uintptr_t ends;
    bool is_heap; /* private memory without a file that may be written to */
};

static bool read_mapping(const char *line, struct mapping *mapping)
{
    char access[5];
    uint64_t inode;

    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64, &mapping->begins,
               &mapping->ends, access, &inode) != 4)
        return false;
    mapping->is_heap = !strcmp(access, "rw-p") && inode == 0;
    return true;
}

/* Whether a page is in use. The kernel would fill unused parts of a page that it moves, so memory
 * that is only reserved is left alone. */
static bool is_used(uintptr_t page)
{
    unsigned char present[LARGE_PAGE / PAGE_LEAST];
    const size_t count = LARGE_PAGE / (size_t)sysconf(_SC_PAGESIZE);
    size_t used = 0;

    if (mincore((void *)page, LARGE_PAGE, present) < 0)
        return false;
    for (size_t i = 0; i < count; i++)
        used += present[i] & 1;
    return used >= count / 8 * 7;
}

/* Whether a mapping is mostly reserved room, which can be terabytes. Its pages are not looked
 * at. */
static bool is_sparse(const struct mapping *mapping, uint64_t used_kib)
{
    return used_kib * 1024 < (mapping->ends - mapping->begins) / 8;
}

static void gather(const struct mapping *mapping, uint64_t used_kib)
{
    uintptr_t page = (mapping->begins + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;

    if (!mapping->is_heap || is_sparse(mapping, used_kib))
        return;
    for (; page + LARGE_PAGE <= mapping->ends; page += LARGE_PAGE)
        if (is_used(page))
            (void)madvise((void *)page, LARGE_PAGE, MADV_COLLAPSE);
}

void large_pages_gather(void)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    struct mapping mapping = {0};
    char line[LINE_BYTES_MAX];
    uint64_t used_kib;

    if (!maps)
        return;
    while (fgets(line, sizeof(line), maps))
        if (!read_mapping(line, &mapping) && sscanf(line, "Rss: %" SCNu64, &used_kib) == 1)
            gather(&mapping, used_kib);
    (void)fclose(maps);
}
