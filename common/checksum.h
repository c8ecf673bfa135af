/* checksum.h - the check of bytes that are kept: FNV-1a of 64 bits, which every flipped bit
 * changes. The checksum tells files apart that were mixed up; a forger can make two files with one.
 */
#ifndef COMMON_CHECKSUM_H
#define COMMON_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_OF_NOTHING 0xcbf29ce484222325u

/* A checksum as text: 16 hexadecimal digits and a NUL. */
#define CHECKSUM_TEXT_BYTES 17

void checksum_print(uint64_t sum, char text[CHECKSUM_TEXT_BYTES]);

static inline uint64_t checksum(uint64_t before, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        before = (before ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return before;
}

#endif
