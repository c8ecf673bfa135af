/* memory_test.c - memory that lasts as long as it should. */
#include "common/memory.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

TEST(nothing_is_something_that_can_be_freed)
{
    void *none = xmalloc(0);

    free(none);
    none = xcalloc(0, 0);
    none = xrealloc(none, 0);
    free(none);
}

TEST(cleared_memory_is_zero)
{
    unsigned char *bytes = xcalloc(100, 10);

    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
}

TEST(a_text_is_copied_whole)
{
    char *text = xstrdup("rubato");

    assert_string_equal(text, "rubato");
    free(text);
}

TEST(an_array_grows_and_keeps_what_it_holds)
{
    int *items = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < 1000; i++) {
        items = grow_array(items, i, &capacity, sizeof(*items));
        assert_true(i < capacity);
        items[i] = (int)i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

TEST(pieces_of_an_arena_do_not_overlap)
{
    arena_t *arena = arena_new();
    unsigned char *pieces[300];

    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT(pieces); i++) {
            pieces[i] = arena_alloc(arena, 1 + i * 7);
            assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
            memset(pieces[i], (int)(i % 251), 1 + i * 7);
        }
        for (size_t i = 0; i < COUNT(pieces); i++)
            for (size_t k = 0; k < 1 + i * 7; k++)
                assert_int_equal(pieces[i][k], i % 251);
        arena_reset(arena);
    }
    arena_destroy(&arena);
    assert_null(arena);
    arena_destroy(&arena);
}

TEST(an_array_in_an_arena_grows_and_keeps_what_it_has)
{
    arena_t *arena = arena_new();
    size_t *items = NULL;
    size_t capacity = 0;

    for (size_t count = 0; count < 1000; count++) {
        items = arena_grow(arena, items, count, &capacity, sizeof(*items));
        assert_true(capacity > count);
        items[count] = count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    arena_destroy(&arena);
}

TEST(an_arena_gives_pieces_of_any_size)
{
    arena_t *arena = arena_new();

    for (size_t round = 0; round < 3; round++) {
        for (size_t size = 1; size < 4000000; size = size * 3 + round) {
            char *piece = arena_alloc(arena, size);

            piece[0] = piece[size - 1] = 'x';
        }
        arena_reset(arena);
    }
    arena_destroy(&arena);
}

TEST(a_text_in_an_arena_ends_where_it_should)
{
    arena_t *arena = arena_new();

    assert_string_equal(arena_text(arena, "rubato and more", 6), "rubato");
    assert_string_equal(arena_text(arena, "", 0), "");
    arena_destroy(&arena);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
