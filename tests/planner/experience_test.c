/* experience_test.c - each job tells its speed once and each change its cost once, and those who
 * come later get their margins by that. */
#include "scheduler/planner/experience.h"
#include "tests/support/test.h"

#include <math.h>

static const struct submission submission = {.model = "model"};

static struct experience experience;
static struct speed speed;
static struct job job;
static struct stand stand;

FIXTURE(prepare)
{
    experience = (struct experience){0};
    speed = (struct speed){0};
    job = (struct job){.submission = &submission, .speed = &speed};
    stand = (struct stand){0};
    return 0;
}

static void train(double pace)
{
    for (int i = 0; i < SPEED_WINDOWS_KNOWN; i++)
        speed_hear(&speed, pace, SPEED_WINDOW_S);
}

TEST_WITH(a_job_tells_its_speed_once_it_is_known, prepare, NULL)
{
    experience_hear(&experience, &job, &stand);
    assert_int_equal(experience.speeds.count, 0);
    train(0.8);
    experience_hear(&experience, &job, &stand);
    experience_hear(&experience, &job, &stand);
    experience_hear_end(&experience, &job, &stand);
    assert_int_equal(experience.speeds.count, 1);
    assert_true(fabs(experience.speeds.jobs[0].lag - 0.2) < 1e-9);
    assert_true(stand.told_speed);
}

TEST_WITH(a_short_job_tells_its_speed_as_it_ends, prepare, NULL)
{
    speed_hear(&speed, 0.5, SPEED_WINDOW_S);
    experience_hear(&experience, &job, &stand);
    assert_int_equal(experience.speeds.count, 0);
    experience_hear_end(&experience, &job, &stand);
    assert_int_equal(experience.speeds.count, 1);
}

TEST_WITH(a_change_tells_its_cost_once_it_is_paid_off, prepare, NULL)
{
    stand.charged_s = 10;
    job.overhead_s = 4;
    experience_hear(&experience, &job, &stand);
    assert_int_equal(experience.starts.count, 0);
    job.overhead_s = 0;
    experience_hear(&experience, &job, &stand);
    experience_hear(&experience, &job, &stand);
    assert_int_equal(experience.starts.count, 1);
    assert_true(experience.starts.jobs[0].lag == 0);
    assert_int_equal(stand.charged_s, 0);
}

/* The change took 40 s in place of 10. */
TEST_WITH(a_change_that_took_longer_tells_so_at_once, prepare, NULL)
{
    stand.charged_s = 10;
    job.late_s = job.overhead_s = 30;
    experience_hear(&experience, &job, &stand);
    assert_int_equal(experience.starts.count, 1);
    assert_true(experience.starts.jobs[0].lag == 0.75);
}

TEST_WITH(margins_are_those_of_the_confidence, prepare, NULL)
{
    experience_margins(&experience, &job, 0, &stand);
    assert_true(stand.margin == 0 && stand.margin_wanted == 0 && stand.start_margin == 0);
    experience_margins(&experience, &job, 50, &stand);
    assert_true(stand.margin == margins_of(&experience.speeds, "model", 50));
    assert_true(stand.margin_wanted == margins_of(&experience.speeds, "model", CONFIDENCE_WATCHED));
    assert_true(stand.margin_wanted > stand.margin);
    experience_margins(&experience, &job, 99, &stand);
    assert_true(stand.margin == stand.margin_wanted);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
