/* endpoint.c - whether an address is on this machine; see keys.h. */
#include "protocol/keys.h"

#include <arpa/inet.h>
#include <string.h>

/* Copies the host of "tcp://HOST:PORT" or "tcp://[HOST]:PORT"; -1 if there is none or it does not
 * fit. */
static int copy_host(const char *endpoint, char *host, size_t size)
{
    const char *const start = endpoint + strlen("tcp://");
    const char *const colon = strrchr(start, ':');
    size_t length = colon ? (size_t)(colon - start) : 0;

    if (length == 0 || length >= size)
        return -1;
    memcpy(host, start, length);
    host[length] = '\0';
    if (host[0] == '[' && host[length - 1] == ']') {
        memmove(host, host + 1, length - 2);
        host[length - 2] = '\0';
    }
    return 0;
}

/* Whether the endpoint is on this machine. Names are not looked up: others decide whether a name is
 * local. */
bool endpoint_is_local(const char *endpoint)
{
    char host[INET6_ADDRSTRLEN];
    struct in_addr v4;
    struct in6_addr v6;

    if (strncmp(endpoint, "ipc://", 6) == 0 || strncmp(endpoint, "inproc://", 9) == 0)
        return true;
    if (strncmp(endpoint, "tcp://", 6) != 0 || copy_host(endpoint, host, sizeof(host)) < 0)
        return false;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

int endpoint_check(const char *endpoint, const keys_t *keys, struct error *error)
{
    if (keys || endpoint_is_local(endpoint))
        return 0;
    return error_set(error, "%s: an address other than 127.0.0.1 and [::1] needs --keys", endpoint);
}
