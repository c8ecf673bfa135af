/* oracle_chronus_test.c - the oracle's `chronus` on worlds small enough to be worked out by hand
 * from the rules, and its invariants on seeded random ones.
 *
 * Unless a test says otherwise leases, ticks and admission slots are 240 s and the cluster has 4
 * GPUs. A job of 300 s on one GPU is estimated at trunc(300 * (1 + 0.5 / 240) * 1.1) = 330 s: two
 * leases. A start costs it 0.5 s; on 4 GPUs, 1.5 s. A deadline D is a slot count of floor(D / 240)
 * - 1 when the job arrives at 0, for the round at 0 has been held. */
#include "oracle_chronus.h"

#include "tests/support/test.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TICKS_MAX  100000
#define LEVELS_MAX 3

static const struct oracle_chronus_setting plain = {
    .gpu_count = 4, .lease_s = 240, .check_s = 240, .admission_s = 240, .tick_max = TICKS_MAX};

static struct oracle_chronus_setting without(unsigned cleaned)
{
    struct oracle_chronus_setting setting = plain;

    setting.cleaned = cleaned;
    return setting;
}

static struct oracle_chronus_setting in_milp_mode(enum oracle_chronus_objective objective)
{
    struct oracle_chronus_setting setting = plain;

    setting.mode = ORACLE_CHRONUS_MILP;
    setting.objective = objective;
    return setting;
}

static const struct oracle_chronus_level by_500[] = {{500, 10}};
static const struct oracle_chronus_level by_730[] = {{730, 10}};
static const struct oracle_chronus_level by_1000[] = {{1000, 10}};

static struct oracle_chronus_job job_of(long submit_s, long duration_s, int gpus,
                                        const struct oracle_chronus_level *level)
{
    return (struct oracle_chronus_job){.id = "job",
                                       .submit_s = submit_s,
                                       .duration_s = duration_s,
                                       .gpus = gpus,
                                       .levels = level,
                                       .level_count = level ? 1 : 0};
}

/* held_s + waited_s is what it took, with the overhead of its starts. */
static void check_account(const struct oracle_chronus_job *job,
                          const struct oracle_chronus_job_result *result)
{
    double took_s =
        (double)(result->held_s + result->waited_s) - ((double)result->retired_s - result->end_s);
    double owed_s = (double)job->duration_s + (double)result->starts * 0.5 * (1 + log2(job->gpus));

    assert_true(fabs(took_s - owed_s) < 1e-6);
}

static struct oracle_chronus_result run_watched(struct oracle_chronus_setting setting,
                                                const struct oracle_chronus_job *jobs,
                                                size_t job_count,
                                                const struct oracle_chronus_watch *watch)
{
    struct oracle_chronus_result result;

    oracle_chronus_run(&setting, jobs, job_count, watch, &result);
    assert_string_equal(result.status.text, "");
    assert_int_equal(result.status.outcome, ORACLE_DONE);
    for (size_t i = 0; i < job_count; i++)
        check_account(&jobs[i], &result.jobs[i]);
    return result;
}

static struct oracle_chronus_result run(struct oracle_chronus_setting setting,
                                        const struct oracle_chronus_job *jobs, size_t job_count)
{
    return run_watched(setting, jobs, job_count, NULL);
}

/* What a job comes to. */
struct fate {
    double end_s;
    long starts;
    enum oracle_chronus_class class;
    bool missed;
};

static void check_fate(const struct oracle_chronus_job_result *result, struct fate fate)
{
    assert_true(result->end_s == fate.end_s);
    assert_int_equal(result->starts, fate.starts);
    assert_int_equal(result->class, fate.class);
    assert_int_equal(result->missed, fate.missed);
}

static void check_one(struct oracle_chronus_setting setting, struct oracle_chronus_job job,
                      struct fate fate)
{
    struct oracle_chronus_result result = run(setting, &job, 1);

    check_fate(&result.jobs[0], fate);
    oracle_chronus_result_clear(&result);
}

static void check_two(struct oracle_chronus_setting setting,
                      const struct oracle_chronus_job jobs[2], struct fate first,
                      struct fate second)
{
    struct oracle_chronus_result result = run(setting, jobs, 2);

