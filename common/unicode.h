/* unicode.h - whether the terminal shows UTF-8: names are printed unchanged, drawings are in ASCII
 * where the user's locale has no UTF-8. */
#ifndef COMMON_UNICODE_H
#define COMMON_UNICODE_H

#include <stdbool.h>

/* Takes the characters of the user's locale, or else those of UTF-8: for the start of a program
 * that prints tables. Numbers stay as they are. */
void unicode_begin(void);

/* Whether the user's locale is one of UTF-8; false before unicode_begin. */
bool unicode_is_shown(void);

#endif
