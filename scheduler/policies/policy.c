/* policy.c - what several policies share, see policy.h. */
#include "scheduler/policies/policy.h"

bool policy_counts_slots(const struct policy *self)
{
    return self->stages.advance != NULL;
}

int policy_check_pools(const struct policy *self, const struct cluster_spec *cluster,
                       const char *name, struct error *error)
{
    char what[200];
    bool is_mixed;

    if (cluster->pool_count == 1 || self->mixes_types)
        return 0;
    is_mixed = cluster_spec_describe(cluster, what, sizeof(what));
    return error_set(error, "policy %s knows one %s only, but %s has %s", self->name,
                     is_mixed ? "GPU type" : "pool", name ? name : "the cluster", what);
}

int policy_check_real(const struct policy *self, struct error *error)
{
    if (!self->own_grants)
        return 0;
    return error_set(error,
                     "policy %s gives grants of its own (GPU counts, batch sizes and rates that no "
                     "throughput table has, shared GPUs), which the trainers of a real cluster "
                     "cannot be told yet; rubato simulate runs it",
                     self->name);
}

static bool has_room(const struct job *job, int pool, const int free_gpus[])
{
    return job_scaling(job, pool)->top > 0 && job->submission->gpus_requested <= free_gpus[pool];
}

int policy_pool_for(const struct view *view, const struct job *job, const int free_gpus[])
{
    if (job_holds(job))
        return has_room(job, job->grant.pool, free_gpus) ? job->grant.pool : -1;
    for (int pool = 0; pool < view_pools(view); pool++)
        if (has_room(job, pool, free_gpus))
            return pool;
    return -1;
}

/* Tables have no rates for more GPUs. */
#define GPUS_MAX 64

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
        if (row->iters_per_s[i] > best) { /* false for a NaN */
            best = row->iters_per_s[i];
            gpus = row->gpus[i];
        }
    return gpus;
}