    check_fate(&result.jobs[0], first);
    check_fate(&result.jobs[1], second);
    oracle_chronus_result_clear(&result);
}

/* By 730 there are two slots, 240 and 480, for two leases, so the first begins at 240. It is
 * credited from 0 on, when the job was last looked at: at 480 there are 480 s for 300.5, and the
 * end is 300.5. */
TEST(a_job_without_slack_gets_the_next_lease)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_730);
    struct oracle_chronus_result result = run(plain, &job, 1);

    check_fate(&result.jobs[0], (struct fate){300.5, 1, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].retired_s, 480);
    assert_int_equal(result.jobs[0].estimated_s, 330);
    assert_int_equal(result.jobs[0].deadline_s, 720); /* CH-Q7: 730, rounded down */
    assert_int_equal(result.jobs[0].leases, 1);
    assert_int_equal(result.jobs[0].waited_s, 240);
    assert_int_equal(result.admitted, 1);
    assert_int_equal(result.satisfied, 1);
    assert_true(result.ends_sum_s == 300.5);
    oracle_chronus_result_clear(&result);
}

/* By 1000 there are three slots, and the plan takes the last two, 480 and 720. The lease of 480 is
 * credited from 240 on: 240 + 300.5. */
TEST(a_plan_is_as_late_as_it_can_be)
{
    check_one(plain, job_of(0, 300, 1, by_1000), (struct fate){540.5, 1, ORACLE_ACCEPTED, false});
}

/* 100 s are one lease, that of 720, credited from 480 on. */
TEST(a_job_may_end_before_its_lease_began)
{
    check_one(plain, job_of(0, 100, 1, by_1000), (struct fate){580.5, 1, ORACLE_ACCEPTED, false});
}

/* Both leases, of 480 and 720, are needed then: at 720 there are 240 s, and the rest is 60.5. The
 * job holds its GPUs through the round of 720, which is no start. */
TEST(without_ch_q1_waiting_is_not_credited)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_1000);
    struct oracle_chronus_result result = run(without(ORACLE_CLEAN_CH_Q1), &job, 1);

    check_fate(&result.jobs[0], (struct fate){780.5, 1, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].leases, 2);
    assert_int_equal(result.jobs[0].waited_s, 0);
    assert_int_equal(result.jobs[0].held_s, 480);
    oracle_chronus_result_clear(&result);
}

/* By 500 there is one slot for two leases. The job starts at once on spare GPUs, is stopped and
 * started again by the round of 240, and pays for that: 300 + 2 * 0.5. It meets its deadline all
 * the same, but is not admitted. */
TEST(a_rejected_job_runs_on_spare_gpus)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_500);
    struct oracle_chronus_result result = run(plain, &job, 1);

    check_fate(&result.jobs[0], (struct fate){301, 2, ORACLE_UNACCEPTED, false});
    assert_int_equal(result.admitted, 0);
    assert_int_equal(result.satisfied, 1);
    assert_int_equal(result.rounds, 0);
    oracle_chronus_result_clear(&result);
}

TEST(without_ch_q8_a_job_that_goes_on_pays_nothing)
{
    check_one(without(ORACLE_CLEAN_CH_Q8), job_of(0, 300, 1, by_500),
              (struct fate){300.5, 1, ORACLE_UNACCEPTED, false});
}

TEST(without_ch_q7_the_stated_deadline_counts)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_730);
    struct oracle_chronus_result result = run(without(ORACLE_CLEAN_CH_Q7), &job, 1);

    check_fate(&result.jobs[0], (struct fate){300.5, 1, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].deadline_s, 730);
    oracle_chronus_result_clear(&result);
}

/* Both are seen at 240, and each needs all GPUs for 100 s. */
TEST(of_equals_the_earlier_goes_first)
{
    const struct oracle_chronus_job jobs[] = {job_of(20, 100, 4, NULL), job_of(10, 100, 4, NULL)};

    check_two(plain, jobs, (struct fate){581.5, 1, ORACLE_BEST_EFFORT, false},
              (struct fate){341.5, 1, ORACLE_BEST_EFFORT, false});
}

