/* policy.c - the table of policies. */
#include "scheduler/policies/policy.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* One line a policy: */
extern const struct policy policy_ef_accessctrl;
extern const struct policy policy_ef;
extern const struct policy policy_edf;
extern const struct policy policy_edf_accessctrl;

static const struct policy *const policies[] = {
    &policy_ef_accessctrl,
    &policy_ef,
    &policy_edf,
    &policy_edf_accessctrl,
};

#define POLICY_COUNT (sizeof(policies) / sizeof(policies[0]))

const struct policy *policy_find(const char *name)
{
    for (size_t i = 0; i < POLICY_COUNT; i++)
        if (!strcmp(policies[i]->name, name))
            return policies[i];
    return NULL;
}

const char *const *policy_names(void)
{
    static const char *names[POLICY_COUNT + 1];

    for (size_t i = 0; i < POLICY_COUNT; i++)
        names[i] = policies[i]->name;
    return names;
}

int policy_gpus_measured(const struct job *job, const char *gpu_type)
{
    const struct throughput_row *row = job->throughput;
    int gpus = 1;

    (void)gpu_type;
    for (int i = 0; i < row->level_count && row->iters_per_s[i] > 0; i++)
        gpus = row->gpus[i];
    return gpus;
}
