/* user_group.c - see user_group.h. */
#include "common/user_group.h"

#include "common/memory.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_AT_FIRST 64 /* groups of a user; getgrouplist says how many there are */

int user_group_find(const char *name, gid_t *group, struct error *error)
{
    const struct group *found;

    errno = 0;
    found = getgrnam(name);
    if (!found)
        return error_set(error, "this machine has no group \"%s\"%s%s", name, errno ? ": " : "",
                         errno ? strerror(errno) : "");
    *group = found->gr_gid;
    return 0;
}

static bool is_among(gid_t group, const gid_t *groups, int count)
{
    for (int i = 0; i < count; i++)
        if (groups[i] == group)
            return true;
    return false;
}

static bool has_entry(gid_t group, const struct passwd *entry)
{
    int count = GROUPS_AT_FIRST;
    gid_t *groups;
    bool has;

    if (!entry)
        return false;
    groups = xcalloc((size_t)count, sizeof(*groups));
    if (getgrouplist(entry->pw_name, entry->pw_gid, groups, &count) < 0) {
        groups = xrealloc(groups, (size_t)count * sizeof(*groups));
        if (getgrouplist(entry->pw_name, entry->pw_gid, groups, &count) < 0)
            count = 0; /* the user joined more groups meanwhile */
    }
    has = is_among(group, groups, count);
    free(groups);
    return has;
}

bool user_group_has(gid_t group, uid_t user)
{
    return has_entry(group, getpwuid(user));
}

bool user_group_has_named(const char *group, const char *user)
{
    const struct group *found = getgrnam(group);

    return found && has_entry(found->gr_gid, getpwnam(user));
}