/* The first job is rejected, and its deadline relaxed to two slots; there it takes all GPUs, and
 * the second one, which would have fitted alone, is rejected too.
 *
 * Both are estimated at 332 s. The first runs from 0 on, and after the round of 240 goes first
 * again with 92 s to go: 300 + 2 * 1.5. The second finds no GPU before 480, when 730 < 480 + 300
 * makes it hopeless. It runs from 480, and again from 720 with 60 s to go: 720 + 60 + 2 * 1.5. */
TEST(a_rejected_job_blocks_its_batch)
{
    const struct oracle_chronus_job jobs[] = {job_of(0, 300, 4, by_500), job_of(0, 300, 4, by_730)};

    check_two(plain, jobs, (struct fate){303, 2, ORACLE_UNACCEPTED, false},
              (struct fate){783, 2, ORACLE_LOWEST, true});
}

/* Without the quirk the second job is admitted and has the leases of 240 and 480. The job is done
 * after one lease, 480 s credited for 301.5. The first job loses its GPUs from 240 to 480, when 500
 * < 480 + 60 makes it hopeless: 480 + 60 + 2 * 1.5. */
TEST(without_ch_q2_it_does_not)
{
    const struct oracle_chronus_job jobs[] = {job_of(0, 300, 4, by_500), job_of(0, 300, 4, by_730)};

    check_two(without(ORACLE_CLEAN_CH_Q2), jobs, (struct fate){543, 2, ORACLE_LOWEST, true},
              (struct fate){301.5, 1, ORACLE_ACCEPTED, false});
}

/* Ticks and slots of 12 s. A job of 11 s on 4 GPUs is estimated at 12 s, which do not do for
 * 12.5. */
static const struct oracle_chronus_level by_228[] = {{228, 10}};
static const struct oracle_chronus_level by_400[] = {{400, 10}};

static struct oracle_chronus_setting with_ticks_of_12(unsigned cleaned)
{
    struct oracle_chronus_setting setting = without(cleaned);

    setting.check_s = 12;
    setting.admission_s = 12;
    return setting;
}

/* The first job arrives at 228, its deadline, hopeless but alone. At 240 its estimate is used up,
 * 12 s of 11 + 1.5. The round of 240 stops it, and the second arrives, which has hope. The first
 * goes first for its boost: 240 + 11 - 12 + 2 * 1.5. The second runs from 252, without a stop: 252
 * + 21.5. */
TEST(an_overrun_is_rewarded)
{
    const struct oracle_chronus_job jobs[] = {job_of(228, 11, 4, by_228),
                                              job_of(240, 20, 4, by_400)};

    check_two(with_ticks_of_12(0), jobs, (struct fate){242, 2, ORACLE_LOWEST, true},
              (struct fate){273.5, 1, ORACLE_UNACCEPTED, false});
}

/* The second starts at 240 and leaves at 264; then the first has its turn: 264 - 1 + 3. */
TEST(without_ch_q17_the_hopeless_wait)
{
    const struct oracle_chronus_job jobs[] = {job_of(228, 11, 4, by_228),
                                              job_of(240, 20, 4, by_400)};

    check_two(with_ticks_of_12(ORACLE_CLEAN_CH_Q17), jobs,
              (struct fate){266, 2, ORACLE_LOWEST, true},
              (struct fate){261.5, 1, ORACLE_UNACCEPTED, false});
}

TEST(an_overrun_costs_a_best_effort_job_its_class)
{
    check_one(with_ticks_of_12(0), job_of(228, 11, 4, NULL),
              (struct fate){242, 2, ORACLE_UNACCEPTED, false});
    check_one(with_ticks_of_12(ORACLE_CLEAN_CH_Q17), job_of(228, 11, 4, NULL),
              (struct fate){242, 2, ORACLE_BEST_EFFORT, false});
}

/* Admitted for 1000, served by 730: at 240 the level of the higher value has the slots 240 and
 * 480. */
