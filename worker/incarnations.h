/* incarnations.h - of each job the latest incarnation that a command named: commands for an earlier
 * one are stale. */
#ifndef WORKER_INCARNATIONS_H
#define WORKER_INCARNATIONS_H

#include <stdint.h>

typedef struct incarnations incarnations_t;

incarnations_t *incarnations_new(void);
void incarnations_destroy(incarnations_t **self);

/* The latest incarnation of `job` that a command named, 0 for none. */
uint32_t incarnations_latest(const incarnations_t *self, uint64_t job);

/* The largest number of all incarnations named, 0 for none. */
uint32_t incarnations_largest(const incarnations_t *self);

/* A command named `incarnation` of `job`; an earlier incarnation than the latest changes
 * nothing. */
void incarnations_name(incarnations_t *self, uint64_t job, uint32_t incarnation);

#endif
