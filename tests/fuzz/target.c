/* target.c - one entry as libFuzzer calls it; compiled once for each, ENTRY being its name. */
#include "entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ENTRY(bytes, size);
    return 0;
}
