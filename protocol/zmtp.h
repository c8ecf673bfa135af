/* zmtp.h - the bytes of one connection of a client to a server of libzmq: a DEALER that talks to a
 * ROUTER in ZMTP 3.0 with the NULL mechanism (rfc.zeromq.org/spec/23).
 *
 * A local socket needs no more of libzmq than this, and libzmq brings 27 shared objects along. Has
 * no socket and no clock. Input is not trusted: memory is allocated for bytes received, not for a
 * length that the peer states. */
#ifndef PROTOCOL_ZMTP_H
#define PROTOCOL_ZMTP_H

#include "common/error.h"

#include <stddef.h>

typedef struct zmtp zmtp_t;

/* The greeting and READY of the client wait to be sent. */
zmtp_t *zmtp_new(void);
void zmtp_destroy(zmtp_t **self);

/* ---- out ---- */

/* Adds a message of one frame to the bytes to send. -1 if several messages of the greatest length
 * are waiting already: the peer reads nothing. */
int zmtp_send(zmtp_t *self, const void *bytes, size_t size);

/* The bytes to send; zmtp_sent removes the first `size` of them. */
const void *zmtp_waiting(const zmtp_t *self, size_t *size);
void zmtp_sent(zmtp_t *self, size_t size);

/* ---- in ---- */

/* Room for received bytes; zmtp_received says how many came. */
void *zmtp_room(zmtp_t *self, size_t *size);
void zmtp_received(zmtp_t *self, size_t size);

enum zmtp_event {
    ZMTP_NOTHING, /* incomplete: more bytes have to come first */
    ZMTP_READY,   /* the handshake is done; once, before any message */
    ZMTP_MESSAGE,
    ZMTP_BAD, /* with `error`: the connection is unusable */
};

struct zmtp_message {
    const void *bytes; /* lent until the next call of zmtp_room */
    size_t size;       /* at most WIRE_FRAME_MAX */
};

/* The next event in the received bytes. After ZMTP_BAD only zmtp_destroy may follow. */
enum zmtp_event zmtp_next(zmtp_t *self, struct zmtp_message *message, struct error *error);

#endif
