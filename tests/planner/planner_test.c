/* planner_test.c - each course that is found ends its job in time within the GPUs that are free,
 * which a walk along it shows that charges each change the most that it can cost. */
#include "common/rng.h"
#include "scheduler/planner/planner.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#define TRIALS    2000
#define GPUS      16
#define SLOT_S    60
#define HORIZON_S 20000

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 5,
                                          .gpus = {1, 2, 4, 8, 16},
                                          .iters_per_s = {1, 1.9, 3.4, 3.3, 6}};

static struct scaling scaling;
static cluster_t *cluster;
static prices_t *prices;
static struct node_order order;
static struct view view;
static arena_t *arena;
static int64_t now_s;

static void set_clock(int64_t at_s)
{
    now_s = at_s;
    view.now_s = at_s;
    view.slot_end_s = at_s + SLOT_S;
}

FIXTURE(prepare)
{
    const struct cluster_spec spec = CLUSTER_OF(1, 2, GPUS / 2);
    struct error error;

    cluster = cluster_new(&spec);
    prices = prices_new(GPUS, 100);
    node_order_open(&order, 2, GPUS / 2, 0);
    node_order_renew(&order, cluster);
    view = (struct view){
        .slot_s = SLOT_S, .gpu_count = GPUS, .cluster = cluster, .all_prices = prices};
    set_clock(1000);
    arena = arena_new();
    return scaling_init(&scaling, &row, GPUS, GPUS, &error);
}

FIXTURE(clean_up)
{
    arena_destroy(&arena);
    node_order_close(&order);
    prices_destroy(&prices);
    cluster_destroy(&cluster);
    return 0;
}

struct trial {
    struct planner planner;
    struct job job;
    struct task task;
};

static int least_free(struct planner *planner, int64_t from_s, int64_t to_s)
{
    return vacancy_least(planner_free(planner), (double)from_s, (double)to_s);
}

static void take_some(rng_t *rng, struct planner *planner)
{
    for (uint64_t spans = rng_below(rng, 8); spans > 0; spans--) {
        const int64_t from_s = now_s + (int64_t)rng_below(rng, HORIZON_S);
        const int64_t to_s = from_s + 1 + (int64_t)rng_below(rng, HORIZON_S);
        const int free = least_free(planner, from_s, to_s);

        planner_reserve_span(planner, from_s, to_s, (int)rng_below(rng, (uint64_t)free + 1));
    }
}

static void open_trial(rng_t *rng, struct trial *trial)
{
    *trial = (struct trial){.job = {.scaling = &scaling}};
    planner_open(&trial->planner, &view, &order, 700, arena);
    planner_clear(&trial->planner, now_s);
    take_some(rng, &trial->planner);
    trial->job.iterations_left = (double)(1 + rng_below(rng, 60000));
    trial->task = (struct task){.job = &trial->job,
                                .scaling = &scaling,
                                .deadline_s = now_s + 60 + (int64_t)rng_below(rng, HORIZON_S)};
    planner_enter(&trial->task);
}

/* Seconds that a change to `level` costs at most. */
static double cost_s(const struct trial *trial, int64_t at_s, int level)
{
    const int gpus = scaling.gpus[level];

    return at_s <= now_s ? planner_price_now(&trial->planner, gpus)
                         : planner_price_later(&trial->planner, gpus);
}

/* The work that a course does up to its end, each change paid for and each later increase a slot
 * late. */
static double work_of(const struct trial *trial)
{
    const struct course *course = &trial->task.course;
    double work = 0;
    double debt_s = 0;
    int before = 0;

    for (int i = 0; i < course->count; i++) {
        const struct piece *piece = &course->pieces[i];
        const int64_t until_s = i + 1 < course->count ? piece[1].at_s : course->end_s;
        const double rate = scaling.rate[piece->level];

        if (piece->level != before && piece->level > 0)
            debt_s = cost_s(trial, piece->at_s, piece->level);
        work += rate * ((double)(until_s - piece->at_s) - debt_s);
        if (piece->level > before && piece->at_s > view.slot_end_s)
            work -= (rate - scaling.rate[before]) * SLOT_S;
        debt_s = 0;
        before = piece->level;
    }
    return work;
}

