/* samples.h - a valid message of each type and link. No two of its fields have the same value where
 * that is possible. */
#ifndef PROTOCOL_SAMPLES_H
#define PROTOCOL_SAMPLES_H

#include "protocol/wire.h"

struct sample {
    const char *name;
    void (*pack)(struct writer *out);
    /* Unpacks a message of the kind and packs its fields again. -1, with `error` and nothing to
     * close, if the message is of another kind. */
    int (*repack)(reader_t *in, struct writer *out, struct error *error);
};

extern const struct sample samples[];
extern const size_t sample_count;

#endif
