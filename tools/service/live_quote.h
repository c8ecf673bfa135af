/* live_quote.h - which deadlines a running service would promise to a job. */
#ifndef SERVICE_LIVE_QUOTE_H
#define SERVICE_LIVE_QUOTE_H

#include "tools/service/call.h"
#include "tools/service/job_options.h"

/* Asks and prints; returns the exit status. What is named is to hold for so many seconds, 0 for the
 * service's usual number; or the earliest deadline, or that of the job, is held for `hold_s`, 0 for
 * no hold. */
int live_quote_ask(const struct call *call, const struct command *command,
                   const struct job_options *job, const struct operands *words, int64_t within_s,
                   int64_t hold_s);

#endif
