/* clients.h - the clients of the service and their rights: sessions, requests in the order of their
 * arrival, and the answers to them. gates.h lets sessions in. */
#ifndef SERVICE_CLIENTS_H
#define SERVICE_CLIENTS_H

#include "protocol/client_scheduler.h"

#include <jansson.h>

/* The roles of clients; each may do all that the roles before it may. */
enum role { ROLE_READ, ROLE_SUBMIT, ROLE_OPERATE };

extern const char *const role_names[]; /* by role */

#define CLIENT_USER_BYTES 64 /* bytes of a user's name, with its NUL */

/* A session, which outlives its connection while it has open requests. */
typedef struct client client_t;

/* The way to a client. Nothing is called after the client left. */
struct client_line {
    void (*answer)(void *self, const struct msg_answer *answer);
    void (*beat)(void *self);
    void *self;
};

const char *client_user(const client_t *self);
enum role client_role(const client_t *self);

/* A request without an answer. */
struct request {
    client_t *client;
    uint64_t number; /* number that the client gave */
    char *verb;
    char *document;
    bool told;            /* the client was already told of a failure */
    struct request *prev; /* links of the list that holds the request */
    struct request *next;
};

typedef struct clients clients_t;

/* At most `waiting_max` requests wait, and a session has at most `requests_max` unanswered ones (0:
 * no limit). Beyond that a client is told to ask again. `wake` is called when a request arrives. */
clients_t *clients_new(size_t waiting_max, int64_t requests_max, void (*wake)(void *owner),
                       void *owner);
void clients_destroy(clients_t **self);

/* clients_join begins a session of `user`, whose name is copied, and cut if it is too long.
 * clients_leave ends the session. */
client_t *clients_join(clients_t *self, const char *user, enum role role,
                       const struct client_line *line);
void clients_leave(client_t *client);

/* Takes a request of the client. Its document is copied. */
void clients_ask(client_t *client, const struct msg_request *asked);

/* Changes the limit of unanswered requests of a session. */
void clients_limit(clients_t *self, int64_t requests_max);

/* Sends a heartbeat to each client; called once an interval. */
void clients_beat(clients_t *self);

/* Takes the oldest waiting request of the user whose turn it is. The caller has to answer it. NULL
 * if none waits. */
struct request *clients_next(clients_t *self);

/* Puts a taken request back in front of the others. */
void clients_put_back(clients_t *self, struct request **request);

/* Answers `request` and frees it. A client that is gone gets nothing. The document, whose reference
 * is taken, gets its "schema_version". */
void clients_answer(clients_t *self, struct request **request, enum answer_code code,
                    json_t *document);

/* As clients_answer, with a complete text. */
void clients_answer_text(clients_t *self, struct request **request, enum answer_code code,
                         const char *document);

/* clients_fail: as clients_answer, with the "error" that `format` describes. clients_fail_busy: the
 * same, and "retry_after_s". */
void clients_fail(clients_t *self, struct request **request, enum answer_code code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void clients_fail_busy(clients_t *self, struct request **request, int retry_s, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* Tells the client that `request` failed. The caller still has the request, and a later answer is
 * not sent. */
void clients_fail_early(struct request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees `request` without an answer. Its client finds the service gone, and asks again. */
void clients_drop(struct request **request);

/* Whether the client of `request` still waits for an answer. */
bool clients_listens(const struct request *request);

#endif
