/* local_link.h - a client's end of a link on a local socket, without libzmq: small, and quick to
 * start. The other end is a link_server of protocol/link.h. */
#ifndef PROTOCOL_LOCAL_LINK_H
#define PROTOCOL_LOCAL_LINK_H

#include "protocol/client_link.h"

extern const struct client_link_kind local_link;

#endif
