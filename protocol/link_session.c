/* link_session.c - see link_session.h: the begin of a session, its messages, its end, and the
 * questions that its owner may ask. */
#include "protocol/link_session.h"

#include "protocol/accept.h"
#include "protocol/peer_user.h"
#include "protocol/process_name.h"

#include <assert.h>
#include <stdarg.h>

/* ---- the table ---- */

static size_t hash_id(const void *key)
{
    const struct connection_id *const id = key;
    size_t hash = 5381;

    for (size_t i = 0; i < id->bytes; i++)
        hash = hash * 33 + id->data[i];
    return hash;
}

static int compare_ids(const void *first, const void *second)
{
    const struct connection_id *const a = first;
    const struct connection_id *const b = second;

    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return memcmp(a->data, b->data, a->bytes);
}

void session_forget(link_peer_t *self)
{
    self->in_session = false;
    self->item = NULL;
    self->ending[0] = '\0';
    free(self->role);
    free(self->name);
    self->role = NULL;
    self->name = NULL;
}

static void peer_free(void **item)
{
    link_peer_t *const self = *item;

    session_forget(self);
    self->account->peers--;
    free(self);
    *item = NULL;
}

zhashx_t *link_peers_new(void)
{
    zhashx_t *const peers = zhashx_new();

    zhashx_set_key_hasher(peers, hash_id);
    zhashx_set_key_comparator(peers, compare_ids);
    zhashx_set_key_duplicator(peers, NULL); /* the key is a member of the item */
    zhashx_set_key_destructor(peers, NULL);
    zhashx_set_destructor(peers, peer_free);
    return peers;
}

link_peer_t *link_server_find(const link_server_t *self, const char *role, const char *name)
{
    for (link_peer_t *peer = zhashx_first(self->peers); peer; peer = zhashx_next(self->peers)) {
        if (peer->in_session && streq(peer->role, role) && streq(peer->name, name))
            return peer;
    }
    return NULL;
}

/* ---- messages and ends ---- */

void session_end_later(link_peer_t *self, const char *format, ...)
{
    va_list arguments;

    if (!self->in_session || self->ending[0])
        return;
    va_start(arguments, format);
    (void)vsnprintf(self->ending, sizeof(self->ending), format, arguments);
    va_end(arguments);
    self->server->some_end = true;
}

/* Sends and closes `message`. */
static void session_send(link_peer_t *self, struct writer *message)
{
    writer_stamp(message, self->session, ++self->last_out);
    if (link_socket_send(&self->server->socket, self->id.data, self->id.bytes, message->bytes.data,
                         message->bytes.size) < 0) {
        if (errno == EAGAIN)
            session_end_later(self, "it does not read what it is sent");
        else if (errno == EMSGSIZE)
            session_end_later(self, "a message of %zu bytes is more than %zu", message->bytes.size,
                              WIRE_FRAME_MAX);
        else
            session_end_later(self, "its connection is gone");
    }
    writer_close(message);
}

void session_send_refused(link_peer_t *self, enum refusal_code code, const char *sentence)
{
    const struct msg_refusal refusal = {sentence, code, WIRE_OLDEST, WIRE_VERSION};
    struct writer message;

    msg_refusal_pack(&refusal, &message);
    session_send(self, &message);
}

void session_end(link_peer_t *self, bool told, const char *cause)
{
    assert(self->in_session);
    if (!told)
        session_send_refused(self, REFUSAL_BROKEN, cause);
    self->in_session = false;
    self->was_told = true;
    self->server->calls.gone(self->server->owner, self, cause);
    session_forget(self);
}

/* ---- beginning ---- */

/* The sentence is known to peers of version 4, whose refusals have no code. */
static int check_version(const struct msg_hello *hello, struct error *error)
{
    if (hello->version >= WIRE_OLDEST && hello->version <= WIRE_VERSION)
        return 0;
    return error_set(error, "version %u of the protocol is not spoken here, but %d to %d",
                     hello->version, WIRE_OLDEST, WIRE_VERSION);
}

/* Whether the peer will come again in a version that this process speaks. */
static bool will_come_again(const struct msg_hello *hello)
{
    return hello->version > WIRE_VERSION && hello->oldest <= WIRE_VERSION;
}

static int check_hello(reader_t *in, const struct msg_hello *hello, struct error *error)
{
    if (reader_failed(in))
        return reader_close(in, error);
    if (process_name_check(hello->role, error) < 0 || process_name_check(hello->name, error) < 0)
        return error_prefix(error, "HELLO");
    return 0;
}

int session_check_key(const link_peer_t *self, struct error *error)
{
    struct allowed_key owner;

    if (!self->server->keys)
        return 0;
    if (!keys_allow(self->server->keys, self->key, &owner))
        return error_set(error, "its key is not allowed");
    if (!streq(owner.role, self->role) || !streq(owner.name, self->name))
        return error_set(error, "its key is that of %s \"%s\", not of %s \"%s\"", owner.role,
                         owner.name, self->role, self->name);
    return 0;
}

