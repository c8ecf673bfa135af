/* rules.c - see rules.h. */
#include "tools/audit/rules.h"

#include <math.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_model(const struct audit_job *job, const char *model)
{
    return !strcmp(job->model, model);
}

static int64_t ef_gpus_on_t4(const struct audit_job *job)
{
    if (is_model(job, "bert") || is_model(job, "cifar10"))
        return 16;
    if (is_model(job, "deepspeech2") && job->batch_size == 320)
        return 32;
    if (is_model(job, "yolov3"))
        return 4;
    return is_model(job, "ncf") ? 1 : 64;
}

/* The published rules go by the name and the batch size in the trace, never by the tables. */
static int64_t ef_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    const int64_t batch = job->batch_size;

    if (!strcmp(gpu_type, "T4"))
        return ef_gpus_on_t4(job);
    if (is_model(job, "deepspeech2"))
        return batch;
    if (is_model(job, "bert"))
        return batch == 64 ? 8 : 16;
    if (is_model(job, "gpt2") && (batch == 128 || batch == 256))
        return batch / 8;
    if (is_model(job, "inception3") && (batch == 64 || batch == 128))
        return batch / 4;
    if (batch == 64 && (is_model(job, "resnet50") || is_model(job, "vgg16")))
        return 32;
    return least(batch, 64);
}

/* EF-Q10: the largest GPU count that the table does not rule out, whether it pays off or not. */
static int64_t edf_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    int64_t most = 1;

    (void)gpu_type;
    for (int i = 0; i < job->rates->count; i++)
        if (!job->rates->says_nan[i] && job->rates->gpus[i] > most)
            most = job->rates->gpus[i];
    return least(least(most, 64), job->batch_size);
}

/* A policy of our own: whatever the table has a rate for. */
static int64_t measured_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    int64_t most = 1;

    (void)gpu_type;
    for (int i = 0; i < job->rates->count; i++)
        if (job->rates->iters_per_s[i] > 0 && job->rates->gpus[i] > most)
            most = job->rates->gpus[i];
    return most;
}

/* What every policy keeps that is not one of the reference's: the default rules of a round. */
static const struct audit_policy any_policy = {
    .name = "any", .gpus_max = measured_gpus_max, .charges_overhead = true, .declines = true};

static const struct audit_policy policies[] = {
    {.name = "ef-accessctrl",
     .gpus_max = ef_gpus_max,
     .plans_by_slot = true,
     .charges_overhead = true,
     .declines = true,
     .late_by_finish = true},
    {.name = "ef", .gpus_max = ef_gpus_max, .plans_by_slot = true, .charges_overhead = true},
    {.name = "edf", .gpus_max = edf_gpus_max},
    {.name = "edf-accessctrl",
     .gpus_max = edf_gpus_max,
     .charges_overhead = true,
     .declines = true,
     .declines_best_effort = true,
     .decides_one_by_one = true,
     .retires_idle = true},
};

const struct audit_policy *audit_policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (!strcmp(policies[i].name, name))
            return &policies[i];
    return &any_policy;
}

int64_t audit_overhead_s(int64_t cluster_gpus, int64_t gpus, bool seen, bool restart)
{
    const bool large = cluster_gpus >= 256;
    int64_t overhead_s = large ? 7 : 2;

    if (seen) /* EF-Q19: also when everybody else restarts */
        return overhead_s;
    if (restart)
        overhead_s += large ? 47 : 27;
    for (; gpus > 0; gpus /= 2)
        overhead_s += 2;
    return overhead_s;
}

double audit_rate(const struct audit_rates *rates, int64_t gpus)
{
    for (int i = 0; i < rates->count; i++)
        if (rates->gpus[i] == gpus)
            return rates->iters_per_s[i] > 0 ? rates->iters_per_s[i] : 0;
    return 0;
}

double audit_best_rate(const struct audit_rates *rates, int64_t gpus_max)
{
    double best = 0;

    for (int i = 0; i < rates->count; i++)
        if (rates->gpus[i] <= gpus_max)
            best = fmax(best, rates->iters_per_s[i]); /* ignores a NaN */
    return best;
}
