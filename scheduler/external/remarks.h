/* remarks.h - what a program says on its standard error: passed on to that of this process, so much
 * with each question at most. */
#ifndef EXTERNAL_REMARKS_H
#define EXTERNAL_REMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REMARKS_KIB_MAX 64

struct remarks {
    int from;    /* does not block; -1 where nothing more will be said */
    size_t left; /* bytes that may be passed on yet */
    bool told;   /* that something is left out */
};

/* Allows the program new remarks: a question is about to be asked. */
void remarks_allow(struct remarks *self);

/* Passes on what there is by now. What is too much is left out, and the first time a sentence says
 * so, with `command` and the number of the question. */
void remarks_pass(struct remarks *self, const char *command, int64_t question);

/* Nothing more will be said. */
void remarks_end(struct remarks *self);

#endif
