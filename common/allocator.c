/* allocator.c - malloc, calloc and realloc of the whole process, which never return NULL.
 *
 * A program and its libraries call malloc in hundreds of places, and some do not check the result:
 * getline then reads half a file, and a stream into memory keeps half a text. The dynamic linker
 * prefers a program's functions to those of libc. So each of these calls, even one within libc,
 * ends the process by memory_out(). No peer can make a process ask for more memory than there is:
 * messages and texts are bounded where they are read.
 *
 * Builds with sanitizers leave this file out: their allocator ends a process by itself. */
#include "common/memory.h"

#include <stddef.h>
#include <stdlib.h>

/* The functions of glibc under the names that a program with functions of its own can call. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

/* stdlib.h has reserved names for the parameters. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

void *malloc(size_t size)
{
    void *memory = __libc_malloc(size);

    if (!memory)
        memory_out();
    return memory;
}

void *calloc(size_t count, size_t size)
{
    void *memory = __libc_calloc(count, size);

    if (!memory)
        memory_out();
    return memory;
}

/* Resizing to 0 bytes frees the block, as in libc. */
void *realloc(void *memory, size_t size)
{
    void *moved = __libc_realloc(memory, size);

    if (!moved && size > 0)
        memory_out();
    return moved;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
