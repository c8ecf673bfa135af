/* clients.h - who asks the service, and what of it they may: sessions on the local socket and over
 * TCP, their requests in the order in which they came, and the answers to them. */
#ifndef SERVICE_CLIENTS_H
#define SERVICE_CLIENTS_H

#include "protocol/client_scheduler.h"
#include "protocol/link.h"

#include <jansson.h>

/* The roles of clients; each may do all that the roles before it may. */
enum role { ROLE_READ, ROLE_SUBMIT, ROLE_OPERATE };

extern const char *const role_names[]; /* by role */

/* One session. It outlives its connection while requests of it are open. */
typedef struct client client_t;

const char *client_user(const client_t *self);
enum role client_role(const client_t *self);

/* A request that is not answered yet. */
struct request {
    client_t *client;
    uint64_t number; /* the client's */
    char *verb;
    char *document;
    bool told;            /* that it failed, before it is answered */
    struct request *prev; /* in a list of the one that has it */
    struct request *next;
};

typedef struct clients clients_t;

struct clients_setting {
    const char *socket;    /* path of the local socket */
    const char *listen;    /* ADDRESS:PORT for clients over TCP, NULL for none */
    const keys_t *keys;    /* for these */
    const char *operators; /* group of this machine whose members operate, NULL for none */
    int64_t heartbeat_ms;
    size_t waiting_max;   /* requests; a client that asks more is told to come again */
    int64_t requests_max; /* of one session that are not answered yet, 0 for no limit */
};

/* Clients are heard in turns of `loop`; `wake` is called when a request came. NULL with
 * `error`. */
clients_t *clients_new(zloop_t *loop, const struct clients_setting *setting,
                       void (*wake)(void *owner), void *owner, struct error *error);
void clients_destroy(clients_t **self);

/* Another limit, from now on. */
void clients_limit(clients_t *self, int64_t requests_max);

/* Heartbeats to all, once an interval. */
void clients_beat(clients_t *self);

/* Of the user whose turn it is the request that waits longest, which is the caller's from here on
 * until it is answered; NULL if none does. */
struct request *clients_next(clients_t *self);

/* Gives it back, to be the next again. */
void clients_put_back(clients_t *self, struct request **request);

/* Answers `request` and frees it; nothing is sent to a client that is gone. The document, which is
 * given up, gets its "schema_version". */
void clients_answer(clients_t *self, struct request **request, enum answer_code code,
                    json_t *document);

/* The same with a text that has all. */
void clients_answer_text(clients_t *self, struct request **request, enum answer_code code,
                         const char *document);

/* The same with the "error" that `format` says; as busy, with "retry_after_s" beside it. */
void clients_fail(clients_t *self, struct request **request, enum answer_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void clients_fail_busy(clients_t *self, struct request **request, int retry_s, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* Fails `request`, which stays the caller's: no other answer is sent when it is answered. */
void clients_fail_early(struct request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees `request` without an answer: its client finds that the service is gone, and asks again. */
void clients_drop(struct request **request);

/* Whether the client of `request` is still there and waits for its answer. */
bool clients_listens(const struct request *request);

#endif
