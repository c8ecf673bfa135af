/* places_test.c - jobs know their places in a list, and those that know them are not told again. */
#include "scheduler/state/places.h"

#include "tests/support/test.h"

#include <stdlib.h>

static void expect_known(const struct places *places, const struct jobs *jobs)
{
    assert_int_equal(places->known, jobs->count);
    for (size_t i = 0; i < jobs->count; i++) {
        assert_int_equal(jobs->items[i]->place, i);
        assert_int_equal(places->numbers[i], jobs->items[i]->number);
    }
}

TEST(jobs_that_come_and_go_know_their_places)
{
    struct job all[] = {{.number = 11, .state = JOB_RUNNING},
                        {.number = 12, .state = JOB_PENDING},
                        {.number = 13, .state = JOB_RUNNING},
                        {.number = 14, .state = JOB_PENDING}};
    struct places places = {.known = 0};
    struct jobs jobs = {.count = 0};

    places_tell(&places, &jobs);
    expect_known(&places, &jobs);
    for (int i = 0; i < 3; i++)
        jobs_append(&jobs, &all[i]);
    places_tell(&places, &jobs);
    expect_known(&places, &jobs);
    all[1].state = JOB_DONE;
    places_keep_live(&places, &jobs);
    assert_int_equal(places.known, 1);
    jobs_append(&jobs, &all[3]);
    all[0].place = 77; /* its record is not written */
    places_tell(&places, &jobs);
    assert_int_equal(all[0].place, 77);
    assert_int_equal(all[2].place, 1);
    places_forget(&places, 2);
    places_forget(&places, 0);
    places_tell(&places, &jobs);
    expect_known(&places, &jobs);
    places_close(&places);
    free(jobs.items);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
