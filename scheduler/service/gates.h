/* gates.h - how clients come in: sessions on the local socket and over TCP. Who a client is, is
 * said by the system on the local socket, and by the client's key over TCP. */
#ifndef SERVICE_GATES_H
#define SERVICE_GATES_H

#include "protocol/link.h"
#include "scheduler/service/clients.h"

typedef struct gates gates_t;

struct gates_setting {
    const char *socket;    /* path of the local socket */
    const char *listen;    /* ADDRESS:PORT for clients over TCP, NULL for none */
    const keys_t *keys;    /* for these */
    const char *operators; /* group of this machine whose members operate, NULL for none */
    int64_t heartbeat_ms;
};

/* Sessions are heard in turns of `loop`, and join `clients`, which outlive the gates. NULL with
 * `error`. */
gates_t *gates_new(zloop_t *loop, const struct gates_setting *setting, clients_t *clients,
                   struct error *error);
void gates_destroy(gates_t **self);

/* Heartbeats to all, once an interval. */
void gates_beat(gates_t *self);

#endif
