/* link_socket.h - the socket of a link: its options, whole messages in and out, and events of its
 * monitor. For the files of the link only. */
#ifndef PROTOCOL_LINK_SOCKET_H
#define PROTOCOL_LINK_SOCKET_H

#include "common/error.h"
#include "protocol/link.h"

#include <czmq.h>

struct link_socket {
    zsock_t *socket;  /* ROUTER or DEALER */
    zsock_t *monitor; /* reports events of the connections */
};

struct link_socket_setting {
    int type; /* ZMQ_ROUTER or ZMQ_DEALER */
    int64_t heartbeat_ms;
    int send_max; /* limit for messages that wait for one peer */
    int receive_max;
    const keys_t *keys; /* NULL for none */
    enum link_peers peers;
    const char *server_key; /* of a client with keys: the public key of its server */
};

void link_socket_open(struct link_socket *self, const struct link_socket_setting *setting);
void link_socket_close(struct link_socket *self);

/* The period of a timer for peers with heartbeats each `heartbeat_ms`. */
size_t link_tick_ms(int64_t heartbeat_ms);

/* A handshake or connection of the socket. */
enum link_event_kind {
    LINK_EVENT_NONE,
    LINK_EVENT_ACCEPTED,     /* a connection came, on the file descriptor `value` */
    LINK_EVENT_CONNECTED,    /* a client's connection was made */
    LINK_EVENT_READY,        /* a handshake is done */
    LINK_EVENT_DISCONNECTED, /* the connection on `value`, a file descriptor, is no more */
    /* The events that follow are failures. */
    LINK_EVENT_TOO_SLOW,    /* a handshake took too long */
    LINK_EVENT_STRANGER,    /* the handshake failed: the peer speaks another protocol, or has other
                               keys */
    LINK_EVENT_NOT_ALLOWED, /* the handshake failed: the peer does not allow the key */
};

struct link_event {
    enum link_event_kind kind;
    int value;
};

/* The next unread event. */
struct link_event link_socket_event(struct link_socket *self);

/* A received message: its sender, on a ROUTER, and one frame. */
struct link_frame {
    zmq_msg_t sender;
    zmq_msg_t body;
};

enum link_received {
    LINK_NOTHING,
    LINK_FRAME, /* a frame; the caller closes it with link_frame_close */
    LINK_PARTS, /* a message of no frame or of several, which is malformed; to be closed, too */
};

enum link_received link_socket_receive(struct link_socket *self, bool with_sender,
                                       struct link_frame *frame);
void link_frame_close(struct link_frame *frame, bool with_sender);

/* The descriptor of the connection of `frame`, -1 if unknown. */
int link_frame_descriptor(const struct link_frame *frame);

/* The public key of the sender of `frame`, NULL without keys; lent as long as the frame. */
const char *link_frame_key(struct link_frame *frame);

/* 0, or -1 with errno: EAGAIN when too many wait already, EHOSTUNREACH when the receiver is gone,
 * EMSGSIZE. */
int link_socket_send(struct link_socket *self, const void *receiver, size_t receiver_bytes,
                     const void *bytes, size_t size);

#endif
