/* large_pages.h - the memory of this process in pages of 2 MiB, where the kernel offers them. */
#ifndef COMMON_LARGE_PAGES_H
#define COMMON_LARGE_PAGES_H

/* Moves memory of this process, where nearly all of a large page is used, into large pages. A copy
 * of the process takes some ten times less time then, as the kernel copies an entry for each page.
 * The move costs about as much as two copies and, in a process that shares its memory with its
 * parent, the memory once more. Does nothing where the kernel has no large pages. */
void large_pages_gather(void);

#endif
