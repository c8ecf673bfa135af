/* zap.h - decides which peers may connect, for each handshake of libzmq (ZeroMQ RFC 27), in the
 * loop of the process. For the files of the link only. */
#ifndef PROTOCOL_ZAP_H
#define PROTOCOL_ZAP_H

#include "common/error.h"
#include "protocol/keys.h"

#include <czmq.h>

typedef struct zap zap_t;

/* Allows the keys of the list of `keys`; messages of an allowed connection have its key as
 * "User-Id". NULL, with `error`, if the process has such a handler already. */
zap_t *zap_new(zloop_t *loop, const keys_t *keys, struct error *error);
void zap_destroy(zap_t **self);

#endif
