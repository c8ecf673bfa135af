/* service.h - a scheduler that takes jobs at any time: the engine on a real cluster, with clients
 * instead of a trace, and with a journal of all that the engine is told. */
#ifndef SERVICE_SERVICE_H
#define SERVICE_SERVICE_H

#include "common/options.h"
#include "scheduler/run/simulation.h"
#include "scheduler/testbed/testbed.h"

/* The limits of one user; 0 or NULL for no limit. */
struct service_limits {
    int64_t user_jobs;        /* jobs that are not over; operators have no limit */
    int64_t session_requests; /* unanswered requests of a session */
    int64_t user_quotes;      /* held quotes; operators have no limit */
    int64_t quote_s;          /* longest holding of a quote, in real time */
    const char *shares; /* shares of the cluster that may be promised, see state/promise_shares.h */
    int64_t horizon_s;  /* time ahead over which shares count */
};

#define SERVICE_LIMITS_DEFAULT                                                                     \
    {                                                                                              \
        .user_jobs = 10000, .session_requests = 256, .user_quotes = 8, .quote_s = 600              \
    }

struct service {
    const char *state;     /* folder of the journal */
    const char *socket;    /* path; NULL: "rubato.sock" in the state */
    const char *listen;    /* ADDRESS:PORT for clients over TCP, NULL for none */
    const char *operators; /* group of this machine whose members operate, NULL for none */
    const char *runs; /* run folder of the workers, for the logs of jobs; NULL if it is unknown */
    struct service_limits limits;
    int64_t node_mtbf_s; /* mean time between failures of a node, before any was seen; 0: unknown */

    /* On SIGHUP: reads the limits again. -1, with `error`, and the old limits stay. NULL for
     * none. */
    int (*reload)(void *owner, struct service_limits *limits, struct error *error);
    void *reload_owner;
};

/* Serves until a signal asks to stop. Returns 1 then, with `error` saying what goes on; -1 with
 * `error`. */
int service_run(const struct service *service, const struct testbed *testbed,
                const struct simulation *simulation, struct error *error);

#endif
