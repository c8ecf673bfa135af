/* chronus_rounds_test.c - chronus round by round, in small runs that were worked out by hand.
 *
 * Leases, looks and the time between admissions are 240 s, and there are 4 GPUs, unless a test says
 * otherwise. A job of 300 s on one GPU is estimated at trunc(300 * (1 + 0.5 / 240) * 1.1) = 330 s:
 * two leases. A start costs it 0.5 s; on 4 GPUs, 1.5 s. At 0 the round of slot 0 is over, so that
 * by D there are the slots 1 to floor(D / 240) - 1. */
#include "tests/engine/lease_walk.h"
#include "tests/solver/faulty_solver.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

static struct lease_setting setting_of(const struct lease_job *jobs, size_t count,
                                       const char *rules)
{
    return (struct lease_setting){.jobs = jobs,
                                  .job_count = count,
                                  .gpu_count = 4,
                                  .leasing = {.lease_s = 240, .check_s = 240, .admission_s = 240},
                                  .rules = rules};
}

static void check_one(const struct lease_setting *setting, const struct walk_step *steps,
                      size_t count, struct lease_fate fate)
{
    lease_walk_check(setting, steps, count, &fate);
}

static const struct lease_job by_730[] = {{"a", 0, 300, 1, {{730, 10}}, false}};
static const struct lease_job by_1000[] = {{"a", 0, 300, 1, {{1000, 10}}, false}};
static const struct lease_job by_500[] = {{"a", 0, 300, 1, {{500, 10}}, false}};

/* There are two slots for two leases, so that the first begins at 240. It is credited from 0 on,
 * when the job was looked at last: at 480 it has had 480 s, more than 300.5. */
TEST(a_job_without_time_to_lose_gets_the_next_lease)
{
    static const struct walk_step rounds[] = {{0, "ap[0]"}, {240, "aL[0]{2}"}, {480, ""}};
    const struct lease_setting setting = setting_of(by_730, 1, NULL);

    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){300.5, 1, 1, 240, LEASE_ACCEPTED, false});
}

/* 300 s are not yet enough at 300. */
TEST(an_end_is_seen_by_the_next_look)
{
    static const struct walk_step rounds[] = {{0, "ap[0]"}, {240, "aL[0]{2}"}, {360, ""}};
    struct lease_setting setting = setting_of(by_730, 1, NULL);

    setting.leasing.check_s = 60;
    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){300.5, 1, 1, 240, LEASE_ACCEPTED, false});
}

/* Of the three slots those of 480 and 720; the first is credited from 240 on. */
TEST(a_plan_is_as_late_as_it_can_be)
{
    static const struct walk_step rounds[] = {
        {0, "ap[0]"}, {240, "ap[0]{2-3}"}, {480, "aL[0]{3}"}, {720, ""}};
    const struct lease_setting setting = setting_of(by_1000, 1, NULL);

    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){540.5, 1, 1, 240, LEASE_ACCEPTED, false});
}

/* Both leases are needed then. At 720 the rest is 60.5 s, and going on is no start. */
TEST(without_ch_q1_waiting_is_not_credited)
{
    static const struct walk_step rounds[] = {
        {0, "ap[0]"}, {240, "ap[0]{2-3}"}, {480, "aL[0]{3}"}, {720, "aL[240]"}, {960, ""}};
    const struct lease_setting setting = setting_of(by_1000, 1, "CH-Q1");

    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){780.5, 1, 2, 0, LEASE_ACCEPTED, false});
}

/* The job uses free GPUs, and pays for the round of 240 that stops it for no time: 300 + 2 * 0.5.
 */
TEST(a_rejected_job_runs_on_what_is_free)
{
    static const struct walk_step rounds[] = {{0, "aRu[0]"}, {240, "aRu[240]"}, {480, ""}};
    const struct lease_setting setting = setting_of(by_500, 1, NULL);
    const struct lease_setting clean = setting_of(by_500, 1, "CH-Q8");

    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){301, 2, 0, 0, LEASE_UNACCEPTED, false});
    check_one(&clean, rounds, COUNT(rounds),
              (struct lease_fate){300.5, 1, 0, 0, LEASE_UNACCEPTED, false});
}

