/* programs.h - the programs of jobs, as their scheduler sent them, by the number of the job; kept
 * longer than the table of jobs remembers a job.
 *
 * Plain data of the run of plans. A scheduler begins its session by sending the programs of its
 * jobs; programs of an earlier session that are not sent again are dropped. */
#ifndef MASTER_PROGRAMS_H
#define MASTER_PROGRAMS_H

#include "protocol/program.h"

/* NULL: empty. */
struct programs;

void programs_clear(struct programs **self);

/* Keeps a copy, replacing an earlier program of the job. */
void programs_put(struct programs **self, const struct msg_program *program);

/* The program of the job, NULL if it has none. Lent until the program is replaced or dropped. */
const struct msg_program *programs_find(const struct programs *self, uint64_t job);

/* The job does not come again. */
void programs_drop(struct programs **self, uint64_t job);

/* programs_age: the session of the scheduler ended. programs_drop_old: drops programs that were
 * sent before that end and not again since. */
void programs_age(struct programs *self);
void programs_drop_old(struct programs **self);

#endif
