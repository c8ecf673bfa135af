/* correction.c - see correction.h. */
#include "scheduler/run/correction.h"

#include <math.h>

/* Whether the iterations are only an error of rounding, which no round would ever do. */
static bool is_nothing(const struct books *books, double iterations)
{
    return iterations <= 1e-9 * books->iterations;
}

bool books_end_with(const struct books *books, const struct progress *progress)
{
    const bool by_seconds = books->attained_s + progress->worked_s >= books->whole_s;
    const bool by_iterations = is_nothing(books, books->iterations_left - progress->iterations);

    if (books->measure == MEASURE_SECONDS)
        return by_seconds;
    return by_iterations || (books->measure == MEASURE_EITHER && by_seconds);
}

/* The iterations at the observed pace. The expected progress stops at the job's end, but a slower
 * job works for the whole interval. */
static double iterations_at_pace(const struct books *books, const struct progress *expected,
                                 double pace)
{
    const double whole = (double)expected->worked_s * books->rate;
    const bool ends = is_nothing(books, books->iterations_left - expected->iterations);
    const double iterations =
        pace * (ends ? fmax(whole, expected->iterations) : expected->iterations);

    return fmin(iterations, books->iterations_left);
}

/* Slows the progress down. Seconds are credited whole. `uncredited_s` carries the rest to the next
 * interval. */
static void slow_down(const struct books *books, const struct observed *observed,
                      double *uncredited_s, struct progress *progress)
{
    const double iterations = iterations_at_pace(books, progress, observed->pace);
    const double worked_s =
        (double)progress->worked_s * observed->pace - observed->lost / books->rate + *uncredited_s;

    if (books->measure != MEASURE_ITERATIONS) {
        progress->worked_s = (int64_t)floor(worked_s);
        *uncredited_s = worked_s - floor(worked_s);
    }
    progress->iterations = iterations - observed->lost;
    if (books->iterations_left - progress->iterations > books->iterations)
        progress->iterations = books->iterations_left - books->iterations;
    if (books->attained_s + progress->worked_s < 0)
        progress->worked_s = -books->attained_s;
}

/* The seconds that `left` iterations take: at least one, and no more than the whole job. */
static int64_t seconds_left(const struct books *books, double left)
{
    const double seconds = ceil(left / books->rate);

    if (seconds < 1)
        return 1;
    return seconds < (double)books->whole_s ? (int64_t)seconds : books->whole_s;
}

static void leave(const struct books *books, double left, struct progress *progress)
{
    const double iterations = books->iterations_left - left;
    int64_t worked_s;

    if (progress->iterations > iterations)
        progress->iterations = iterations;
    if (books->measure == MEASURE_ITERATIONS)
        return;
    worked_s = books->whole_s - seconds_left(books, left) - books->attained_s;
    if (progress->worked_s > worked_s)
        progress->worked_s = worked_s;
}

/* A job that counts seconds ends only if its end is expected, as its observed iterations may be
 * done earlier. */
void books_correct(const struct books *books, const struct observed *observed, double *uncredited_s,
                   struct progress *progress)
{
    const bool may_end = progress->done || books->measure == MEASURE_ITERATIONS;

    slow_down(books, observed, uncredited_s, progress);
    if (observed->left > 0)
        leave(books, observed->left, progress);
    if (observed->over)
        progress->iterations = books->iterations_left;
    progress->iterations_done = is_nothing(books, books->iterations_left - progress->iterations);
    if (progress->iterations_done)
        progress->iterations = books->iterations_left;
    progress->done = may_end && books_end_with(books, progress);
    progress->ended_s = books->now_s;
    progress->early_s = 0;
}