/* 900 s are estimated at 992, five leases of the six slots. The lease of 480 is credited with 480
 * s: 512 are left, three leases, and the plan gives up the next slot. So the job waits at 720, and
 * the lease of 960 is credited with 480 s again: 720 + 900 - 480 + 2 * 0.5. */
TEST(an_accepted_job_runs_every_other_lease)
{
    static const struct lease_job jobs[] = {{"a", 0, 900, 1, {{1690, 10}}, false}};
    static const struct walk_step rounds[] = {{0, "ap[0]"},          {240, "ap[0]{2-6}"},
                                              {480, "aL[0]{3-6}"},   {720, "ap[480]{4-6}"},
                                              {960, "aL[480]{5-6}"}, {1200, ""}};
    const struct lease_setting setting = setting_of(jobs, 1, NULL);

    /* CH-Q1 */
    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){1141, 2, 2, 480, LEASE_ACCEPTED, false});
}

/* The job is promised 1200, but its plan is for 730, which is worth more to it. */
TEST(a_soft_job_is_served_at_its_best_level)
{
    static const struct lease_job jobs[] = {{"a", 0, 300, 1, {{730, 10}, {1210, 5}}, false}};
    static const struct walk_step rounds[] = {{0, "ap[0]"}, {240, "aL[0]{2}"}, {480, ""}};
    static const struct walk_step later_rounds[] = {
        {0, "ap[0]"}, {240, "ap[0]{3-4}"}, {480, "ap[0]{3-4}"}, {720, "aL[0]{4}"}, {960, ""}};
    static const struct lease_job later[] = {{"a", 0, 300, 1, {{730, 5}, {1210, 10}}, false}};
    const struct lease_setting setting = setting_of(jobs, 1, NULL);
    const struct lease_setting other = setting_of(later, 1, NULL);

    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){300.5, 1, 1, 240, LEASE_ACCEPTED, false});
    check_one(&other, later_rounds, COUNT(later_rounds),
              (struct lease_fate){780.5, 1, 1, 240, LEASE_ACCEPTED, false});
}

/* `b` arrives at 240 for the slots 2 and 3, and `a` has to stop. At 720 it has 480 s, and its third
 * start: 720 + 120 + 3 * 1.5. */
