/* margins.h - the work beyond its profile that the course of a job pays for, so that its promise
 * holds with a stated chance. The margin follows from how slow other jobs were beside their
 * profiles.
 *
 * Source of the quantile: split conformal prediction, Vovk et al., Algorithmic Learning in a Random
 * World, 2005: of n jobs seen and one more, each is equally likely to be the slowest. */
#ifndef PLANNER_MARGINS_H
#define PLANNER_MARGINS_H

#include "common/archive.h"
#include <stddef.h>
#include <stdint.h>

/* Number of the last jobs with a known speed that predict how slow the next job is. */
#define MARGINS_JOBS 200

/* A job with known speed: its model, and how slow it was. */
struct margin_job {
    uint64_t model; /* a checksum of its name */
    double lag;     /* 1 - real by profiled speed */
};

/* All zero: no job was seen. */
struct margins {
    struct margin_job jobs[MARGINS_JOBS];
    size_t count; /* number of all jobs ever seen */
};

/* Notes a job of `model`, whose lag is known. */
void margins_hear(struct margins *self, const char *model, double lag);

/* The share of its work beyond its profile that a job of `model` needs at most, with a chance of
 * `confidence` per cent, below 100. At least 0, and 0 for a confidence of 0. Counts jobs of the
 * model where enough were seen, else jobs of other models too, and a prior before any. */
double margins_of(const struct margins *self, const char *model, double confidence);

/* Reads or writes the margins; see common/archive.h. */
void margins_archive(struct margins *self, struct archive *archive);

#endif
