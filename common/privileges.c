/* privileges.c - see privileges.h. */
#include "common/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

bool privileges_are_root(void)
{
    return geteuid() == 0;
}

/* No way back: neither by the saved user, nor by a program that belongs to root. */
static int become(const struct passwd *user, struct error *error)
{
    if (initgroups(user->pw_name, user->pw_gid) < 0 ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return error_set(error, "--user: cannot become \"%s\": %s", user->pw_name, strerror(errno));
    if (setresuid(0, 0, 0) == 0)
        return error_set(error, "--user: \"%s\" could become root again", user->pw_name);
    return 0;
}

int privileges_drop(const char *user, struct error *error)
{
    const struct passwd *const found = getpwnam(user);

    if (!found)
        return error_set(error, "--user: there is no user \"%s\"", user);
    if (found->pw_uid == 0)
        return error_set(error, "--user: \"%s\" is root", user);
    if (found->pw_uid == geteuid() && found->pw_uid == getuid())
        return 0;
    if (geteuid() != 0)
        return error_set(error, "--user: only root can become \"%s\"", user);
    return become(found, error);
}

int privileges_check_folder(const char *option, const char *path, bool writes, struct error *error)
{
    const struct passwd *own;
    char name[64];
    int code;

    if (faccessat(AT_FDCWD, path, R_OK | X_OK | (writes ? W_OK : 0), AT_EACCESS) == 0)
        return 0;
    code = errno;
    own = getpwuid(geteuid());
    if (own)
        (void)snprintf(name, sizeof(name), "%s", own->pw_name);
    else
        (void)snprintf(name, sizeof(name), "%u", geteuid());
    return error_set(error, "--%s: user %s cannot %s %s: %s", option, name,
                     writes ? "write to" : "read", path, strerror(code));
}