static void check_course(struct trial *trial)
{
    const struct course *course = &trial->task.course;

    assert_true(course->end_s <= trial->task.deadline_s);
    assert_true(course->pieces[0].at_s == now_s);
    for (int i = 0; i < course->count; i++) {
        const int64_t until_s = i + 1 < course->count ? course->pieces[i + 1].at_s : course->end_s;

        assert_true(until_s > course->pieces[i].at_s);
        assert_true(scaling.gpus[course->pieces[i].level] <=
                    least_free(&trial->planner, course->pieces[i].at_s, until_s));
    }
    assert_true(work_of(trial) >= trial->job.iterations_left);
}

TEST(each_course_ends_in_time_within_what_is_free)
{
    rng_t rng = rng_new(test_seed(), "courses");
    int found = 0;

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;

        open_trial(&rng, &trial);
        if (planner_find(&trial.planner, &trial.task)) {
            check_course(&trial);
            found++;
        }
        arena_reset(arena);
    }
    assert_in_range(found, TRIALS / 4, TRIALS * 3 / 4);
}

/* On an empty cluster no job is refused that ends in time at a level from now on. */
TEST(a_job_that_ends_in_time_alone_has_a_course)
{
    rng_t rng = rng_new(test_seed(), "alone");

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;
        bool fits = false;

        open_trial(&rng, &trial);
        planner_clear(&trial.planner, now_s);
        for (int level = 1; level <= scaling.top; level++)
            fits = fits || (double)now_s + cost_s(&trial, now_s, level) +
                                   planner_price_later(&trial.planner, GPUS) +
                                   trial.job.iterations_left / scaling.rate[level] + 1 <=
                               (double)trial.task.deadline_s;
        if (fits)
            assert_true(planner_find(&trial.planner, &trial.task));
        arena_reset(arena);
    }
}

static void compare_courses(const struct course *a, const struct course *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->pieces, b->pieces, (size_t)b->count * sizeof(struct piece));
    assert_true(a->end_s == b->end_s && a->gpu_s == b->gpu_s);
}

/* An outline that has nothing free answers nothing, so that the timeline is looked at. */
TEST(the_outline_changes_no_course)
{
    rng_t rng = rng_new(test_seed(), "outline");

    for (int i = 0; i < 10 * TRIALS; i++) {
        struct trial trial;
        struct course course;
        bool found;

        open_trial(&rng, &trial);
        trial.task.held = trial.task.usable[rng_below(&rng, 6)];
        trial.task.debt_s = trial.task.held > 0 ? (double)rng_below(&rng, 100) : 0;
        trial.planner.slot_end_s = now_s + (int64_t)rng_below(&rng, 2) * SLOT_S;
        found = planner_find(&trial.planner, &trial.task);
        course = trial.task.course;
        (void)planner_free(&trial.planner);
        outline_clear(&trial.planner.outline, (double)now_s, 0);
        assert_int_equal(planner_find(&trial.planner, &trial.task), found);
        if (found)
            compare_courses(&trial.task.course, &course);
        arena_reset(arena);
    }
}

static bool find_held(rng_t *rng, struct trial *trial)
{
    open_trial(rng, trial);
    trial->task.held = trial->task.usable[rng_below(rng, 6)];
    trial->task.debt_s = trial->task.held > 0 ? (double)rng_below(rng, 100) : 0;
    return planner_find(&trial->planner, &trial->task);
}

