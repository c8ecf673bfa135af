/* remarks.h - passes a program's standard error on to that of this process, a limited number of
 * bytes for each question. */
#ifndef EXTERNAL_REMARKS_H
#define EXTERNAL_REMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REMARKS_KIB_MAX 64

struct remarks {
    int from;    /* non-blocking; -1 at the end */
    size_t left; /* bytes that may still be passed on */
    bool told;   /* the user was told that bytes are dropped */
};

/* Allows the program new remarks: a question is about to be asked. */
void remarks_allow(struct remarks *self);

/* Passes on the available bytes. Bytes above the limit are dropped, and the first time a sentence
 * tells, with `command` and the number of the question. */
void remarks_pass(struct remarks *self, const char *command, int64_t question);

/* The program has ended. */
void remarks_end(struct remarks *self);

#endif
