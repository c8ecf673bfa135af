/* number_hint.h - what to write instead of text that should be a number but is not.
 *
 * Spreadsheets write dates, decimal commas and separators of thousands. A hint is the end of a
 * sentence, as "; write a decimal point, and no separators of thousands"; or "" for any other
 * text. */
#ifndef COMMON_NUMBER_HINT_H
#define COMMON_NUMBER_HINT_H

#include <stddef.h>

/* The hint where a whole number was expected; number_hint_real: where a fraction is allowed. */
const char *number_hint_whole(const char *text, size_t length);
const char *number_hint_real(const char *text, size_t length);

#endif