TEST(a_lease_displaces_whoever_runs_on_what_is_free)
{
    static const struct lease_job jobs[] = {{"a", 0, 600, 4, {{0}}, false},
                                            {"b", 100, 300, 4, {{1000, 10}}, false}};
    static const struct walk_step rounds[] = {{0, "aRb[0]"},
                                              {240, "aRb[240] bp[0]"},
                                              {480, "apb[480] bL[0]{3}"},
                                              {720, "aRb[480]"},
                                              {960, ""}};
    static const struct lease_fate fates[] = {{844.5, 3, 0, 0, LEASE_BEST_EFFORT, false},
                                              {541.5, 1, 1, 240, LEASE_ACCEPTED, false}};
    const struct lease_setting setting = setting_of(jobs, COUNT(jobs), NULL);

    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

/* Admissions and looks every 12 s. 11 s on 4 GPUs are estimated at 12 s, which do not do for 12.5.
 * `a` has no hope from the beginning; at 240 its estimate is used up, and it goes first from then
 * on, before `b`, which has: 240 + 11 - 12 + 2 * 1.5. */
static const struct lease_job too_long[] = {{"a", 228, 11, 4, {{228, 10}}, false},
                                            {"b", 240, 20, 4, {{400, 10}}, false}};

static struct lease_setting with_looks_of_12(const struct lease_job *jobs, size_t count,
                                             const char *rules)
{
    struct lease_setting setting = setting_of(jobs, count, rules);

    setting.leasing.check_s = setting.leasing.admission_s = 12;
    return setting;
}

TEST(whoever_outlives_his_estimate_is_rewarded)
{
    static const struct walk_step rounds[] = {
        {228, "aRx[0]"}, {240, "aRx^[12] bpu[0]"}, {252, "bRu[0]"}, {264, "bRu[12]"}, {276, ""}};
    static const struct lease_fate fates[] = {{242, 2, 0, 0, LEASE_LOWEST, true},
                                              {273.5, 1, 0, 0, LEASE_UNACCEPTED, false}};
    const struct lease_setting setting = with_looks_of_12(too_long, COUNT(too_long), NULL);

    /* CH-Q17 */
    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

TEST(without_ch_q17_the_hopeless_wait)
{
    static const struct walk_step rounds[] = {{228, "aRx[0]"},
                                              {240, "apx[12] bRu[0]"},
                                              {252, "apx[12] bRu[12]"},
                                              {264, "aRx[12]"},
                                              {276, ""}};
    static const struct lease_fate fates[] = {{266, 2, 0, 0, LEASE_LOWEST, true},
                                              {261.5, 1, 0, 0, LEASE_UNACCEPTED, false}};
    const struct lease_setting setting = with_looks_of_12(too_long, COUNT(too_long), "CH-Q17");

    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

/* Without a deadline: between rounds it is seen at once, for it is on no lease. */
TEST(a_best_effort_job_that_takes_too_long_loses_its_class)
{
    static const struct lease_job jobs[] = {{"a", 0, 11, 4, {{0}}, false}};
    static const struct walk_step rounds[] = {{0, "aRb[0]"}, {12, "aRu^[12]"}, {24, ""}};
    static const struct walk_step clean_rounds[] = {{0, "aRb[0]"}, {12, "aRb[12]"}, {24, ""}};
    const struct lease_setting setting = with_looks_of_12(jobs, 1, NULL);
    const struct lease_setting clean = with_looks_of_12(jobs, 1, "CH-Q17");

    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){12.5, 1, 0, 0, LEASE_UNACCEPTED, false});
    check_one(&clean, clean_rounds, COUNT(clean_rounds),
              (struct lease_fate){12.5, 1, 0, 0, LEASE_BEST_EFFORT, false});
}

/* The job has its GPUs for the lease: no round is held because its 12 s are over at 492. */
TEST(on_a_lease_nobody_looks_at_the_estimate)
{
    static const struct lease_job jobs[] = {{"a", 0, 11, 4, {{730, 10}}, false}};
    static const struct walk_step rounds[] = {
        {0, "ap[0]"}, {240, "ap[0]{2}"}, {480, "aL[0]"}, {504, ""}};
    struct lease_setting setting = setting_of(jobs, 1, "CH-Q1");

    setting.leasing.check_s = 12;
    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){492.5, 1, 1, 0, LEASE_ACCEPTED, false});
}

/* The trace gave the job a deadline, which the job misses. */
TEST(a_best_effort_job_is_judged_if_it_lost_its_mark)
{
    static const struct lease_job jobs[] = {{"a", 0, 300, 1, {{200, 10}}, true}};
    static const struct walk_step rounds[] = {{0, "aRx[0]"}, {240, "aRx[240]"}, {480, ""}};
    static const struct walk_step clean_rounds[] = {{0, "aRb[0]"}, {240, "aRb[240]"}, {480, ""}};
    const struct lease_setting setting = setting_of(jobs, 1, NULL);
    const struct lease_setting clean = setting_of(jobs, 1, "CH-Q9");

    /* CH-Q9 */
    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){301, 2, 0, 0, LEASE_LOWEST, true});
    check_one(&clean, clean_rounds, COUNT(clean_rounds),
              (struct lease_fate){301, 2, 0, 0, LEASE_BEST_EFFORT, false});
}

/* Admissions every 60 s: `a` arrives between rounds and is looked at until 180, from where on the
 * lease of 240 is credited. At 480 there are 300 s, not 300.5. */
