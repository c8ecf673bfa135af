/* named_test.c - of many jobs those are told that two plans name, in the order of their places. */
#include "scheduler/plan/named.h"

#include "tests/support/test.h"

#include <stdlib.h>

enum { JOB_COUNT = 6 };

static struct job all[JOB_COUNT];

static struct jobs list_all(void)
{
    struct jobs jobs = {.count = 0};

    for (size_t i = 0; i < JOB_COUNT; i++) {
        all[i] = (struct job){.number = i, .state = JOB_PENDING, .place = i};
        jobs_append(&jobs, &all[i]);
    }
    return jobs;
}

static void expect(const struct jobs *jobs, const uint64_t numbers[], size_t count)
{
    assert_non_null(jobs);
    assert_int_equal(jobs->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(jobs->items[i]->number, numbers[i]);
}

static void follow(struct named *named, size_t places[], size_t count, const struct jobs *live)
{
    const plan_t plan = {.count = live->count, .named = places, .named_count = count};

    named_follow(named, &plan, live);
}

TEST(those_of_two_plans_may_have_changed)
{
    struct jobs live = list_all();
    struct named named = {.few = false};

    follow(&named, (size_t[]){1, 3, 4}, 3, &live);
    assert_null(named_changed(&named)); /* what was before is not known */
    expect(named_holders(&named, &live), (const uint64_t[]){1, 3, 4}, 3);
    follow(&named, (size_t[]){0, 3, 5}, 3, &live);
    expect(named_changed(&named), (const uint64_t[]){0, 1, 3, 4, 5}, 5);
    expect(named_holders(&named, &live), (const uint64_t[]){0, 3, 5}, 3);
    all[0].state = JOB_DONE; /* it leaves the list */
    jobs_keep_live(&live);
    for (size_t i = 0; i < live.count; i++)
        live.items[i]->place = i;
    follow(&named, (size_t[]){1}, 1, &live);
    expect(named_changed(&named), (const uint64_t[]){2, 3, 5}, 3);
    free(live.items);
    named_close(&named);
}

TEST(a_plan_that_names_all_may_have_changed_any)
{
    const plan_t whole = {.count = JOB_COUNT, .names_all = true};
    struct jobs live = list_all();
    struct named named = {.few = false};

    for (int i = 0; i < 2; i++) {
        follow(&named, (size_t[]){2}, 1, &live);
        named_follow(&named, &whole, &live);
        assert_null(named_changed(&named));
        assert_ptr_equal(named_holders(&named, &live), &live);
    }
    free(live.items);
    named_close(&named);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