TEST(a_soft_job_is_admitted_at_its_loosest_level)
{
    static const struct oracle_chronus_level levels[] = {{730, 10}, {1000, 5}};
    struct oracle_chronus_job job = job_of(0, 300, 1, levels);
    struct oracle_chronus_result result;

    job.level_count = COUNT(levels);
    result = run(plain, &job, 1);
    check_fate(&result.jobs[0], (struct fate){300.5, 1, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].deadline_s, 960);
    oracle_chronus_result_clear(&result);
}

/* The first level has one slot for two leases, and no other is tried. */
TEST(a_soft_job_is_tested_at_its_tightest_level)
{
    static const struct oracle_chronus_level levels[] = {{500, 10}, {1000, 5}};
    struct oracle_chronus_job job = job_of(0, 300, 1, levels);

    job.level_count = COUNT(levels);
    check_one(plain, job, (struct fate){301, 2, ORACLE_UNACCEPTED, false});
    check_one(without(ORACLE_CLEAN_CH_Q18), job, (struct fate){540.5, 1, ORACLE_ACCEPTED, false});
}

/* Of two such jobs of 4 GPUs one only can be served by 730. Repaired, the other is promised 1210
 * and nothing better, and has the leases of 720 and 960; that of 720 is credited from 480 on. */
TEST(without_ch_q18_looser_levels_are_tried)
{
    static const struct oracle_chronus_level levels[] = {{730, 10}, {1210, 5}};
    struct oracle_chronus_job jobs[] = {job_of(0, 300, 4, levels), job_of(0, 300, 4, levels)};
    struct oracle_chronus_result result;

    jobs[0].level_count = COUNT(levels);
    jobs[1].level_count = COUNT(levels);
    result = run(without(ORACLE_CLEAN_CH_Q18), jobs, COUNT(jobs));
    check_fate(&result.jobs[0], (struct fate){301.5, 1, ORACLE_ACCEPTED, false});
    check_fate(&result.jobs[1], (struct fate){781.5, 1, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].deadline_s, 720);
    assert_int_equal(result.jobs[1].deadline_s, 1200);
    oracle_chronus_result_clear(&result);
}

/* A flag beside a deadline is lost: the job is admitted as in the first test. With the flag heeded
 * it runs as a best-effort job from 0 on: 300 + 2 * 0.5. */
TEST(a_best_effort_flag_beside_a_deadline_is_lost)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_730);
    struct oracle_chronus_result result;

    job.best_effort = true;
    check_one(plain, job, (struct fate){300.5, 1, ORACLE_ACCEPTED, false});
    result = run(without(ORACLE_CLEAN_CH_Q9), &job, 1);
    check_fate(&result.jobs[0], (struct fate){301, 2, ORACLE_BEST_EFFORT, false});
    assert_false(result.jobs[0].has_deadline);
    assert_int_equal(result.satisfied, 0);
    oracle_chronus_result_clear(&result);
}

/* 5 GPUs count as 8, which leaves nothing of 8 for a job of 3. That one runs beside the other
 * anyway, on what is spare, before and after the round of 240. */
TEST(odd_sizes_are_rounded_up_in_admission)
{
    const struct oracle_chronus_job jobs[] = {job_of(0, 300, 5, by_730), job_of(0, 300, 3, by_730)};
    struct oracle_chronus_setting setting = plain;
    const double start_5_s = 0.5 * (1 + log2(5));
    const double start_3_s = 0.5 * (1 + log2(3));

    setting.gpu_count = 8;
    check_two(setting, jobs, (struct fate){300 + start_5_s, 1, ORACLE_ACCEPTED, false},
              (struct fate){300 + 2 * start_3_s, 2, ORACLE_UNACCEPTED, false});
    setting.cleaned = ORACLE_CLEAN_CH_Q10;
    check_two(setting, jobs, (struct fate){300 + start_5_s, 1, ORACLE_ACCEPTED, false},
              (struct fate){300 + start_3_s, 1, ORACLE_ACCEPTED, false});
}

