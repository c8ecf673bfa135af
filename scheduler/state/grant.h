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
    int pool;    /* place among the pools of the cluster */
    int gpus;    /* 0: the job holds none, and nothing else of the grant but its pool counts */
    int nodes;   /* that the policy reckons these GPUs to be on; 0: as placement has it */
    int batch;   /* samples that all its ranks train on at once; 0: as submitted */
    double rate; /* iterations/s, counted as the submission counts them whatever the batch is */
    const struct job *partner; /* whose GPUs it shares, all of them; NULL: these are its own */
};

static inline bool grant_holds(const struct grant *self)
{
    return self->gpus > 0;
}

/* The GPUs that are taken for it: those of a partner are taken already. */
static inline int grant_own_gpus(const struct grant *self)
{
    return self->partner ? 0 : self->gpus;
}

/* Whether both have the same batch size and the same partner. */
static inline bool grant_is_alike(const struct grant *self, const struct grant *other)
{
    return self->batch == other->batch && self->partner == other->partner;
}

#endif
