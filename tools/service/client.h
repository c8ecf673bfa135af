/* client.h - a client of the service: one session, in which each request is repeated until the
 * service answers, even over broken connections. */
#ifndef SERVICE_CLIENT_H
#define SERVICE_CLIENT_H

#include "common/error.h"
#include "protocol/client_scheduler.h"

#include <jansson.h>
#include <stdbool.h>

struct client_setting {
    const char *socket;  /* NULL for the socket that place_socket finds */
    const char *service; /* ADDRESS:PORT of a service over TCP, with `keys`; NULL for a socket */
    const char *keys;    /* folder of keys */
    const char *as;      /* [ROLE:]NAME of the client's key; see key_choice.h */
    double timeout_s; /* limit for the answer to a hello, and for how long a service may be busy */
    bool endless;     /* waits without limit for a service that answered before */
};

struct answer {
    enum answer_code code;
    json_t *object; /* object that the caller owns */
};

typedef struct client service_client_t;

/* NULL, with `error`, if the link cannot be opened. */
service_client_t *client_new(const struct client_setting *setting, struct error *error);
void client_destroy(service_client_t **self);

/* Sends `verb` with the members of `request`, and repeats it if the session breaks or the service
 * is busy. -1, with `error`, if no answer comes in time or the answer is no JSON object. */
int client_ask(service_client_t *self, const char *verb, const json_t *request,
               struct answer *answer, struct error *error);

#endif
