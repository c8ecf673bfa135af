/* fair_shares.c - see fair_shares.h. */
#include "scheduler/reference/fair_shares.h"

#include "common/memory.h"
#include "common/wide.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define BISECTIONS   200
#define NEWTON_STEPS 30

/* A job whose share is at least this large decides the optimum. Rounding makes a full share
 * slightly less than 1. */
#define CRITICAL (1 - 1e-12)

/* Sets the least shares with which no job's ratio exceeds `ratio`. Returns the GPUs that they
 * take. */
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

/* The smallest ratio that jobs can reach if they get all the time. */
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

/* The claims that are not critical, field by field, so that several divisions and roots are done at
 * once. */
struct open_claims {
    size_t count;
    double *gpus;
    double *least;
    double *room; /* room from the least share to 1 */
    double *held; /* GPUs that each job would hold; from the last call of left_over() */
};

/* The share between the least share and 1 if `spare` GPUs are left over: the root of 2 / (x -
 * least) = 1 / (1 - x) + gpus / spare. */
static double centre(double gpus, double least, double room, double spare)
{
    const double weight = gpus / spare;
    const double middle = weight * room + 3;

    return least + 4 * room / (middle + sqrt(middle * middle - 8 * weight * room));
}

/* The GPUs left over with the shares for `spare`. */
WIDE static double left_over(const struct open_claims *open, double gpus, double spare)
{
    const double *restrict asked = open->gpus;
    const double *restrict least = open->least;
    const double *restrict room = open->room;
    double *restrict held = open->held;
    double taken = 0;

    for (size_t i = 0; i < open->count; i++)
        held[i] = asked[i] * centre(asked[i], least[i], room[i], spare);
    for (size_t i = 0; i < open->count; i++)
        taken += held[i];
    return gpus - taken;
}

/* Whether the shares for `spare` leave more than `spare` GPUs over. */
static bool leaves_more(const struct open_claims *open, double gpus, double spare)
{
    return spare < left_over(open, gpus, spare);
}

/* A Newton step from `spare` towards the GPUs that its shares leave over. */
WIDE static double improve_spare(const struct open_claims *open, double gpus, double spare)
{
    double excess = gpus - spare;
    double slope = 1;

    for (size_t i = 0; i < open->count; i++) {
        const double share = centre(open->gpus[i], open->least[i], open->room[i], spare);
        const double above = spare / (share - open->least[i]);
        const double below = spare / (1 - share);

        excess -= open->gpus[i] * share;
        slope += open->gpus[i] * open->gpus[i] / (2 * above * above + below * below);
    }
    return spare + excess / slope;
}

/* Improves a `spare` that is too small. The GPUs left over fall ever more slowly, so each Newton
 * step comes nearer. The result is right but for roundings. */
static double estimate_spare(const struct open_claims *open, double gpus, double spare)
{
    for (int i = 0; i < NEWTON_STEPS; i++) {
        const double better = improve_spare(open, gpus, spare);

        if (!(better > spare * (1 + 4 * DBL_EPSILON)))
            break;
        spare = better;
    }
    return spare;
}

/* The smallest double that is not less than the GPUs that its shares leave over. Rounded sums need
 * not rise with the shares, so the steps of the bisection define its result. Only values near the
 * root are in doubt, and only these are evaluated. */
static double find_spare(const struct open_claims *open, double gpus, double needed)
{
    const double count = (double)open->count;
    const double about = estimate_spare(open, gpus, (gpus - needed) / (1 + 2 * count));
    double margin = 4 * DBL_EPSILON * (count + 4) * gpus;
    double low = 0;
    double high = gpus;

    if (!(margin < about) || !leaves_more(open, gpus, about - margin) ||
        leaves_more(open, gpus, about + margin))
        margin = gpus;
    for (int i = 0; i < BISECTIONS; i++) {
        const double spare = 0.5 * (low + high);

        if (!(low < spare && spare < high))
            break;
        if (spare < about - margin || (spare <= about + margin && leaves_more(open, gpus, spare)))
            low = spare;
        else
            high = spare;
    }
    return high;
}

static void open_claim(struct open_claims *open, const struct fair_claim *claim)
{
    open->gpus[open->count] = claim->gpus;
    open->least[open->count] = claim->least;
    open->room[open->count] = 1 - claim->least;
    open->count++;
}

/* Shares the GPUs where critical jobs, which take all the time, bind the ratio. */
static void share_spare(struct fair_claim *claims, size_t count, double gpus)
{
    double *memory = xcalloc(4 * count, sizeof(*memory));
    struct open_claims open = {.gpus = memory,
                               .least = memory + count,
                               .room = memory + 2 * count,
                               .held = memory + 3 * count};
    double needed = 0;

    for (size_t i = 0; i < count; i++) {
        claims[i].share = is_critical(&claims[i]) ? 1 : claims[i].least;
        gpus -= is_critical(&claims[i]) ? claims[i].gpus : 0;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_critical(&claims[i])) {
            needed += claims[i].gpus * claims[i].least;
            open_claim(&open, &claims[i]);
        }
    if (open.count > 0 && gpus - needed > 0) {
        const double spare = find_spare(&open, gpus, needed);

        for (size_t i = 0; i < count; i++)
            if (!is_critical(&claims[i]))
                claims[i].share =
                    centre(claims[i].gpus, claims[i].least, 1 - claims[i].least, spare);
    }
    free(memory);
}

/* Shares the GPUs where they bind the ratio: the ratio rises from `ratio` until the shares fit. */
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
