/* service.h - a scheduler that takes jobs at any time: the engine on a real cluster, with clients
 * in the place of a trace, and a journal of all that it was told. */
#ifndef SERVICE_SERVICE_H
#define SERVICE_SERVICE_H

#include "common/options.h"
#include "scheduler/run/simulation.h"
#include "scheduler/testbed/testbed.h"

/* The limits of one user; 0 or NULL for no limit. */
struct service_limits {
    int64_t user_jobs;        /* that wait, are held or run; not of those who operate */
    int64_t session_requests; /* of one session, which are not answered yet */
    int64_t user_quotes;      /* that are held; not of those who operate */
    int64_t quote_s;          /* for so long at most; real time */
    const char *shares;       /* of the cluster that may be promised, see state/promise_shares.h */
    int64_t horizon_s;        /* that they are shares of */
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
    int64_t node_mtbf_s; /* before nodes were seen: mean time between the failures of one; 0: none
                            is known */

    /* On SIGHUP: what the limits are from now on. -1 with `error`, and they stay. NULL for none. */
    int (*reload)(void *owner, struct service_limits *limits, struct error *error);
    void *reload_owner;
};

/* Serves until a signal asks to stop: 1 then, with `error` saying what goes on; -1 with
 * `error`. */
int service_run(const struct service *service, const struct testbed *testbed,
                const struct simulation *simulation, struct error *error);

#endif
