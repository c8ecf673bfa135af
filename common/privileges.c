/* privileges.c - see privileges.h. */
#include "common/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool privileges_are_root(void)
{
    return geteuid() == 0;
}

/* ---- capabilities ---- */

/* The capabilities to be another user, to give that user folders, and to end that user's
 * programs. */
static const int run_others[] = {CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_KILL};

#define RUN_OTHERS (sizeof(run_others) / sizeof(*run_others))

static void add_capability(struct __user_cap_data_struct sets[], int capability)
{
    const uint32_t bit = UINT32_C(1) << (capability % 32);

    sets[capability / 32].effective |= bit;
    sets[capability / 32].permitted |= bit;
    sets[capability / 32].inheritable |= bit;
}

bool privileges_run_others(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {{0}};
    struct __user_cap_data_struct needs[_LINUX_CAPABILITY_U32S_3] = {{0}};

    if (syscall(SYS_capget, &head, has) < 0)
        return false;
    for (size_t i = 0; i < RUN_OTHERS; i++)
        add_capability(needs, run_others[i]);
    for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        if ((has[i].effective & needs[i].effective) != needs[i].effective)
            return false;
    return true;
}

/* Takes all other capabilities from this process and the programs that it starts. */
static int keep_run_others(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

    for (size_t i = 0; i < RUN_OTHERS; i++)
        add_capability(sets, run_others[i]);
    if (syscall(SYS_capset, &head, sets) < 0)
        return -1;
    for (size_t i = 0; i < RUN_OTHERS; i++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, run_others[i], 0, 0) < 0)
            return -1;
    return 0;
}

/* ---- users ---- */

const char *privileges_user(void)
{
    static char name[256];
    const struct passwd *const own = getpwuid(geteuid());

    if (own)
        (void)snprintf(name, sizeof(name), "%s", own->pw_name);
    else
        (void)snprintf(name, sizeof(name), "%u", geteuid());
    return name;
}

/* Closes every way back: neither the saved user nor a program that belongs to root gives
 * privileges again. */
static int become(const struct passwd *user, bool keeps, struct error *error)
{
    if (prctl(PR_SET_KEEPCAPS, keeps, 0, 0, 0) < 0 || initgroups(user->pw_name, user->pw_gid) < 0 ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || (keeps && keep_run_others() < 0))
        return error_set(error, "--user: cannot become \"%s\": %s", user->pw_name, strerror(errno));
    if (!keeps && setresuid(0, 0, 0) == 0)
        return error_set(error, "--user: \"%s\" could become root again", user->pw_name);
    return 0;
}

static int drop(const char *user, bool keeps, struct error *error)
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
    return become(found, keeps, error);
}

int privileges_drop(const char *user, struct error *error)
{
    return drop(user, false, error);
}

int privileges_drop_but_run_others(const char *user, struct error *error)
{
    return drop(user, true, error);
}

int privileges_become_owner(const char *path, struct error *error)
{
    struct stat found;

    if (stat(path, &found) < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    if (geteuid() != 0 || found.st_uid == 0)
        return 0;
    if (setgroups(0, NULL) < 0 || setresgid(found.st_gid, found.st_gid, found.st_gid) < 0 ||
        setresuid(found.st_uid, found.st_uid, found.st_uid) < 0)
        return error_set(error, "%s: cannot become its owner: %s", path, strerror(errno));
    return access(path, R_OK | W_OK | X_OK) == 0
               ? 0
               : error_set(error, "%s: its owner, user %u, cannot use it: %s", path, found.st_uid,
                           strerror(errno));
}

int privileges_check_folder(const char *option, const char *path, bool writes, struct error *error)
{
    int code;

    if (faccessat(AT_FDCWD, path, R_OK | X_OK | (writes ? W_OK : 0), AT_EACCESS) == 0)
        return 0;
    code = errno;
    return error_set(error, "--%s: user %s cannot %s %s: %s", option, privileges_user(),
                     writes ? "write to" : "read", path, strerror(code));
}
