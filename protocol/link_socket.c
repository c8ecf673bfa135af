/* link_socket.c - see link_socket.h.
 *
 * Messages go through libzmq itself: czmq's would be allocated twice each, and hide over which
 * connection one came. The monitor is libzmq's too, since czmq's lives in a thread of its own. */
#include "protocol/link_socket.h"

#include "protocol/timing.h"
#include "protocol/wire.h"

#include <assert.h>
#include <inttypes.h>

/* Time limit of a handshake. */
#define HANDSHAKE_MS 5000

/* How long a goodbye may take to leave after its socket was closed. */
#define LINGER_MS 1000

/* First pause before a client connects again, doubled each time. */
#define RECONNECT_MS     100
#define RECONNECT_MS_MAX 2000

#define BACKLOG 1024

#define EVENTS_WATCHED                                                                             \
    (ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |                    \
     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |                  \
     ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED)

/* The kernel's own probes close connections that broke without a word. They say nothing about the
 * process at the other end: the judgement by its silence must come first. libzmq's pings would do
 * the same, but libzmq 4.3.4 aborts when one is due on a connection that was reset while messages
 * of it wait to be read (its issue 4364). */
#define PROBES_MISSED (HEARTBEATS_MISSED + 1)

#define TICK_MS_MIN 10
#define TICK_MS_MAX 500

size_t link_tick_ms(int64_t heartbeat_ms)
{
    const int64_t tick_ms = heartbeat_ms / 4;

    return (size_t)(tick_ms < TICK_MS_MIN   ? TICK_MS_MIN
                    : tick_ms > TICK_MS_MAX ? TICK_MS_MAX
                                            : tick_ms);
}

static void set_whole(zsock_t *socket, int option, int value)
{
    const int rc = zmq_setsockopt(zsock_resolve(socket), option, &value, sizeof(value));

    assert(rc == 0);
}

