/* chronus_test.c - whole runs of chronus that are small enough to follow by hand, each for
 * something that happens between lease rounds and admissions, or seldom. The oracle agrees with all
 * of them.
 *
 * Starting a job on 8 GPUs costs 2 s, on one half a second. */
#include "tests/engine/lease_world.h"
#include "tests/support/test.h"

#include "scheduler/reference/lease_book.h"

#include <string.h>

/* What becomes of a job. */
struct fate {
    double end_s;
    enum lease_class class;
    int starts;
};

/* A job with one deadline, not after submission unless it is stated. */
#define LEVEL(deadline) (&(const struct oracle_chronus_level){deadline, 10}), 1
#define NO_LEVEL        NULL, 0

static void check_fates(const struct lease_run *run, const struct fate fates[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double *facts = run->record.jobs[i].values;

        if (facts[FACT_END_TIME] == fates[i].end_s &&
            (int)facts[FACT_CLASS] == (int)fates[i].class && facts[FACT_STARTS] == fates[i].starts)
            continue;
        fail_msg("job-%zu ends at %g in class %g after %g starts, expected %g, %d and %d", i,
                 facts[FACT_END_TIME], facts[FACT_CLASS], facts[FACT_STARTS], fates[i].end_s,
                 fates[i].class, fates[i].starts);
    }
}

static void check(const struct lease_world *world, const struct fate fates[])
{
    struct lease_run run = lease_world_run_engine(world);
    struct lease_run expected = lease_world_run_oracle(world, 100000);
    char difference[200] = "";

    if (run.status != 0)
        fail_msg("%s", run.error.text);
    check_fates(&run, fates, world->job_count);
    if (!lease_record_agrees(&run.record, &expected.record, expected.until_s, difference,
                             sizeof(difference)))
        fail_msg("the oracle: %s", difference);
    lease_run_clear(&run);
    lease_run_clear(&expected);
}

/* The job is hopeless when it starts at 0 and has to run for 3 s, 2 of them for the start. The
 * check at 2 sees that the estimate of 1 s is used up, whence the job is no longer hopeless, but
 * ahead of all. */
TEST(an_estimate_is_used_up_between_admissions)
{
    const struct oracle_chronus_job job = {"job-0", 0, 1, 8, false, LEVEL(0)};
    const struct lease_world world = {.cluster = {1, 1, 8},
                                      .setting = {.lease_s = 60, .check_s = 2, .admission_s = 60},
                                      .jobs = &job,
                                      .job_count = 1};

    check(&world, &(struct fate){3, LEASE_UNACCEPTED, 1});
}

/* The job starts at 56 and has used up its 4 s when the lease round stops it at 60. At 84 it is
 * hopeless and starts again; at 86 it is beyond its estimate, as it was before. */
TEST(an_estimate_is_used_up_once_more_when_all_hope_is_lost)
{
    const struct oracle_chronus_job job = {"job-0", 50, 4, 8, false, LEVEL(52)};
    const struct lease_world world = {.cluster = {1, 1, 8},
                                      .setting = {.lease_s = 60, .check_s = 2, .admission_s = 28},
                                      .jobs = &job,
                                      .job_count = 1};

    check(&world, &(struct fate){88, LEASE_UNACCEPTED, 2});
}

/* The same job, of best effort, on checks that see nothing between 84 and its end: beyond its
 * estimate it is no job of best effort any more, but the deadline that it states is none. */
TEST(a_best_effort_job_has_no_deadline_to_miss)
{
    const struct oracle_chronus_job job = {"job-0", 50, 4, 8, true, LEVEL(52)};
    struct lease_world world = {.cluster = {1, 1, 8},
                                .setting = {.lease_s = 60, .check_s = 4, .admission_s = 28},
                                .jobs = &job,
                                .job_count = 1};

    check(&world, &(struct fate){88, LEASE_LOWEST, 2}); /* CH-Q9 */
    world.rules = "CH-Q9";
    check(&world, &(struct fate){88, LEASE_UNACCEPTED, 2});
}

/* The job needs no lease, and so is promised the end of the first one. The plan, when it looks for
 * a place for every job, drops a job that has none. A solver is not asked about the job, which
 * waits until the promise is broken. */
TEST(without_anybody_to_choose_from_a_solver_leaves_all_as_it_is)
{
    const struct oracle_chronus_job job = {"job-0", 0, 0, 1, false, LEVEL(100)};
    struct lease_world world = {.cluster = {1, 1, 1},
                                .setting = {.lease_s = 60, .check_s = 60, .admission_s = 60},
                                .jobs = &job,
                                .job_count = 1};

    check(&world, &(struct fate){60.5, LEASE_UNACCEPTED, 1});
    world.setting.mode = ORACLE_CHRONUS_MILP;
    check(&world, &(struct fate){120.5, LEASE_LOWEST, 1});
}

/* Lease rounds stop a job at 4, 8, 12, admissions start it at 0, 6, 12, so that it runs for 4 s and
 * for 2 s in turn, and pays for each start: what 32 GPUs cost is 3 s. */
TEST(a_job_whose_starts_eat_up_all_its_time_is_refused)
{
    struct oracle_chronus_job job = {"job-0", 0, 10, 32, true, NO_LEVEL};
    const struct lease_world world = {.cluster = {1, 4, 8},
                                      .setting = {.lease_s = 4, .check_s = 2, .admission_s = 6},
                                      .of_chronus = true,
                                      .jobs = &job,
                                      .job_count = 1};
    struct lease_run run = lease_world_run_engine(&world);

    assert_int_equal(run.status, -1);
    assert_non_null(
        strstr(run.error.text, "starting it on 32 GPUs costs 3 s, no less than the 3 s"));
    lease_run_clear(&run);
    job.gpus = 16;
    check(&world, &(struct fate){111.5, LEASE_UNACCEPTED, 19});
}

/* The first job is promised three leases of 14 s, of which it plans the last: those from 70, 84 and
 * 98 on. At 35, an odd time, it gets GPUs that are free, and with them credit for its wait since
 * 21. At 42 it has done 21 s and needs one lease more, but has given up just one of the three that
 * it planned. With the one from 84 on it has all that it needs: what it planned after that is free
 * for the last job, which comes at 84 and needs each of the three leases before its deadline. */
TEST(nothing_is_kept_behind_the_last_lease)
{
    const struct oracle_chronus_job jobs[] = {
        {"job-0", 11, 28, 2, false, LEVEL(125)},
        {"job-1", 16, 14, 2, false, LEVEL(55)},
        {"job-2", 62, 4, 1, false, LEVEL(2062)},
        {"job-3", 77, 28, 1, false, LEVEL(144)},
    };
    static const struct fate fates[] = {
        {72, LEASE_ACCEPTED, 2},
        {51, LEASE_UNACCEPTED, 2},
        {67, LEASE_ACCEPTED, 0},
        {119.5, LEASE_ACCEPTED, 1},
    };
    const struct lease_world world = {.cluster = {1, 2, 1},
                                      .setting = {.lease_s = 14, .check_s = 7, .admission_s = 21},
                                      .jobs = jobs,
                                      .job_count = COUNT(jobs)};

    check(&world, fates);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
