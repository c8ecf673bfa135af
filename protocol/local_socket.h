/* local_socket.h - how a socket comes to listen. For the files of the link only. */
#ifndef PROTOCOL_LOCAL_SOCKET_H
#define PROTOCOL_LOCAL_SOCKET_H

#include "common/error.h"

#include <stdbool.h>

/* Has `socket`, one of libzmq's, listen at `endpoint`. The file of a local socket with one,
 * "ipc:///run/rubato/rubato.sock", gets the rights 0666 for `any_user`, 0600 otherwise.
 * -1, with `error`, if that is not possible, if another process listens
 * there, or if the file is no socket. */
int local_socket_bind(void *socket, const char *endpoint, bool any_user, struct error *error);

/* Removes the file, if `endpoint` has one. */
void local_socket_remove(const char *endpoint);

#endif
