/* address.c - see address.h. A datagram socket that is connected has picked its own address. */
#include "worker/address.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Any port does; port 9 is for discarding. */
#define PORT "9"

static int pick(const struct addrinfo *to, char *text, size_t size)
{
    const int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage own;
    socklen_t length = sizeof(own);
    int result = -1;

    if (fd < 0)
        return -1;
    if (connect(fd, to->ai_addr, to->ai_addrlen) == 0 &&
        getsockname(fd, (struct sockaddr *)&own, &length) == 0 &&
        getnameinfo((struct sockaddr *)&own, length, text, (socklen_t)size, NULL, 0,
                    NI_NUMERICHOST) == 0)
        result = 0;
    (void)close(fd);
    return result;
}

/* The addresses of `host`, to be freed; NULL with `error` if there are none. */
static struct addrinfo *find_addresses(const char *host, struct error *error)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found;
    const int failure = getaddrinfo(host, PORT, &hints, &found);

    if (failure == 0)
        return found;
    (void)error_set(error, "%s: %s", host, gai_strerror(failure));
    return NULL;
}

int address_check(const char *host, struct error *error)
{
    struct addrinfo *found = find_addresses(host, error);

    if (!found)
        return -1;
    freeaddrinfo(found);
    return 0;
}

int address_towards(const char *host, char *text, size_t size, struct error *error)
{
    struct addrinfo *found = find_addresses(host, error);
    int result = -1;

    if (!found)
        return -1;
    errno = ENETUNREACH;
    for (const struct addrinfo *one = found; one && result < 0; one = one->ai_next)
        result = pick(one, text, size);
    freeaddrinfo(found);
    return result == 0 ? 0
                       : error_set(error,
                                   "%s: no route to it: %s; --address=ADDRESS says under "
                                   "which other nodes reach this one",
                                   host, strerror(errno));
}

static bool same_address(const struct sockaddr *one, const struct sockaddr *other)
{
    if (!one || one->sa_family != other->sa_family)
        return false;
    if (one->sa_family == AF_INET)
        return !memcmp(&((const struct sockaddr_in *)one)->sin_addr,
                       &((const struct sockaddr_in *)other)->sin_addr, sizeof(struct in_addr));
    return one->sa_family == AF_INET6 &&
           !memcmp(&((const struct sockaddr_in6 *)one)->sin6_addr,
                   &((const struct sockaddr_in6 *)other)->sin6_addr, sizeof(struct in6_addr));
}

void address_interface(const char *host, char *name, size_t size)
{
    struct error ignored;
    struct addrinfo *found = find_addresses(host, &ignored);
    struct ifaddrs *interfaces = NULL;

    name[0] = '\0';
    if (!found || getifaddrs(&interfaces) < 0)
        interfaces = NULL;
    for (const struct ifaddrs *one = interfaces; one && !*name; one = one->ifa_next)
        if (!(one->ifa_flags & IFF_LOOPBACK) && same_address(one->ifa_addr, found->ai_addr))
            (void)snprintf(name, size, "%s", one->ifa_name);
    if (interfaces)
        freeifaddrs(interfaces);
    if (found)
        freeaddrinfo(found);
}
