/* rng.c - see rng.h. */
#include "common/rng.h"

#include <assert.h>
#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

rng_t rng_new(uint64_t seed, const char *purpose)
{
    uint64_t state = seed;
    rng_t self;

    for (const char *c = purpose; *c; c++) {
        state ^= (unsigned char)*c;
        state = splitmix(&state);
    }
    for (int i = 0; i < 4; i++)
        self.state[i] = splitmix(&state);
    return self;
}

void rng_archive(rng_t *self, struct archive *archive)
{
    for (int i = 0; i < 4; i++)
        ARCHIVE(archive, &self->state[i]);
}

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t rng_next(rng_t *self)
{
    uint64_t *s = self->state;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

double rng_unit(rng_t *self)
{
    return (double)(rng_next(self) >> 11) * 0x1p-53;
}

double rng_uniform(rng_t *self, double low, double high)
{
    assert(low <= high);
    return low + (high - low) * rng_unit(self);
}

uint64_t rng_below(rng_t *self, uint64_t count)
{
    uint64_t limit;
    uint64_t drawn;

    assert(count > 0);
    limit = UINT64_MAX - UINT64_MAX % count;
    do
        drawn = rng_next(self);
    while (drawn >= limit);
    return drawn % count;
}

double rng_exponential(rng_t *self, double mean)
{
    return -mean * log(1.0 - rng_unit(self));
}

double rng_log_uniform(rng_t *self, double low, double high)
{
    assert(low > 0 && low <= high);
    return exp(rng_uniform(self, log(low), log(high)));
}
