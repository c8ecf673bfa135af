/* clients.c - see clients.h. */
#include "scheduler/service/clients.h"

#include "common/input.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/user_group.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#define SCHEMA_VERSION 1
#define USER_BYTES_MAX 64
#define BUSY_RETRY_S   1
#define RATE_MAX       5000 /* messages a second of one user */
#define SESSIONS_MAX   256  /* of one user */
#define ANSWER_MAX     512

const char *const role_names[] = {"read", "submit", "operate"};

struct client {
    clients_t *clients;
    link_peer_t *peer; /* NULL once it is gone */
    enum role role;
    char user[USER_BYTES_MAX];
    size_t open;         /* requests */
    uint64_t turn;       /* when a request of the same user was last taken */
    struct client *prev; /* among those that are there */
    struct client *next;
};

/* Where clients come in. */
struct gate {
    clients_t *clients;
    link_server_t *server; /* NULL for none */
    int (*know)(client_t *client, struct error *error);
};

struct clients {
    struct clients_setting setting;
    gid_t operators; /* if the setting names them */
    struct gate local;
    struct gate remote;
    client_t *all;
    struct request *waiting;
    size_t waiting_count;
    uint64_t turns;
    void (*wake)(void *owner);
    void *owner;
};

const char *client_user(const client_t *self)
{
    return self->user;
}

enum role client_role(const client_t *self)
{
    return self->role;
}

/* ---- who it is ---- */

static void name_user(client_t *client, uid_t uid)
{
    const struct passwd *user = getpwuid(uid);

    if (user)
        (void)snprintf(client->user, sizeof(client->user), "%s", user->pw_name);
    else
        (void)snprintf(client->user, sizeof(client->user), "%u", (unsigned)uid);
}

static bool operates(const clients_t *self, uid_t uid)
{
    return uid == 0 || uid == geteuid() ||
           (self->setting.operators && user_group_has(self->operators, uid));
}

static int know_local(client_t *client, struct error *error)
{
    const int64_t uid = link_peer_uid(client->peer);

    if (uid < 0)
        return error_set(error, "the system does not say which user you are");
    client->role = operates(client->clients, (uid_t)uid) ? ROLE_OPERATE : ROLE_SUBMIT;
    name_user(client, (uid_t)uid);
    return 0;
}

/* With keys, role and name are those of the allow-list. */
static int know_remote(client_t *client, struct error *error)
{
    const char *role = link_peer_role(client->peer);

    for (int i = 0; i <= ROLE_OPERATE; i++) {
        if (strcmp(role, role_names[i]) != 0)
            continue;
        client->role = (enum role)i;
        (void)snprintf(client->user, sizeof(client->user), "%s", link_peer_name(client->peer));
        return 0;
    }
    return error_set(error, "a key of role \"%.63s\" is none of a client", role);
}

static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    const struct gate *gate = owner;
    clients_t *self = gate->clients;
    client_t *client;
    struct writer welcome;

    (void)hello;
    if (reader_close(in, error) < 0)
        return -1;
    client = xcalloc(1, sizeof(*client));
    client->clients = self;
    client->peer = peer;
    if (gate->know(client, error) < 0) {
        free(client);
        return -1;
    }
    DL_APPEND(self->all, client);
    link_peer_set_item(peer, client);
    msg_client_welcome_pack(&(struct msg_client_welcome){self->setting.heartbeat_ms, client->user,
                                                         role_names[client->role]},
                            &welcome);
    link_peer_send(peer, &welcome);
    return 0;
}

static void drop_if_done(client_t *client)
{
    if (!client->peer && client->open == 0)
        free(client);
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    clients_t *self = ((const struct gate *)owner)->clients;
    client_t *client = link_peer_item(peer);

    (void)cause;
    DL_DELETE(self->all, client);
    client->peer = NULL;
    drop_if_done(client);
}

static void on_refused(void *owner, const char *role, const char *name, const char *cause)
{
    (void)owner;
    (void)role;
    log_event(&LOG_ABOUT_NOTHING, "refused", "peer=%s cause=%s", log_text(name ? name : "-"),
              log_text(cause));
}

/* ---- requests ---- */

