/* error.h - why an input cannot be used, as one sentence for the user.
 *
 * A function that can fail for a reason outside the program takes a `struct error *` last, and
 * returns -1 or NULL with the sentence set and nothing half done. Mistakes of the program are
 * asserts.
 */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

struct error {
    char text[1024];
};

/* Writes the sentence, cut if it is too long; always returns -1, so that reporting is one `return`.
 */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "`prefix`: " before the sentence already there; returns -1. */
int error_prefix(struct error *error, const char *prefix);

#endif
