/* programs.h - what jobs execute, as their scheduler said: kept by the number of the job, and for
 * longer than the table of jobs remembers it.
 *
 * Plain data that the run of plans keeps. A session of a scheduler begins with the programs of the
 * jobs that it names; those that it has not said again by then are none of its jobs'. */
#ifndef MASTER_PROGRAMS_H
#define MASTER_PROGRAMS_H

#include "protocol/program.h"

/* Empty when it is NULL. */
struct programs;

void programs_clear(struct programs **self);

/* Keeps a copy, in the place of an earlier one of the job. */
void programs_put(struct programs **self, const struct msg_program *program);

/* NULL if the job has none. Lent until it is replaced or dropped. */
const struct msg_program *programs_find(const struct programs *self, uint64_t job);

/* The job does not come again. */
void programs_drop(struct programs **self, uint64_t job);

/* A session of the scheduler ended. Programs that were said before the end are dropped unless they
 * were said again since. */
void programs_age(struct programs *self);
void programs_drop_old(struct programs **self);

#endif
