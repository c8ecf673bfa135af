/* message_faults.c - see message_faults.h. */
#include "tests/e2e/tools/message_faults.h"

#include "common/memory.h"
#include "common/number.h"

#include <stdlib.h>
#include <string.h>

#define OVERTAKE_MS 40.0 /* mean, on top of the delay */

/* Messages that were seen lately, for splicing. */
#define SEEN_MAX 64

struct seen {
    unsigned char *bytes;
    size_t size;
};

struct message_faults {
    rng_t rng;
    struct fault_rates rates;
    struct fault_counts counts;
    struct seen seen[SEEN_MAX];
};

static double *rate_of(struct fault_rates *rates, const char *key, size_t length, double *max)
{
    const struct {
        const char *key;
        double *value;
        double max;
    } known[] = {
        {"loss", &rates->loss, 1},          {"duplicate", &rates->duplicate, 1},
        {"reorder", &rates->reorder, 1},    {"flip", &rates->flip, 1},
        {"truncate", &rates->truncate, 1},  {"splice", &rates->splice, 1},
        {"delay", &rates->delay_ms, 60000},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].key) == length && memcmp(known[i].key, key, length) == 0) {
            *max = known[i].max;
            return known[i].value;
        }
    return NULL;
}

int fault_rates_parse(const char *text, struct fault_rates *rates, struct error *error)
{
    *rates = (struct fault_rates){0};
    if (strcmp(text, "none") == 0)
        return 0;
    while (*text) {
        const size_t key = strcspn(text, "=");
        const char *value = text + key + (text[key] == '=');
        const size_t length = strcspn(value, ",");
        double max = 0;
        double *rate = rate_of(rates, text, key, &max);

        if (!rate || number_parse_real(value, length, 0, max, rate) != NUMBER_OK)
            return error_set(error,
                             "\"%s\": expected loss, duplicate, reorder, flip, truncate or splice "
                             "= 0 to 1, or delay = milliseconds",
                             text);
        text = value + length + (value[length] == ',');
    }
    return 0;
}

message_faults_t *message_faults_new(uint64_t seed, const char *direction)
{
    message_faults_t *self = xcalloc(1, sizeof(*self));

    self->rng = rng_new(seed, direction);
    return self;
}

void message_faults_destroy(message_faults_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < SEEN_MAX; i++)
        free((*self)->seen[i].bytes);
    free(*self);
    *self = NULL;
}

void message_faults_set(message_faults_t *self, const struct fault_rates *rates)
{
    self->rates = *rates;
}

static void remember(message_faults_t *self, const unsigned char *bytes, size_t size)
{
    struct seen *seen = &self->seen[self->counts.messages % SEEN_MAX];

    seen->bytes = xrealloc(seen->bytes, size + 1);
    memcpy(seen->bytes, bytes, size);
    seen->size = size;
}

/* Puts the end of another message in place of the end of this one. */
static size_t splice(message_faults_t *self, unsigned char *bytes, size_t size, size_t room)
{
    const struct seen *other = &self->seen[rng_below(&self->rng, SEEN_MAX)];
    const size_t from = rng_below(&self->rng, size + 1);
    const size_t other_from = rng_below(&self->rng, other->size + 1);
    size_t length = other->size - other_from;

    if (length > room - from)
        length = room - from;
    if (length > 0)
        memcpy(bytes + from, other->bytes + other_from, length);
    return from + length;
}

static bool damage(message_faults_t *self, unsigned char *bytes, size_t *size, size_t room)
{
    const bool flips = rng_unit(&self->rng) < self->rates.flip;
    const bool truncates = rng_unit(&self->rng) < self->rates.truncate;
    const bool splices = rng_unit(&self->rng) < self->rates.splice;

    if (*size == 0)
        return false;
    if (flips)
        bytes[rng_below(&self->rng, *size)] ^= (unsigned char)(1U << rng_below(&self->rng, 8));
    if (truncates)
        *size = rng_below(&self->rng, *size);
    if (splices)
        *size = splice(self, bytes, *size, room);
    return flips || truncates || splices;
}

static int64_t draw_delay(message_faults_t *self, double mean_ms)
{
    return mean_ms > 0 ? (int64_t)rng_exponential(&self->rng, mean_ms) : 0;
}

struct fate message_faults_next(message_faults_t *self, unsigned char *bytes, size_t *size,
                                size_t room)
{
    struct fate fate = {.copies = 1};

    remember(self, bytes, *size);
    self->counts.messages++;
    if (rng_unit(&self->rng) < self->rates.loss)
        fate.copies = 0;
    if (rng_unit(&self->rng) < self->rates.duplicate && fate.copies > 0)
        fate.copies = 2;
    fate.overtaken = rng_unit(&self->rng) < self->rates.reorder;
    for (int i = 0; i < 2; i++)
        fate.delay_ms[i] =
            draw_delay(self, self->rates.delay_ms + (fate.overtaken ? OVERTAKE_MS : 0));
    fate.damaged = damage(self, bytes, size, room);
    self->counts.lost += fate.copies == 0;
    self->counts.duplicated += fate.copies == 2;
    self->counts.overtaken += fate.overtaken;
    self->counts.damaged += fate.damaged;
    return fate;
}

const struct fault_counts *message_faults_counts(const message_faults_t *self)
{
    return &self->counts;
}
