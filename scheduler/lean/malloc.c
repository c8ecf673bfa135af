/* malloc.c - memory for a process that lives for a millisecond. musl's own maps and unmaps pages for
 * every piece of more than a few hundred bytes, which a run of a small trace does 80 times.
 *
 * Pieces are cut from large mappings in sizes that are powers of two; what is freed is kept for the
 * next piece of that size. Nothing goes back to the kernel before the process ends. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAPPING_BYTES  ((size_t)1024 * 1024)
#define PIECE_LOG2_MIN 5
#define PIECE_LOG2_MAX 47

/* Stands before each piece. */
struct piece {
    struct piece *next; /* of the free ones of its size */
    size_t log2;        /* of its size, this header included */
};

_Static_assert(sizeof(struct piece) % _Alignof(max_align_t) == 0, "pieces are aligned");

static struct piece *free_pieces[PIECE_LOG2_MAX + 1];
static char *unused; /* of the mapping that pieces are cut from */
static size_t unused_bytes;

static size_t log2_for(size_t size)
{
    const size_t bytes = size + sizeof(struct piece);

    return bytes <= (size_t)1 << PIECE_LOG2_MIN
               ? PIECE_LOG2_MIN
               : (size_t)(64 - __builtin_clzll((unsigned long long)bytes - 1));
}

static bool map(size_t bytes)
{
    const size_t mapped = bytes > MAPPING_BYTES ? bytes : MAPPING_BYTES;
    void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (mapping == MAP_FAILED)
        return false;
    unused = mapping;
    unused_bytes = mapped;
    return true;
}

/* `fresh` says whether it was never used, so that it is all zero. */
static void *allocate(size_t size, bool *fresh)
{
    size_t log2;
    struct piece *piece;

    if (size > (size_t)1 << (PIECE_LOG2_MAX - 1)) {
        errno = ENOMEM;
        return NULL;
    }
    log2 = log2_for(size);
    piece = free_pieces[log2];
    *fresh = !piece;
    if (piece) {
        free_pieces[log2] = piece->next;
        return piece + 1;
    }
    if (unused_bytes < (size_t)1 << log2 && !map((size_t)1 << log2))
        return NULL;
    piece = (struct piece *)(void *)unused;
    piece->log2 = log2;
    unused += (size_t)1 << log2;
    unused_bytes -= (size_t)1 << log2;
    return piece + 1;
}

void *malloc(size_t size)
{
    bool fresh;

    return allocate(size, &fresh);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    bool fresh;
    void *memory;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    memory = allocate(bytes, &fresh);
    if (memory && !fresh)
        memset(memory, 0, bytes);
    return memory;
}

void free(void *memory)
{
    struct piece *piece = memory;

    if (!piece)
        return;
    piece--;
    piece->next = free_pieces[piece->log2];
    free_pieces[piece->log2] = piece;
}

void *realloc(void *memory, size_t size)
{
    const struct piece *piece = memory;
    size_t room;
    void *larger;

    if (!piece)
        return malloc(size);
    room = ((size_t)1 << piece[-1].log2) - sizeof(*piece);
    if (size <= room)
        return memory;
    larger = malloc(size);
    if (!larger)
        return NULL;
    memcpy(larger, memory, room);
    free(memory);
    return larger;
}
