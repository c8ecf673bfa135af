/* gpu_lock_test.c - two on one GPU, or two of one rank, trip over each other's locks. */
#include "executor/gpu_lock.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <unistd.h>

static folder_t *folder;

static int set_up(void **state)
{
    (void)state;
    folder = folder_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_destroy(&folder);
    return 0;
}

static struct gpu_lock take(int32_t node, int32_t gpu, uint64_t job, int32_t rank)
{
    return gpu_lock_take(folder_path(folder), node, gpu, job, rank);
}

static void a_gpu_is_held_once(void **state)
{
    struct gpu_lock first = take(0, 1, 7, 0);
    struct gpu_lock second = take(0, 1, 8, 0);
    struct gpu_lock third = take(1, 1, 9, 0); /* of another node */

    (void)state;
    assert_false(first.overlap);
    assert_true(second.overlap);
    assert_false(third.overlap);
    gpu_lock_drop(&first);
    gpu_lock_drop(&second);
    second = take(0, 1, 8, 0);
    assert_false(second.overlap);
    gpu_lock_drop(&second);
    gpu_lock_drop(&third);
}

static void a_rank_is_in_one_place(void **state)
{
    struct gpu_lock first = take(0, 0, 7, 3);
    struct gpu_lock second = take(1, 0, 7, 3);

    (void)state;
    assert_true(second.overlap);
    gpu_lock_drop(&first);
    gpu_lock_drop(&second);
}

/* As by a keeper: its program may still be there when its trainer is not. */
static void a_lock_lasts_as_long_as_it_has_a_holder(void **state)
{
    struct gpu_lock first = take(0, 1, 7, 0);
    const int copy = dup(first.gpu_fd);
    struct gpu_lock second;

    (void)state;
    gpu_lock_drop(&first);
    second = take(0, 1, 8, 0);
    assert_true(second.overlap);
    gpu_lock_drop(&second);
    (void)close(copy);
    second = take(0, 1, 8, 0);
    assert_false(second.overlap);
    gpu_lock_drop(&second);
}

static void nothing_happens_without_a_folder(void **state)
{
    struct gpu_lock lock = gpu_lock_take(NULL, 0, 0, 1, 0);

    (void)state;
    assert_false(lock.overlap);
    gpu_lock_drop(&lock);
    assert_int_equal(folder_count(folder), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_gpu_is_held_once),
        TEST(a_rank_is_in_one_place),
        TEST(a_lock_lasts_as_long_as_it_has_a_holder),
        TEST(nothing_happens_without_a_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
