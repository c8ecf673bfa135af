/* leasing_test.c - what a run with leases is told goes together. */
#include "scheduler/reference/leasing.h"
#include "tests/support/test.h"

static struct leasing of(int64_t lease_s, int64_t check_s, int64_t admission_s)
{
    return (struct leasing){.lease_s = lease_s, .check_s = check_s, .admission_s = admission_s};
}

static int64_t settled_s(struct leasing leasing, int64_t slot_s)
{
    struct error error;

    assert_int_equal(leasing_settle(&leasing, slot_s, &error), 0);
    return leasing.check_s;
}

TEST(checks_are_what_slot_lease_and_admission_have_in_common)
{
    assert_int_equal(settled_s(of(240, 0, 240), 60), 60);
    assert_int_equal(settled_s(of(240, 0, 240), 600), 120);
    assert_int_equal(settled_s(of(240, 0, 240), 240), 240);
    assert_int_equal(settled_s(of(240, 0, 90), 60), 30);
    assert_int_equal(settled_s(of(20, 0, 5), 60), 5);
    assert_int_equal(settled_s(of(7, 0, 3), 60), 1);
}

TEST(checks_that_were_asked_for_stay)
{
    assert_int_equal(settled_s(of(240, 240, 240), 60), 240);
    assert_int_equal(settled_s(of(240, 12, 60), 60), 12);
    assert_int_equal(settled_s(of(240, 1, 7), 60), 1);
}

static void check_refused(struct leasing leasing, const char *sentence)
{
    struct error error;

    assert_int_equal(leasing_settle(&leasing, 60, &error), -1);
    assert_string_equal(error.text, sentence);
}

TEST(checks_that_miss_a_lease_or_an_admission_are_refused)
{
    check_refused(of(240, 100, 200),
                  "--check_time_interval: 100 s does not divide both the lease of 240 s and the "
                  "200 s between admissions (CH-Q12)");
    check_refused(of(240, 80, 60),
                  "--check_time_interval: 80 s does not divide both the lease of 240 s and the 60 "
                  "s between admissions (CH-Q12)");
    check_refused(of(240, 480, 480),
                  "--check_time_interval: 480 s does not divide both the lease of 240 s and the "
                  "480 s between admissions (CH-Q12)");
}

TEST(objectives_are_found_by_their_names)
{
    const char *const *names = lease_objectives;
    size_t count = 0;

    for (; names[count]; count++) {
        assert_int_equal(lease_objective_find(names[count]), count);
        assert_string_equal(lease_objective_name((enum lease_objective)count), names[count]);
    }
    assert_int_equal(count, OBJECTIVE_RANDOM + 1);
    assert_int_equal(lease_objective_find("minimize"), OBJECTIVE_MINIMIZE);
}

static double run_mean_s(int64_t lease_s, int64_t admission_s)
{
    const struct leasing leasing = of(lease_s, 1, admission_s);

    return leasing_run_mean_s(&leasing);
}

/* 240 and 90: rounds at 0, 240 and 480, and the admissions after them at 0, 270 and 540. 4 and 6:
 * rounds at 0, 4 and 8, and admissions after the first, and at 6, after the second. */
TEST(from_a_start_to_the_next_lease_round_a_job_runs)
{
    assert_true(run_mean_s(240, 240) == 240);
    assert_true(run_mean_s(240, 60) == 240);
    assert_true(run_mean_s(240, 480) == 240);
    assert_true(run_mean_s(240, 90) == (240 + 210 + 180) / 3.0);
    assert_true(run_mean_s(4, 6) == (4 + 2) / 2.0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