static int check_user(const link_peer_t *self, struct error *error)
{
    if (self->server->keys || self->server->peers_allowed == LINK_PEERS_ANY_USER ||
        peer_user_is_trusted(self->uid))
        return 0;
    return peer_user_refuse(self->uid, error);
}

/* Checks that the key or user may have one more session: no peer may hold more sessions than are
 * free, as accept.c explains. */
static int check_room(const link_peer_t *self, struct error *error)
{
    link_server_t *const server = self->server;
    const int64_t left = (int64_t)accept_room() - self->descriptor;
    int32_t sessions = 0;

    if (server->sessions_max == 0)
        return 0;
    for (link_peer_t *peer = zhashx_first(server->peers); peer; peer = zhashx_next(server->peers))
        sessions += peer->in_session && peer->account == self->account;
    if (sessions < server->sessions_max && (sessions == 0 || sessions < left))
        return 0;
    return error_set(error, "its %s has %d sessions already, which is the most",
                     server->keys ? "key" : "user", sessions);
}

/* Checks for another peer of the same name. Either one peer has a false name, or the peer came
 * back on another connection before the end of its first was seen; in that case the first
 * connection is silent. */
static int check_namesake(link_peer_t *self, struct error *error)
{
    link_peer_t *const other = link_server_find(self->server, self->role, self->name);

    if (!other || other == self || self->server->shares_names)
        return 0;
    if (zclock_mono() - other->heard_ms <= self->server->heartbeat_ms && other->closed_ms == 0)
        return error_set(error, "%s \"%s\" is there already", self->role, self->name);
    session_end(other, false, "it came back on another connection");
    return 0;
}

/* Begins the session. If there is none, tells the peer why, and puts the reason into `error`. */
static enum refusal_code accept_hello(link_peer_t *self, const struct msg_hello *hello,
                                      struct error *error)
{
    link_server_t *const server = self->server;

    if (check_version(hello, error) < 0)
        return REFUSAL_VERSION;
    if (check_hello(server->reader, hello, error) < 0)
        return REFUSAL_HELLO;
    self->role = xstrdup(hello->role);
    self->name = xstrdup(hello->name);
    if (check_user(self, error) < 0 || session_check_key(self, error) < 0)
        return REFUSAL_NOT_ALLOWED;
    if (check_room(self, error) < 0)
        return REFUSAL_NO_ROOM;
    if (check_namesake(self, error) < 0)
        return REFUSAL_NAMESAKE;
    self->version = hello->version;
    self->in_session = true;
    self->end = LINK_END_BROKEN;
    self->was_told = false;
    return server->calls.hello(server->owner, self, hello, server->reader, error) < 0
               ? REFUSAL_OWNER
               : REFUSAL_NONE;
}

static void refuse_hello(link_peer_t *self, enum refusal_code code, bool told, const char *cause)
{
    link_server_t *const server = self->server;

    if (told) {
        server->refused++;
        if (server->calls.refused)
            server->calls.refused(server->owner, self->role, self->name, cause);
    }
    session_send_refused(self, code, cause);
    session_forget(self);
    self->was_told = true;
}

void session_on_hello(link_peer_t *self)
{
    link_server_t *const server = self->server;
    struct error error;
    struct msg_hello hello;
    enum refusal_code code;

    if (reader_session(server->reader) <= self->session) {
        server->repeated++;
        return;
    }
    if (self->in_session)
        session_end(self, true, "it said hello again");
    self->session = reader_session(server->reader);
    self->last_in = reader_sequence(server->reader);
    self->last_out = 0;
    msg_hello_unpack(server->reader, &hello);
    code = accept_hello(self, &hello, &error);
    if (code != REFUSAL_NONE)
        refuse_hello(self, code, code != REFUSAL_VERSION || !will_come_again(&hello), error.text);
}

/* ---- the owner's side ---- */

void link_peer_send(link_peer_t *self, struct writer *message)
{
    if (self->in_session && !self->ending[0])
        session_send(self, message);
    else
        writer_close(message);
}

void link_peer_refuse(link_peer_t *self, const char *sentence)
{
    if (!self->in_session)
        return;
    session_send_refused(self, REFUSAL_OWNER, sentence);
    session_forget(self);
    self->was_told = true;
}

enum link_end link_peer_end(const link_peer_t *self)
{
    return self->end;
}

uint32_t link_peer_version(const link_peer_t *self)
{
    return self->version;
}

const char *link_peer_role(const link_peer_t *self)
{
    return self->role;
}

const char *link_peer_name(const link_peer_t *self)
{
    return self->name;
}

int64_t link_peer_uid(const link_peer_t *self)
{
    return self->uid;
}

void *link_peer_item(const link_peer_t *self)
{
    return self->item;
}

void link_peer_set_item(link_peer_t *self, void *item)
{
    self->item = item;
}
