/* suggestion.h - which word a user may have meant. */
#ifndef COMMON_SUGGESTION_H
#define COMMON_SUGGESTION_H

#include <stddef.h>

/* The word of `words`, ended with NULL, that is nearest to `word`: one wrong letter is allowed for
 * every three, a letter that is missing, too many or swapped counts as one, and small and capital
 * letters are the same. If none is near, the only one that begins with `word`; or else NULL.
 * Source of the distance: optimal string alignment,
 * Damerau 1964. */
const char *suggestion(const char *word, const char *const *words);

/* Writes "; did you mean X?", with `before` and `after` around the nearest word; nothing if no word
 * is near. */
void suggestion_print(const char *word, const char *const *words, const char *before,
                      const char *after, char *text, size_t size);

#endif