static void free_request(struct request *request)
{
    client_t *client = request->client;

    client->open--;
    free(request->verb);
    free(request->document);
    free(request);
    drop_if_done(client);
}

static void tell_busy(client_t *client, uint64_t number, const char *why)
{
    char document[ANSWER_MAX];
    struct writer out;

    (void)snprintf(document, sizeof(document),
                   "{\"schema_version\": %d, \"error\": \"%s\", \"retry_after_s\": %d}",
                   SCHEMA_VERSION, why, BUSY_RETRY_S);
    msg_answer_pack(&(struct msg_answer){number, ANSWER_BUSY, document}, &out);
    link_peer_send(client->peer, &out);
}

static void tell_full(client_t *client, uint64_t number, int64_t most)
{
    char why[ANSWER_MAX / 2];

    (void)snprintf(why, sizeof(why),
                   "%" PRId64 " requests of this session are not answered yet, and it may have no "
                   "more: wait for answers, or ask again in %d s",
                   most, BUSY_RETRY_S);
    tell_busy(client, number, why);
}

static int on_request(clients_t *self, client_t *client, reader_t *in, struct error *error)
{
    struct msg_request asked;
    struct request *request;

    if (msg_request_unpack(in, &asked, error) < 0)
        return -1;
    if (self->setting.requests_max > 0 && (int64_t)client->open >= self->setting.requests_max) {
        tell_full(client, asked.number, self->setting.requests_max);
        return 0;
    }
    /* A client with nothing else open is heard also when others ask too much. */
    if (self->waiting_count >= self->setting.waiting_max && client->open > 0) {
        tell_busy(client, asked.number, "the service is busy: ask again in 1 s");
        return 0;
    }
    request = xcalloc(1, sizeof(*request));
    *request = (struct request){.client = client,
                                .number = asked.number,
                                .verb = xstrdup(asked.verb),
                                .document = xstrdup(asked.document)};
    client->open++;
    DL_APPEND(self->waiting, request);
    self->waiting_count++;
    self->wake(self->owner);
    return 0;
}

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    if (type == MSG_REQUEST)
        return on_request(((const struct gate *)owner)->clients, link_peer_item(peer), in, error);
    if (type == MSG_HEARTBEAT)
        return reader_close(in, error);
    return error_set(error, "a message of type %d, which is none of a client", type);
}

/* Users take turns: what one asks does not wait for all that another asked before. */
static struct request *first_of_next_user(const clients_t *self)
{
    struct request *next = self->waiting;
    struct request *request;

    DL_FOREACH(self->waiting, request)
    {
        if (request->client->turn < next->client->turn)
            next = request;
    }
    return next;
}

static void note_turn(clients_t *self, client_t *taken)
{
    client_t *client;

    taken->turn = ++self->turns;
    DL_FOREACH(self->all, client)
    {
        if (!strcmp(client->user, taken->user))
            client->turn = taken->turn;
    }
}

struct request *clients_next(clients_t *self)
{
    struct request *request = first_of_next_user(self);

    if (!request)
        return NULL;
    note_turn(self, request->client);
    DL_DELETE(self->waiting, request);
    self->waiting_count--;
    return request;
}

void clients_drop(struct request **request)
{
    free_request(*request);
    *request = NULL;
}

void clients_put_back(clients_t *self, struct request **request)
{
    DL_PREPEND(self->waiting, *request);
    self->waiting_count++;
    *request = NULL;
}

/* ---- answers ---- */

bool clients_listens(const struct request *request)
{
    return request->client->peer && !request->told;
}

static void send_answer(const struct request *request, enum answer_code code, const char *document)
{
    struct writer out;

    if (!clients_listens(request))
        return;
    msg_answer_pack(&(struct msg_answer){request->number, code, document}, &out);
    link_peer_send(request->client->peer, &out);
}

void clients_answer_text(clients_t *self, struct request **request, enum answer_code code,
                         const char *document)
{
    (void)self;
    send_answer(*request, code, document);
    free_request(*request);
    *request = NULL;
}

/* The text of a document, which is given up; owned by the caller. */
static char *document_text(json_t *document)
{
    char *text;

    json_object_set_new(document, "schema_version", json_integer(SCHEMA_VERSION));
    text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(document);
    return text;
}

