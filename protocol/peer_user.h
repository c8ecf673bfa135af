/* peer_user.h - the user at the other end of a connection on this machine. For the files of the
 * link only. */
#ifndef PROTOCOL_PEER_USER_H
#define PROTOCOL_PEER_USER_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The uid of the process at the other end of the connection `descriptor`: of a local socket, or of
 * TCP in this network namespace. -1 if that is unknown: the other end is closed, or elsewhere. */
int64_t peer_user_of(int descriptor);

/* Whether a process of user `uid` is trusted without keys: root, or this process' own user. */
bool peer_user_is_trusted(int64_t uid);

/* Sets the sentence that `uid` is unknown or not a trusted user; returns -1. */
int peer_user_refuse(int64_t uid, struct error *error);

#endif
