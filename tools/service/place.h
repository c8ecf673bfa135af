/* place.h - where a service keeps what it needs, and where it is reached on this machine. */
#ifndef SERVICE_PLACE_H
#define SERVICE_PLACE_H

#include "common/error.h"

#include <stddef.h>

/* The state folder of this user's own service: RUBATO_STATE, else rubato in XDG_STATE_HOME or
 * ~/.local/state, for root /var/lib/rubato. -1, with `error`, if there is none or its name is too
 * long. */
int place_state(char *path, size_t size, struct error *error);

/* The socket of the service: `asked`, if that is not NULL, else RUBATO_SOCKET, else rubato.sock in
 * the state folder of this user if that is there, else the one of the machine. */
int place_socket(const char *asked, char *path, size_t size, struct error *error);

/* Where a service whose state is the folder `state` is reached: rubato.sock in it, but the socket
 * of the machine for the state that is root's without any option. -1, with `error`, if the name is
 * too long. */
int place_socket_of_state(const char *state, char *path, size_t size, struct error *error);

/* -1, with `error`, if a socket cannot have that name. */
int place_check_socket(const char *path, struct error *error);

#endif
