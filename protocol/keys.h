/* keys.h - CURVE keys of a process and the list of keys that it allows. A folder as `rubato keys`
 * makes it: NAME.key (public and secret, readable by its owner only), NAME.pub, and `allowed`, one
 * line a key: PUBLIC-KEY ROLE NAME, '#' for comments. A client needs its NAME.key and the .pub of
 * its server, a server its NAME.key and `allowed`. */
#ifndef PROTOCOL_KEYS_H
#define PROTOCOL_KEYS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

#define KEY_CHARS 40 /* characters of a key in Z85 */

typedef struct keys keys_t;

struct allowed_key {
    const char *role;
    const char *name;
};

/* The keys of `name` in `folder`. NULL, with `error` that names the file and line, if they are
 * missing, malformed or readable by others, if others may write to the folder, or if `allowed` is
 * malformed or others may write to it; `allowed` may be missing. */
keys_t *keys_read(const char *folder, const char *name, struct error *error);
void keys_destroy(keys_t **self);

/* Creates NAME.key and NAME.pub in `folder` (created if missing) and adds the key to `allowed`. -1,
 * with `error` and no file changed, if a file cannot be written or exists already, or if others may
 * write to the folder. */
int keys_make(const char *folder, const char *role, const char *name, struct error *error);

const char *keys_public(const keys_t *self); /* KEY_CHARS characters of Z85 */
const char *keys_secret(const keys_t *self);

/* The public key of the process `name`, from its .pub file; NULL with `error`. */
const char *keys_public_of(const keys_t *self, const char *name, struct error *error);

/* Looks a public key up in `allowed`, which is read again when the file has changed; malformed
 * lines are then skipped. False if the key is not listed. `found` lends its texts until the next
 * call. */
bool keys_allow(const keys_t *self, const char *public_key, struct allowed_key *found);

/* A number that changes when `allowed` does. */
uint64_t keys_generation(const keys_t *self);

/* -1, with `error`, if `allowed` lists no key, or is missing: a server without allowed keys is of
 * no use. */
int keys_check_allowed(const keys_t *self, struct error *error);

/* Whether `endpoint` is on this machine: ipc, inproc, 127.0.0.0/8 or [::1]. */
bool endpoint_is_local(const char *endpoint);

/* -1, with `error`, if `endpoint` is not local and `keys` is NULL. */
int endpoint_check(const char *endpoint, const keys_t *keys, struct error *error);

#endif
