/* link_client.c - see link.h: the end of a link that connects to the server.
 *
 * A hello goes out when the handshake of a connection is done, and again while no answer comes.
 * Each hello has a number of its own, which the server's messages bear. An answer to an older
 * hello is as good as an answer to the last, since the server will answer the last hello too. */
#include "protocol/link.h"

#include "protocol/link_socket.h"
#include "protocol/peer_user.h"
#include "protocol/timing.h"

#include <assert.h>

#define CAUSE_BYTES 256

/* Most messages handled before timers have their turn. */
#define MESSAGES_A_TURN 1000

#define SEND_MAX    16384
#define RECEIVE_MAX 16384

/* Least time between two hellos, however often the server ends the session. */
#define HELLO_GAP_MS 500

/* Failed handshakes in a row before the log tells of them: fewer may fail by accident. */
#define FAILURES_TOLD 3

struct link_client {
    zloop_t *loop;
    struct link_socket socket;
    struct link_client_calls calls;
    void *owner;
    char *endpoint;
    const keys_t *keys;
    enum link_peers peers;
    char server_key[KEY_CHARS + 1];
    int64_t heartbeat_ms;
    int timer;
    int64_t ticked_ms;
    reader_t *reader; /* reader of the message at hand */

    bool gave_up;   /* the owner wants no more sessions */
    bool connected; /* a handshake is done, with a trusted server */
    int descriptor; /* descriptor of the last connection */
    bool closed;    /* a connection ended; what came over it may still have to be read */
    bool in_session;
    uint32_t version; /* version of the session, or of the next hello */
    uint64_t session; /* session in which the server answered last */
    uint64_t asked;   /* number of the last hello */
    uint64_t last_in;
    uint64_t last_out;
    int64_t heard_ms;
    int64_t hello_ms; /* when the next hello is due, should there be no session */
    int failures;     /* failed handshakes since the last good handshake */
    int64_t renew_ms; /* when to connect anew if there is no connection by then, 0 for never */
    char ending[CAUSE_BYTES];
};

/* ---- what goes out ---- */

static void end_later(link_client_t *self, const char *cause)
{
    if (!self->ending[0])
        (void)snprintf(self->ending, sizeof(self->ending), "%s", cause);
}

/* Sends and closes `message`; false if the message could not be sent. */
static bool send_in(link_client_t *self, uint64_t session, struct writer *message)
{
    const char *failure = NULL;

    writer_stamp(message, session, ++self->last_out);
    if (link_socket_send(&self->socket, NULL, 0, message->bytes.data, message->bytes.size) < 0)
        failure = errno == EMSGSIZE ? "a message was too long" : "it does not read what it is sent";
    writer_close(message);
    if (failure && self->in_session)
        end_later(self, failure);
    return !failure;
}

static void say_hello(link_client_t *self)
{
    struct writer message;

    self->calls.hello(self->owner, self->version, &message);
    if (send_in(self, self->asked + 1, &message))
        self->asked++;
    self->hello_ms = zclock_mono() + self->heartbeat_ms;
}

static bool hello_is_due(const link_client_t *self)
{
    return self->connected && !self->in_session && !self->gave_up &&
           zclock_mono() >= self->hello_ms;
}

/* ---- the end of a session ---- */

static void break_off(link_client_t *self, const char *cause, enum refusal_code refused)
{
    const int64_t gap_ms = self->heartbeat_ms < HELLO_GAP_MS ? self->heartbeat_ms : HELLO_GAP_MS;

    self->in_session = false;
    self->ending[0] = '\0';
    self->hello_ms = zclock_mono() + (refused != REFUSAL_NONE ? self->heartbeat_ms : gap_ms);
    if (!self->calls.gone(self->owner, cause, refused))
        self->gave_up = true;
}

/* ---- what comes in ---- */

static void on_refused(link_client_t *self)
{
    const bool was_session = self->in_session;
    struct msg_refusal refusal;
    uint32_t next;
    char cause[CAUSE_BYTES];

    msg_refusal_unpack(self->reader, &refusal);
    self->session = self->asked;
    next = was_session ? 0 : msg_refusal_version(&refusal, self->version);
    if (next > 0) {
        self->version = next;
        self->hello_ms = 0;
        return;
    }
    (void)snprintf(cause, sizeof(cause), "it refused: %s", refusal.sentence);
    break_off(self, cause, was_session ? REFUSAL_NONE : refusal.code);
}

static void on_goodbye(link_client_t *self)
{
    char cause[CAUSE_BYTES];

    (void)snprintf(cause, sizeof(cause), "it said goodbye: %s", msg_goodbye_unpack(self->reader));
    self->session = self->asked;
    break_off(self, cause, REFUSAL_NONE);
}

/* Whether the message at hand answers a hello of this client: the message is of the session that
 * begins with that hello, or of none. */
static bool is_answer(const link_client_t *self)
{
    const uint64_t session = reader_session(self->reader);
    const int type = reader_type(self->reader);

    return session > self->session && session <= self->asked &&
           (type == MSG_WELCOME || type == MSG_REFUSED);
}

