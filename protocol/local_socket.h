/* local_socket.h - how a socket comes to listen. For the files of the link only. */
#ifndef PROTOCOL_LOCAL_SOCKET_H
#define PROTOCOL_LOCAL_SOCKET_H

#include "common/error.h"

#include <stdbool.h>

/* Binds `socket`, a socket of libzmq, to `endpoint`. The file of a local socket, as in
 * "ipc:///run/rubato/rubato.sock", gets the rights 0666 for `any_user`, 0600 otherwise. -1, with
 * `error`, if binding fails, if another process listens there, or if the file is no socket. */
int local_socket_bind(void *socket, const char *endpoint, bool any_user, struct error *error);

/* Removes the socket's file, if `endpoint` names one. */
void local_socket_remove(const char *endpoint);

#endif