/* Leases of 480 s, slots of 240 s. The job that came at 0 has no plan yet when the second comes at
 * 240, but counts: one slot up to 1000, and both need all GPUs. The first has the lease of 480,
 * credited from 240 on. The second runs from 240 to 480 and again from 720: 720 + 60 + 2 * 1.5. */
TEST(a_job_that_waits_for_its_plan_counts)
{
    const struct oracle_chronus_job jobs[] = {job_of(0, 300, 4, by_1000),
                                              job_of(240, 300, 4, by_1000)};
    struct oracle_chronus_setting setting = plain;

    setting.lease_s = 480;
    check_two(setting, jobs, (struct fate){541.5, 1, ORACLE_ACCEPTED, false},
              (struct fate){783, 2, ORACLE_UNACCEPTED, false});
}

/* Ticks of 15 s: at 15 the accepted job, whose lease is far, is filled in, credited since 0, and
 * pays for no start. The round of 240 stops it, and it comes back at 255, credited since 240. */
TEST(odd_ticks_fill)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_1000);
    struct oracle_chronus_setting setting = plain;
    struct oracle_chronus_result result;

    setting.check_s = 15;
    result = run(setting, &job, 1);
    check_fate(&result.jobs[0], (struct fate){300, 0, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].waited_s, 30);
    assert_int_equal(result.jobs[0].held_s, 270);
    oracle_chronus_result_clear(&result);
}

TEST(without_ch_q6_slots_fill)
{
    check_one(without(ORACLE_CLEAN_CH_Q6), job_of(0, 300, 1, by_1000),
              (struct fate){300, 0, ORACLE_ACCEPTED, false});
}

static struct oracle_chronus_setting with_short_leases(void)
{
    struct oracle_chronus_setting setting = plain;

    setting.lease_s = 20;
    setting.check_s = 10;
    setting.admission_s = 10;
    return setting;
}

/* Leases of 20 s. The long job, 118 s by its estimate, has four slots for six leases up to 110 and
 * is rejected; it runs from 0 on. At 10 comes the short one, which has no slot up to 30 and is
 * rejected too. But its 8 s fit into what is left of the lease: it is forced in, counts as accepted
 * since it came with this lease, and the long one is stopped for it. It takes 10 to 10 + 8 + 1.5.
 *
 * The long one has run 10 s and is back at 20, and is started anew with every round, six times in
 * all; after the last, at 100, its rest of 10 s is forced too. 20 + 90 + 6 * 1.5. */
TEST(a_job_that_is_nearly_done_is_forced_in)
{
    static const struct oracle_chronus_level by_110[] = {{110, 10}};
    static const struct oracle_chronus_level by_30[] = {{30, 10}};
    const struct oracle_chronus_job jobs[] = {job_of(0, 100, 4, by_110), job_of(5, 8, 4, by_30)};
    struct oracle_chronus_result result = run(with_short_leases(), jobs, COUNT(jobs));

    check_fate(&result.jobs[0], (struct fate){119, 6, ORACLE_UNACCEPTED, true});
    check_fate(&result.jobs[1], (struct fate){19.5, 1, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].held_s, 110);
    assert_int_equal(result.jobs[1].deadline_s, 25);
    oracle_chronus_result_clear(&result);
}

/* 30 s are estimated at 33, two leases, which are planned for the end of 200 s. On short leases an
 * accepted job takes spare GPUs: from 0 to 20, when the rest needs one lease only, and from 20 on,
 * which is a second start. The lease is never needed. */
TEST(on_short_leases_accepted_jobs_use_spare_gpus)
{
    static const struct oracle_chronus_level by_200[] = {{200, 10}};
    struct oracle_chronus_job job = job_of(0, 30, 1, by_200);
    struct oracle_chronus_result result = run(with_short_leases(), &job, 1);

    check_fate(&result.jobs[0], (struct fate){31, 2, ORACLE_ACCEPTED, false});
    assert_int_equal(result.jobs[0].leases, 0);
    oracle_chronus_result_clear(&result);
}

