/* peer_user.c - see peer_user.h.
 *
 * A local socket tells the user of its peer. TCP does not, but on loopback the kernel knows both
 * ends of a connection: the peer's socket has the same addresses, swapped. Netlink looks up that
 * socket. Without netlink, the table in /proc tells the same, hundreds of times slower.
 *
 * A socket without an owner has uid 0 in both: it was closed, or is not accepted yet. So only an
 * established socket with an inode counts. */
#include "protocol/peer_user.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define UNKNOWN (-1)

#define LINE_BYTES 512

/* ---- netlink ---- */

struct diag_request {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
};

static struct diag_request diag_request(const struct sockaddr_in *source,
                                        const struct sockaddr_in *target)
{
    struct diag_request request = {
        .head = {.nlmsg_len = sizeof(request),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = AF_INET,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = UINT32_MAX},
    };
    struct inet_diag_sockid *const id = &request.body.id;

    id->idiag_sport = source->sin_port;
    id->idiag_dport = target->sin_port;
    id->idiag_src[0] = source->sin_addr.s_addr;
    id->idiag_dst[0] = target->sin_addr.s_addr;
    id->idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return request;
}

/* Asks the kernel. Whether the kernel answered; `uid` is UNKNOWN if the kernel knows no such
 * connection. */
static bool ask_kernel(int netlink, const struct diag_request *request, int64_t *uid)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_msg body;
        char attributes[1024];
    } answer;
    ssize_t got;

    if (send(netlink, request, sizeof(*request), 0) < 0)
        return false;
    got = recv(netlink, &answer, sizeof(answer), 0);
    if (got < (ssize_t)sizeof(answer.head))
        return false;
    if (answer.head.nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr failure;

        memcpy(&failure, &answer.body, sizeof(failure));
        return failure.error == -ENOENT;
    }
    if (answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
        answer.body.idiag_state == TCP_ESTABLISHED && answer.body.idiag_inode != 0)
        *uid = answer.body.idiag_uid;
    return true;
}

static bool look_up(const struct sockaddr_in *source, const struct sockaddr_in *target,
                    int64_t *uid)
{
    const struct diag_request request = diag_request(source, target);
    const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    bool answered;

    *uid = UNKNOWN;
    if (netlink < 0)
        return false;
    answered = ask_kernel(netlink, &request, uid);
    (void)close(netlink);
    return answered;
}

/* ---- /proc ---- */

#define END_BYTES 16

/* "0100007F:1F90": the address as a number of this machine, and the port. */
static void print_end(const struct sockaddr_in *end, char text[END_BYTES])
{
    (void)snprintf(text, END_BYTES, "%08" PRIX32 ":%04X", end->sin_addr.s_addr,
                   ntohs(end->sin_port));
}

/* slot: local remote state queues timer:when retransmits uid timeout inode */
static int64_t uid_in_line(const char *line, const char *local, const char *remote)
{
    char ends[2][END_BYTES];
    unsigned state;
    unsigned uid;
    unsigned long inode;

    if (sscanf(line, "%*d: %15s %15s %x %*s %*s %*s %u %*u %lu", ends[0], ends[1], &state, &uid,
               &inode) != 5 ||
        strcmp(ends[0], local) != 0 || strcmp(ends[1], remote) != 0)
        return UNKNOWN;
    return state == TCP_ESTABLISHED && inode != 0 ? (int64_t)uid : UNKNOWN;
}

static int64_t read_table(const struct sockaddr_in *source, const struct sockaddr_in *target)
{
    FILE *const table = fopen("/proc/self/net/tcp", "re");
    char local[END_BYTES];
    char remote[END_BYTES];
    char line[LINE_BYTES];
    int64_t uid = UNKNOWN;

    if (!table)
        return UNKNOWN;
    print_end(source, local);
    print_end(target, remote);
    while (uid == UNKNOWN && fgets(line, sizeof(line), table))
        uid = uid_in_line(line, local, remote);
    (void)fclose(table);
    return uid;
}

/* ---- both ---- */

/* The user at the other end of a TCP connection. The peer's own socket has the addresses
 * swapped. */
static int64_t tcp_uid(int descriptor)
{
    struct sockaddr_in source = {0};
    struct sockaddr_in target = {0};
    socklen_t source_size = sizeof(source);
    socklen_t target_size = sizeof(target);
    int64_t uid;

    if (getpeername(descriptor, (struct sockaddr *)&source, &source_size) < 0 ||
        getsockname(descriptor, (struct sockaddr *)&target, &target_size) < 0)
        return UNKNOWN;
    return look_up(&source, &target, &uid) ? uid : read_table(&source, &target);
}

int64_t peer_user_of(int descriptor)
{
    struct ucred user;
    socklen_t user_size = sizeof(user);
    int family;
    socklen_t family_size = sizeof(family);

    if (descriptor < 0 || getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &family_size) < 0)
        return UNKNOWN;
    if (family == AF_INET)
        return tcp_uid(descriptor);
    if (family != AF_UNIX || getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &user, &user_size) < 0)
        return UNKNOWN;
    return user.uid;
}

bool peer_user_is_trusted(int64_t uid)
{
    return uid == 0 || uid == (int64_t)geteuid();
}

int peer_user_refuse(int64_t uid, struct error *error)
{
    const struct passwd *const own = getpwuid(geteuid());
    char who[32] = "a user that cannot be told";
    char name[64];

    if (uid >= 0)
        (void)snprintf(who, sizeof(who), "uid %" PRId64, uid);
    if (own)
        (void)snprintf(name, sizeof(name), "%s", own->pw_name);
    else
        (void)snprintf(name, sizeof(name), "%u", geteuid());
    return error_set(error, "%s: only user %s may connect without keys", who, name);
}
