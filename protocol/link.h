/* link.h - sessions between processes: a server with one ROUTER, clients with a DEALER each, hello,
 * silence, sequence numbers and goodbye. The owners of the two ends define the messages, heartbeats
 * too: a heartbeat carries the fields that its link needs, and any message shows that its sender
 * lives.
 *
 * One thread, one zloop: all callbacks come from the loop that was given. A session begins with a
 * HELLO that the server's owner accepts. A message without a session is refused, so that a client
 * whose connection broke says hello again. Messages carry rising sequence numbers; a repeated or
 * late message is dropped and counted. A malformed frame or invalid message ends the session of its
 * sender only. Sending never calls back: a peer that is gone, or reads nothing, is reported from
 * the loop. */
#ifndef PROTOCOL_LINK_H
#define PROTOCOL_LINK_H

#include "common/error.h"
#include "protocol/client_link.h"
#include "protocol/keys.h"
#include "protocol/wire.h"

#include <czmq.h>

/* ---- server ---- */

/* Descriptors that the servers of a process leave free for other files: beyond the process' limit
 * less this number they refuse connections. */
#define LINK_DESCRIPTORS_KEPT 64

typedef struct link_server link_server_t;
typedef struct link_peer link_peer_t; /* a session of the server */

struct link_server_calls {
    /* A HELLO in a supported version, with its common fields already read. 0 to accept (then
     * link_peer_role and _name hold, and the owner answers with a WELCOME), -1 with `error` to
     * refuse. With keys, role and name are those that the allow-list has for the key. */
    int (*hello)(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                 struct error *error);
    /* Any later message but GOODBYE. -1, with `error`, ends the session: the message is invalid. */
    int (*message)(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error);
    /* The session is over: goodbye, silence for HEARTBEATS_MISSED intervals, connection closed, or
     * bad message. The peer is freed after this call. */
    void (*gone)(void *owner, link_peer_t *peer, const char *cause);
    /* A HELLO was refused, by `hello` or before it; role and name are NULL if the hello has none.
     * May be NULL. */
    void (*refused)(void *owner, const char *role, const char *name, const char *cause);
};

/* Whose processes on this machine get a session where there are no keys. */
enum link_peers {
    LINK_PEERS_SAME_USER, /* processes of root and of this process' own user */
    LINK_PEERS_ANY_USER,  /* all processes: `hello` judges by link_peer_uid */
};

struct link_server_setting {
    const char *endpoint; /* "tcp://127.0.0.1:6888", "ipc://@name", "ipc:///run/a/b.sock" */
    int64_t heartbeat_ms;
    const keys_t *keys; /* NULL: loopback and local sockets only */
    enum link_peers peers;

    /* Limits, 0 for none. Limits for a key apply to a user where there are no keys. */
    int32_t rate_max;     /* messages a second of one key; more end the session that sends them */
    int32_t sessions_max; /* sessions of one key; further ones are refused */
    int32_t queue_max;    /* messages that wait for one peer; more end its session */
    bool shares_names;    /* several sessions may have the same role and name */
};

/* NULL, with `error`, if the endpoint cannot be bound, or is not local and there are no keys. The
 * file of a local socket has access rights for the peers that get a session; the file of a socket
 * without a listening process is replaced. */
link_server_t *link_server_new(zloop_t *loop, const struct link_server_setting *setting,
                               const struct link_server_calls *calls, void *owner,
                               struct error *error);

/* Neither server nor client may be destroyed from a callback of the loop, nor before its first
 * turn: czmq may still call a reader that was removed. */
void link_server_destroy(link_server_t **self);

/* The endpoint with the actual port: "tcp://127.0.0.1:*" has become a number. */
const char *link_server_endpoint(const link_server_t *self);

/* A session of that role and name, NULL if there is none. Unless names are shared there is at most
 * one: a second hello is refused while the first session is alive, and replaces a session that is
 * silent for an interval. */
link_peer_t *link_server_find(const link_server_t *self, const char *role, const char *name);

/* Sends and closes `message`. */
void link_peer_send(link_peer_t *self, struct writer *message);

/* Ends the session with a REFUSED; `gone` is not called. */
void link_peer_refuse(link_peer_t *self, const char *sentence);

/* How a session ended; valid while `gone` is called. */
enum link_end {
    LINK_END_BROKEN, /* connection closed, a bad message, or a new hello: the peer may reconnect at
                        once */
    LINK_END_SILENT,
    LINK_END_GOODBYE,
};

enum link_end link_peer_end(const link_peer_t *self);

uint32_t link_peer_version(const link_peer_t *self); /* protocol version of this session */
const char *link_peer_role(const link_peer_t *self);
const char *link_peer_name(const link_peer_t *self);
int64_t link_peer_uid(const link_peer_t *self); /* user of the peer, -1 with keys or if unknown */
void *link_peer_item(const link_peer_t *self);  /* pointer of the owner, NULL at first */
void link_peer_set_item(link_peer_t *self, void *item);

/* The number of malformed frames and messages; link_server_repeated: of messages that came
 * again. */
uint64_t link_server_bad(const link_server_t *self);
uint64_t link_server_repeated(const link_server_t *self);

/* The number of connections whose handshake failed. */
uint64_t link_server_strangers(const link_server_t *self);

/* The number of connections that were cut because they were silent for 5 s, or because too many
 * connections were silent. Those that accept.h refuses are not counted. */
uint64_t link_server_silent(const link_server_t *self);

/* The number of messages above the rate limit. */
uint64_t link_server_excess(const link_server_t *self);

/* The number of hellos that were refused. */
uint64_t link_server_refused(const link_server_t *self);

/* ---- client ---- */

typedef struct link_client link_client_t;

struct link_client_setting {
    const char *endpoint;
    int64_t heartbeat_ms;
    const keys_t *keys;    /* NULL: loopback and local sockets only */
    const char *server;    /* name of the server, whose public key must be in `keys`: "master" */
    enum link_peers peers; /* users whose servers are accepted where there are no keys */
};

link_client_t *link_client_new(zloop_t *loop, const struct link_client_setting *setting,
                               const struct link_client_calls *calls, void *owner,
                               struct error *error);
void link_client_destroy(link_client_t **self); /* sends no goodbye: send one first */

void link_client_send(link_client_t *self, struct writer *message); /* sends and closes `message` */
bool link_client_in_session(const link_client_t *self); /* the server answered the hello */
uint32_t link_client_version(
    const link_client_t *self); /* protocol version of the session, or of the next hello */
void link_client_set_heartbeat(link_client_t *self, int64_t heartbeat_ms);

#endif
