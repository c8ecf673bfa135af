/* deadline_planner_test.c - the deadline planner, and the oracle's, on the worked examples of the
 * behavioural specification (section 20.1), which the reference itself has computed: vgg16 with
 * batch size 128 on 8 A100 GPUs, slots of 60 s. */
#include "scheduler/reference/deadline_planner.h"
#include "tests/reference/planner_call.h"
#include "tests/support/test.h"

static tables_t *a100;

FIXTURE(read_tables)
{
    a100 = tables_new("A100");
    return 0;
}

FIXTURE(drop_tables)
{
    tables_destroy(&a100);
    return 0;
}

static struct planner_call vgg16(int64_t now_s, const char *free, double iterations,
                                 double deadline_s)
{
    struct planner_call call = {.tables = a100,
                                .row = tables_row(a100, "vgg16", 128),
                                .gpus_max = 64,
                                .gpu_count = 8,
                                .slot_s = 60,
                                .now_s = now_s,
                                .iterations = iterations,
                                .deadline_s = deadline_s};

    call.free_count = planner_steps(free, call.free);
    return call;
}

/* The answer is `MET | PLAN | END | FINISH | FREE AFTERWARDS`. */
static void check(int64_t now_s, const char *free, double iterations, double deadline_s,
                  const char *expected)
{
    const struct planner_call call = vgg16(now_s, free, iterations, deadline_s);

    planner_check(&call, expected);
}

TEST(a_distant_deadline_takes_one_gpu)
{
    check(0, "0:8", 1000, 600, "yes | 0:1 | 420 | 381 | 0:7, 420:8");
}

TEST(a_nearer_deadline_takes_the_next_level)
{
    check(0, "0:8", 1000, 290, "yes | 0:2 | 240 | 206 | 0:6, 240:8");
}

TEST(a_level_that_does_not_fit_yet_is_used_once_it_fits)
{
    check(0, "0:2, 120:8", 1800, 300, "yes | 0:2, 120:4 | 300 | 260 | 0:0, 120:4, 300:8");
}

TEST(a_job_shrinks_while_less_is_free)
{
    check(0, "0:8, 120:2, 240:8", 1800, 360,
          "yes | 0:4, 120:2, 240:4 | 300 | 260 | 0:4, 120:0, 240:4, 300:8");
}

TEST(a_job_pauses_while_nothing_is_free)
{
    check(0, "0:8, 120:0, 240:8", 2400, 360, "yes | 0:8, 120:0, 240:8 | 300 | 297 | 0:0, 300:8");
}

TEST(before_the_latest_start_a_job_runs_one_level_below)
{
    check(0, "0:4, 120:8", 2000, 600, "yes | 0:1, 120:2 | 480 | 466 | 0:3, 120:6, 480:8");
}

TEST(a_zero_after_the_end_stays_in_the_plan)
{
    /* EF-Q12 */
    check(0, "0:4, 240:6, 480:8", 1000, 600,
          "yes | 0:1, 480:0 | 420 | 381 | 0:3, 240:5, 420:6, 480:8");
}

TEST(a_late_job_takes_all_that_fits)
{
    /* EF-Q28 */
    check(0, "0:2, 120:8", 6000, 300, "no | 0:2, 120:8 | 540 | 519 | 0:0, 540:8");
}

TEST(a_late_job_gets_nothing_done_between_deadline_and_slot_end)
{
    /* EF-Q41 */
    check(0, "0:2, 120:8", 6000, 290, "no | 0:2, 120:8 | 540 | 529 | 0:0, 540:8");
}

TEST(a_late_job_with_the_cluster_to_itself_takes_all_of_it)
{
    check(0, "0:8", 2000, 70, "no | 0:8 | 240 | 198 | 0:0, 240:8");
}

TEST(a_late_job_may_end_before_the_last_change)
{
    check(0, "0:2, 120:4, 600:8", 2000, 100, "no | 0:2, 120:4 | 300 | 294 | 0:0, 300:4, 600:8");
}

TEST(a_job_whose_deadline_has_passed_may_end_at_the_first_change)
{
    check(100, "100:4, 220:8", 1000, 50, "no | 100:4 | 220 | 215 | 100:0, 220:8");
}

TEST(a_job_whose_deadline_has_passed_grows_at_the_first_change)
{
    check(100, "100:4, 220:8", 2000, 90, "no | 100:4, 220:8 | 340 | 291 | 100:0, 340:8");
}

TEST(best_effort_is_planned_behind_the_last_entry)
{
    /* EF-Q43 */
    check(0, "0:2, 120:8", 1000, CALL_FOREVER_S,
          "yes | 0:0, 120:1 | 540 | 501 | 0:2, 120:7, 540:8");
}

