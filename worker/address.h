/* address.h - the address at which other nodes reach this one. */
#ifndef WORKER_ADDRESS_H
#define WORKER_ADDRESS_H

#include "common/error.h"

#include <stddef.h>

/* The address of this machine on its route to `host`, as text; -1 with `error` if there is no
 * route. Nothing is sent. */
int address_towards(const char *host, char *text, size_t size, struct error *error);

/* The name of the network interface that has the address of `host`, "" if no interface of this
 * machine has the address, or only loopback. */
void address_interface(const char *host, char *name, size_t size);

/* -1 with `error` if `host` is neither an address nor a name that this machine knows. */
int address_check(const char *host, struct error *error);

#endif
