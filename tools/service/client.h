/* client.h - a client of the service: one session, in which one request after the other is asked
 * until it is answered, whatever becomes of the connection meanwhile. */
#ifndef SERVICE_CLIENT_H
#define SERVICE_CLIENT_H

#include "common/error.h"
#include "protocol/client_scheduler.h"

#include <jansson.h>
#include <stdbool.h>

struct client_setting {
    const char *socket;  /* NULL: where place_socket finds it */
    const char *service; /* ADDRESS:PORT instead, with `keys` */
    const char *keys;    /* folder */
    const char *as;      /* [ROLE:]NAME whose key it is; see key_choice.h */
    double timeout_s;    /* for the service to answer a hello, and to be no longer busy */
    bool endless;        /* it may take for ever to come back, once it was there */
};

struct answer {
    enum answer_code code;
    json_t *object; /* the caller's */
};

typedef struct client service_client_t;

/* NULL, with `error`, if there is no service to be reached. */
service_client_t *client_new(const struct client_setting *setting, struct error *error);
void client_destroy(service_client_t **self);

/* Asks `verb` with the members of `request`, and asks again when the session breaks or the service
 * is busy. -1, with `error`, if there is no answer in time or it is no JSON object. */
int client_ask(service_client_t *self, const char *verb, const json_t *request,
               struct answer *answer, struct error *error);

#endif