/* In the first seconds of a clock the latest start of a job that may begin now can lie before 0. */
TEST(a_course_is_the_same_at_the_start_of_the_clock)
{
    rng_t late = rng_new(test_seed(), "clock");

    for (int i = 0; i < 10 * TRIALS; i++) {
        rng_t early = late;
        struct trial trials[2];
        bool found;

        found = find_held(&late, &trials[0]);
        set_clock(0);
        assert_int_equal(find_held(&early, &trials[1]), found);
        set_clock(1000);
        if (found)
            assert_true(trials[0].task.course.end_s == trials[1].task.course.end_s + now_s);
        if (found)
            assert_int_equal(trials[0].task.course.count, trials[1].task.course.count);
        arena_reset(arena);
    }
}

/* A level that is slower than a smaller one is of no use. */
TEST(a_slower_level_is_not_used)
{
    struct trial trial;
    rng_t rng = rng_new(1, "levels");

    open_trial(&rng, &trial);
    assert_int_equal(trial.task.usable[3], 3);
    assert_int_equal(trial.task.usable[4], 3); /* 8 GPUs are slower than 4 */
    assert_int_equal(trial.task.usable[5], 5);
}

static double by_deadline(const struct task *task)
{
    return (double)task->deadline_s;
}

/* What is planned by deadline already is what a plan of all from scratch gives. */
TEST(a_plan_goes_on_from_what_is_planned)
{
    rng_t rng = rng_new(test_seed(), "all");

    for (int i = 0; i < TRIALS / 10; i++) {
        struct trial trials[6];
        struct task_list list = task_list_open(arena, 6, by_deadline);
        struct course whole[6];
        bool fits;

        for (int k = 0; k < 6; k++) {
            open_trial(&rng, &trials[k]);
            trials[k].job.iterations_left /= 4;
            planner_enter(&trials[k].task);
        }
        for (int k = 0; k < 5; k++)
            task_list_insert(&list, &trials[k].task);
        (void)planner_find_all(&trials[0].planner, &list, now_s);
        task_list_insert(&list, &trials[5].task);
        fits = planner_find_all(&trials[0].planner, &list, now_s);
        for (int k = 0; k < 6; k++)
            whole[k] = trials[k].task.course;
        list.planned = 0;
        assert_int_equal(planner_find_all(&trials[0].planner, &list, now_s), fits);
        for (int k = 0; k < 6 && fits; k++)
            compare_courses(&trials[k].task.course, &whole[k]);
        arena_reset(arena);
    }
}

/* Whether a job that holds a GPU and has hardly `work_s` to do keeps to its course, which ends
 * then; all trainers restart at the end of the slot. */
static bool keeps_to_course(int work_s)
{
    struct piece piece = {now_s - SLOT_S, 1, 0};
    const struct course course = {.pieces = &piece, .count = 1, .end_s = now_s + work_s};
    struct trial trial;
    rng_t rng = rng_new(1, "restarts");

    open_trial(&rng, &trial);
    trial.planner.tariff.next_restart = 1;
    trial.job.iterations_left = work_s - 0.5;
    trial.job.grant.gpus = scaling.gpus[1];
    trial.task.deadline_s = now_s + HORIZON_S;
    planner_enter(&trial.task);
    return planner_keeps(&trial.planner, &trial.task, &course);
}

TEST(a_restart_delays_no_job_that_is_done_when_it_comes)
{
    assert_true(keeps_to_course(SLOT_S));
    assert_false(keeps_to_course(SLOT_S + 1));
    arena_reset(arena);
}

/* A promised job that holds a GPU, or none, and has so many iterations left until the deadline in
 * 1000 s. It wants a margin of a tenth. */
static struct trial promised_trial(int level, double left)
{
    struct trial trial = {.job = {.scaling = &scaling, .iterations_left = left}};

    trial.task = (struct task){.job = &trial.job,
                               .scaling = &scaling,
                               .usable = scaling.fastest,
                               .deadline_s = now_s + 1000,
                               .promised = true,
                               .is_watched = true,
                               .margin_wanted = 0.1,
                               .now = {now_s, level, 0}};
    planner_open(&trial.planner, &view, &order, 700, arena);
    return trial;
}

