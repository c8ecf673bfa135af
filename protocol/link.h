/* link.h - sessions between processes: a server with one ROUTER, clients with a DEALER each, hello,
 * silence, sequence numbers and goodbye. What a message means is up to the two ends, and heartbeats
 * are theirs too: they carry what a link needs, and any message tells that its sender lives.
 *
 * One thread, one zloop: all callbacks come from the loop that was given. A session begins with a
 * HELLO that the server's owner accepts. A message without one is refused, so that a client whose
 * connection broke says hello again. Messages carry rising sequence numbers; one that comes again
 * or late is dropped and counted. A frame that is no message, or no good one, ends the session of
 * its sender only. Sending never calls back: that a peer is gone, or reads nothing, is said from
 * the loop. */
#ifndef PROTOCOL_LINK_H
#define PROTOCOL_LINK_H

#include "common/error.h"
#include "protocol/client_link.h"
#include "protocol/keys.h"
#include "protocol/wire.h"

#include <czmq.h>

/* ---- server ---- */

/* Descriptors that the servers of a process leave to all else that it opens: at its limit less as
 * many they refuse connections. */
#define LINK_DESCRIPTORS_KEPT 64

typedef struct link_server link_server_t;
typedef struct link_peer link_peer_t; /* one session */

struct link_server_calls {
    /* A HELLO of a version that is spoken here; its common fields are read already. 0 to accept
     * (then link_peer_role and _name hold, and the owner answers with a WELCOME), -1 with `error`
     * to refuse. With keys, role and name are those that the allow-list has for the key. */
    int (*hello)(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                 struct error *error);
    /* Any later message but GOODBYE. -1, with `error`, ends the session: the peer talks
     * nonsense. */
    int (*message)(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error);
    /* The session is over: goodbye, silence for HEARTBEATS_MISSED intervals, connection closed, or
     * bad message. The peer is gone after this call. */
    void (*gone)(void *owner, link_peer_t *peer, const char *cause);
    /* A HELLO was refused, by `hello` or before it; role and name are NULL if it gave none. May be
     * NULL. */
    void (*refused)(void *owner, const char *role, const char *name, const char *cause);
};

/* Which processes of this machine get a session where there are no keys. */
enum link_peers {
    LINK_PEERS_SAME_USER, /* those of root and of this process' own user */
    LINK_PEERS_ANY_USER,  /* all: `hello` judges by link_peer_uid */
};

struct link_server_setting {
    const char *endpoint; /* "tcp://127.0.0.1:6888", "ipc://@name", "ipc:///run/a/b.sock" */
    int64_t heartbeat_ms;
    const keys_t *keys; /* NULL: loopback and local sockets only */
    enum link_peers peers;

    /* Limits, 0 for none; those of keys are of users where there are no keys. */
    int32_t rate_max;     /* messages a second of one key: more end the session that sends them */
    int32_t sessions_max; /* of one key: no more are accepted */
    int32_t queue_max;    /* messages that wait for one peer: more end its session */
    bool shares_names;    /* sessions may have the same role and name */
};

/* NULL, with `error`, if it cannot listen there, or the endpoint is not local and there are no
 * keys. The file of a local socket that has one may be opened by the peers that get a session; one
 * that no process listens on any more is replaced. */
link_server_t *link_server_new(zloop_t *loop, const struct link_server_setting *setting,
                               const struct link_server_calls *calls, void *owner,
                               struct error *error);

/* Neither server nor client may be destroyed from a callback of the loop, nor before its first
 * turn: czmq calls once more what was taken out then. */
void link_server_destroy(link_server_t **self);

/* Where it listens: the port that "tcp://127.0.0.1:*" became. */
const char *link_server_endpoint(const link_server_t *self);

/* A session of that role and name, NULL if there is none. Unless names are shared there is never
 * more than one: a second hello is refused while the first is heard of, and ends it when that is
 * silent for an interval. */
link_peer_t *link_server_find(const link_server_t *self, const char *role, const char *name);

/* Sends and closes `message`. */
void link_peer_send(link_peer_t *self, struct writer *message);

/* Ends the session with a REFUSED; `gone` is not called. */
void link_peer_refuse(link_peer_t *self, const char *sentence);

/* How a session ended: holds while `gone` is called. */
enum link_end {
    LINK_END_BROKEN, /* connection closed, a bad message, or a new hello: it may be back at once */
    LINK_END_SILENT,
    LINK_END_GOODBYE,
};

enum link_end link_peer_end(const link_peer_t *self);

uint32_t link_peer_version(const link_peer_t *self); /* of the protocol, in this session */
const char *link_peer_role(const link_peer_t *self);
const char *link_peer_name(const link_peer_t *self);
int64_t link_peer_uid(const link_peer_t *self); /* its user, -1 with keys and if that is unknown */
void *link_peer_item(const link_peer_t *self);  /* what the owner keeps of it, NULL at first */
void link_peer_set_item(link_peer_t *self, void *item);

/* Counted since the start: frames that were no good messages, and messages that came again. */
uint64_t link_server_bad(const link_server_t *self);
uint64_t link_server_repeated(const link_server_t *self);

/* Connections that never became a session's because their handshake failed. */
uint64_t link_server_strangers(const link_server_t *self);

/* Connections that were cut because they said nothing for 5 s, or too many of them did so. Those
 * that accept.h refuses are not counted. */
uint64_t link_server_silent(const link_server_t *self);

/* Messages above the limit on their rate. */
uint64_t link_server_excess(const link_server_t *self);

/* Hellos that were not accepted. */
uint64_t link_server_refused(const link_server_t *self);

/* ---- client ---- */

typedef struct link_client link_client_t;

struct link_client_setting {
    const char *endpoint;
    int64_t heartbeat_ms;
    const keys_t *keys;    /* NULL: loopback and local sockets only */
    const char *server;    /* the name that `keys` must have a public key of: "master" */
    enum link_peers peers; /* whose servers count where there are no keys */
};

link_client_t *link_client_new(zloop_t *loop, const struct link_client_setting *setting,
                               const struct link_client_calls *calls, void *owner,
                               struct error *error);
void link_client_destroy(link_client_t **self); /* without a goodbye: send one first */

void link_client_send(link_client_t *self, struct writer *message); /* sends and closes it */
bool link_client_in_session(const link_client_t *self);  /* the server answered the hello */
uint32_t link_client_version(const link_client_t *self); /* of the session, or of the next hello */
void link_client_set_heartbeat(link_client_t *self, int64_t heartbeat_ms);

#endif
