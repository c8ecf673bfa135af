/* local_socket.c - see local_socket.h.
 *
 * libzmq would replace whatever has the name of its file, and leaves the file when it is done. */
#include "protocol/local_socket.h"

#include <czmq.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATH_CHARS_MAX (sizeof((struct sockaddr_un){.sun_family = AF_UNIX}.sun_path) - 1)

/* The file of `endpoint`, NULL if it has none. */
static const char *file_of(const char *endpoint)
{
    static const char scheme[] = "ipc://";
    const char *const path = endpoint + strlen(scheme);

    if (strncmp(endpoint, scheme, strlen(scheme)) != 0 || path[0] == '@' || path[0] == '*')
        return NULL;
    return path;
}

/* Whether a process listens at `path`. A process without room for more connections listens, too. */
static bool is_in_use(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool in_use;

    if (descriptor < 0)
        return true;
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    in_use = connect(descriptor, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
             errno == EAGAIN || errno == EACCES;
    (void)close(descriptor);
    return in_use;
}

static int check_file(const char *endpoint, const char *path, struct error *error)
{
    struct stat status;

    if (strlen(path) > PATH_CHARS_MAX)
        return error_set(error, "%s: the file of a local socket is named by at most %zu characters",
                         endpoint, PATH_CHARS_MAX);
    if (lstat(path, &status) < 0)
        return 0;
    if (!S_ISSOCK(status.st_mode))
        return error_set(error, "%s: there is a file that is no socket", endpoint);
    if (is_in_use(path))
        return error_set(error, "%s: cannot listen there: another process does", endpoint);
    return 0;
}

/* The file has its rights from the start: there is no time in which others can open it. */
int local_socket_bind(void *socket, const char *endpoint, bool any_user, struct error *error)
{
    const char *const path = file_of(endpoint);
    mode_t mask;
    int result;

    if (path && check_file(endpoint, path, error) < 0)
        return -1;
    mask = umask(any_user ? 0111 : 0177);
    result = zmq_bind(socket, endpoint);
    (void)umask(mask);
    if (result < 0)
        return error_set(error, "%s: cannot listen there: %s", endpoint, zmq_strerror(errno));
    return 0;
}

void local_socket_remove(const char *endpoint)
{
    const char *const path = file_of(endpoint);

    if (path)
        (void)unlink(path);
}
