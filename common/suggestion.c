/* suggestion.c - see suggestion.h. */
#include "common/suggestion.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LENGTH_MIN 3  /* too little is known of shorter words */
#define LENGTH_MAX 48 /* no word of a command line is longer */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of letters that have to be put in, taken out, changed or swapped. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LENGTH_MAX + 1];
    size_t *before_last = rows[0];
    size_t *last = rows[1];
    size_t *now = rows[2];

    for (size_t k = 0; k <= b_length; k++)
        last[k] = k;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *free_row = before_last;

        now[0] = i;
        for (size_t k = 1; k <= b_length; k++) {
            now[k] = smaller(smaller(last[k], now[k - 1]) + 1,
                             last[k - 1] + !is_same(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && is_same(a[i - 1], b[k - 2]) && is_same(a[i - 2], b[k - 1]))
                now[k] = smaller(now[k], before_last[k - 2] + 1);
        }
        before_last = last;
        last = now;
        now = free_row;
    }
    return last[b_length];
}

/* The only one of `words` that begins with the `length` letters of `word`. */
static const char *only_longer(const char *word, size_t length, const char *const *words)
{
    const char *found = NULL;

    for (; *words; words++) {
        if (strncasecmp(*words, word, length) != 0)
            continue;
        if (found)
            return NULL;
        found = *words;
    }
    return found;
}

const char *suggestion(const char *word, const char *const *words)
{
    const size_t length = strlen(word);
    const size_t allowed = length < LENGTH_MIN ? 0 : smaller(length / 3, 3);
    const char *const *all = words;
    const char *found = NULL;
    size_t best = allowed + 1;

    if (length > LENGTH_MAX)
        return NULL;
    for (; *words; words++) {
        const size_t other = strlen(*words);

        if (other <= LENGTH_MAX && distance(word, length, *words, other) < best) {
            best = distance(word, length, *words, other);
            found = *words;
        }
    }
    return found || length < LENGTH_MIN ? found : only_longer(word, length, all);
}

void suggestion_print(const char *word, const char *const *words, const char *before,
                      const char *after, char *text, size_t size)
{
    const char *found = suggestion(word, words);

    text[0] = '\0';
    if (found)
        (void)snprintf(text, size, "; did you mean %s%s%s?", before, found, after);
}
