/* gates.c - see gates.h. */
#include "scheduler/service/gates.h"

#include "common/log.h"
#include "common/memory.h"
#include "common/user_group.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RATE_MAX     5000 /* messages a second of one user */
#define SESSIONS_MAX 256  /* sessions of one user */
#define ENDPOINT_MAX 512

/* The user and the role behind a session. */
struct visitor {
    char user[CLIENT_USER_BYTES];
    enum role role;
};

/* A socket at which clients come in. */
struct gate {
    gates_t *gates;
    link_server_t *server; /* NULL if the gate is closed */
    int (*know)(const gates_t *gates, link_peer_t *peer, struct visitor *visitor,
                struct error *error);
};

struct gates {
    struct gates_setting setting;
    gid_t operators; /* the group of operators, if the setting names one */
    clients_t *clients;
    struct gate local;
    struct gate remote;
};

/* ---- who a client is ---- */

static void name_user(struct visitor *visitor, uid_t uid)
{
    const struct passwd *user = getpwuid(uid);

    if (user)
        (void)snprintf(visitor->user, sizeof(visitor->user), "%s", user->pw_name);
    else
        (void)snprintf(visitor->user, sizeof(visitor->user), "%u", (unsigned)uid);
}

static bool operates(const gates_t *self, uid_t uid)
{
    return uid == 0 || uid == geteuid() ||
           (self->setting.operators && user_group_has(self->operators, uid));
}

static int know_local(const gates_t *gates, link_peer_t *peer, struct visitor *visitor,
                      struct error *error)
{
    const int64_t uid = link_peer_uid(peer);

    if (uid < 0)
        return error_set(error, "the system does not say which user you are");
    visitor->role = operates(gates, (uid_t)uid) ? ROLE_OPERATE : ROLE_SUBMIT;
    name_user(visitor, (uid_t)uid);
    return 0;
}

/* Behind a key, role and name of the client are those of the allow-list. */
static int know_remote(const gates_t *gates, link_peer_t *peer, struct visitor *visitor,
                       struct error *error)
{
    const char *role = link_peer_role(peer);

    (void)gates;
    for (int i = 0; i <= ROLE_OPERATE; i++) {
        if (strcmp(role, role_names[i]) != 0)
            continue;
        visitor->role = (enum role)i;
        (void)snprintf(visitor->user, sizeof(visitor->user), "%s", link_peer_name(peer));
        return 0;
    }
    return error_set(error, "a key of role \"%.63s\" is none of a client", role);
}

/* ---- sessions ---- */

static void send_answer(void *peer, const struct msg_answer *answer)
{
    struct writer out;

    msg_answer_pack(answer, &out);
    link_peer_send(peer, &out);
}

static void send_beat(void *peer)
{
    struct writer beat;

    msg_bare_pack(MSG_HEARTBEAT, &beat);
    link_peer_send(peer, &beat);
}

static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    const struct gate *gate = owner;
    const gates_t *self = gate->gates;
    struct visitor visitor;
    struct writer welcome;

    (void)hello;
    if (reader_close(in, error) < 0 || gate->know(self, peer, &visitor, error) < 0)
        return -1;
    link_peer_set_item(peer, clients_join(self->clients, visitor.user, visitor.role,
                                          &(struct client_line){send_answer, send_beat, peer}));
    msg_client_welcome_pack(&(struct msg_client_welcome){self->setting.heartbeat_ms, visitor.user,
                                                         role_names[visitor.role]},
                            &welcome);
    link_peer_send(peer, &welcome);
    return 0;
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    (void)owner;
    (void)cause;
    clients_leave(link_peer_item(peer));
}

static void on_refused(void *owner, const char *role, const char *name, const char *cause)
{
    (void)owner;
    (void)role;
    log_event(&LOG_ABOUT_NOTHING, "refused", "peer=%s cause=%s", log_text(name ? name : "-"),
              log_text(cause));
}

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    struct msg_request asked;

    (void)owner;
    if (type == MSG_HEARTBEAT)
        return reader_close(in, error);
    if (type != MSG_REQUEST)
        return error_set(error, "a message of type %d, which is none of a client", type);
    if (msg_request_unpack(in, &asked, error) < 0)
        return -1;
    clients_ask(link_peer_item(peer), &asked);
    return 0;
}

void gates_beat(gates_t *self)
{
    clients_beat(self->clients);
}

/* ---- life ---- */

static int open_gate(struct gate *gate, zloop_t *loop, const char *protocol, const char *address,
                     const keys_t *keys, struct error *error)
{
    static const struct link_server_calls calls = {on_hello, on_message, on_gone, on_refused};
    char endpoint[ENDPOINT_MAX];
    const struct link_server_setting setting = {.endpoint = endpoint,
                                                .heartbeat_ms = gate->gates->setting.heartbeat_ms,
                                                .keys = keys,
                                                .peers = LINK_PEERS_ANY_USER,
                                                .shares_names = true,
                                                .rate_max = RATE_MAX,
                                                .sessions_max = SESSIONS_MAX};

    (void)snprintf(endpoint, sizeof(endpoint), "%s://%s", protocol, address);
    gate->server = link_server_new(loop, &setting, &calls, gate, error);
    return gate->server ? 0 : -1;
}

static int find_operators(gates_t *self, struct error *error)
{
    const char *group = self->setting.operators;

    return group && user_group_find(group, &self->operators, error) < 0
               ? error_prefix(error, "--operators")
               : 0;
}

gates_t *gates_new(zloop_t *loop, const struct gates_setting *setting, clients_t *clients,
                   struct error *error)
{
    gates_t *self = xcalloc(1, sizeof(*self));

    *self = (struct gates){.setting = *setting,
                           .clients = clients,
                           .local = {self, NULL, know_local},
                           .remote = {self, NULL, know_remote}};
    if (find_operators(self, error) < 0 ||
        open_gate(&self->local, loop, "ipc", setting->socket, NULL, error) < 0 ||
        (setting->listen &&
         open_gate(&self->remote, loop, "tcp", setting->listen, setting->keys, error) < 0))
        gates_destroy(&self);
    return self;
}

void gates_destroy(gates_t **self)
{
    if (!*self)
        return;
    link_server_destroy(&(*self)->local.server);
    link_server_destroy(&(*self)->remote.server);
    free(*self);
    *self = NULL;
}
