/* malloc_test.c - the lean scheduler's memory: pieces are aligned, as large as asked for, apart from
 * each other, and keep what is written to them until they are freed. */
#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define malloc  lean_malloc
#define calloc  lean_calloc
#define realloc lean_realloc
#define free    lean_free
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
#include "scheduler/lean/malloc.c" /* NOLINT(bugprone-suspicious-include) */
#undef malloc
#undef calloc
#undef realloc
#undef free

#define PIECES 200

struct held {
    unsigned char *bytes;
    size_t size;
    unsigned char mark;
};

static void check_mark(const struct held *held, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (held->bytes[i] != held->mark)
            fail_msg("byte %zu of %zu is %d, not %d", i, size, held->bytes[i], held->mark);
}

static size_t draw_size(rng_t *rng)
{
    return (size_t)rng_log_uniform(rng, 1, rng_below(rng, 50) == 0 ? 3e6 : 5e3) - 1;
}

/* Puts another piece in the place of `held`, in one of the four ways there are. */
static void replace(struct held *held, rng_t *rng)
{
    const size_t size = draw_size(rng);
    const size_t kept = size < held->size ? size : held->size;

    switch (rng_below(rng, 3)) {
    case 0:
        held->bytes = lean_realloc(held->bytes, size);
        check_mark(held, kept);
        break;
    case 1:
        lean_free(held->bytes);
        held->bytes = lean_calloc(size / 4, 4);
        for (size_t i = 0; i < size / 4 * 4; i++)
            assert_int_equal(held->bytes[i], 0);
        break;
    default:
        lean_free(held->bytes);
        held->bytes = lean_malloc(size);
        break;
    }
    assert_non_null(held->bytes);
    assert_int_equal((uintptr_t)held->bytes % _Alignof(max_align_t), 0);
    held->size = size / 4 * 4;
    held->mark = (unsigned char)rng_next(rng);
    memset(held->bytes, held->mark, held->size);
}

static void what_is_written_stays_until_it_is_freed(void **state)
{
    static struct held held[PIECES];
    rng_t rng = rng_new(test_seed(), "memory");
    const long times = test_times(20000);

    (void)state;
    for (long i = 0; i < times; i++) {
        struct held *one = &held[rng_below(&rng, PIECES)];

        check_mark(one, one->size);
        replace(one, &rng);
    }
    for (size_t i = 0; i < PIECES; i++) {
        check_mark(&held[i], held[i].size);
        lean_free(held[i].bytes);
    }
}

static void what_is_freed_is_used_again(void **state)
{
    void *first = lean_malloc(1000);

    (void)state;
    lean_free(first);
    assert_ptr_equal(lean_malloc(900), first);
    lean_free(first);
}

static void more_than_there_can_be_is_refused(void **state)
{
    (void)state;
    errno = 0;
    assert_null(lean_malloc(SIZE_MAX));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(lean_calloc(SIZE_MAX / 2, 3));
    assert_int_equal(errno, ENOMEM);
    lean_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_stays_until_it_is_freed),
        cmocka_unit_test(what_is_freed_is_used_again),
        cmocka_unit_test(more_than_there_can_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
