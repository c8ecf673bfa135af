/* faults_test.c - what --faults says goes wrong, and what it says that makes no sense. */
#include "executor/faults.h"

#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static struct error error;

static struct faults read_faults(const char *spec, uint64_t job, int32_t gpu)
{
    struct faults faults;

    assert_int_equal(faults_read(spec, job, gpu, &faults, &error), 0);
    return faults;
}

TEST(nothing_is_wrong_without_faults)
{
    const struct faults faults = read_faults(NULL, 1, 1);

    assert_true(faults.slow == 1);
    assert_int_equal(faults.die_at, -1);
    assert_int_equal(faults.fail_at, -1);
    assert_int_equal(faults.lie, LIE_NONE);
    assert_false(faults.silent || faults.ignore_term || faults.fork_children);
}

TEST(several_faults_stand_side_by_side)
{
    const struct faults faults =
        read_faults("slow=0.25;silent;lie=huge;die-at=7;fail-at=9;ignore-term;fork-children", 1, 1);

    assert_true(faults.slow == 0.25);
    assert_int_equal(faults.die_at, 7);
    assert_int_equal(faults.fail_at, 9);
    assert_int_equal(faults.lie, LIE_HUGE);
    assert_true(faults.silent && faults.ignore_term && faults.fork_children);
}

TEST(a_prefix_restricts_a_fault_to_a_job_or_a_gpu)
{
    static const char spec[] = "job=3:silent;gpu=2:die-at=5;job=3:gpu=2:ignore-term";
    const struct faults job = read_faults(spec, 3, 1);
    const struct faults gpu = read_faults(spec, 4, 2);
    const struct faults both = read_faults(spec, 3, 2);

    assert_true(job.silent && job.die_at == -1 && !job.ignore_term);
    assert_true(!gpu.silent && gpu.die_at == 5 && !gpu.ignore_term);
    assert_true(both.silent && both.die_at == 5 && both.ignore_term);
}

TEST(nonsense_is_refused_by_name)
{
    static const char *const specs[] = {
        "slow",    "slow=",    "slow=0",    "slow=-1",      "slow=nan",    "lie=",
        "lie=big", "die-at=x", "die-at=-1", "quiet",        "job=:silent", "job=x:silent",
        "job=1:",  "gpu=1",    "silent;;",  "silent;quiet",
    };
    struct faults faults;

    for (size_t i = 0; i < COUNT(specs); i++) {
        if (faults_read(specs[i], 1, 1, &faults, &error) == 0)
            fail_msg("\"%s\" was taken", specs[i]);
        assert_non_null(strstr(error.text, "--faults: \""));
    }
}

TEST(a_liar_lies_as_told)
{
    struct faults faults = {.lie = LIE_NAN};

    assert_true(isnan(faults_rate(&faults, 3)));
    faults.lie = LIE_NEGATIVE;
    assert_true(faults_rate(&faults, 3) == -3);
    faults.lie = LIE_BACKWARDS;
    assert_true(faults_rate(&faults, 3) == 3);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
