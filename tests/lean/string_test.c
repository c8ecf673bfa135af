/* string_test.c - the lean scheduler's copies of memory do what those of the C library do, wherever
 * the bytes lie and however they overlap. */
#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define memcpy  lean_memcpy
#define memmove lean_memmove
#define memset  lean_memset
void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
#include "scheduler/lean/string.c" /* NOLINT(bugprone-suspicious-include) */
#undef memcpy
#undef memmove
#undef memset

#define BYTES 300

struct bytes {
    unsigned char at[BYTES];
};

static struct bytes draw(rng_t *rng)
{
    struct bytes bytes;

    for (size_t i = 0; i < BYTES; i++)
        bytes.at[i] = (unsigned char)rng_next(rng);
    return bytes;
}

static void check_same(const struct bytes *found, const struct bytes *expected)
{
    assert_memory_equal(found->at, expected->at, BYTES);
}

static void bytes_are_moved_however_they_overlap(void **state)
{
    rng_t rng = rng_new(test_seed(), "moves");
    const long times = test_times(20000);

    (void)state;
    for (long i = 0; i < times; i++) {
        struct bytes found = draw(&rng);
        struct bytes expected = found;
        const size_t length = rng_below(&rng, i % 2 ? 20 : BYTES / 2);
        const size_t from = rng_below(&rng, BYTES - length + 1);
        const size_t to = rng_below(&rng, BYTES - length + 1);

        memmove(expected.at + to, expected.at + from, length);
        assert_ptr_equal(lean_memmove(found.at + to, found.at + from, length), found.at + to);
        check_same(&found, &expected);
    }
}

static void bytes_are_copied_and_no_others(void **state)
{
    rng_t rng = rng_new(test_seed(), "copies");

    (void)state;
    for (size_t length = 0; length <= 100; length++)
        for (size_t to = 0; to < 20; to++) {
            const struct bytes source = draw(&rng);
            struct bytes found = draw(&rng);
            struct bytes expected = found;

            for (size_t i = 0; i < length; i++)
                expected.at[to + i] = source.at[to / 2 + i];
            assert_ptr_equal(lean_memcpy(found.at + to, source.at + to / 2, length), found.at + to);
            check_same(&found, &expected);
        }
}

static void bytes_are_set_and_no_others(void **state)
{
    rng_t rng = rng_new(test_seed(), "sets");

    (void)state;
    for (size_t length = 0; length <= 100; length++)
        for (size_t to = 0; to < 20; to++) {
            struct bytes found = draw(&rng);
            struct bytes expected = found;

            for (size_t i = 0; i < length; i++)
                expected.at[to + i] = 0xa5;
            assert_ptr_equal(lean_memset(found.at + to, 0x1a5, length), found.at + to);
            check_same(&found, &expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_moved_however_they_overlap),
        cmocka_unit_test(bytes_are_copied_and_no_others),
        cmocka_unit_test(bytes_are_set_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