static void set_limits(zsock_t *socket, const struct link_socket_setting *setting)
{
    const int64_t frame_max = (int64_t)WIRE_FRAME_MAX;
    const int rc =
        zmq_setsockopt(zsock_resolve(socket), ZMQ_MAXMSGSIZE, &frame_max, sizeof(frame_max));

    assert(rc == 0);
    set_whole(socket, ZMQ_SNDHWM, setting->send_max);
    set_whole(socket, ZMQ_RCVHWM, setting->receive_max);
    set_whole(socket, ZMQ_LINGER, LINGER_MS);
    set_whole(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
}

/* Sets the kernel's probes, in whole seconds, as the kernel takes them. */
static void set_probes(zsock_t *socket, const struct link_socket_setting *setting)
{
    const int interval_s = (int)((setting->heartbeat_ms + 999) / 1000);

    set_whole(socket, ZMQ_TCP_KEEPALIVE, 1);
    set_whole(socket, ZMQ_TCP_KEEPALIVE_IDLE, interval_s);
    set_whole(socket, ZMQ_TCP_KEEPALIVE_INTVL, interval_s);
    set_whole(socket, ZMQ_TCP_KEEPALIVE_CNT, PROBES_MISSED);
    set_whole(socket, ZMQ_TCP_MAXRT, interval_s * 1000 * PROBES_MISSED); /* for sent bytes */
}

static void set_kind(zsock_t *socket, const struct link_socket_setting *setting)
{
    if (setting->type == ZMQ_ROUTER) {
        set_whole(socket, ZMQ_ROUTER_MANDATORY, 1); /* say when a peer is gone or does not read */
        set_whole(socket, ZMQ_ROUTER_HANDOVER, 0);
        set_whole(socket, ZMQ_BACKLOG, BACKLOG);
        return;
    }
    set_whole(socket, ZMQ_IMMEDIATE, 1); /* a message for one connection must not go over another */
    set_whole(socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
    set_whole(socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MS_MAX);
}

static void set_text(zsock_t *socket, int option, const char *value)
{
    const int rc = zmq_setsockopt(zsock_resolve(socket), option, value, strlen(value));

    assert(rc == 0);
}

/* Without keys a local socket hangs up on processes of other users. */
static void set_safety(zsock_t *socket, const struct link_socket_setting *setting)
{
    if (!setting->keys) {
        if (setting->type == ZMQ_ROUTER && setting->peers == LINK_PEERS_SAME_USER) {
            set_whole(socket, ZMQ_IPC_FILTER_UID, (int)geteuid());
            set_whole(socket, ZMQ_IPC_FILTER_UID, 0);
        }
        return;
    }
    set_text(socket, ZMQ_CURVE_PUBLICKEY, keys_public(setting->keys));
    set_text(socket, ZMQ_CURVE_SECRETKEY, keys_secret(setting->keys));
    if (setting->type == ZMQ_ROUTER) {
        set_whole(socket, ZMQ_CURVE_SERVER, 1);
        set_text(socket, ZMQ_ZAP_DOMAIN, "rubato");
    } else {
        set_text(socket, ZMQ_CURVE_SERVERKEY, setting->server_key);
    }
}

static void watch(struct link_socket *self)
{
    static uint64_t watched; /* monitors have names, unique in the process */
    char address[64];
    int rc;

    (void)snprintf(address, sizeof(address), "inproc://rubato-link-%" PRIu64, ++watched);
    rc = zmq_socket_monitor(zsock_resolve(self->socket), address, EVENTS_WATCHED);
    assert(rc == 0);
    self->monitor = zsock_new(ZMQ_PAIR);
    assert(self->monitor);
    set_whole(self->monitor, ZMQ_LINGER, 0);
    set_whole(self->monitor, ZMQ_RCVHWM,
              0); /* an event that is lost is a session that never ends */
    rc = zmq_connect(zsock_resolve(self->monitor), address);
    assert(rc == 0);
}

void link_socket_open(struct link_socket *self, const struct link_socket_setting *setting)
{
    self->socket = zsock_new(setting->type);
    if (!self->socket)
        abort(); /* no descriptors or memory left for a socket */
    set_limits(self->socket, setting);
    set_probes(self->socket, setting);
    set_kind(self->socket, setting);
    set_safety(self->socket, setting);
    watch(self);
}

void link_socket_close(struct link_socket *self)
{
    if (!self->socket)
        return;
    (void)zmq_socket_monitor(zsock_resolve(self->socket), NULL, 0);
    zsock_destroy(&self->monitor);
    zsock_destroy(&self->socket);
}

static enum link_event_kind event_kind(int event, int value)
{
    switch (event) {
    case ZMQ_EVENT_ACCEPTED:
        return LINK_EVENT_ACCEPTED;
    case ZMQ_EVENT_CONNECTED:
        return LINK_EVENT_CONNECTED;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        return LINK_EVENT_READY;
    case ZMQ_EVENT_DISCONNECTED:
        return LINK_EVENT_DISCONNECTED;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        /* libzmq leaves errno as its last read set it. After a timeout nothing was left to read. */
        return value == ETIMEDOUT || value == EAGAIN ? LINK_EVENT_TOO_SLOW : LINK_EVENT_STRANGER;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        return LINK_EVENT_STRANGER;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        return LINK_EVENT_NOT_ALLOWED;
    default:
        return LINK_EVENT_NONE;
    }
}

/* An event is two frames: its number and value in six bytes, then an address. */
static bool next_event(struct link_socket *self, struct link_event *event)
{
    void *const monitor = zsock_resolve(self->monitor);
    unsigned char head[6];
    char address[256];
    uint16_t number;
    uint32_t value;

    if (zmq_recv(monitor, head, sizeof(head), ZMQ_DONTWAIT) < 0)
        return false;
    (void)zmq_recv(monitor, address, sizeof(address), ZMQ_DONTWAIT);
    memcpy(&number, head, sizeof(number));
    memcpy(&value, head + sizeof(number), sizeof(value));
    *event = (struct link_event){event_kind(number, (int)value), (int)value};
    return true;
}

struct link_event link_socket_event(struct link_socket *self)
{
    struct link_event event = {LINK_EVENT_NONE, -1};

    while (next_event(self, &event)) {
        if (event.kind != LINK_EVENT_NONE)
            return event;
    }
    return (struct link_event){LINK_EVENT_NONE, -1};
}

/* Reads the parts of the message that begins with `first` and does not end there. */
static void read_rest(void *socket, zmq_msg_t *last)
{
    while (zmq_msg_more(last)) {
        if (zmq_msg_recv(last, socket, ZMQ_DONTWAIT) < 0)
            return;
    }
}

enum link_received link_socket_receive(struct link_socket *self, bool with_sender,
                                       struct link_frame *frame)
{
    void *const socket = zsock_resolve(self->socket);
    bool whole = true;

    (void)zmq_msg_init(&frame->body);
    if (with_sender) {
        (void)zmq_msg_init(&frame->sender);
        if (zmq_msg_recv(&frame->sender, socket, ZMQ_DONTWAIT) < 0)
            return LINK_NOTHING;
        whole = zmq_msg_more(&frame->sender);
    }
    if (whole && zmq_msg_recv(&frame->body, socket, ZMQ_DONTWAIT) < 0)
        return LINK_NOTHING;
    if (whole && !zmq_msg_more(&frame->body))
        return LINK_FRAME;
    read_rest(socket, &frame->body);
    return LINK_PARTS;
}

void link_frame_close(struct link_frame *frame, bool with_sender)
{
    if (with_sender)
        (void)zmq_msg_close(&frame->sender);
    (void)zmq_msg_close(&frame->body);
}

const char *link_frame_key(struct link_frame *frame)
{
    return zmq_msg_gets(&frame->body, "User-Id");
}

int link_frame_descriptor(const struct link_frame *frame)
{
    return zmq_msg_get(&frame->body, ZMQ_SRCFD);
}

int link_socket_send(struct link_socket *self, const void *receiver, size_t receiver_bytes,
                     const void *bytes, size_t size)
{
    void *const socket = zsock_resolve(self->socket);

    if (size > WIRE_FRAME_MAX) {
        errno = EMSGSIZE;
        return -1;
    }
    if (receiver && zmq_send(socket, receiver, receiver_bytes, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
        return -1;
    return zmq_send(socket, bytes, size, ZMQ_DONTWAIT) < 0 ? -1 : 0;
}
