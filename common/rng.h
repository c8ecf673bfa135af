/* rng.h - seeded random streams that give the same numbers on every machine.
 *
 * xoshiro256** 1.0 seeded through splitmix64, both by Blackman and Vigna (public domain). A stream
 * is named by a seed and a purpose, so that drawing more for one purpose never shifts another. */
#ifndef COMMON_RNG_H
#define COMMON_RNG_H

#include "common/archive.h"

#include <stdint.h>

typedef struct rng {
    uint64_t state[4];
} rng_t;

/* The stream of `purpose` under `seed`. */
rng_t rng_new(uint64_t seed, const char *purpose);

/* Writes the state of the stream to `archive`, or reads it back. */
void rng_archive(rng_t *self, struct archive *archive);

uint64_t rng_next(rng_t *self);

/* Uniform in [0, 1), a multiple of 2^-53. */
double rng_unit(rng_t *self);

/* Uniform in [low, high]. */
double rng_uniform(rng_t *self, double low, double high);

/* Uniform in 0 .. count-1, without bias; count > 0. */
uint64_t rng_below(rng_t *self, uint64_t count);

/* Exponential with the given mean: the time between arrivals of a Poisson process. */
double rng_exponential(rng_t *self, double mean);

/* Log-uniform in [low, high]: every order of magnitude alike; 0 < low <= high. */
double rng_log_uniform(rng_t *self, double low, double high);

#endif
