/* fair_shares.c - see fair_shares.h. */
#include "scheduler/reference/fair_shares.h"

#include <math.h>
#include <stdbool.h>

#define BISECTIONS 200

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

/* The ratio is bound by the critical jobs, which take all time there is. */
static void share_spare(struct fair_claim *claims, size_t count, double gpus)
{
    double needed = 0;
    bool others = false;
    double low = 0;
    double high;

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
    high = gpus;
    for (int i = 0; i < BISECTIONS; i++) {
        const double spare = 0.5 * (low + high);

        if (!(low < spare && spare < high))
            break;
        if (spare < left_over(claims, count, gpus, spare))
            low = spare;
        else
            high = spare;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_critical(&claims[i]))
            claims[i].share = centre(&claims[i], high);
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
