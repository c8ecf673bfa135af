/* live_quote.h - which deadlines a running service would promise to a job. */
#ifndef SERVICE_LIVE_QUOTE_H
#define SERVICE_LIVE_QUOTE_H

#include "tools/service/call.h"
#include "tools/service/job_options.h"

/* Asks for a quote and prints it. Returns the exit status. If `hold_s` > 0, the service holds the
 * deadline of the job, or else the earliest deadline, for that time. Otherwise the quote stays
 * valid for `within_s`, or for the service's default if that is 0. */
int live_quote_ask(const struct call *call, const struct command *command,
                   const struct job_options *job, const struct operands *words, int64_t within_s,
                   int64_t hold_s);

#endif
