/* policy.c - the table of policies. */
#include "scheduler/policies/policy.h"

#include <stddef.h>
#include <string.h>

/* One line a policy: */
extern const struct policy policy_ef_accessctrl;
extern const struct policy policy_ef;
extern const struct policy policy_edf;
extern const struct policy policy_edf_accessctrl;
extern const struct policy policy_gandiva;
extern const struct policy policy_dlas_gpu;
extern const struct policy policy_themis;
extern const struct policy policy_chronus;
extern const struct policy policy_fifo;
extern const struct policy policy_fifo_first_fit;
extern const struct policy policy_srtf;

/* clang-format off */
static const struct policy *const policies[] = {
    &policy_ef_accessctrl,
    &policy_ef,
    &policy_edf,
    &policy_edf_accessctrl,
    &policy_gandiva,
    &policy_dlas_gpu,
    &policy_themis,
    &policy_chronus,
    &policy_fifo,
    &policy_fifo_first_fit,
    &policy_srtf,
};
/* clang-format on */

/* Nothing was measured on more. */
#define GPUS_MAX 64

#define POLICY_COUNT (sizeof(policies) / sizeof(policies[0]))

const struct policy *policy_find(const char *name)
{
    for (size_t i = 0; i < POLICY_COUNT; i++)
        if (!strcmp(policies[i]->name, name) ||
            (policies[i]->alias && !strcmp(policies[i]->alias, name)))
            return policies[i];
    return NULL;
}

const char *const *policy_names(void)
{
    static const char *names[2 * POLICY_COUNT + 1];
    size_t count = 0;

    for (size_t i = 0; i < POLICY_COUNT; i++) {
        names[count++] = policies[i]->name;
        if (policies[i]->alias)
            names[count++] = policies[i]->alias;
    }
    names[count] = NULL;
    return names;
}

int policy_gpus_measured(const struct job *job, const char *gpu_type)
{
    const struct throughput_row *row = job->submission->throughput;
    int gpus = 1;

    (void)gpu_type;
    for (int i = 0; i < row->level_count && row->iters_per_s[i] > 0; i++)
        gpus = row->gpus[i];
    return gpus;
}

int policy_gpus_requested(const struct job *job, const char *gpu_type)
{
    (void)gpu_type;
    return job->submission->gpus_requested;
}

int policy_gpus_fastest(const struct job *job, const char *gpu_type)
{
    const struct throughput_row *row = job->submission->throughput;
    const int most =
        job->submission->batch_size < GPUS_MAX ? job->submission->batch_size : GPUS_MAX;
    double best = 0;
    int gpus = 1;

    (void)gpu_type;
    for (int i = 0; i < row->level_count && row->gpus[i] <= most; i++)
        if (row->iters_per_s[i] > best) { /* never true of a NaN */
            best = row->iters_per_s[i];
            gpus = row->gpus[i];
        }
    return gpus;
}
