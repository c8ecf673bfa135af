/* leasing.c - see leasing.h. */
#include "scheduler/reference/leasing.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const char *const objectives[] = {
    [OBJECTIVE_ADAPTIVE] = "adaptive", [OBJECTIVE_MAXIMIZE] = "maximize",
    [OBJECTIVE_MINIMIZE] = "minimize", [OBJECTIVE_RANDOM] = "random",
    [OBJECTIVE_RANDOM + 1] = NULL,
};

const char *const *lease_objective_names(void)
{
    return objectives;
}

const char *lease_objective_name(enum lease_objective objective)
{
    return objectives[objective];
}

enum lease_objective lease_objective_find(const char *name)
{
    size_t index = 0;

    while (objectives[index + 1] && strcmp(objectives[index], name) != 0)
        index++;
    return (enum lease_objective)index;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b > 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

int leasing_settle(struct leasing *self, int64_t slot_s, struct error *error)
{
    const int64_t common_s = common_divisor(self->lease_s, self->admission_s);

    if (self->check_s == 0)
        self->check_s = common_divisor(slot_s, common_s);
    if (common_s % self->check_s == 0)
        return 0;
    return error_set(error,
                     "--check_time_interval: %" PRId64
                     " s does not divide both the lease of %" PRId64 " s and the %" PRId64
                     " s between admissions (CH-Q12)",
                     self->check_s, self->lease_s, self->admission_s);
}

/* Lease rounds and admissions drift against each other by what they have in common, so that every
 * distance from a round to the next admission comes up as often as any other. One of a lease or
 * more brings no run. */
double leasing_run_mean_s(const struct leasing *self)
{
    const double lease_s = (double)self->lease_s;
    const double admission_s = (double)self->admission_s;
    const double common_s = (double)common_divisor(self->lease_s, self->admission_s);

    return admission_s > lease_s ? (lease_s + common_s) / 2
                                 : lease_s - (admission_s - common_s) / 2;
}
