/* correction_test.c - progress that was expected becomes what was done. */
#include "scheduler/run/correction.h"

#include "tests/support/test.h"

/* 1000 iterations at 10 a second, half of them done; 40 s of 100 s on its GPUs. */
static struct books books_by(enum work_measure measure)
{
    return (struct books){.measure = measure,
                          .whole_s = 100,
                          .attained_s = 40,
                          .iterations = 1000,
                          .iterations_left = 500,
                          .rate = 10,
                          .now_s = 7000};
}

static struct progress corrected(enum work_measure measure, const struct observed *observed,
                                 struct progress progress)
{
    const struct books books = books_by(measure);
    double uncredited_s = 0;

    books_correct(&books, observed, &uncredited_s, &progress);
    return progress;
}

TEST(a_slow_job_does_less)
{
    const struct progress did = corrected(MEASURE_ITERATIONS, &(struct observed){.pace = 0.5},
                                          (struct progress){.iterations = 200, .worked_s = 20});

    assert_true(did.iterations == 100);
    assert_false(did.done);
}

/* At its profiled speed it takes 50 s of the interval. */
TEST(a_slow_job_has_the_whole_interval_to_end_in)
{
    const struct observed observed = {.pace = 0.5};
    struct progress expected = {
        .iterations = 500, .worked_s = 110, .done = true, .iterations_done = true};
    struct progress did = corrected(MEASURE_ITERATIONS, &observed, expected);

    assert_true(did.done && did.iterations == 500);
    expected.worked_s = 90;
    did = corrected(MEASURE_ITERATIONS, &observed, expected);
    assert_true(!did.done && did.iterations == 450);
}

TEST(a_fast_job_may_be_done)
{
    const struct progress did = corrected(MEASURE_ITERATIONS, &(struct observed){.pace = 2},
                                          (struct progress){.iterations = 300, .worked_s = 30});

    assert_true(did.done && did.iterations_done);
    assert_true(did.iterations == 500);
    assert_int_equal(did.ended_s, 7000);
}

TEST(a_job_that_is_over_is_done_whatever_is_expected)
{
    const struct observed observed = {.pace = 1, .over = true};
    const struct progress work = {.iterations = 20, .worked_s = 2};
    const struct progress did = corrected(MEASURE_ITERATIONS, &observed, work);

    assert_true(did.done && did.iterations_done);
    assert_true(did.iterations == 500);
    assert_int_equal(did.ended_s, 7000);
    assert_false(corrected(MEASURE_SECONDS, &observed, work).done);
}

TEST(what_a_fault_took_back_is_not_done)
{
    const struct progress did =
        corrected(MEASURE_ITERATIONS, &(struct observed){.pace = 1, .lost = 250},
                  (struct progress){.iterations = 100, .worked_s = 10});

    assert_true(did.iterations == -150);
    assert_true(corrected(MEASURE_ITERATIONS, &(struct observed){.lost = 5000},
                          (struct progress){.iterations = 100})
                    .iterations == -500); /* all of it */
}

TEST(what_is_left_stays)
{
    const struct progress all = {
        .iterations = 500, .worked_s = 60, .done = true, .iterations_done = true};
    const struct observed observed = {.pace = 1, .left = 30};
    struct progress did = corrected(MEASURE_ITERATIONS, &observed, all);

    assert_true(did.iterations == 470 && !did.done && !did.iterations_done);
    did = corrected(MEASURE_SECONDS, &observed, all);
    assert_int_equal(did.worked_s, 57);
    assert_false(did.done);
    did = corrected(MEASURE_EITHER, &observed, all);
    assert_false(did.done);
}

TEST(fractions_of_seconds_are_kept)
{
    const struct books books = books_by(MEASURE_SECONDS);
    const struct observed observed = {.pace = 0.5};
    double uncredited_s = 0;
    int64_t worked_s = 0;

    for (int i = 0; i < 4; i++) {
        struct progress progress = {.worked_s = 3};

        books_correct(&books, &observed, &uncredited_s, &progress);
        worked_s += progress.worked_s;
    }
    assert_int_equal(worked_s, 6);
    assert_true(uncredited_s == 0);
}

TEST(seconds_end_a_job_only_where_that_is_expected)
{
    const struct observed observed = {.pace = 1.5};
    const struct progress progress = {.worked_s = 50};
    struct progress ending = progress;

    ending.done = true;
    assert_false(corrected(MEASURE_SECONDS, &observed, progress).done);
    assert_true(corrected(MEASURE_SECONDS, &observed, ending).done);
}

TEST(the_end_is_by_what_the_job_is_measured_by)
{
    const struct progress work = {.iterations = 500, .worked_s = 50};
    const struct progress time = {.iterations = 400, .worked_s = 60};
    struct books books = books_by(MEASURE_ITERATIONS);

    assert_true(books_end_with(&books, &work) && !books_end_with(&books, &time));
    books.measure = MEASURE_SECONDS;
    assert_true(!books_end_with(&books, &work) && books_end_with(&books, &time));
    books.measure = MEASURE_EITHER;
    assert_true(books_end_with(&books, &work) && books_end_with(&books, &time));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
