/* link_server.c - see link.h: the end of a link to which many peers speak.
 *
 * libzmq names each connection, and a session belongs to one connection. Of a connection without a
 * session the server remembers only that it was told to say hello.
 *
 * The socket's monitor reports closed connections by their descriptors, and the hello told which
 * descriptor a session has. Messages from before the end are read first, so that a goodbye is told
 * from a crash. */
#include "protocol/link_session.h"
#include "protocol/local_socket.h"
#include "protocol/timing.h"

#include <assert.h>

/* Messages are handled for this long before timers and other sockets have their turn. The socket
 * that decides about keys is one of them: slow messages must not hold up the handshakes of other
 * peers. */
#define TURN_MS 20

#define SEND_MAX    16384
#define RECEIVE_MAX 512

/* Time for which messages of a closed connection may still come out of a queue that never runs
 * empty. */
#define CLOSING_MS 500

/* ---- what comes in ---- */

/* Handles a message of a peer without a session. The peer is told once to say hello. */
static void on_stranger(link_peer_t *self)
{
    self->server->bad++;
    if (self->was_told)
        return;
    self->was_told = true;
    self->session = reader_session(self->server->reader);
    session_send_refused(self, REFUSAL_NO_HELLO, "say hello first");
}

static void on_session_message(link_peer_t *self)
{
    link_server_t *const server = self->server;
    reader_t *const reader = server->reader;
    struct error error;

    if (reader_session(reader) != self->session || reader_sequence(reader) <= self->last_in) {
        server->repeated++;
        return;
    }
    self->last_in = reader_sequence(reader);
    if (reader_type(reader) == MSG_GOODBYE) {
        const char *const reason = msg_goodbye_unpack(reader);
        char cause[CAUSE_BYTES];

        (void)snprintf(cause, sizeof(cause), "it said goodbye: %s", reason);
        self->end = LINK_END_GOODBYE;
        session_end(self, true, cause);
        return;
    }
    if (server->calls.message(server->owner, self, reader_type(reader), reader, &error) < 0) {
        server->bad++;
        if (self->in_session)
            session_end(self, false, error.text);
    }
}

/* Handles a frame that is no message at all. */
static void on_bad_frame(link_peer_t *self, const char *sentence)
{
    self->server->bad++;
    if (self->in_session)
        session_end(self, false, sentence);
}

/* Handles a peer that sends more than it may. Its further messages are not decoded. */
static void on_flood(link_peer_t *self)
{
    char cause[CAUSE_BYTES];

    self->server->excess++;
    if (self->cut_ms > 0)
        return;
    (void)snprintf(cause, sizeof(cause), "it sends more than %d messages a second",
                   self->server->rate_max);
    if (self->in_session)
        session_end(self, false, cause);
    else
        session_send_refused(self, REFUSAL_NO_ROOM, cause);
    peer_cut_later(self);
}

static void on_frame(link_server_t *self, enum link_received received, struct link_frame *frame)
{
    link_peer_t *const peer = server_peer_of(self, frame);
    struct error error;

    if (!peer)
        return;
    peer->heard_ms = zclock_mono();
    if (peer->cut_ms > 0 || !link_account_take(peer->account, self->rate_max)) {
        on_flood(peer);
        return;
    }
    if (received == LINK_PARTS) {
        on_bad_frame(peer, "no message: it has not one frame");
        return;
    }
    if (reader_load(self->reader, zmq_msg_data(&frame->body), zmq_msg_size(&frame->body), &error) <
        0)
        on_bad_frame(peer, error.text);
    else if (reader_type(self->reader) == MSG_HELLO)
        session_on_hello(peer);
    else if (peer->in_session)
        on_session_message(peer);
    else
        on_stranger(peer);
}

/* Ends the sessions of peers that are marked to end, or closed. `drained` says that the queue of
 * messages is empty. */
static void end_marked(link_server_t *self, bool drained)
{
    zlistx_t *marked = zlistx_new();
    const int64_t now_ms = zclock_mono();

    self->some_end = false;
    for (link_peer_t *peer = zhashx_first(self->peers); peer; peer = zhashx_next(self->peers)) {
        if (peer->ending[0] || peer->closed_ms > 0)
            (void)zlistx_add_end(marked, peer);
    }
    for (link_peer_t *peer = zlistx_first(marked); peer; peer = zlistx_next(marked)) {
        const bool closed =
            peer->closed_ms > 0 && (drained || now_ms - peer->closed_ms > CLOSING_MS);
        char cause[CAUSE_BYTES];

        memcpy(cause, peer->ending, sizeof(cause));
        if (peer->in_session && cause[0])
            session_end(peer, false, cause);
        if (peer->in_session && closed)
            session_end(peer, true, "its connection was closed");
        if (closed)
            zhashx_delete(self->peers, &peer->id);
        else if (peer->closed_ms > 0)
            self->some_end = true;
    }
    zlistx_destroy(&marked);
}

static int on_readable(zloop_t *loop, zsock_t *socket, void *argument)
{
    link_server_t *const self = argument;
    const int64_t end_ms = zclock_mono() + TURN_MS;
    struct link_frame frame;
    bool drained = false;

    (void)loop;
    (void)socket;
    server_read_events(self);
    do {
        const enum link_received received = link_socket_receive(&self->socket, true, &frame);

        if (received == LINK_NOTHING)
            drained = true;
        else
            on_frame(self, received, &frame);
        link_frame_close(&frame, true);
    } while (!drained && zclock_mono() < end_ms);
    if (drained)
        server_trust_descriptors(self);
    if (self->some_end)
        end_marked(self, drained);
    return 0;
}

