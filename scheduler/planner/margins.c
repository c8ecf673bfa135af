/* margins.c - see margins.h. */
#include "scheduler/planner/margins.h"

#include "common/checksum.h"
#include "scheduler/state/speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Before any job is seen, profiles are taken to be wrong by up to this share, either way. */
#define PRIOR_LAG 0.1

static size_t known(const struct margins *self)
{
    return self->count < MARGINS_JOBS ? self->count : MARGINS_JOBS;
}

static uint64_t key_of(const char *model)
{
    return checksum(CHECKSUM_OF_NOTHING, model, strlen(model));
}

void margins_hear(struct margins *self, const char *model, double lag)
{
    self->jobs[self->count++ % MARGINS_JOBS] = (struct margin_job){key_of(model), lag};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The deviation from the chance, as a standard deviation, that the share of jobs covered by the
 * quantile may have. A quantile of fewer jobs is not used: no margin is below 0, so the median of a
 * few jobs is too careful. */
#define COVERAGE_ERROR 0.05

/* The fewest jobs that have a usable quantile for `chance`. */
static size_t wanted(double chance)
{
    const double jobs = ceil(
        fmax(chance / (1 - chance), chance * (1 - chance) / (COVERAGE_ERROR * COVERAGE_ERROR)) -
        1e-6);

    return jobs < MARGINS_JOBS ? (size_t)jobs : MARGINS_JOBS;
}

/* Appends the lags of jobs that are of `model`, or that are not. Returns how many there are. */
static size_t gather(const struct margins *self, uint64_t model, bool of_it, double lags[],
                     size_t count)
{
    for (size_t i = 0; i < known(self); i++)
        if ((self->jobs[i].model == model) == of_it)
            lags[count++] = self->jobs[i].lag;
    return count;
}

/* Fills `lags` up to `until` with lags of the prior, evenly spread. */
static size_t add_prior(double lags[], size_t count, size_t until)
{
    const size_t lack = until > count ? until - count : 0;

    for (size_t i = 0; i < lack; i++)
        lags[count + i] = PRIOR_LAG * (2 * (double)(i + 1) / (double)(lack + 1) - 1);
    return count + lack;
}

double margins_of(const struct margins *self, const char *model, double confidence)
{
    const double chance = confidence / 100;
    const uint64_t key = key_of(model);
    double lags[MARGINS_JOBS];
    size_t count;
    double rank;
    double lag;

    if (confidence <= 0)
        return 0;
    count = gather(self, key, true, lags, 0);
    if (count < wanted(chance))
        count = add_prior(lags, gather(self, key, false, lags, count), wanted(chance));
    qsort(lags, count, sizeof(lags[0]), compare);
    rank = ceil(chance * (double)(count + 1));
    lag = lags[rank < (double)count ? (size_t)rank - 1 : count - 1];
    return lag > 0 ? 1 / fmax(1 - lag, SPEED_FACTOR_MIN) - 1 : 0;
}

void margins_archive(struct margins *self, struct archive *archive)
{
    ARCHIVE(archive, &self->count);
    for (size_t i = 0; i < known(self); i++) {
        ARCHIVE(archive, &self->jobs[i].model);
        ARCHIVE(archive, &self->jobs[i].lag);
    }
}