TEST(admissions_between_rounds_count_from_the_next)
{
    static const struct lease_job jobs[] = {{"a", 50, 300, 1, {{730, 10}}, false}};
    static const struct walk_step rounds[] = {
        {60, "ap[0]"},       {120, "ap[0]"},      {180, "ap[0]"},
        {240, "aL[0]{2}"},   {300, "aL[120]{2}"}, {360, "aL[180]{2}"},
        {420, "aL[240]{2}"}, {480, "aL[300]"},    {540, ""}};
    struct lease_setting setting = setting_of(jobs, 1, NULL);

    setting.leasing.check_s = setting.leasing.admission_s = 60;
    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){480.5, 1, 2, 60, LEASE_ACCEPTED, false});
}

/* Leases of 120 s. 300 s are estimated at 331, three of them, of the slots 1 to 3; the first is
 * credited with 240 s, so that the second is given up. Between admissions a job without a promise
 * stands still: `b` runs from 0 to 120, and again from 240. */
TEST(whoever_has_no_promise_waits_for_the_next_admission)
{
    static const struct lease_job jobs[] = {{"a", 0, 300, 1, {{500, 10}}, false},
                                            {"b", 0, 150, 1, {{0}}, false}};
    static const struct walk_step rounds[] = {{0, "ap[0] bRb[0]"},
                                              {120, "aL[0]{2-3} bpb[120]"},
                                              {240, "ap[240]{3} bRb[120]"},
                                              {360, "aL[240]"},
                                              {480, ""}};
    static const struct lease_fate fates[] = {{301, 2, 2, 240, LEASE_ACCEPTED, false},
                                              {271, 2, 0, 0, LEASE_BEST_EFFORT, false}};
    struct lease_setting setting = setting_of(jobs, COUNT(jobs), NULL);

    /* CH-Q12 */
    setting.leasing.lease_s = setting.leasing.check_s = 120;
    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

/* With a solver it does not wait for its deadline. */
TEST(a_solver_lends_what_is_free_at_once)
{
    static const struct walk_step rounds[] = {{0, "ap[0]"}, {240, "aL[0]{3}"}, {480, ""}};
    struct lease_setting setting = setting_of(by_1000, 1, NULL);

    setting.leasing.solver = cbc();
    check_one(&setting, rounds, COUNT(rounds),
              (struct lease_fate){300.5, 1, 1, 240, LEASE_ACCEPTED, false});
}

static const struct lease_job both_by_1210[] = {{"a", 0, 300, 4, {{1210, 10}}, false},
                                                {"b", 0, 300, 4, {{1210, 10}}, false}};

/* Both would run at once if they could. Of equals the first does; the other one has the later
 * slots, the latest first, until there is room. */
TEST(a_solver_settles_who_comes_first)
{
    static const struct walk_step rounds[] = {
        {0, "ap[0] bp[0]"}, {240, "aL[0]{2} bp[0]{3-4}"}, {480, "bL[0]{4}"}, {720, ""}};
    static const struct lease_fate fates[] = {{301.5, 1, 1, 240, LEASE_ACCEPTED, false},
                                              {541.5, 1, 1, 240, LEASE_ACCEPTED, false}};
    struct lease_setting setting = setting_of(both_by_1210, COUNT(both_by_1210), NULL);

    setting.leasing.solver = cbc();
    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

/* The plan has the first job in the latest slots. At 480 no solver is needed any more. */
TEST(where_a_solver_fails_the_plan_decides)
{
    static const struct walk_step rounds[] = {
        {0, "ap[0] bp[0]"}, {240, "ap[0]{3-4} bL[0]{2}"}, {480, "aL[0]{4}"}, {720, ""}};
    static const struct lease_fate fates[] = {{541.5, 1, 1, 240, LEASE_ACCEPTED, false},
                                              {301.5, 1, 1, 240, LEASE_ACCEPTED, false}};
    struct lease_setting setting = setting_of(both_by_1210, COUNT(both_by_1210), NULL);

    setting.leasing.solver = &solver_that_fails;
    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

TEST(a_failure_is_on_record)
{
    struct lease_setting setting = setting_of(both_by_1210, COUNT(both_by_1210), NULL);
    const struct lease_round *round;
    walk_t *walk;

    setting.leasing.solver = &solver_that_fails;
    walk = lease_walk_new(&setting);
    round = &walk_leases(walk)->round;
    assert_true(walk_round(walk));
    assert_true(walk_round(walk));
    assert_int_equal(walk_now_s(walk), 240);
    assert_int_equal(round->objective, OBJECTIVE_MAXIMIZE);
    assert_int_equal(round->method, LEASE_BY_PLAN);
    assert_int_equal(round->answer, MILP_FAILED);
    assert_string_equal(round->trouble.text, "failing: it always fails");
    assert_int_equal(round->columns, 4);
    assert_int_equal(round->granted_gpus, 4);
    assert_true(walk_round(walk));
    assert_int_equal(round->method, LEASE_BY_CLOSED_FORM);
    assert_int_equal(round->answer, LEASE_UNASKED);
    assert_string_equal(round->trouble.text, "");
    walk_destroy(&walk);
}

/* Looks every 60 s. `a` is rejected at 60 and gone at 120, but is counted until the round of 240,
 * where `b` therefore waits. */
TEST(a_rejection_is_counted_until_the_next_round)
{
    static const struct lease_job jobs[] = {{"a", 50, 30, 1, {{55, 10}}, false},
                                            {"b", 170, 300, 1, {{1000, 10}}, false}};
    static const struct walk_step rounds[] = {{60, "aRx[0]"},
                                              {120, ""},
                                              {180, "bp[0]"},
                                              {240, "bp[0]{2-3}"},
                                              {300, "bp[0]{2-3}"},
                                              {360, "bp[0]{2-3}"},
                                              {420, "bp[0]{2-3}"},
                                              {480, "bL[0]{3}"},
                                              {540, "bL[120]{3}"},
                                              {600, "bL[180]{3}"},
                                              {660, "bL[240]{3}"},
                                              {720, "bL[300]"},
                                              {780, ""}};
    static const struct lease_fate fates[] = {{90.5, 1, 0, 0, LEASE_LOWEST, true},
                                              {720.5, 1, 2, 60, LEASE_ACCEPTED, false}};
    struct lease_setting setting = setting_of(jobs, COUNT(jobs), NULL);

    /* CH-Q5 */
    setting.leasing.check_s = setting.leasing.admission_s = 60;
    setting.leasing.solver = cbc();
    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

/* The round of 240 found no job: `b` runs at 480, with three slots for two leases. */
TEST(a_round_that_nobody_saw_counts_nobody)
{
    static const struct lease_job jobs[] = {{"a", 50, 30, 1, {{55, 10}}, false},
                                            {"b", 290, 300, 1, {{1210, 10}}, false}};
    static const struct walk_step rounds[] = {{60, "aRx[0]"},
                                              {120, ""},
                                              {300, "bp[0]"},
                                              {360, "bp[0]"},
                                              {420, "bp[0]"},
                                              {480, "bL[0]{4}"},
                                              {540, "bL[120]{4}"},
                                              {600, "bL[180]{4}"},
                                              {660, "bL[240]{4}"},
                                              {720, "bL[300]"},
                                              {780, ""}};
    static const struct lease_fate fates[] = {{90.5, 1, 0, 0, LEASE_LOWEST, true},
                                              {720.5, 1, 2, 60, LEASE_ACCEPTED, false}};
    struct lease_setting setting = setting_of(jobs, COUNT(jobs), NULL);

    setting.leasing.check_s = setting.leasing.admission_s = 60;
    setting.leasing.solver = cbc();
    lease_walk_check(&setting, rounds, COUNT(rounds), fates);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