static void on_frame(link_client_t *self)
{
    struct error error;

    if (is_answer(self)) {
        self->session = reader_session(self->reader);
        self->in_session = reader_type(self->reader) == MSG_WELCOME;
        self->ending[0] = '\0';
    } else if (!self->in_session || reader_session(self->reader) != self->session ||
               reader_sequence(self->reader) <= self->last_in) {
        return; /* a late or repeated message */
    }
    self->last_in = reader_sequence(self->reader);
    self->heard_ms = zclock_mono();
    if (reader_type(self->reader) == MSG_REFUSED)
        on_refused(self);
    else if (reader_type(self->reader) == MSG_GOODBYE)
        on_goodbye(self);
    else if (self->calls.message(self->owner, reader_type(self->reader), self->reader, &error) < 0)
        break_off(self, error.text, REFUSAL_NONE);
}

static void on_bad_frame(link_client_t *self, const char *sentence)
{
    if (self->in_session)
        break_off(self, sentence, REFUSAL_NONE);
}

static void receive(link_client_t *self)
{
    struct link_frame frame;
    struct error error;

    for (int i = 0; i < MESSAGES_A_TURN && !self->gave_up; i++) {
        const enum link_received received = link_socket_receive(&self->socket, false, &frame);

        if (received == LINK_PARTS)
            on_bad_frame(self, "no message: it has not one frame");
        else if (received == LINK_FRAME && reader_load(self->reader, zmq_msg_data(&frame.body),
                                                       zmq_msg_size(&frame.body), &error) < 0)
            on_bad_frame(self, error.text);
        else if (received == LINK_FRAME)
            on_frame(self);
        link_frame_close(&frame, false);
        if (received == LINK_NOTHING)
            return;
    }
}

static const char *why_failed(const link_client_t *self, enum link_event_kind kind)
{
    if (kind == LINK_EVENT_NOT_ALLOWED)
        return "it does not allow the key of this process";
    if (!self->keys)
        return "it ends every handshake: it wants --keys, or is no process of Rubato";
    return "it ends every handshake: its key is not the expected one, or it is no process of "
           "Rubato";
}

/* Handles a failed handshake. The owner is told once. */
static void on_failure(link_client_t *self, enum link_event_kind kind)
{
    if (kind == LINK_EVENT_TOO_SLOW || self->failures == FAILURES_TOLD)
        return;
    self->failures = kind == LINK_EVENT_NOT_ALLOWED ? FAILURES_TOLD : self->failures + 1;
    if (self->failures == FAILURES_TOLD)
        break_off(self, why_failed(self, kind),
                  kind == LINK_EVENT_NOT_ALLOWED ? REFUSAL_NOT_ALLOWED : REFUSAL_UNSAID);
}

/* Handles a server that gets no hello. An unknown server has most likely closed the connection
 * already. */
static void on_untrusted(link_client_t *self, int64_t uid)
{
    const char *const cause = uid < 0 ? "the system does not say which user it is of"
                                      : "it is a process of another user, and has no keys";

    self->connected = false;
    self->renew_ms = zclock_mono() + self->heartbeat_ms;
    self->failures = uid < 0 ? self->failures + 1 : FAILURES_TOLD;
    if (self->failures == FAILURES_TOLD)
        break_off(self, cause, REFUSAL_UNSAID);
}

/* Any process of this machine can listen where a server without keys is sought. */
static bool on_ready(link_client_t *self)
{
    const bool any = self->keys || self->peers == LINK_PEERS_ANY_USER;
    const int64_t uid = any ? 0 : peer_user_of(self->descriptor);

    if (!peer_user_is_trusted(uid)) {
        on_untrusted(self, uid);
        return false;
    }
    self->connected = true;
    self->failures = 0;
    self->renew_ms = 0;
    return true;
}

/* Whether there is a new connection. */
static bool read_events(link_client_t *self)
{
    bool is_new = false;

    for (struct link_event event = link_socket_event(&self->socket); event.kind != LINK_EVENT_NONE;
         event = link_socket_event(&self->socket)) {
        if (event.kind == LINK_EVENT_CONNECTED) {
            self->descriptor = event.value;
        } else if (event.kind == LINK_EVENT_READY) {
            is_new = on_ready(self);
        } else if (event.kind == LINK_EVENT_DISCONNECTED) {
            self->connected = false;
            self->closed = true;
            self->renew_ms = zclock_mono() + self->heartbeat_ms;
        } else {
            on_failure(self, event.kind);
            self->renew_ms = zclock_mono() + self->heartbeat_ms;
        }
    }
    return is_new;
}

static int on_readable(zloop_t *loop, zsock_t *socket, void *argument)
{
    link_client_t *const self = argument;
    const bool is_new = read_events(self);

    (void)loop;
    (void)socket;

    /* The next connection exists already, and the messages may belong to either connection. */
    if (self->closed && is_new && !self->in_session)
        self->session = self->asked;
    receive(self);
    if (self->closed && self->in_session)
        break_off(self, "its connection was closed", REFUSAL_NONE);
    self->closed = false;
    if (is_new) {
        self->hello_ms = zclock_mono(); /* a hello over an earlier connection gets no answer */
        self->version = WIRE_VERSION;   /* the server may be another process, too */
    }
    if (hello_is_due(self))
        say_hello(self);
    return 0;
}

