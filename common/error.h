/* error.h - why an input cannot be used or an output cannot be written, as one sentence for the
 * user.
 *
 * A function that can fail for a reason outside the program takes a `struct error *` last, and
 * returns -1 or NULL with the sentence set and nothing half done. Mistakes of the program are
 * asserts.
 */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

#include <stdbool.h>

struct error {
    char text[1024];
    bool unwritten; /* an output could not be written: the exit status is 1, not 2 */
};

/* Writes the sentence, cut if it is too long; always returns -1, so that reporting is one `return`.
 */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sentence "`path`: cannot be written: CAUSE" of an `errno`, 0 for no cause; returns -1. */
int error_unwritten(struct error *error, const char *path, int number);

/* Adds to the sentence already there; returns -1. */
int error_append(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "`prefix`: " before the sentence already there; returns -1. */
int error_prefix(struct error *error, const char *prefix);

#endif