/* The same with a short job of 10 s, just what is left of the lease. At 20 it is not done, for its
 * start; without a plan it is no longer accepted. It has no rest then, but 1.5 s to pay and another
 * start: 20 + 2 * 1.5. It is forced in again, and the long job comes back at 30 only, when 110 < 30
 * + 90 makes it hopeless, and the hopeless are not forced. It starts at 30 and after the rounds of
 * 40 to 120, the seventh time: 30 + 90 + 7 * 1.5. */
TEST(a_forced_job_that_is_not_done_in_time_falls_back)
{
    static const struct oracle_chronus_level by_110[] = {{110, 10}};
    static const struct oracle_chronus_level by_30[] = {{30, 10}};
    const struct oracle_chronus_job jobs[] = {job_of(0, 100, 4, by_110), job_of(5, 10, 4, by_30)};

    check_two(with_short_leases(), jobs, (struct fate){130.5, 7, ORACLE_LOWEST, true},
              (struct fate){23, 2, ORACLE_UNACCEPTED, false});
}

/* Both are seen at 20 and have no slot up to 45, but their 8 s can be forced into the lease of
 * 20. */
TEST(a_forced_job_is_accepted_if_it_came_with_the_lease)
{
    static const struct oracle_chronus_level by_45[] = {{45, 10}};

    check_one(with_short_leases(), job_of(20, 8, 1, by_45),
              (struct fate){28.5, 1, ORACLE_ACCEPTED, false});
    check_one(with_short_leases(), job_of(15, 8, 1, by_45),
              (struct fate){28.5, 1, ORACLE_UNACCEPTED, false});
}

/* On 2 GPUs each, estimated at 115 and 120 s. When a third job is forced in at 10, the second job
 * has 110 s to go and the first, best effort, still counts as if it had 115: the first is stopped.
 * From 20 on both run, and pay 1 s for each round. The second is forced at 100 with 4 s to go: 104
 * + 6. The first lost 10 s: 10 + 100 + 6. */
TEST(a_best_effort_job_is_stopped_by_its_old_urgency)
{
    static const struct oracle_chronus_level by_125[] = {{125, 10}};
    static const struct oracle_chronus_level by_30[] = {{30, 10}};
    const struct oracle_chronus_job jobs[] = {job_of(0, 100, 2, NULL), job_of(0, 104, 2, by_125),
                                              job_of(5, 8, 2, by_30)};
    struct oracle_chronus_result result = run(with_short_leases(), jobs, COUNT(jobs));

    check_fate(&result.jobs[0], (struct fate){116, 6, ORACLE_BEST_EFFORT, false});
    check_fate(&result.jobs[1], (struct fate){110, 6, ORACLE_UNACCEPTED, false});
    check_fate(&result.jobs[2], (struct fate){19, 1, ORACLE_ACCEPTED, false});
    oracle_chronus_result_clear(&result);
}

/* The first job needs four of the nine leases up to 200, the second six. But the first has run 10 s
 * on spare GPUs when the second comes, and needs three only. It has the leases of 20, 40 and 60
 * then, without another start, and the second takes what is spare from 70 on, and its leases from
 * 80 on. */
TEST(what_an_accepted_job_ran_on_spare_gpus_frees_leases)
{
    static const struct oracle_chronus_level by_200[] = {{200, 10}};
    const struct oracle_chronus_job jobs[] = {job_of(0, 60, 4, by_200), job_of(5, 100, 4, by_200)};

    check_two(with_short_leases(), jobs, (struct fate){61.5, 1, ORACLE_ACCEPTED, false},
              (struct fate){171.5, 1, ORACLE_ACCEPTED, false});
}

/* Three slots for two leases: `maximize` takes the first at once, which with its credit is enough;
 * `minimize` waits as the plan does; no job was rejected, so `adaptive` maximizes. */
TEST(the_closed_form_starts_early_or_late)
{
    struct oracle_chronus_job job = job_of(0, 300, 1, by_1000);
    const struct fate early = {300.5, 1, ORACLE_ACCEPTED, false};
    const struct fate late = {540.5, 1, ORACLE_ACCEPTED, false};

    check_one(in_milp_mode(ORACLE_CHRONUS_MAXIMIZE), job, early);
    check_one(in_milp_mode(ORACLE_CHRONUS_MINIMIZE), job, late);
    check_one(in_milp_mode(ORACLE_CHRONUS_ADAPTIVE), job, early);
}