static bool is_at_risk(struct trial *trial)
{
    trial->task.job = &trial->job;
    return planner_is_at_risk(&trial->planner, &trial->task);
}

TEST(a_promise_without_time_for_its_margin_is_at_risk)
{
    struct trial trial = promised_trial(1, 920);

    assert_true(is_at_risk(&trial));
    trial.job.iterations_left = 900;
    assert_false(is_at_risk(&trial));
    trial.task.charge_s = 20;
    assert_true(is_at_risk(&trial));
    arena_reset(arena);
}

TEST(a_promise_whose_course_pays_for_its_margin_is_not)
{
    struct trial trial = promised_trial(1, 920);

    trial.task.margin = 0.1;
    assert_false(is_at_risk(&trial));
    trial.task.margin = 0;
    trial.task.is_watched = false;
    assert_false(is_at_risk(&trial));
    trial.task.is_watched = true;
    trial.task.promised = false;
    assert_false(is_at_risk(&trial));
    arena_reset(arena);
}

/* The job may begin late, on up to 16 GPUs. */
TEST(a_job_that_waits_is_at_risk_once_no_start_is_early_enough)
{
    struct trial trial = promised_trial(0, 920);

    assert_false(is_at_risk(&trial));
    trial.job.iterations_left = 6 * 1000 / 1.05;
    assert_true(is_at_risk(&trial));
    arena_reset(arena);
}

/* The job has a margin of a tenth, and a stretch in which it did four fifths. Once its speed is
 * known its course rests on that speed. */
TEST(a_stretch_that_was_slower_than_the_margin_is_a_risk)
{
    struct trial trial = promised_trial(1, 850);
    struct speed speed = {.heard = 0};

    trial.task.margin = 0.1;
    trial.job.speed = &speed;
    speed_hear(&speed, 0.95, SPEED_WINDOW_S);
    assert_false(is_at_risk(&trial));
    speed_hear(&speed, 0.8, SPEED_WINDOW_S);
    assert_true(is_at_risk(&trial));
    speed_hear(&speed, 0.8, SPEED_WINDOW_S);
    assert_false(is_at_risk(&trial));
    arena_reset(arena);
}

/* A job that holds one GPU and ends in time with a tenth more work has no round to hear of it. */
TEST(a_window_that_ends_before_news_wants_twice_the_margin)
{
    struct trial trial = promised_trial(1, 1000);

    trial.task.margin = trial.task.margin_wanted = 0.1;
    trial.task.deadline_s = now_s + SLOT_S + SPEED_WINDOW_S - 1;
    trial.job.iterations_left = 99;
    assert_false(is_at_risk(&trial));
    trial.job.iterations_left = 106;
    assert_true(is_at_risk(&trial));
    trial.task.deadline_s = now_s + SLOT_S + SPEED_WINDOW_S;
    assert_false(is_at_risk(&trial));
    arena_reset(arena);
}

/* Its start may take three times its price. */
TEST(a_course_pays_for_a_start_with_its_margin)
{
    struct trial trial = promised_trial(0, 1000);
    int64_t least_s[2];

    trial.task.usable = (const uint8_t[]){0, 1, 1, 1, 1, 1};
    for (int i = 0; i < 2; i++) {
        trial.task.start_margin = i * 2.0;
        for (least_s[i] = 100;; least_s[i]++) {
            planner_clear(&trial.planner, now_s);
            planner_reset(&trial.task);
            trial.task.left = 500;
            trial.task.deadline_s = now_s + least_s[i];
            if (planner_find(&trial.planner, &trial.task))
                break;
        }
    }
    assert_int_equal(least_s[1] - least_s[0], 2 * planner_price_now(&trial.planner, 1));
    trial.task.deadline_s--;
    task_leave_margins(&trial.task);
    trial.task.left = 500;
    assert_true(planner_find(&trial.planner, &trial.task));
    arena_reset(arena);
}

int main(void)
{
    return tests_run(prepare, clean_up);
}
