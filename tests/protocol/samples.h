/* samples.h - a good message of each type and link, no two fields of the same value where that can
 * be. */
#ifndef PROTOCOL_SAMPLES_H
#define PROTOCOL_SAMPLES_H

#include "protocol/wire.h"

struct sample {
    const char *name;
    void (*pack)(struct writer *out);
    /* Unpacks a message of the kind and packs what it said. -1, with `error` and nothing to close,
     * if it is none. */
    int (*repack)(reader_t *in, struct writer *out, struct error *error);
};

extern const struct sample samples[];
extern const size_t sample_count;

#endif
