/* clients.h - who asks the service, and what of it they may: sessions, their requests in the order
 * in which they came, and the answers to them. gates.h is how sessions come in. */
#ifndef SERVICE_CLIENTS_H
#define SERVICE_CLIENTS_H

#include "protocol/client_scheduler.h"

#include <jansson.h>

/* The roles of clients; each may do all that the roles before it may. */
enum role { ROLE_READ, ROLE_SUBMIT, ROLE_OPERATE };

extern const char *const role_names[]; /* by role */

#define CLIENT_USER_BYTES 64 /* of a name, its end included */

/* One session. It outlives its connection while requests of it are open. */
typedef struct client client_t;

/* How a client is reached; nothing is called once it left. */
struct client_line {
    void (*answer)(void *self, const struct msg_answer *answer);
    void (*beat)(void *self);
    void *self;
};

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

/* At most `waiting_max` requests wait, `requests_max` of one session (0: no limit) are not
 * answered; a client that asks more is told to come again. `wake` is called when a request came. */
clients_t *clients_new(size_t waiting_max, int64_t requests_max, void (*wake)(void *owner),
                       void *owner);
void clients_destroy(clients_t **self);

/* A session of `user` begins, and ends. The name is copied, and cut where it is too long. */
client_t *clients_join(clients_t *self, const char *user, enum role role,
                       const struct client_line *line);
void clients_leave(client_t *client);

/* The client asks; what is asked is copied. */
void clients_ask(client_t *client, const struct msg_request *asked);

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
