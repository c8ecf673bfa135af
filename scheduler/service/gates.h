/* gates.h - where clients come in: sessions on the local socket and over TCP. On the local socket
 * the system tells who a client is, over TCP the client's key does. */
#ifndef SERVICE_GATES_H
#define SERVICE_GATES_H

#include "protocol/link.h"
#include "scheduler/service/clients.h"

typedef struct gates gates_t;

struct gates_setting {
    const char *socket;    /* path of the local socket */
    const char *listen;    /* ADDRESS:PORT for clients over TCP, NULL for none */
    const keys_t *keys;    /* keys of the service and its TCP clients */
    const char *operators; /* group of this machine whose members operate, NULL for none */
    int64_t heartbeat_ms;
};

/* Opens the gates. Sessions are heard in turns of `loop`, and join `clients`, which outlive the
 * gates. NULL with `error`. */
gates_t *gates_new(zloop_t *loop, const struct gates_setting *setting, clients_t *clients,
                   struct error *error);
void gates_destroy(gates_t **self);

/* Sends a heartbeat to each session; called once an interval. */
void gates_beat(gates_t *self);

#endif
