/* gpu_mask.c - see gpu_mask.h. */
#include "master/commands/gpu_mask.h"

#include <assert.h>
#include <string.h>

#define BYTES (NODE_GPUS_MAX / 8)

/* number = number * base + digit; -1 if it grows beyond the last GPU. */
static int push_digit(uint8_t number[BYTES], unsigned base, unsigned digit)
{
    unsigned carry = digit;

    for (size_t i = 0; i < BYTES; i++) {
        carry += number[i] * base;
        number[i] = (uint8_t)(carry & 0xff);
        carry >>= 8;
    }
    return carry == 0 ? 0 : -1;
}

/* The value of the digit `c`; -1 if `c` is no digit of `base`. */
static int digit_of(char c, unsigned base)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (base == 16 && c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (base == 16 && c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int gpu_mask_parse(const char *text, int32_t gpus[], size_t *count)
{
    const unsigned base = !strncmp(text, "0x", 2) ? 16 : 10;
    uint8_t number[BYTES] = {0};

    text += base == 16 ? 2 : 0;
    if (*text == '\0')
        return -1;
    for (; *text; text++) {
        const int digit = digit_of(*text, base);

        if (digit < 0 || push_digit(number, base, (unsigned)digit) < 0)
            return -1;
    }
    *count = 0;
    for (int32_t gpu = 0; gpu < NODE_GPUS_MAX; gpu++)
        if (number[gpu / 8] >> (gpu % 8) & 1)
            gpus[(*count)++] = gpu;
    return 0;
}

void gpu_mask_print(const int32_t gpus[], size_t count, char text[])
{
    uint8_t digits[NODE_GPUS_MAX / 4] = {0};
    size_t length = 1;

    for (size_t i = 0; i < count; i++) {
        const size_t place = (size_t)gpus[i] / 4;

        assert(gpus[i] >= 0 && gpus[i] < NODE_GPUS_MAX);
        digits[place] |= (uint8_t)(1U << (gpus[i] % 4));
        if (place + 1 > length)
            length = place + 1;
    }
    *text++ = '0';
    *text++ = 'x';
    while (length > 0)
        *text++ = "0123456789abcdef"[digits[--length]];
    *text = '\0';
}
