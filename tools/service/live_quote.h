/* live_quote.h - which deadlines a running service would promise to a job. */
#ifndef SERVICE_LIVE_QUOTE_H
#define SERVICE_LIVE_QUOTE_H

#include "tools/service/call.h"

struct live_quote {
    const char *model;
    int64_t batch_size;
    int64_t iterations;
    int64_t gpus_max; /* 0 for no limit */
};

/* Asks and prints; returns the exit status. */
int live_quote_ask(const struct call *call, const struct command *command,
                   const struct live_quote *job);

#endif
