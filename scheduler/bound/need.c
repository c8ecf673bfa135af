/* need.c - see need.h.
 *
 * Let a job of W iterations and a window of L seconds have the rate T on g GPUs, where a start
 * costs o seconds. A schedule that ends it on time and trains it at this level for p seconds holds
 * the g GPUs for at least p + o seconds, as a job comes to a level by a start or a resize, and both
 * are paid for. It is p <= P = min(W/T, L - o): more is either not needed or not there. So
 *
 *     p + o >= p * (P + o) / P,
 *
 * which is to say that the level never does better than the rate T * P / (P + o) without any start.
 * A job that stays at one level needs exactly W/T + o seconds by this rate. It follows that the
 * largest of these rates brings the job to its end within L just if some level does it alone. */
#include "scheduler/bound/need.h"

#include "scheduler/plan/prices.h"

#include <assert.h>
#include <math.h>

/* No throughput was measured on more GPUs. */
#define GPUS_MAX 64

/* Times of a trace are whole, rates are not. A job that is late by this share of its window may
 * still end on the second. */
#define ROUNDING 1e-9

struct start_prices start_prices_of(enum starts starts, int cluster_gpus)
{
    struct start_prices self = {{0}};
    prices_t *prices = prices_new(cluster_gpus, 0);

    for (int i = 1; starts != STARTS_FREE && i < SCALING_CLASSES; i++)
        self.of_class_s[i] =
            starts == STARTS_KNOWN ? prices_of_known(prices) : prices_of_new(prices, 1 << (i - 1));
    prices_destroy(&prices);
    return self;
}

/* The rate of a level with its start, see above; 0 if there is no time for more than that. */
static double rate_with_start(double iterations, double window_s, double rate, double start_s)
{
    const double trained_s = fmin(iterations / rate, window_s - start_s);

    return trained_s > 0 ? rate * trained_s / (trained_s + start_s) : 0;
}

struct corner {
    double gpus;
    double rate;
};

static double gain(struct corner from, struct corner to)
{
    return (to.rate - from.rate) / (to.gpus - from.gpus);
}

/* Adds a corner to the concave hull of the corners before it, which begins at no GPUs. Returns the
 * number of corners of the hull. */
static int add_corner(struct corner hull[], int count, struct corner next)
{
    if (next.rate <= hull[count - 1].rate)
        return count;
    while (count > 1 && gain(hull[count - 2], hull[count - 1]) <= gain(hull[count - 1], next))
        count--;
    hull[count] = next;
    return count + 1;
}

/* Whether the number of GPUs at `level` counts. A row with a single number of GPUs may have any
 * number, other rows only powers of two. */
static bool is_level(const struct throughput_row *row, int level)
{
    const int gpus = row->gpus[level];

    return row->level_count == 1 || (gpus & (gpus - 1)) == 0;
}

static int gpus_max(const struct submission *job, int cluster_gpus)
{
    const int measured = job->throughput->level_count == 1 ? cluster_gpus : GPUS_MAX;
    const int most = cluster_gpus < measured ? cluster_gpus : measured;

    return job->batch_size < most ? job->batch_size : most;
}

static int find_hull(const struct submission *job, int cluster_gpus, double window_s,
                     const struct start_prices *prices, struct corner hull[])
{
    const struct throughput_row *row = job->throughput;
    const int most = gpus_max(job, cluster_gpus);
    double best = 0;
    int count = 1;

    hull[0] = (struct corner){0, 0};
    for (int i = 0; i < row->level_count && row->gpus[i] <= most; i++) {
        const double rate = row->iters_per_s[i];
        const int start_s = prices->of_class_s[scaling_class(row->gpus[i])];

        if (!(rate > best) || !is_level(row, i)) /* a NaN is never above */
            continue;
        best = rate;
        count = add_corner(hull, count,
                           (struct corner){row->gpus[i], rate_with_start((double)job->iterations,
                                                                         window_s, rate, start_s)});
    }
    return count;
}

static bool find_need(const struct submission *job, int64_t end_s, int cluster_gpus,
                      const struct start_prices *prices, struct need *need)
{
    struct corner hull[SCALING_LEVELS];
    double possible;
    double window_s;
    int corners;

    assert(job->throughput);
    if (job->best_effort || end_s == DEADLINE_NONE_S)
        return false;
    *need = (struct need){.begin_s = job->submit_s, .end_s = end_s, .worth = 1};
    window_s = (double)(need->end_s - need->begin_s);
    corners = find_hull(job, cluster_gpus, window_s, prices, hull);
    possible = hull[corners - 1].rate * window_s;
    if (possible < (double)job->iterations * (1 - ROUNDING) || corners == 1)
        return false;
    need->iterations = fmin((double)job->iterations, possible);
    need->step_count = corners - 1;
    for (int i = 0; i < need->step_count; i++) {
        need->step_gpus[i] = hull[i + 1].gpus - hull[i].gpus;
        need->step_rate[i] = hull[i + 1].rate - hull[i].rate;
    }
    return true;
}

bool need_of(const struct submission *job, int cluster_gpus, const struct start_prices *prices,
             struct need *need)
{
    return find_need(job, submission_last_s(job), cluster_gpus, prices, need);
}

size_t needs_of_dates(const struct submission *job, int cluster_gpus,
                      const struct start_prices *prices, struct need needs[LEVELS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < job->level_count; i++) {
        struct need *need = &needs[count];

        if (!find_need(job, job->levels[i].deadline_s, cluster_gpus, prices, need))
            continue;
        need->worth = (double)job->levels[i].value;
        need->is_other = count > 0;
        count += need->worth > 0;
    }
    return count;
}

size_t needs_end(const struct need needs[], size_t need_count, size_t first)
{
    size_t end = first + 1;

    while (end < need_count && needs[end].is_other)
        end++;
    return end;
}