/* ---- connection and silence ---- */

static int connect_to(link_client_t *self, struct error *error)
{
    link_socket_open(&self->socket, &(struct link_socket_setting){
                                        .type = ZMQ_DEALER,
                                        .heartbeat_ms = self->heartbeat_ms,
                                        .send_max = SEND_MAX,
                                        .receive_max = RECEIVE_MAX,
                                        .keys = self->keys,
                                        .server_key = self->server_key,
                                    });
    self->connected = false;
    self->closed = false;
    self->hello_ms = 0;
    self->renew_ms = 0;
    if (zmq_connect(zsock_resolve(self->socket.socket), self->endpoint) < 0) {
        error_set(error, "%s: cannot connect there: %s", self->endpoint, zmq_strerror(errno));
        link_socket_close(&self->socket);
        return -1;
    }
    (void)zloop_reader(self->loop, self->socket.socket, on_readable, self);
    (void)zloop_reader(self->loop, self->socket.monitor, on_readable, self);
    return 0;
}

static void disconnect(link_client_t *self)
{
    if (!self->socket.socket)
        return;
    zloop_reader_end(self->loop, self->socket.socket);
    zloop_reader_end(self->loop, self->socket.monitor);
    link_socket_close(&self->socket);
}

static void renew(link_client_t *self)
{
    struct error error;
    int result;

    disconnect(self);
    result = connect_to(self, &error);
    assert(result == 0); /* the address was good before */
}

static int on_tick(zloop_t *loop, int timer, void *argument)
{
    link_client_t *const self = argument;
    const int64_t now_ms = zclock_mono();
    /* As in the server: messages that came while this process was stopped still wait to be read. */
    const bool was_away = now_ms - self->ticked_ms > self->heartbeat_ms;

    (void)loop;
    (void)timer;
    self->ticked_ms = now_ms;
    if (was_away)
        self->heard_ms = now_ms;
    if (self->in_session && self->ending[0]) {
        char cause[CAUSE_BYTES];

        memcpy(cause, self->ending, sizeof(cause));
        break_off(self, cause, REFUSAL_NONE);
    }
    if (self->in_session && now_ms - self->heard_ms > self->heartbeat_ms * HEARTBEATS_MISSED) {
        break_off(self, "it is silent", REFUSAL_NONE);
        renew(self); /* the server may have given this connection up */
    }
    /* libzmq itself never tries again after a handshake that ended with a refusal. */
    if (self->renew_ms > 0 && now_ms >= self->renew_ms && !self->gave_up)
        renew(self);
    if (hello_is_due(self))
        say_hello(self);
    return 0;
}

static void start_ticking(link_client_t *self)
{
    self->timer = zloop_timer(self->loop, link_tick_ms(self->heartbeat_ms), 0, on_tick, self);
    self->ticked_ms = zclock_mono();
}

/* ---- the owner's side ---- */

static int copy_server_key(link_client_t *self, const char *server, struct error *error)
{
    const char *const key = self->keys ? keys_public_of(self->keys, server, error) : NULL;

    if (self->keys && !key)
        return -1;
    if (key)
        memcpy(self->server_key, key, KEY_CHARS);
    return 0;
}

link_client_t *link_client_new(zloop_t *loop, const struct link_client_setting *setting,
                               const struct link_client_calls *calls, void *owner,
                               struct error *error)
{
    link_client_t *self;

    if (endpoint_check(setting->endpoint, setting->keys, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->loop = loop;
    self->calls = *calls;
    self->owner = owner;
    self->endpoint = xstrdup(setting->endpoint);
    self->keys = setting->keys;
    self->peers = setting->peers;
    self->heartbeat_ms = setting->heartbeat_ms;
    self->version = WIRE_VERSION;
    self->reader = reader_new_empty();
    if (copy_server_key(self, setting->server, error) < 0 || connect_to(self, error) < 0)
        link_client_destroy(&self);
    else
        start_ticking(self);
    return self;
}

void link_client_destroy(link_client_t **self)
{
    link_client_t *const client = *self;

    if (!client)
        return;
    if (client->timer > 0)
        (void)zloop_timer_end(client->loop, client->timer);
    disconnect(client);
    reader_destroy(&client->reader);
    free(client->endpoint);
    free(client);
    *self = NULL;
}

void link_client_send(link_client_t *self, struct writer *message)
{
    if (self->in_session && !self->ending[0])
        (void)send_in(self, self->session, message);
    else
        writer_close(message);
}

bool link_client_in_session(const link_client_t *self)
{
    return self->in_session;
}

uint32_t link_client_version(const link_client_t *self)
{
    return self->version;
}

void link_client_set_heartbeat(link_client_t *self, int64_t heartbeat_ms)
{
    if (heartbeat_ms == self->heartbeat_ms)
        return;
    self->heartbeat_ms = heartbeat_ms;
    (void)zloop_timer_end(self->loop, self->timer);
    start_ticking(self);
}
