/* executable.c - see executable.h. */
#include "common/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_DEFAULT "/bin:/usr/bin" /* execvp's default if PATH is not set */
#define HEAD_BYTES   256             /* the kernel looks no further for an interpreter */

static bool is_executable_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

int executable_find(const char *name, char path[PATH_MAX], struct error *error)
{
    const char *folders = getenv("PATH");

    return executable_find_in(folders ? folders : PATH_DEFAULT, name, path, error);
}

int executable_find_in(const char *folders, const char *name, char path[PATH_MAX],
                       struct error *error)
{
    (void)snprintf(path, PATH_MAX, "%s", name);
    if (strchr(name, '/'))
        return 0;
    for (;; folders++) {
        const int length = (int)strcspn(folders, ":");

        (void)snprintf(path, PATH_MAX, "%.*s%s%s", length, folders, length > 0 ? "/" : "./", name);
        if (is_executable_file(path))
            return 0;
        folders += length;
        if (!*folders)
            break;
    }
    (void)error_set(error, "%s: there is no such program in PATH", name);
    errno = ENOENT;
    return -1;
}

int executable_beside(const char *name, char path[PATH_MAX], struct error *error)
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    if (length < 0)
        return error_set(error, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (!slash || strlen(name) >= (size_t)(PATH_MAX - (slash + 1 - path)))
        return error_set(error, "%s: the name of its folder is too long", name);
    (void)snprintf(slash + 1, (size_t)(PATH_MAX - (slash + 1 - path)), "%s", name);
    return 0;
}

static int check_file(const char *path, struct error *error)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return error_set(error, "%s: it is a folder, no program", path);
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: it is no file", path);
    if (access(path, X_OK) < 0)
        return error_set(error, "%s: it may not be executed (chmod +x)", path);
    return 0;
}

/* Reads the first bytes of a file, ended with a NUL; -1 if the file may be executed but not
 * read. */
static ssize_t read_head(const char *path, char head[HEAD_BYTES + 1])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length;

    if (file < 0)
        return -1;
    length = read(file, head, HEAD_BYTES);
    head[length > 0 ? length : 0] = '\0';
    (void)close(file);
    return length;
}

/* After the #! there are blanks, the interpreter's path and perhaps an argument. */
static int check_interpreter(const char *path, char *line, struct error *error)
{
    char *interpreter = line + strspn(line, " \t");

    interpreter[strcspn(interpreter, " \t\n")] = '\0';
    if (check_file(interpreter, error) == 0)
        return 0;
    (void)error_prefix(error, "its interpreter");
    return error_prefix(error, path);
}

int executable_check(const char *name, struct error *error)
{
    char path[PATH_MAX];
    char head[HEAD_BYTES + 1];
    ssize_t length;

    if (executable_find(name, path, error) < 0 || check_file(path, error) < 0)
        return -1;
    length = read_head(path, head);
    if (length < 0 || strncmp(head, "\177ELF", 4) == 0)
        return 0;
    if (strncmp(head, "#!", 2) == 0)
        return check_interpreter(path, head + 2, error);
    return error_set(error, "%s: it is neither a binary nor a script that begins with #!", path);
}
