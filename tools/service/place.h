/* place.h - paths of a service on this machine: its state folder and its socket. */
#ifndef SERVICE_PLACE_H
#define SERVICE_PLACE_H

#include "common/error.h"

#include <stddef.h>

/* Finds the state folder of this user's own service: RUBATO_STATE, else rubato in XDG_STATE_HOME or
 * ~/.local/state, or for root /var/lib/rubato. -1, with `error`, if no folder can be found or its
 * name is too long. */
int place_state(char *path, size_t size, struct error *error);

/* Finds the socket of the service: `asked` unless NULL, else RUBATO_SOCKET, else rubato.sock in the
 * state folder of this user if that socket exists, else the machine's socket. -1, with `error`, if
 * the name is too long. */
int place_socket(const char *asked, char *path, size_t size, struct error *error);

/* The socket of a service with the state folder `state`: rubato.sock in that folder. With root's
 * default state folder it is the machine's socket. -1, with `error`, if the name is too long. */
int place_socket_of_state(const char *state, char *path, size_t size, struct error *error);

/* Returns -1, with `error`, if `path` cannot be the name of a socket. */
int place_check_socket(const char *path, struct error *error);

#endif