struct log {
    char text[256];
};

static void log_round(void *context, const struct oracle_chronus_round *round)
{
    struct log *log = context;
    size_t length = strlen(log->text);

    snprintf(log->text + length, sizeof(log->text) - length, "%ld:%zu %s %ld\n", round->time_s,
             round->entry_count,
             round->objective == ORACLE_CHRONUS_MAXIMIZE ? "maximize" : "minimize",
             round->granted_gpus);
}

static void log_holders(void *context, long time_s, const size_t *jobs, size_t job_count)
{
    struct log *log = context;

    for (size_t i = 0; i < job_count; i++) {
        size_t length = strlen(log->text);

        snprintf(log->text + length, sizeof(log->text) - length, "%ld@%zu\n", time_s, jobs[i]);
    }
}

/* The second job is rejected, runs from 0 to its end at 301, and makes the rounds of 240 and 480
 * save slots: at 480 its end is known, but it was counted after the round of 240. */
TEST(after_a_rejection_adaptive_minimizes)
{
    const struct oracle_chronus_job jobs[] = {job_of(0, 300, 1, by_1000),
                                              job_of(0, 300, 1, by_500)};
    struct log log = {""};
    struct oracle_chronus_watch watch = {log_round, log_holders, &log};
    struct oracle_chronus_result result =
        run_watched(in_milp_mode(ORACLE_CHRONUS_ADAPTIVE), jobs, COUNT(jobs), &watch);

    check_fate(&result.jobs[0], (struct fate){540.5, 1, ORACLE_ACCEPTED, false});
    check_fate(&result.jobs[1], (struct fate){301, 2, ORACLE_UNACCEPTED, false});
    assert_int_equal(result.rounds, 2);
    assert_string_equal(log.text, "0@1\n"
                                  "240:1 minimize 0\n"
                                  "240@1\n"
                                  "480:1 minimize 1\n"
                                  "480@0\n");
    oracle_chronus_result_clear(&result);
}

TEST(a_contested_round_ends_the_run)
{
    static const struct oracle_chronus_level by_1210[] = {{1210, 10}};
    const struct oracle_chronus_job jobs[] = {job_of(0, 300, 4, by_1210),
                                              job_of(0, 300, 4, by_1210)};
    struct oracle_chronus_setting setting = in_milp_mode(ORACLE_CHRONUS_ADAPTIVE);
    struct oracle_chronus_result result;

    oracle_chronus_run(&setting, jobs, COUNT(jobs), NULL, &result);
    assert_int_equal(result.status.outcome, ORACLE_CONTESTED);
    assert_string_equal(result.status.text, "at 240: 2 jobs want 8 of 4 GPUs");
    assert_int_equal(result.jobs[0].retired_s, -1);
    oracle_chronus_result_clear(&result);
}

TEST(several_levels_are_contested)
{
    static const struct oracle_chronus_level levels[] = {{730, 10}, {1000, 5}};
    struct oracle_chronus_job job = job_of(0, 300, 1, levels);
    struct oracle_chronus_setting setting = in_milp_mode(ORACLE_CHRONUS_MAXIMIZE);
    struct oracle_chronus_result result;

    job.level_count = COUNT(levels);
    oracle_chronus_run(&setting, &job, 1, NULL, &result);
    assert_int_equal(result.status.outcome, ORACLE_CONTESTED);
    oracle_chronus_result_clear(&result);
}

TEST(a_job_larger_than_the_cluster_never_ends)
{
    struct oracle_chronus_job job = job_of(0, 300, 8, by_1000);
    struct oracle_chronus_result result;

    oracle_chronus_run(&plain, &job, 1, NULL, &result);
    assert_int_equal(result.status.outcome, ORACLE_ENDLESS);
    oracle_chronus_result_clear(&result);
}

/* Random worlds. */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static long random_of(uint64_t *seed, long from, long to)
{
    return from + (long)(next_random(seed) % (uint64_t)(to - from + 1));
}

#define WORLD_JOBS 24

