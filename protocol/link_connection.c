/* link_connection.c - see link_session.h: connections that come and go, and the peer of each.
 *
 * Messages and events of the monitor both name the descriptor of their connection. Both wait in
 * queues, and the kernel gives the descriptor of a closed connection to the next one. If a
 * connection closed before any of its messages was read, the first message of its descriptor may
 * belong to the earlier connection. Such a message is dropped until the queue of messages was empty
 * once. No hello is lost by that: the next hello of an open connection says the same. */
#include "protocol/accept.h"
#include "protocol/link_session.h"
#include "protocol/peer_user.h"

#include <assert.h>

/* Time for a refusal to arrive before the connection is cut. */
#define CUT_MS 500

/* The longest silence of a connection; handshakes have the same time. */
#define SILENCE_MS 5000

/* Intervals of silence after which a connection without a session is closed. */
#define INTERVALS_REMEMBERED 10

/* ---- events ---- */

static void doubt(link_server_t *self, int descriptor)
{
    self->doubtful =
        grow_array(self->doubtful, self->doubtful_count, &self->doubtful_capacity, sizeof(int));
    self->doubtful[self->doubtful_count++] = descriptor;
}

/* Marks the peer of a connection that is closed. */
static void on_disconnected(link_server_t *self, int descriptor, bool has_spoken)
{
    bool is_known = !has_spoken;

    for (link_peer_t *peer = zhashx_first(self->peers); peer; peer = zhashx_next(self->peers)) {
        if (peer->descriptor == descriptor && peer->closed_ms == 0) {
            peer->closed_ms = zclock_mono();
            self->some_end = true;
            is_known = true;
        }
    }
    link_knocks_remove(&self->knocks, descriptor);
    if (!is_known)
        doubt(self, descriptor);
}

/* Reads the monitor's events. A failed handshake is told right before the end of its connection,
 * which then sent no message. */
void server_read_events(link_server_t *self)
{
    bool has_spoken = true;

    for (struct link_event event = link_socket_event(&self->socket); event.kind != LINK_EVENT_NONE;
         event = link_socket_event(&self->socket)) {
        if (event.kind == LINK_EVENT_ACCEPTED)
            self->silent += link_knocks_add(&self->knocks, event.value);
        else if (event.kind == LINK_EVENT_DISCONNECTED)
            on_disconnected(self, event.value, has_spoken);
        has_spoken = event.kind < LINK_EVENT_TOO_SLOW;
        self->strangers += !has_spoken;
    }
}

void server_trust_descriptors(link_server_t *self)
{
    self->doubtful_count = 0;
}

static bool is_doubtful(const link_server_t *self, int descriptor)
{
    for (size_t i = 0; i < self->doubtful_count; i++) {
        if (self->doubtful[i] == descriptor)
            return true;
    }
    return false;
}

/* ---- peers ---- */

static void copy_key(link_peer_t *self, struct link_frame *frame)
{
    const char *const key = link_frame_key(frame);

    if (key && strlen(key) == KEY_CHARS)
        memcpy(self->key, key, KEY_CHARS);
}

/* Whether the peer leaves as much room as it takes, as in accept.c. Connections without sessions
 * count, too. */
static bool has_its_share(const link_peer_t *self)
{
    return !peer_user_is_trusted(self->uid) &&
           (int64_t)self->account->peers > 1 + (int64_t)accept_room() - self->descriptor;
}

static link_peer_t *peer_new(link_server_t *server, const struct connection_id *id,
                             struct link_frame *frame, int64_t uid)
{
    link_peer_t *const self = xcalloc(1, sizeof(*self));

    self->server = server;
    self->id = *id;
    self->descriptor = link_frame_descriptor(frame);
    self->uid = uid;
    if (server->keys)
        copy_key(self, frame);
    self->account = link_account_open(server->accounts, self->key, uid, server->rate_max);
    (void)zhashx_insert(server->peers, &self->id, self);
    link_knocks_remove(&server->knocks, self->descriptor);
    if (has_its_share(self))
        peer_cut_later(self);
    return self;
}

/* Meets a new peer. Its user is asked for before the events are read: if the descriptor already
 * belonged to another connection, the end of this one would be among those events. */
static link_peer_t *meet(link_server_t *self, const struct connection_id *id,
                         struct link_frame *frame)
{
    const int descriptor = link_frame_descriptor(frame);
    const int64_t uid = self->keys ? -1 : peer_user_of(descriptor);

    server_read_events(self);
    return is_doubtful(self, descriptor) ? NULL : peer_new(self, id, frame, uid);
}

link_peer_t *server_peer_of(link_server_t *self, struct link_frame *frame)
{
    struct connection_id id = {.bytes = zmq_msg_size(&frame->sender)};
    link_peer_t *peer;

    assert(id.bytes <= ID_BYTES_MAX);
    memcpy(id.data, zmq_msg_data(&frame->sender), id.bytes);
    peer = zhashx_lookup(self->peers, &id);
    return peer ? peer : meet(self, &id, frame);
}

/* ---- peers that are of no use ---- */

void peer_cut_later(link_peer_t *self)
{
    if (self->cut_ms == 0)
        self->cut_ms = zclock_mono() + CUT_MS;
}

static bool is_of_no_use(const link_peer_t *self, int64_t now_ms)
{
    if (self->closed_ms > 0 || self->in_session)
        return false;
    if (self->cut_ms > 0)
        return now_ms > self->cut_ms;
    return now_ms - self->heard_ms > self->server->heartbeat_ms * INTERVALS_REMEMBERED;
}

void server_hang_up(link_server_t *self)
{
    const int64_t now_ms = zclock_mono();

    server_read_events(self);
    self->silent += link_knocks_sweep(&self->knocks, SILENCE_MS);
    for (link_peer_t *peer = zhashx_first(self->peers); peer; peer = zhashx_next(self->peers)) {
        if (!is_of_no_use(peer, now_ms))
            continue;
        link_hang_up(peer->descriptor);
        if (peer->cut_ms > 0)
            peer->cut_ms = now_ms + CUT_MS;
        else
            peer->closed_ms = now_ms;
        self->some_end = true;
    }
    link_accounts_sweep(self->accounts, self->rate_max);
}
