/* accept.c - see accept.h.
 *
 * libzmq 4.3.4 ends the process where a local socket has a connection and no descriptor is left for
 * that connection, and where the rest of the process finds none. libzmq has no limit on connections
 * of its own, and takes them in a thread that no other thread can hold up. The dynamic linker
 * resolves the two calls by which libzmq takes a connection to the functions below. A connection
 * that is refused here ends at once, and libzmq goes on as after one whose peer hung up early.
 *
 * The kernel hands out the lowest free descriptor. So a connection with descriptor N says that N
 * descriptors are open below, and nothing need be counted.
 *
 * Users of a local socket share what is left by dynamic thresholds (Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking 6(2), 1998): a user may hold as many connections as are still free.
 * One user takes half at most, two take a third each, and there is always room for the next. */
#include "protocol/accept.h"

#include "protocol/link.h"
#include "protocol/peer_user.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Without a descriptor the connection stays in the kernel's queue, and would be asked for again at
 * once. */
#define NONE_LEFT_MS 10

size_t accept_room(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= LINK_DESCRIPTORS_KEPT)
        return 0;
    return (size_t)(limit.rlim_cur - LINK_DESCRIPTORS_KEPT);
}

/* The user at the other end of a local socket, -1 if `descriptor` is anything else. */
static int64_t local_user(int descriptor)
{
    struct ucred user;
    socklen_t size = sizeof(user);

    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &user, &size) < 0)
        return -1;
    return user.uid == (uid_t)-1 ? -1 : (int64_t)user.uid;
}

/* While less than half of the room is taken, no user can hold more connections than are free. */
static bool has_its_share(int descriptor, size_t room)
{
    const size_t taken = (size_t)descriptor;
    const size_t left = room - taken;
    const int64_t user = local_user(descriptor);
    size_t held = 0;

    if (user < 0 || peer_user_is_trusted(user) || taken < left)
        return false;
    for (int other = STDERR_FILENO + 1; other < descriptor && held < left; other++)
        held += local_user(other) == user;
    return held >= left;
}

static bool is_welcome(int descriptor)
{
    const size_t room = accept_room();

    return (size_t)descriptor < room && !has_its_share(descriptor, room);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) int accept4(int socket, struct sockaddr *address,
                                                   socklen_t *size, int flags)
{
    const int descriptor = (int)syscall(SYS_accept4, socket, address, size, flags);

    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE))
        (void)poll(NULL, 0, NONE_LEFT_MS);
    else if (descriptor < 0 || is_welcome(descriptor))
        return descriptor;
    if (descriptor >= 0)
        (void)close(descriptor);
    errno = ECONNABORTED;
    return -1;
}

__attribute__((visibility("default"))) int accept(int socket, struct sockaddr *address,
                                                  socklen_t *size)
{
    return accept4(socket, address, size, 0);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
