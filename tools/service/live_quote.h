/* live_quote.h - which deadlines a running service would promise to a job. */
#ifndef SERVICE_LIVE_QUOTE_H
#define SERVICE_LIVE_QUOTE_H

#include "tools/service/call.h"
#include "tools/service/job_options.h"

/* Asks for a quote and prints it; returns the exit status. With `hold_s` > 0 the
 * deadline of the job, or else the earliest one, is held for that time. Otherwise `within_s` is how
 * long the quote must be valid, 0 for the service's default. */
int live_quote_ask(const struct call *call, const struct command *command,
                   const struct job_options *job, const struct operands *words, int64_t within_s,
                   int64_t hold_s);

#endif
