/* fair_shares.c - see fair_shares.h. */
#include "scheduler/reference/fair_shares.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define BISECTIONS   200
#define NEWTON_STEPS 30

/* A job with so large a share at least decides the optimum; it comes as 1 less rounding. */
#define CRITICAL (1 - 1e-12)

/* The shares with which no job's ratio exceeds `ratio`; returns the GPUs that they take. */
static double find_least(struct fair_claim *claims, size_t count, double ratio)
{
    double gpus = 0;

    for (size_t i = 0; i < count; i++) {
        const double least = claims[i].need / (ratio * claims[i].fair - claims[i].elapsed);

        claims[i].least = least < 1 ? least : 1;
        gpus += claims[i].gpus * claims[i].least;
    }
    return gpus;
}

/* The smallest ratio that all time there is allows. */
static double ratio_bound(const struct fair_claim *claims, size_t count)
{
    double bound = 0;

    for (size_t i = 0; i < count; i++) {
        const double ratio = (claims[i].elapsed + claims[i].need) / claims[i].fair;

        if (i == 0 || ratio > bound)
            bound = ratio;
    }
    return bound;
}

static bool is_critical(const struct fair_claim *claim)
{
    return claim->least >= CRITICAL;
}

/* Where a share lies between the least one and 1 if `spare` GPUs are left over: the root of
 * 2 / (x - least) = 1 / (1 - x) + gpus / spare. */
static double centre(const struct fair_claim *claim, double spare)
{
    const double weight = claim->gpus / spare;
    const double room = 1 - claim->least;
    const double middle = weight * room + 3;

    return claim->least + 4 * room / (middle + sqrt(middle * middle - 8 * weight * room));
}

/* The GPUs that are left over if the shares are those for `spare`. */
static double left_over(const struct fair_claim *claims, size_t count, double gpus, double spare)
{
    double taken = 0;

    for (size_t i = 0; i < count; i++)
        if (!is_critical(&claims[i]))
            taken += claims[i].gpus * centre(&claims[i], spare);
    return gpus - taken;
}

/* Whether more than `spare` GPUs are left over if the shares are those for `spare`. */
static bool leaves_more(const struct fair_claim *claims, size_t count, double gpus, double spare)
{
    return spare < left_over(claims, count, gpus, spare);
}

/* A step of Newton from `spare` towards what its shares leave over. */
static double improve_spare(const struct fair_claim *claims, size_t count, double gpus,
                            double spare)
{
    double excess = gpus - spare;
    double slope = 1;

    for (size_t i = 0; i < count; i++) {
        const struct fair_claim *claim = &claims[i];
        double share;
        double above;
        double below;

        if (is_critical(claim))
            continue;
        share = centre(claim, spare);
        above = spare / (share - claim->least);
        below = spare / (1 - share);
        excess -= claim->gpus * share;
        slope += claim->gpus * claim->gpus / (2 * above * above + below * below);
    }
    return spare + excess / slope;
}

/* From a `spare` that is too small: what is left over falls ever more slowly, so that each step of
 * Newton comes nearer. What it finds is right but for roundings. */
static double estimate_spare(const struct fair_claim *claims, size_t count, double gpus,
                             double spare)
{
    for (int i = 0; i < NEWTON_STEPS; i++) {
        const double better = improve_spare(claims, count, gpus, spare);

        if (!(better > spare * (1 + 4 * DBL_EPSILON)))
            break;
        spare = better;
    }
    return spare;
}

/* The smallest double that is not less than what its shares leave over. Rounded sums need not rise
 * with the shares, so that bisection ends where it does by its very steps; but only those near the
 * root are in doubt, and no other is asked. */
static double find_spare(const struct fair_claim *claims, size_t count, double gpus, double needed)
{
    const double about =
        estimate_spare(claims, count, gpus, (gpus - needed) / (1 + 2 * (double)count));
    double margin = 4 * DBL_EPSILON * (double)(count + 4) * gpus;
    double low = 0;
    double high = gpus;

    if (!(margin < about) || !leaves_more(claims, count, gpus, about - margin) ||
        leaves_more(claims, count, gpus, about + margin))
        margin = gpus;
    for (int i = 0; i < BISECTIONS; i++) {
        const double spare = 0.5 * (low + high);

        if (!(low < spare && spare < high))
            break;
        if (spare < about - margin ||
            (spare <= about + margin && leaves_more(claims, count, gpus, spare)))
            low = spare;
        else
            high = spare;
    }
    return high;
}

/* The ratio is bound by the critical jobs, which take all time there is. */
static void share_spare(struct fair_claim *claims, size_t count, double gpus)
{
    double needed = 0;
    bool others = false;
    double spare;

    for (size_t i = 0; i < count; i++) {
        claims[i].share = is_critical(&claims[i]) ? 1 : claims[i].least;
        gpus -= is_critical(&claims[i]) ? claims[i].gpus : 0;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_critical(&claims[i])) {
            needed += claims[i].gpus * claims[i].least;
            others = true;
        }
    if (!others || gpus - needed <= 0)
        return;
    spare = find_spare(claims, count, gpus, needed);
    for (size_t i = 0; i < count; i++)
        if (!is_critical(&claims[i]))
            claims[i].share = centre(&claims[i], spare);
}

/* The ratio is bound by the GPUs: it rises from `ratio` until the shares fit. */
static void share_scarce(struct fair_claim *claims, size_t count, double gpus, double ratio)
{
    double low = ratio;
    double high = 2 * ratio;

    while (find_least(claims, count, high) > gpus) {
        low = high;
        high = 2 * high;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);

        if (!(low < middle && middle < high))
            break;
        if (find_least(claims, count, middle) > gpus)
            low = middle;
        else
            high = middle;
    }
    (void)find_least(claims, count, high);
    for (size_t i = 0; i < count; i++)
        claims[i].share = claims[i].least;
}

void fair_shares(struct fair_claim *claims, size_t count, double gpus)
{
    const double ratio = ratio_bound(claims, count);

    if (find_least(claims, count, ratio) <= gpus)
        share_spare(claims, count, gpus);
    else
        share_scarce(claims, count, gpus, ratio);
}
