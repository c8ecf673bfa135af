/* household_folders.c - see household_folders.h. */
#include "tools/service/household_folders.h"

#include "common/output.h"
#include "common/user_group.h"
#include "tools/service/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mode of the folders. Root's service is for all users, who may enter its folders but not list
 * them. */
static mode_t mode_of_folders(void)
{
    return geteuid() == 0 ? 0711 : 0700;
}

/* Adds the access rights of mode_of_folders to the mode of an existing folder. */
static int let_enter(const char *path, struct error *error)
{
    const mode_t mode = mode_of_folders();
    struct stat status;

    if (stat(path, &status) < 0 ||
        ((status.st_mode & mode) != mode && chmod(path, (status.st_mode & 07777) | mode) < 0))
        return error_set(error, "%s: %s", path, strerror(errno));
    return 0;
}

static int make_folder(const char *folder, const char *name, bool entered, struct error *error)
{
    char path[PATH_MAX + 16];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return error_set(error, "%s: cannot be made: %s", path, strerror(errno));
    return entered ? let_enter(path, error) : 0;
}

int household_folders_make(const char *state, char folder[PATH_MAX], struct error *error)
{
    char asked[PATH_MAX];
    mode_t before;
    int made;

    if (state)
        (void)snprintf(asked, sizeof(asked), "%s", state);
    else if (place_state(asked, sizeof(asked), error) < 0)
        return -1;
    before = umask(077);
    made = output_make_folder(asked, error);
    (void)umask(before);
    if (made < 0)
        return -1;
    if (!realpath(asked, folder))
        return error_set(error, "%s: %s", asked, strerror(errno));
    return let_enter(folder, error) < 0 || make_folder(folder, "logs", false, error) < 0
               ? -1
               : make_folder(folder, "runs", true, error);
}

/* Gives the folder to the group, and with it all files that the worker makes there later. A missing
 * folder is no error. */
static int give_folder(const char *path, gid_t group, struct error *error)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool is_missing = fd < 0 && errno == ENOENT;
    struct stat status;
    int result = is_missing ? 0 : -1;

    if (fd >= 0 && fstat(fd, &status) == 0 && fchown(fd, (uid_t)-1, group) == 0)
        result = fchmod(fd, (status.st_mode & 07777) | S_ISGID);
    if (result < 0)
        (void)error_set(error, "%s: cannot be given to the group of --operators: %s", path,
                        strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return result;
}

int household_folders_give(const char *folder, const char *operators, struct error *error)
{
    static const char *const folders[] = {"runs", "runs/logs", "runs/jobs"};
    char path[PATH_MAX + 16];
    gid_t group;

    if (!operators)
        return 0;
    if (user_group_find(operators, &group, error) < 0)
        return error_prefix(error, "--operators");
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
        if (give_folder(path, group, error) < 0)
            return -1;
    }
    return 0;
}

int household_folders_socket(const char *socket, struct error *error)
{
    char folder[PATH_MAX];
    char *slash;

    (void)snprintf(folder, sizeof(folder), "%s", socket);
    slash = strrchr(folder, '/');
    if (geteuid() != 0 || !slash || slash == folder)
        return 0;
    *slash = '\0';
    if (mkdir(folder, 0755) == 0)
        return chmod(folder, 0755) == 0 ? 0 : error_set(error, "%s: %s", folder, strerror(errno));
    return errno == EEXIST ? 0
                           : error_set(error, "%s: cannot be made: %s", folder, strerror(errno));
}
