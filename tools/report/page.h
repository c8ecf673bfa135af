/* page.h - the page without its runs, made from the folder page/ when Rubato is built. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include <stddef.h>

extern const char page_before[]; /* text of the page before the runs */
extern const size_t page_before_bytes;
extern const char page_after[];
extern const size_t page_after_bytes;

#endif
