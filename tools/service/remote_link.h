/* remote_link.h - the constant that client.c finds in lib/rubato/remote_link.so. */
#ifndef SERVICE_REMOTE_LINK_H
#define SERVICE_REMOTE_LINK_H

#include "protocol/client_link.h"

extern const struct client_link_kind remote_link;

#endif
