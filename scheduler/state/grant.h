/* grant.h - the allocation of a job: GPUs of a pool, their use, and the training rate on them.
 *
 * A grant is a value. It is copied into plans, records and decisions, and owns nothing; the partner
 * is lent, and lives as long as it holds GPUs. */
#ifndef STATE_GRANT_H
#define STATE_GRANT_H

#include <stdbool.h>
#include <stddef.h>

struct job;

struct grant {
    int pool;                  /* place among the pools of the cluster */
    int gpus;                  /* 0 if the job holds none; only the pool counts then */
    int nodes;                 /* number of nodes by the policy's plan; 0: left to placement */
    int batch;                 /* global batch size; 0: as submitted */
    double rate;               /* iterations/s, in iterations of the submission's batch size */
    const struct job *partner; /* job that shares its GPUs with this one; NULL: none does */
};

static inline bool grant_holds(const struct grant *self)
{
    return self->gpus > 0;
}

/* The GPUs that the job takes: 0 if a partner has taken them. */
static inline int grant_own_gpus(const struct grant *self)
{
    return self->partner ? 0 : self->gpus;
}

/* Whether both grants have the same batch size and partner. */
static inline bool grant_is_alike(const struct grant *self, const struct grant *other)
{
    return self->batch == other->batch && self->partner == other->partner;
}

#endif
