/* client.h - a client of the service: one session, in which each request is repeated until it is
 * answered, even over broken connections. */
#ifndef SERVICE_CLIENT_H
#define SERVICE_CLIENT_H

#include "common/error.h"
#include "protocol/client_scheduler.h"

#include <jansson.h>
#include <stdbool.h>

struct client_setting {
    const char *socket;  /* NULL: the socket that place_socket finds */
    const char *service; /* ADDRESS:PORT instead, with `keys` */
    const char *keys;    /* folder */
    const char *as;      /* [ROLE:]NAME of the client's key; see key_choice.h */
    double timeout_s;    /* limit for the answer to a hello, and for a busy service */
    bool endless;        /* waits without limit for a service that was there before */
};

struct answer {
    enum answer_code code;
    json_t *object; /* the caller's */
};

typedef struct client service_client_t;

/* NULL, with `error`, if no service can be reached. */
service_client_t *client_new(const struct client_setting *setting, struct error *error);
void client_destroy(service_client_t **self);

/* Asks `verb` with the members of `request`, and asks again when the session breaks or the service
 * is busy. -1, with `error`, if there is no answer in time or the answer is no JSON object. */
int client_ask(service_client_t *self, const char *verb, const json_t *request,
               struct answer *answer, struct error *error);

#endif