/* ---- silence ---- */

/* Ends the sessions of peers whose keys were taken out of the list. */
static void check_keys(link_server_t *self)
{
    const uint64_t generation = keys_generation(self->keys);
    struct error error;

    if (generation == self->keys_generation)
        return;
    self->keys_generation = generation;
    for (link_peer_t *peer = zhashx_first(self->peers); peer; peer = zhashx_next(self->peers)) {
        if (peer->in_session && session_check_key(peer, &error) < 0)
            session_end_later(peer, "%s", error.text);
    }
}

static int on_tick(zloop_t *loop, int timer, void *argument)
{
    link_server_t *const self = argument;
    const int64_t now_ms = zclock_mono();
    const int64_t silence_max_ms = self->heartbeat_ms * HEARTBEATS_MISSED;
    /* This process was stopped or busy for so long that messages of peers still wait to be read:
     * the peers were not silent. */
    const bool was_away = now_ms - self->ticked_ms > self->heartbeat_ms;

    (void)loop;
    (void)timer;
    self->ticked_ms = now_ms;
    for (link_peer_t *peer = zhashx_first(self->peers); peer; peer = zhashx_next(self->peers)) {
        if (was_away)
            peer->heard_ms = now_ms;
        if (now_ms - peer->heard_ms > silence_max_ms && peer->in_session) {
            peer->end = LINK_END_SILENT;
            session_end_later(peer, "it is silent for more than %d heartbeats", HEARTBEATS_MISSED);
        }
    }
    server_hang_up(self);
    if (self->keys)
        check_keys(self);
    if (self->some_end)
        end_marked(self, false);
    return 0;
}

/* ---- the owner's side ---- */

static int bind_to(link_server_t *self, const char *endpoint, struct error *error)
{
    char bound[512] = "";
    size_t size = sizeof(bound);
    void *const socket = zsock_resolve(self->socket.socket);

    if (local_socket_bind(socket, endpoint, self->peers_allowed == LINK_PEERS_ANY_USER, error) < 0)
        return -1;
    (void)zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &size);
    self->endpoint = xstrdup(bound);
    return 0;
}

static void watch(link_server_t *self)
{
    (void)zloop_reader(self->loop, self->socket.socket, on_readable, self);
    (void)zloop_reader(self->loop, self->socket.monitor, on_readable, self);
    self->timer = zloop_timer(self->loop, link_tick_ms(self->heartbeat_ms), 0, on_tick, self);
    self->ticked_ms = zclock_mono();
}

link_server_t *link_server_new(zloop_t *loop, const struct link_server_setting *setting,
                               const struct link_server_calls *calls, void *owner,
                               struct error *error)
{
    link_server_t *self;

    if (endpoint_check(setting->endpoint, setting->keys, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->loop = loop;
    self->calls = *calls;
    self->owner = owner;
    self->keys = setting->keys;
    self->peers_allowed = setting->peers;
    self->heartbeat_ms = setting->heartbeat_ms;
    self->rate_max = setting->rate_max;
    self->sessions_max = setting->sessions_max;
    self->shares_names = setting->shares_names;
    self->peers = link_peers_new();
    self->accounts = link_accounts_new();
    link_knocks_open(&self->knocks);
    self->reader = reader_new_empty();
    link_socket_open(&self->socket,
                     &(struct link_socket_setting){
                         .type = ZMQ_ROUTER,
                         .heartbeat_ms = setting->heartbeat_ms,
                         .send_max = setting->queue_max ? setting->queue_max : SEND_MAX,
                         .receive_max = RECEIVE_MAX,
                         .keys = setting->keys,
                         .peers = setting->peers,
                     });
    if (self->keys) {
        self->keys_generation = keys_generation(self->keys);
        self->zap = zap_new(loop, self->keys, error);
    }
    /* The list of keys is read before a peer can connect. Callbacks are set once all is in place,
     * as a loop may call an item once more after its removal. */
    if ((self->keys && !self->zap) || bind_to(self, setting->endpoint, error) < 0)
        link_server_destroy(&self);
    else
        watch(self);
    return self;
}

void link_server_destroy(link_server_t **self)
{
    link_server_t *const server = *self;

    if (!server)
        return;
    if (server->timer > 0)
        (void)zloop_timer_end(server->loop, server->timer);
    zloop_reader_end(server->loop, server->socket.socket);
    zloop_reader_end(server->loop, server->socket.monitor);
    if (server->endpoint)
        local_socket_remove(server->endpoint);
    link_socket_close(&server->socket);
    zap_destroy(&server->zap);
    zhashx_destroy(&server->peers);
    zhashx_destroy(&server->accounts);
    link_knocks_close(&server->knocks);
    free(server->doubtful);
    reader_destroy(&server->reader);
    free(server->endpoint);
    free(server);
    *self = NULL;
}

const char *link_server_endpoint(const link_server_t *self)
{
    return self->endpoint;
}

uint64_t link_server_bad(const link_server_t *self)
{
    return self->bad;
}

uint64_t link_server_repeated(const link_server_t *self)
{
    return self->repeated;
}

uint64_t link_server_strangers(const link_server_t *self)
{
    return self->strangers;
}

uint64_t link_server_refused(const link_server_t *self)
{
    return self->refused;
}

uint64_t link_server_silent(const link_server_t *self)
{
    return self->silent;
}

uint64_t link_server_excess(const link_server_t *self)
{
    return self->excess;
}
