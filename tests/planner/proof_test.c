/* proof_test.c - courses keep promises if each ends in time and none wants a GPU of another. */
#include "scheduler/planner/proof.h"

#include "tests/support/test.h"

static const struct scaling scaling = {
    .gpus = {0, 1, 2, 4}, .block = {0, 1, 2, 4}, .top = 3, .reach = 3};
static const struct task task = {.scaling = &scaling, .deadline_s = 100};
static arena_t *arena;

FIXTURE(set_up)
{
    arena = arena_new();
    return 0;
}

FIXTURE(tear_down)
{
    arena_destroy(&arena);
    return 0;
}

/* One that holds a block of two GPUs from the first of them on, and later all four. */
static struct course course_of(struct piece pieces[2], int rank, int64_t grows_s, int64_t end_s)
{
    pieces[0] = (struct piece){0, 2, rank};
    pieces[1] = (struct piece){grows_s, 3, 0};
    return (struct course){.pieces = pieces, .count = 2, .end_s = end_s};
}

static bool hold_from(int64_t now_s, const struct course *a, const struct course *b)
{
    struct proof proof = proof_open(now_s, 4, arena);

    proof_add(&proof, &task, a);
    proof_add(&proof, &task, b);
    return proof_holds(&proof);
}

static bool holds(const struct course *a, const struct course *b)
{
    return hold_from(0, a, b);
}

TEST(courses_that_share_no_gpu_hold)
{
    struct piece a[2];
    struct piece b[2];
    struct course first = course_of(a, 0, 50, 50); /* it ends as it would grow */
    struct course second = course_of(b, 2, 50, 100);

    assert_true(holds(&first, &second));
    second.pieces[1].at_s = 49; /* a second too early */
    assert_false(holds(&first, &second));
}

TEST(a_block_of_another_is_noticed)
{
    struct piece a[2];
    struct piece b[2];
    struct piece c[2];
    const struct course first = course_of(a, 0, 50, 50);
    const struct course second = course_of(b, 0, 60, 70);
    const struct course nowhere = course_of(c, -1, 60, 70);

    assert_false(holds(&first, &second));
    assert_false(holds(&first, &nowhere));
}

/* The first keeps its block longer than it was to, and gives it back when the second is to take it.
 */
TEST(what_was_held_before_does_not_matter)
{
    struct piece a[2];
    struct piece b[2];
    const struct course first = course_of(a, 0, 55, 55);
    const struct course second = course_of(b, 2, 50, 100);

    assert_false(hold_from(54, &first, &second));
    assert_true(hold_from(55, &first, &second));
}

TEST(a_course_that_ends_late_does_not_hold)
{
    struct piece a[2];
    struct piece b[2];
    const struct course first = course_of(a, 0, 50, 50);
    const struct course second = course_of(b, 2, 50, 101);

    assert_false(holds(&first, &second));
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
