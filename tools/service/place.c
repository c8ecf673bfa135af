/* place.c - see place.h. */
#include "tools/service/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define STATE_OF_ROOT     "/var/lib/rubato"
#define SOCKET_OF_MACHINE "/run/rubato/rubato.sock"

/* The value of an environment variable, NULL if it is empty or not set. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int put(char *path, size_t size, const char *folder, const char *rest, struct error *error)
{
    const int length = snprintf(path, size, "%s%s", folder, rest);

    return length >= 0 && (size_t)length < size
               ? 0
               : error_set(error, "%s%s: the name is too long", folder, rest);
}

int place_state(char *path, size_t size, struct error *error)
{
    const char *own = variable("RUBATO_STATE");
    const char *states = variable("XDG_STATE_HOME");
    const char *home = variable("HOME");

    if (own)
        return put(path, size, own, "", error);
    if (geteuid() == 0)
        return put(path, size, STATE_OF_ROOT, "", error);
    if (states)
        return put(path, size, states, "/rubato", error);
    if (home)
        return put(path, size, home, "/.local/state/rubato", error);
    return error_set(error, "no folder for the state of a service: neither RUBATO_STATE, "
                            "XDG_STATE_HOME nor HOME is set");
}

int place_socket_of_state(const char *state, char *path, size_t size, struct error *error)
{
    return geteuid() == 0 && !strcmp(state, STATE_OF_ROOT)
               ? put(path, size, SOCKET_OF_MACHINE, "", error)
               : put(path, size, state, "/rubato.sock", error);
}

int place_socket(const char *asked, char *path, size_t size, struct error *error)
{
    char state[4096];
    struct error ignored;

    if (!asked)
        asked = variable("RUBATO_SOCKET");
    if (asked)
        return put(path, size, asked, "", error);
    if (place_state(state, sizeof(state), &ignored) == 0 &&
        place_socket_of_state(state, path, size, &ignored) == 0 && access(path, F_OK) == 0)
        return 0;
    return put(path, size, SOCKET_OF_MACHINE, "", error);
}

int place_check_socket(const char *path, struct error *error)
{
    const size_t most = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

    return strlen(path) <= most
               ? 0
               : error_set(error, "%s: the name of a socket has at most %zu bytes", path, most);
}
