/* number_hint.h - what to write in the place of text that should be a number and is none.
 *
 * Spreadsheets write dates, decimal commas and separators of thousands. A hint is the end of a
 * sentence, as "; write a decimal point, and no separators of thousands"; or "" for text that looks
 * like nothing of the kind. */
#ifndef COMMON_NUMBER_HINT_H
#define COMMON_NUMBER_HINT_H

#include <stddef.h>

/* Where a whole number was expected; and where a number that may have a fraction was. */
const char *number_hint_whole(const char *text, size_t length);
const char *number_hint_real(const char *text, size_t length);

#endif