struct world {
    struct oracle_chronus_setting setting;
    struct oracle_chronus_job jobs[WORLD_JOBS];
    struct oracle_chronus_level levels[WORLD_JOBS][LEVELS_MAX];
    bool sizes_are_powers; /* of two */
    long last_submit_s;
};

static void world_add_job(struct world *world, uint64_t *seed, size_t index)
{
    static const int powers[] = {1, 1, 2, 4, 8};
    struct oracle_chronus_job *job = &world->jobs[index];
    long span_s = 6 * world->setting.lease_s;
    long at_s;

    *job = (struct oracle_chronus_job){
        .id = "random",
        .submit_s = random_of(seed, 0, world->last_submit_s),
        .duration_s = random_of(seed, 1, random_of(seed, 0, 1) ? span_s : span_s / 6),
        .gpus = world->sizes_are_powers ? powers[random_of(seed, 0, 4)]
                                        : (int)random_of(seed, 1, world->setting.gpu_count),
        .best_effort = random_of(seed, 0, 5) == 0,
        .levels = world->levels[index],
        .level_count = (size_t)random_of(seed, 0, 6)};
    if (job->level_count > LEVELS_MAX)
        job->level_count = 1;
    at_s = job->submit_s;
    for (size_t v = 0; v < job->level_count; v++) {
        at_s += random_of(seed, 0, span_s);
        world->levels[index][v] =
            (struct oracle_chronus_level){.deadline_s = at_s, .value = 10 - 3 * (long)v};
    }
}

/* Each third world does without some of the quirks. */
static void world_open(struct world *world, uint64_t number)
{
    static const long lengths[][3] = {{240, 60, 240}, {240, 240, 240}, {20, 5, 5},   {30, 3, 6},
                                      {120, 40, 240}, {480, 60, 240},  {20, 10, 40}, {45, 15, 30},
                                      {8, 1, 4},      {240, 60, 60},   {6, 1, 2},    {100, 10, 30}};
    const long *length = lengths[number % COUNT(lengths)];
    uint64_t seed = number * 2654435761u;

    *world = (struct world){.setting = {.gpu_count = 8,
                                        .lease_s = length[0],
                                        .check_s = length[1],
                                        .admission_s = length[2],
                                        .tick_max = TICKS_MAX},
                            .sizes_are_powers = next_random(&seed) % 2 == 0,
                            .last_submit_s = length[0] * random_of(&seed, 0, 20)};
    if (random_of(&seed, 0, 2) == 0)
        world->setting.cleaned = (unsigned)random_of(&seed, 1, 511) * ORACLE_CLEAN_CH_Q1;
    for (size_t i = 0; i < WORLD_JOBS; i++)
        world_add_job(world, &seed, i);
}

static void check_holders(void *context, long time_s, const size_t *jobs, size_t job_count)
{
    const struct world *world = context;
    int gpus = 0;

    for (size_t i = 0; i < job_count; i++) {
        gpus += world->jobs[jobs[i]].gpus;
        assert_true(world->jobs[jobs[i]].submit_s <= time_s);
    }
    assert_true(gpus <= world->setting.gpu_count);
}

/* An admitted job keeps its promise. On short leases `accepted` may also have been forced in, which
 * promises nothing. */
static void check_promise(const struct world *world, const struct oracle_chronus_job_result *result)
{
    if (result->class == ORACLE_ACCEPTED && world->setting.lease_s > 30)
        assert_false(result->missed);
    if (world->setting.cleaned & ORACLE_CLEAN_CH_Q1)
        assert_int_equal(result->waited_s, 0);
}

TEST(random_worlds_add_up)
{
    static struct world world;
    struct oracle_chronus_watch watch = {.holders = check_holders, .context = &world};

    for (uint64_t number = 1; number <= 2400; number++) {
        struct oracle_chronus_result result;

        world_open(&world, number);
        result = run_watched(world.setting, world.jobs, WORLD_JOBS, &watch);
        for (size_t i = 0; i < WORLD_JOBS; i++)
            check_promise(&world, &result.jobs[i]);
        oracle_chronus_result_clear(&result);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
