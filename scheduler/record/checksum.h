/* checksum.h - the check of a record's bytes: FNV-1a of 64 bits, which every flipped bit
 * changes. */
#ifndef RECORD_CHECKSUM_H
#define RECORD_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_OF_NOTHING 0xcbf29ce484222325u

static inline uint64_t checksum(uint64_t before, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        before = (before ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return before;
}

#endif
