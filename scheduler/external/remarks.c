/* remarks.c - see remarks.h. */
#include "scheduler/external/remarks.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define PIPE_BYTES ((size_t)64 * 1024) /* more than a pipe holds: one read takes all */

void remarks_allow(struct remarks *self)
{
    self->left = (size_t)REMARKS_KIB_MAX * 1024;
    self->told = false;
}

static void tell(struct remarks *self, const char *command, int64_t question)
{
    if (!self->told)
        (void)fprintf(stderr,
                      "\npolicy exec:%s: question %" PRId64
                      ": more than %d KiB on its standard error; the rest is left out\n",
                      command, question, REMARKS_KIB_MAX);
    self->told = true;
}

void remarks_pass(struct remarks *self, const char *command, int64_t question)
{
    char said[PIPE_BYTES];
    ssize_t got;
    size_t passed;

    if (self->from < 0)
        return;
    got = read(self->from, said, sizeof(said));
    if (got == 0)
        remarks_end(self);
    if (got <= 0)
        return;
    passed = (size_t)got < self->left ? (size_t)got : self->left;
    (void)fwrite(said, 1, passed, stderr);
    self->left -= passed;
    if (passed < (size_t)got)
        tell(self, command, question);
}

void remarks_end(struct remarks *self)
{
    if (self->from >= 0)
        (void)close(self->from);
    self->from = -1;
}
