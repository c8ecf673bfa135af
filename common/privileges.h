/* privileges.h - the privileges of this process on its machine. */
#ifndef COMMON_PRIVILEGES_H
#define COMMON_PRIVILEGES_H

#include "common/error.h"

#include <stdbool.h>

#define PRIVILEGES_WARNING "what peers send is read as root; --user=NAME gives that up"

/* Whether this process has the privileges of root. */
bool privileges_are_root(void);

/* Whether this process may run programs as other users, give files to them, and kill their
 * processes. */
bool privileges_run_others(void);

/* The name of this process' user, its number if it has no name. Lent until the next call. */
const char *privileges_user(void);

/* Becomes `user`, in the groups of that user only, for good: programs that this process starts get
 * no more privileges either. To be called before any input of a peer is read. Does nothing if this
 * process runs as `user` already. -1, with `error`, if there is no such user, if `user` is root, or
 * if this process is not root. */
int privileges_drop(const char *user, struct error *error);

/* Like privileges_drop, but keeps the privileges of privileges_run_others, so that this process can
 * still start programs as other users. */
int privileges_drop_but_run_others(const char *user, struct error *error);

/* Becomes for good the user and the group that the folder `path` belongs to, if this process is
 * root and the user is another one: files that it makes in there are that user's. -1 with `error`.
 */
int privileges_become_owner(const char *path, struct error *error);

/* -1, with `error`, if the folder `path`, which `option` names, cannot be read by the user of this
 * process, or, with `writes`, written to. */
int privileges_check_folder(const char *option, const char *path, bool writes, struct error *error);

#endif
