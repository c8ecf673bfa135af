/* checksum.c - see checksum.h. */
#include "common/checksum.h"

#include <inttypes.h>
#include <stdio.h>

void checksum_print(uint64_t sum, char text[CHECKSUM_TEXT_BYTES])
{
    (void)snprintf(text, CHECKSUM_TEXT_BYTES, "%016" PRIx64, sum);
}
