/* gpu_lock_test.c - two on one GPU, or two of one rank, trip over each other's locks. */
#include "executor/gpu_lock.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <unistd.h>

static folder_t *folder;

FIXTURE(set_up)
{
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static struct gpu_lock take(int32_t node, int32_t gpu, uint64_t job, int32_t rank)
{
    return gpu_lock_take(folder_path(folder), node, gpu, job, rank);
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_gpu_is_held_once)
{
    struct gpu_lock first = take(0, 1, 7, 0);
    struct gpu_lock second = take(0, 1, 8, 0);
    struct gpu_lock third = take(1, 1, 9, 0); /* of another node */

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

READY(a_rank_is_in_one_place)
{
    struct gpu_lock first = take(0, 0, 7, 3);
    struct gpu_lock second = take(1, 0, 7, 3);

    assert_true(second.overlap);
    gpu_lock_drop(&first);
    gpu_lock_drop(&second);
}

/* As by a keeper: its program may still be there when its trainer is not. */
READY(a_lock_lasts_as_long_as_it_has_a_holder)
{
    struct gpu_lock first = take(0, 1, 7, 0);
    const int copy = dup(first.gpu_fd);
    struct gpu_lock second;

    gpu_lock_drop(&first);
    second = take(0, 1, 8, 0);
    assert_true(second.overlap);
    gpu_lock_drop(&second);
    (void)close(copy);
    second = take(0, 1, 8, 0);
    assert_false(second.overlap);
    gpu_lock_drop(&second);
}

READY(nothing_happens_without_a_folder)
{
    struct gpu_lock lock = gpu_lock_take(NULL, 0, 0, 1, 0);

    assert_false(lock.overlap);
    gpu_lock_drop(&lock);
    assert_int_equal(folder_count(folder), 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
