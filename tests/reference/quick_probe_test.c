/* quick_probe_test.c - a quick answer is the answer that planning piece by piece gives, to the last
 * bit, and one that is said to stand after a change is the answer that is given anew; under the
 * rules of the reference and under clean ones.
 *
 * RUBATO_SEED chooses the questions, RUBATO_TIMES how many books there are. */
#include "scheduler/reference/quick_probe.h"

#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/reference/reservation_book.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>

#define BOOKS    3000
#define JOBS_MAX 40

/* Jobs that share a cluster, all booked. */
struct world {
    struct submission submissions[JOBS_MAX];
    struct job jobs[JOBS_MAX];
    struct scaling scalings[JOBS_MAX];
    const struct job *places[JOBS_MAX];
    size_t order[JOBS_MAX];
    struct view view;
    arena_t *memory;
    struct reservation_book book;
    struct timeline released;
    struct timeline other;
    struct reservation plan;
};

struct tally {
    long asked;
    long answered;
    long planned;
    long stood;
    long untouched;
    long fell;
};

static int below(rng_t *rng, int count)
{
    return (int)rng_below(rng, (uint64_t)count);
}

static void make_job(rng_t *rng, const tables_t *tables, struct world *world, size_t i)
{
    const throughput_table_t *table = tables_for_engine(tables);
    const struct policy *policy = policy_find("ef-accessctrl");
    struct submission *submission = &world->submissions[i];
    struct job *job = &world->jobs[i];
    struct error error;

    do {
        *submission = (struct submission){.id = "job"};
        *job = (struct job){.submission = submission};
        submission->throughput = throughput_row_at(table, rng_below(rng, throughput_count(table)));
        submission->model = submission->throughput->model;
        submission->batch_size = submission->throughput->batch_size;
        assert_int_equal(scaling_init(&world->scalings[i], submission->throughput,
                                      policy->gpus_max(job, tables_gpu_type(tables)),
                                      world->view.gpu_count, &error),
                         0);
    } while (!world->scalings[i].regular);
    job->scaling = &world->scalings[i];
    job->iterations_left = rng_log_uniform(rng, 1, 20000) * job->scaling->rate[1];
    submission->deadline_s = world->view.now_s + (int64_t)rng_log_uniform(rng, 30, 60000);
    if (below(rng, 10) == 0)
        submission->deadline_s = DEADLINE_NONE_S;
    world->places[i] = job;
    world->order[i] = i;
}

static void make_world(rng_t *rng, const tables_t *tables, const struct reference_rules *rules,
                       struct world *world)
{
    struct error error;

    arena_reset(world->memory);
    world->view = (struct view){.now_s = below(rng, 3) == 0 ? 0 : below(rng, 4000000),
                                .slot_s = 1 + below(rng, 240),
                                .gpu_count = 1 << below(rng, 9),
                                .jobs = world->places,
                                .rules = rules,
                                .job_count = 1 + (size_t)below(rng, JOBS_MAX)};
    for (size_t i = 0; i < world->view.job_count; i++)
        make_job(rng, tables, world, i);
    world->book = reservation_book_new(&world->view, world->memory);
    assert_true(reservation_book_fill(&world->book, &world->view, world->order, false, &error) >=
                0);
    world->released.entries = arena_alloc(world->memory, 200 * sizeof(*world->released.entries));
    world->other.entries = arena_alloc(world->memory, 200 * sizeof(*world->other.entries));
    world->plan.steps = arena_alloc(world->memory, 200 * sizeof(*world->plan.steps));
}

/* What the next level of a booking costs, planned piece by piece into `free`. */
static double plan_slowly(struct world *world, const struct booking *booking,
                          const struct timeline *free, struct prospect *prospect)
{
    struct error error;

    timeline_release(free, &booking->reservation, booking->job->scaling, &world->released);
    assert_int_equal(plan_deadline(&world->book.grid, &booking->demand, &world->released,
                                   booking->level + 1, &world->plan, prospect, &error),
                     0);
    return reservation_gpu_seconds(&world->plan, booking->job->scaling);
}

static bool can_ask(const struct world *world, const struct booking *booking)
{
    const struct scaling *scaling = booking->job->scaling;

    return booking->level > 0 && booking->level < scaling->top &&
           scaling->gpus[booking->level + 1] - scaling->gpus[booking->level] <=
               world->book.free.entries[0].free_gpus;
}

static void check_plan(const struct world *world, const struct quick_question *question,
                       const struct quick_answer *answer, const struct prospect *prospect,
                       struct tally *tally)
{
    struct step steps[4];
    struct reservation quick = {.steps = steps};
    double finish_s;

    if (!quick_plan(question, answer, &quick, &finish_s))
        return;
    tally->planned++;
    assert_true(finish_s == prospect->finish_s);
    assert_true(quick.end_s == world->plan.end_s);
    assert_int_equal(quick.count, world->plan.count);
    for (int i = 0; i < quick.count; i++) {
        assert_true(steps[i].at_s == world->plan.steps[i].at_s);
        assert_int_equal(steps[i].level, world->plan.steps[i].level);
    }
}

/* The value in force at `at_s`, 0 before the start. */
static int value_at(const struct timeline *timeline, double at_s)
{
    int value = 0;

    for (int i = 0; i < timeline->count && timeline->entries[i].at_s <= at_s; i++)
        value = timeline->entries[i].free_gpus;
    return value;
}

