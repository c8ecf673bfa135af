/* privileges.h - what this process may do on its machine. */
#ifndef COMMON_PRIVILEGES_H
#define COMMON_PRIVILEGES_H

#include "common/error.h"

#include <stdbool.h>

#define PRIVILEGES_WARNING "what peers send is read as root; --user=NAME gives that up"

/* Whether this process may do anything, as root may. */
bool privileges_are_root(void);

/* Whether it may run programs as other users, own what it makes to them, and end them. */
bool privileges_run_others(void);

/* The name of the user that this process is, its number if it has none. Lent until the next
 * call. */
const char *privileges_user(void);

/* Becomes `user`, in the groups of that user only, for good: no program that it starts gets more
 * either. To be called before anything of a peer is read. Nothing happens if it is that user
 * already. -1, with `error`, if there is none, if it is root, or if this process is not root. */
int privileges_drop(const char *user, struct error *error);

/* The same, but keeps what privileges_run_others asks for, so that programs that this process
 * starts can be other users still. */
int privileges_drop_but_run_others(const char *user, struct error *error);

/* Becomes for good the user and the group that the folder `path` belongs to, if this process is
 * root and the user is another one: files that it makes in there are that user's. -1 with `error`.
 */
int privileges_become_owner(const char *path, struct error *error);

/* -1, with `error`, if the folder `path`, which `option` names, cannot be read by the user that
 * this process is, or, with `writes`, written to. */
int privileges_check_folder(const char *option, const char *path, bool writes, struct error *error);

#endif