void clients_answer(clients_t *self, struct request **request, enum answer_code code,
                    json_t *document)
{
    char *text = document_text(document);

    if (text && strlen(text) <= DOCUMENT_MAX)
        clients_answer_text(self, request, code, text);
    else
        clients_fail(self, request, ANSWER_FAILED, "the answer is too long for a message");
    free(text);
}

static json_t *error_document(const char *format, va_list more)
{
    char sentence[ANSWER_MAX];

    (void)vsnprintf(sentence, sizeof(sentence), format, more);
    input_mend_utf8(sentence, strlen(sentence)); /* a name may be cut in two */
    return json_pack("{s:s}", "error", sentence);
}

void clients_fail(clients_t *self, struct request **request, enum answer_code code,
                  const char *format, ...)
{
    json_t *document;
    va_list more;

    va_start(more, format);
    document = error_document(format, more);
    va_end(more);
    clients_answer(self, request, code, document);
}

void clients_fail_early(struct request *request, const char *format, ...)
{
    json_t *document;
    va_list more;
    char *text;

    va_start(more, format);
    document = error_document(format, more);
    va_end(more);
    text = document_text(document);
    send_answer(request, ANSWER_FAILED, text);
    free(text);
    request->told = true;
}

void clients_fail_busy(clients_t *self, struct request **request, int retry_s, const char *format,
                       ...)
{
    json_t *document;
    va_list more;

    va_start(more, format);
    document = error_document(format, more);
    va_end(more);
    json_object_set_new(document, "retry_after_s", json_integer(retry_s));
    clients_answer(self, request, ANSWER_BUSY, document);
}

/* ---- life ---- */

void clients_limit(clients_t *self, int64_t requests_max)
{
    self->setting.requests_max = requests_max;
}

void clients_beat(clients_t *self)
{
    client_t *client;

    DL_FOREACH(self->all, client)
    {
        struct writer beat;

        msg_bare_pack(MSG_HEARTBEAT, &beat);
        link_peer_send(client->peer, &beat);
    }
}

static int open_gate(struct gate *gate, zloop_t *loop, const char *protocol, const char *address,
                     const keys_t *keys, struct error *error)
{
    static const struct link_server_calls calls = {on_hello, on_message, on_gone, on_refused};
    char endpoint[ANSWER_MAX];
    const struct link_server_setting setting = {.endpoint = endpoint,
                                                .heartbeat_ms = gate->clients->setting.heartbeat_ms,
                                                .keys = keys,
                                                .peers = LINK_PEERS_ANY_USER,
                                                .shares_names = true,
                                                .rate_max = RATE_MAX,
                                                .sessions_max = SESSIONS_MAX};

    (void)snprintf(endpoint, sizeof(endpoint), "%s://%s", protocol, address);
    gate->server = link_server_new(loop, &setting, &calls, gate, error);
    return gate->server ? 0 : -1;
}

static int find_operators(clients_t *self, struct error *error)
{
    const char *group = self->setting.operators;

    return group && user_group_find(group, &self->operators, error) < 0
               ? error_prefix(error, "--operators")
               : 0;
}

clients_t *clients_new(zloop_t *loop, const struct clients_setting *setting,
                       void (*wake)(void *owner), void *owner, struct error *error)
{
    clients_t *self = xcalloc(1, sizeof(*self));

    *self = (struct clients){.setting = *setting,
                             .local = {self, NULL, know_local},
                             .remote = {self, NULL, know_remote},
                             .wake = wake,
                             .owner = owner};
    if (find_operators(self, error) < 0 ||
        open_gate(&self->local, loop, "ipc", setting->socket, NULL, error) < 0 ||
        (setting->listen &&
         open_gate(&self->remote, loop, "tcp", setting->listen, setting->keys, error) < 0))
        clients_destroy(&self);
    return self;
}

void clients_destroy(clients_t **self)
{
    struct request *request;
    client_t *client;
    client_t *next;

    if (!*self)
        return;
    while ((request = clients_next(*self)))
        free_request(request);
    link_server_destroy(&(*self)->local.server);
    link_server_destroy(&(*self)->remote.server);
    DL_FOREACH_SAFE((*self)->all, client, next)
    {
        free(client);
    }
    free(*self);
    *self = NULL;
}