/* How `to` differs from `from`. */
static int list_deltas(const struct timeline *from, const struct timeline *to,
                       struct timeline_delta deltas[])
{
    int i = 0;
    int k = 0;
    int count = 0;
    int more = 0;

    while (i < from->count || k < to->count) {
        double at_s = HUGE_VAL;
        int now_more;

        if (i < from->count)
            at_s = from->entries[i].at_s;
        if (k < to->count && to->entries[k].at_s < at_s)
            at_s = to->entries[k].at_s;
        i += i < from->count && from->entries[i].at_s == at_s;
        k += k < to->count && to->entries[k].at_s == at_s;
        now_more = value_at(to, at_s) - value_at(from, at_s);
        if (now_more != more || count == 0)
            deltas[count++] = (struct timeline_delta){at_s, now_more - more};
        more = now_more;
    }
    return count;
}

/* Another job's reservation is planned again: does the answer stand exactly as long as it
 * says? */
static void check_standing(rng_t *rng, struct world *world, struct quick_question question,
                           const struct booking *booking, const struct quick_answer *answer,
                           struct tally *tally)
{
    const struct booking *other = &world->book.bookings[below(rng, (int)world->book.count)];
    struct timeline_delta deltas[400];
    struct free_outlook outlook;
    struct prospect prospect;
    const double change_s = question.change_s;
    times_t times = 0;
    bool is_untouched;
    int count;

    if (other == booking || !can_ask(world, other))
        return;
    (void)plan_slowly(world, other, &world->book.free, &prospect);
    planning_reserve(&world->released, &world->plan, &prospect, other->job->scaling, &world->other);
    if (world->other.entries[0].free_gpus < booking->job->scaling->gpus[booking->level + 1] -
                                                booking->job->scaling->gpus[booking->level])
        return;
    count = list_deltas(&world->book.free, &world->other, deltas);
    free_outlook_update(&outlook, &world->other, world->book.grid.gpu_count);
    question.outlook = &outlook;
    for (int i = 1; i < count; i++)
        times |= times_at(question.grid, deltas[i].at_s);
    question.change_s =
        timeline_first_change_released(&world->other, &booking->reservation, booking->job->scaling,
                                       booking->demand.deadline_slot_end_s);
    is_untouched =
        question.change_s == change_s && quick_answer_is_untouched(&outlook, answer, times);
    tally->untouched += is_untouched;
    if (!quick_answer_stands(&question, answer, deltas, count)) {
        assert_false(is_untouched);
        tally->fell++;
        return;
    }
    tally->stood++;
    assert_true(plan_slowly(world, booking, &world->other, &prospect) == answer->gpu_seconds);
}

static void ask(rng_t *rng, struct world *world, const struct booking *booking, struct tally *tally)
{
    const struct scaling *scaling = booking->job->scaling;
    struct free_outlook outlook;
    struct own_changes own;
    struct quick_answer answer;
    struct prospect prospect;
    struct quick_question question = {.grid = &world->book.grid,
                                      .outlook = &outlook,
                                      .demand = &booking->demand,
                                      .own = &own,
                                      .forced_level = booking->level + 1};

    if (!own_changes_of(&own, &booking->reservation, scaling))
        return;
    free_outlook_update(&outlook, &world->book.free, world->book.grid.gpu_count);
    question.change_s = timeline_first_change_released(
        &world->book.free, &booking->reservation, scaling, booking->demand.deadline_slot_end_s);
    tally->asked++;
    if (!quick_probe(&question, &answer))
        return;
    tally->answered++;
    assert_true(plan_slowly(world, booking, &world->book.free, &prospect) == answer.gpu_seconds);
    check_plan(world, &question, &answer, &prospect, tally);
    check_standing(rng, world, question, booking, &answer, tally);
}

static void ask_under(const char *rules, uint64_t seed, struct world *world, struct tally *tally)
{
    const char *const types[] = {"A100", "T4"};
    struct variant variant;
    struct error error;

    assert_int_equal(policy_with_rules(policy_find("ef"), rules, &variant, &error), 0);
    for (size_t t = 0; t < 2; t++) {
        tables_t *tables = tables_new(types[t]);
        rng_t rng = rng_new(seed, types[t]);

        for (int i = 0; i < test_times(BOOKS); i++) {
            make_world(&rng, tables, &variant.rules, world);
            for (size_t k = 0; k < world->book.count; k++)
                if (can_ask(world, &world->book.bookings[k]))
                    ask(&rng, world, &world->book.bookings[k], tally);
        }
        tables_destroy(&tables);
    }
}

TEST(a_quick_answer_is_the_slow_one)
{
    static const char *const rules[] = {"reference", "EF-Q12", "EF-Q27,EF-Q28", "EF-Q41", "clean"};
    const uint64_t seed = test_seed();
    struct world world = {.memory = arena_new()};

    for (size_t i = 0; i < COUNT(rules); i++) {
        struct tally tally = {0};

        ask_under(rules[i], seed, &world, &tally);
        printf("%s: %ld asked, %ld answered, %ld planned; %ld stood, %ld untouched, %ld fell\n",
               rules[i], tally.asked, tally.answered, tally.planned, tally.stood, tally.untouched,
               tally.fell);
        assert_true(tally.asked > 5000);
        assert_true(tally.answered > tally.asked / 4);
        assert_true(tally.planned > tally.answered / 2);
        assert_true(tally.stood > tally.untouched && tally.untouched > 100);
        assert_true(tally.fell > 100);
    }
    arena_destroy(&world.memory);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
