/* survival.c - see survival.h. */
#include "scheduler/planner/survival.h"

#include <math.h>
#include <stdio.h>

/* The weight of a stated prior, and of none, in failures. */
#define PRIOR_FAILURES    1
#define JEFFREYS_FAILURES 0.5

struct failure_rate failure_rate_certain(double mtbf_s)
{
    return (struct failure_rate){INFINITY, mtbf_s};
}

struct failure_rate failure_rate_seen(const struct failures *seen, int64_t prior_mtbf_s)
{
    if (prior_mtbf_s > 0)
        return (struct failure_rate){(double)seen->count + PRIOR_FAILURES,
                                     seen->node_s + PRIOR_FAILURES * (double)prior_mtbf_s};
    return (struct failure_rate){(double)seen->count + JEFFREYS_FAILURES, seen->node_s};
}

double failure_rate_mtbf_s(const struct failure_rate *self)
{
    return isinf(self->shape) ? self->node_s : self->node_s / self->shape;
}

double survival_chance(const struct failure_rate *rate, double node_s, int losses)
{
    const bool is_certain = isinf(rate->shape);
    const double share = node_s / (rate->node_s + node_s);
    double chance = 0;
    double term;

    if (rate->node_s <= 0)
        return NAN;
    term = is_certain ? exp(-node_s / rate->node_s)
                      : exp(rate->shape * log1p(-share)); /* the chance of no failure */
    for (int k = 0; k <= losses; k++) {
        chance += term;
        term *= is_certain ? node_s / rate->node_s / (k + 1) : share * (rate->shape + k) / (k + 1);
    }
    return fmin(chance, 1);
}

/* Tolerance, in units of the last digit. */
#define ROUNDING 1e-6

/* Writes as many digits as tell the chance from 1, up to four after the point. */
const char *survival_text(double chance, char text[CHANCE_BYTES])
{
    int digits = 1;

    while (digits < 4 && 100 * (1 - chance) * pow(10, digits) < 1 - ROUNDING)
        digits++;
    (void)snprintf(text, CHANCE_BYTES, "%.*f %%", digits,
                   floor(100 * chance * pow(10, digits) + ROUNDING) / pow(10, digits));
    return text;
}

const char *survival_sentence(double chance, int losses, char text[SURVIVAL_BYTES])
{
    char share[CHANCE_BYTES];

    if (losses == 0)
        (void)snprintf(text, SURVIVAL_BYTES,
                       "its promise survives no loss of a node: %s of such jobs lose none",
                       survival_text(chance, share));
    else
        (void)snprintf(text, SURVIVAL_BYTES,
                       "its promise survives the loss of %d node%s: %s of such jobs lose no more",
                       losses, losses == 1 ? "" : "s", survival_text(chance, share));
    return text;
}
