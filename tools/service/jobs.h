/* jobs.h - the members of a job that each verb shows. */
#ifndef SERVICE_JOBS_H
#define SERVICE_JOBS_H

#include "tools/service/table.h"

extern const struct member jobs_listed[]; /* one line for each job */
extern const struct member jobs_shown[];  /* all members of one job */
extern const struct member jobs_events[];

#endif
