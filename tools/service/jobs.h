/* jobs.h - which members of a job are shown where. */
#ifndef SERVICE_JOBS_H
#define SERVICE_JOBS_H

#include "tools/service/table.h"

extern const struct member jobs_listed[]; /* a line a job */
extern const struct member jobs_shown[];  /* all members of one job */
extern const struct member jobs_events[];

#endif