TEST(best_effort_on_an_idle_cluster_takes_one_gpu)
{
    check(0, "0:8", 1000, CALL_FOREVER_S, "yes | 0:1 | 420 | 381 | 0:7, 420:8");
}

/* The work is that of 101 seconds on one GPU. Summed up from the deadline backwards the two pieces
 * make it; taken off it from the front, they leave some 3e-14 of an iteration. */
TEST(what_rounding_leaves_over_is_done_behind_the_deadline)
{
    /* EF-Q26 */
    check(0, "0:1, 60:8", 265.1024183114762, 101, "no | 0:1 | 180 | 121 | 0:0, 60:7, 180:8");
}

TEST(what_rounding_leaves_over_needs_a_free_gpu_behind_the_deadline)
{
    /* EF-Q26 */
    check(0, "0:1, 60:8, 120:0, 240:8", 265.1024183114762, 101, "abort");
}

/* The answer is `MET | PLAN | END | FINISH | FREE AFTERWARDS | GAIN`. */
static void check_growth(const char *free, double iterations, double deadline_s, int held_gpus,
                         const char *held, double held_end_s, int forced_gpus, const char *expected)
{
    struct planner_call call = vgg16(0, free, iterations, deadline_s);

    call.forced_gpus = forced_gpus;
    call.held_gpus = held_gpus;
    call.held_count = planner_steps(held, call.held);
    call.held_end_s = held_end_s;
    planner_check(&call, expected);
}

TEST(a_grown_job_that_ends_before_any_change_keeps_its_size)
{
    check_growth("0:8", 1000, 600, 1, "0:1", 420, 2, "yes | 0:2 | 240 | 206 | 0:6, 240:8 | 60");
}

TEST(the_rest_of_a_grown_job_is_as_small_as_its_deadline_allows)
{
    check_growth("0:6, 60:8", 2000, 400, 2, "0:2", 420, 4,
                 "yes | 0:4, 60:2 | 420 | 364 | 0:2, 60:6, 420:8 | 60");
}

TEST(growing_a_job_can_put_off_its_end)
{
    /* EF-Q42 */
    check_growth("0:6, 120:8", 2000, 600, 2, "0:2", 420, 4,
                 "yes | 0:4, 120:1 | 540 | 484 | 0:2, 120:7, 540:8 | 30");
}

TEST(a_nearer_deadline_does_not_change_what_a_grown_job_gains)
{
    check_growth("0:8", 1000, 300, 1, "0:1", 420, 2, "yes | 0:2 | 240 | 206 | 0:6, 240:8 | 60");
}

/* Work of exactly one slot on two GPUs, the quotient of which comes out a bit above 60: the forced
 * piece leaves nothing of the job but does not end it, and a piece of no length follows. */
TEST(a_forced_piece_may_leave_nothing_to_do)
{
    struct planner_call call = vgg16(0, "0:2, 60:4", 710.3081230706199, 789);

    call.row = tables_row(a100, "resnet50", 64);
    call.gpus_max = 32;
    call.gpu_count = 4;
    call.held_gpus = 1;
    call.held_count = planner_steps("0:1", call.held);
    call.held_end_s = 180;
    call.forced_gpus = 2;
    planner_check(&call, "yes | 0:2, 60:1 | 60 | 60 | 0:0, 60:3, 840:4 | -60");
}

TEST(slots_are_counted_from_now)
{
    const struct planning_grid grid = planning_grid(100, 60, 8);
    const double ends_s[][2] = {{100, 100}, {101, 160}, {160, 160}, {161, 220}, {99, 100},
                                {40, 40},   {39, 40},   {-80, -80}, {41, 100}};

    for (size_t i = 0; i < COUNT(ends_s); i++)
        assert_true(planning_slot_end(&grid, ends_s[i][0]) == ends_s[i][1]);
}

/* 1/slot is no exact number for most slots; the ends of slots are all the same. */
TEST(every_slot_length_gives_exact_ends)
{
    for (int64_t slot_s = 1; slot_s <= 1000; slot_s++) {
        const struct planning_grid grid = planning_grid(4000000, slot_s, 8);

        for (int64_t slots = 0; slots < 5000; slots += 1 + slots / 7) {
            const double end_s = (double)(4000000 + slots * slot_s);

            assert_true(planning_slot_end(&grid, end_s) == end_s);
            assert_true(planning_slot_end(&grid, end_s + 1) == end_s + (double)slot_s);
        }
    }
}

int main(void)
{
    return tests_run(read_tables, drop_tables);
}
