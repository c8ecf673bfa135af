/* water_filling_test.c - where a job does its work, and how much of it is worth its price. */
#include "scheduler/bound/water_filling.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

#include <math.h>

#define CLOSE(value, expected) assert_true(fabs((value) - (expected)) < 1e-6)

/* Ten iterations within two intervals of ten seconds, one a second on a GPU and 1.5 on two. */
static const struct need need = {
    .begin_s = 0,
    .end_s = 20,
    .worth = 1,
    .iterations = 10,
    .step_count = 2,
    .step_gpus = {1, 1},
    .step_rate = {1, 0.5},
};
static const struct grid_span whole = {.first = 0, .end = 2, .first_share = 1, .last_share = 1};
static const struct load_price tariff = {.capacity_gpus = 4, .stiffness = 0.01, .slope = 1e-6};

static const struct date_seat seat = {.price = 0};

static struct filling fill(struct stretch first, struct stretch second,
                           const struct grid_span *span, double gpus[])
{
    const struct stretch intervals[] = {first, second};
    struct filling filling = {.gpus = gpus};

    water_fill(&need, span, &tariff, intervals, &seat, &filling);
    return filling;
}

static struct stretch interval(double load_gpus, double multiplier)
{
    return (struct stretch){.length_s = 10, .load_gpus = load_gpus, .multiplier = multiplier};
}

TEST(work_is_spread_where_gpus_are_free)
{
    double gpus[2];
    const struct filling filling = fill(interval(0, 0), interval(0, 0), &whole, gpus);

    CLOSE(filling.part, 1);
    CLOSE(gpus[0], 0.5);
    CLOSE(gpus[1], 0.5);
}

TEST(work_is_done_where_fewer_gpus_are_taken)
{
    double gpus[2];
    const struct filling filling = fill(interval(1.5, 0), interval(1.25, 0), &whole, gpus);

    CLOSE(filling.part, 1);
    CLOSE(gpus[0], 0.375);
    CLOSE(gpus[1], 0.625);
}

/* The second step would need twice the GPU-seconds. */
TEST(no_more_gpus_are_taken_than_the_deadline_asks_for)
{
    double gpus[2];
    const struct filling filling = fill(interval(4, 0.01), interval(0, 0), &whole, gpus);

    CLOSE(filling.part, 1);
    CLOSE(gpus[0], 0);
    CLOSE(gpus[1], 1);
}

TEST(nothing_is_done_that_costs_more_than_it_is_worth)
{
    double gpus[2];
    const struct filling filling = fill(interval(4, 1), interval(4, 1), &whole, gpus);

    CLOSE(filling.part, 0);
    CLOSE(gpus[0], 0);
    CLOSE(gpus[1], 0);
}

/* With p GPUs more in each interval a GPU-second costs 0.098 + 0.01 p, and ten do the job. */
TEST(a_part_is_done_up_to_where_it_is_not_worth_more)
{
    double gpus[2];
    const struct filling filling = fill(interval(4, 0.098), interval(4, 0.098), &whole, gpus);

    assert_true(fabs(filling.part - 0.4) < 1e-3);
    assert_true(fabs(gpus[0] - 0.2) < 1e-3);
    CLOSE(gpus[0], gpus[1]);
}

/* Half of the first interval is the job's: there it has one GPU for half of the time at most before
 * it takes a second one. */
TEST(a_job_stays_within_its_share_of_an_interval)
{
    const struct grid_span late = {.first = 0, .end = 2, .first_share = 0.5, .last_share = 1};
    double gpus[2];
    const struct filling filling = fill(interval(0, 0), interval(4, 0.05), &late, gpus);

    CLOSE(filling.part, 1);
    CLOSE(gpus[0], 1);
    CLOSE(gpus[1], 0.25);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
