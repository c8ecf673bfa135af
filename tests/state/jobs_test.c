/* jobs_test.c - lists of jobs: some of them are dropped. */
#include "scheduler/state/jobs.h"

#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdlib.h>

#define JOBS 40

/* A search from both ends drops the jobs that a look at all finds. */
TEST(the_same_jobs_are_dropped_from_both_ends_as_from_one)
{
    rng_t rng = rng_new(test_seed(), "jobs");
    const long times = test_times(20000);

    for (long i = 0; i < times; i++) {
        struct job records[JOBS] = {0};
        struct jobs all = {NULL, 0, 0};
        struct jobs expected = {NULL, 0, 0};
        const size_t count = rng_below(&rng, JOBS + 1);
        const uint64_t rare = 1 + rng_below(&rng, JOBS);
        size_t others = 0;

        for (size_t j = 0; j < count; j++) {
            records[j].state = rng_below(&rng, rare) == 0 ? JOB_RUNNING : JOB_PENDING;
            others += records[j].state != JOB_PENDING;
            jobs_append(&all, &records[j]);
            jobs_append(&expected, &records[j]);
        }
        jobs_keep(&expected, JOB_PENDING);
        jobs_drop(&all, JOB_PENDING, others);
        assert_int_equal(all.count, expected.count);
        for (size_t j = 0; j < all.count; j++)
            assert_ptr_equal(all.items[j], expected.items[j]);
        assert_int_equal(all.count + others, count);
        free(all.items);
        free(expected.items);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
