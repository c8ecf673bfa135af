/* string.c - copies of a few bytes to a few hundred, which is what a simulation makes by the
 * thousand. musl's moves words with `rep` and, backwards, with the direction flag set: over a
 * hundred cycles for any of them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef char block_t __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t word_t __attribute__((aligned(1), may_alias));

#define BLOCK sizeof(block_t)
#define WORD  sizeof(word_t)

/* Fewer bytes than a block; all are read before one is written. */
static void *move_few(char *to, const char *from, size_t length)
{
    if (length >= WORD) {
        const word_t first = *(const word_t *)from;
        const word_t last = *(const word_t *)(from + length - WORD);

        *(word_t *)to = first;
        *(word_t *)(to + length - WORD) = last;
    } else if (length > 0) {
        char bytes[WORD];

        for (size_t i = 0; i < length; i++)
            bytes[i] = from[i];
        for (size_t i = 0; i < length; i++)
            to[i] = bytes[i];
    }
    return to;
}

/* Right also where `to` lies before `from` and they overlap. */
static void *move_forwards(char *to, const char *from, size_t length)
{
    const block_t last = *(const block_t *)(from + length - BLOCK);

    for (size_t i = 0; i + BLOCK < length; i += BLOCK)
        *(block_t *)(to + i) = *(const block_t *)(from + i);
    *(block_t *)(to + length - BLOCK) = last;
    return to;
}

static void *move_backwards(char *to, const char *from, size_t length)
{
    const block_t first = *(const block_t *)from;

    for (size_t i = length; i > BLOCK; i -= BLOCK)
        *(block_t *)(to + i - BLOCK) = *(const block_t *)(from + i - BLOCK);
    *(block_t *)to = first;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    return length < BLOCK ? move_few(to, from, length) : move_forwards(to, from, length);
}

void *memmove(void *to, const void *from, size_t length)
{
    if (length < BLOCK)
        return move_few(to, from, length);
    return (uintptr_t)to - (uintptr_t)from >= length ? move_forwards(to, from, length)
                                                     : move_backwards(to, from, length);
}

void *memset(void *to, int byte, size_t length)
{
    char *bytes = to;
    block_t block;

    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (char)byte;
    if (length < BLOCK) {
        for (size_t i = 0; i < length; i++)
            bytes[i] = (char)byte;
        return to;
    }
    for (size_t i = 0; i + BLOCK < length; i += BLOCK)
        *(block_t *)(bytes + i) = block;
    *(block_t *)(bytes + length - BLOCK) = block;
    return to;
}
