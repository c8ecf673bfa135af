/* run_clock_test.c - the clock of a run goes on while its scheduler is away, and never back. */
#include "scheduler/capacity/run_clock.h"

#include "common/clock.h"
#include "common/log.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOUR_US INT64_C(3600000000)
#define DAY_US  (24 * HOUR_US)

static folder_t *folder;
static journal_t *journal;
static struct error error;

FIXTURE(set_up)
{
    (void)log_to_file("/dev/null");
    folder = folder_new();
    journal = journal_open(folder_file(folder, "state"), &error);
    return journal ? 0 : -1;
}

FIXTURE(tear_down)
{
    journal_close(&journal);
    folder_destroy(&folder);
    return 0;
}

static int64_t day_us(void)
{
    struct timespec day;

    (void)clock_gettime(CLOCK_REALTIME, &day);
    return (int64_t)day.tv_sec * 1000000 + day.tv_nsec / 1000;
}

static void keep(const struct run_clock *clock)
{
    assert_int_equal(journal_begin(journal, &error), 0);
    assert_int_equal(run_clock_keep(clock, journal, &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
}

/* The boot that the journal has, for a document of the test's own. */
static void read_boot(char boot[64])
{
    const char *body;

    keep(&(struct run_clock){.runs = true, .scale = 1, .started_s = clock_s()});
    assert_int_equal(journal_get(journal, "driver", "clock", &body, &error), 1);
    assert_int_equal(sscanf(strstr(body, "boot=\""), "boot=\"%63[^\"]", boot), 1);
}

/* The clock stood at 1000 s, `day_ago_us` and `since_ago_us` ago by the two clocks of a machine. */
static struct run_clock resume(const char *boot, int64_t day_ago_us, int64_t since_ago_us)
{
    struct run_clock clock = {.scale = 10};
    char body[256];

    (void)snprintf(body, sizeof(body), "clock from=1000 day=%lld since=%lld boot=\"%s\"",
                   (long long)(day_us() - day_ago_us), (long long)(clock_boot_us() - since_ago_us),
                   boot);
    assert_int_equal(journal_begin(journal, &error), 0);
    assert_int_equal(journal_put(journal, "driver", "clock", body, &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    assert_int_equal(run_clock_resume(&clock, journal, &error), 0);
    return clock;
}

static void assert_at(const struct run_clock *clock, double expected_s)
{
    const double now_s = run_clock_now(clock);

    if (now_s < expected_s || now_s > expected_s + 600) /* a minute of a busy machine */
        print_message("at %f, expected %f\n", now_s, expected_s);
    assert_true(now_s >= expected_s && now_s <= expected_s + 600);
}

TEST_WITH(it_goes_on_where_it_would_stand, set_up, tear_down)
{
    struct run_clock clock = {.scale = 10};
    struct run_clock again = {.scale = 10};

    run_clock_start(&clock, 500);
    clock.started_s -= 60;
    assert_at(&clock, 500 + 600);
    keep(&clock);
    assert_int_equal(run_clock_resume(&again, journal, &error), 0);
    assert_true(fabs(again.started_s - clock.started_s) < 1);
    assert_at(&again, 500 + 600);
}

/* While the machine is up the time of day does not count. */
TEST_WITH(a_clock_that_is_set_does_not_move_it, set_up, tear_down)
{
    static const int64_t jumps_us[] = {0, -HOUR_US, HOUR_US, 400 * DAY_US};
    char boot[64];

    read_boot(boot);
    for (size_t i = 0; i < COUNT(jumps_us); i++) {
        const struct run_clock clock = resume(boot, 20000000 + jumps_us[i], 20000000);

        assert_at(&clock, 1000 + 200);
    }
}

TEST_WITH(a_machine_that_was_started_anew_has_the_time_of_day, set_up, tear_down)
{
    struct run_clock clock = resume("another", 20000000, -HOUR_US);

    assert_at(&clock, 1000 + 200);
    clock = resume("another", -HOUR_US, 5000000); /* it was set back */
    assert_at(&clock, 1000);
    run_clock_not_before(&clock, 1500);
    assert_at(&clock, 1500);
    assert_false(clock.kept);
    run_clock_not_before(&clock, 1400);
    assert_at(&clock, 1500);
}

TEST_WITH(a_clock_that_never_ran_does_not_run, set_up, tear_down)
{
    struct run_clock clock = {.scale = 1};

    keep(&clock);
    assert_int_equal(run_clock_resume(&clock, journal, &error), 0);
    assert_false(clock.runs);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
