/* user_group.h - groups of users of this machine. */
#ifndef COMMON_USER_GROUP_H
#define COMMON_USER_GROUP_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* The number of the group `name`, in `group`. -1, with `error`, if this machine has no such
 * group. */
int user_group_find(const char *name, gid_t *group, struct error *error);

/* Whether the user with that number is a member of `group`, as the user's next login would have it.
 * A user without a name is a member of no group. */
bool user_group_has(gid_t group, uid_t user);

/* Like user_group_has, by names; false if this machine does not know `group` or `user`. */
bool user_group_has_named(const char *group, const char *user);

#endif
