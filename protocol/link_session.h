/* link_session.h - what a server knows of its connections and the sessions on them. For the files
 * of the link only. */
#ifndef PROTOCOL_LINK_SESSION_H
#define PROTOCOL_LINK_SESSION_H

#include "protocol/link.h"
#include "protocol/link_account.h"
#include "protocol/link_knocks.h"
#include "protocol/link_socket.h"
#include "protocol/zap.h"

/* libzmq's names are 5 bytes; others may choose theirs, of which nothing is believed. */
#define ID_BYTES_MAX 255

#define CAUSE_BYTES 256

struct connection_id {
    size_t bytes;
    unsigned char data[ID_BYTES_MAX];
};

struct link_peer {
    link_server_t *server;
    struct connection_id id;
    int descriptor;    /* of its connection, -1 if unknown */
    int64_t closed_ms; /* when its connection ended, 0 if it did not */
    int64_t cut_ms;    /* when this process ends it, 0 if it does not */

    char key[KEY_CHARS + 1]; /* its public key, "" without keys */
    int64_t uid;             /* of its process, -1 with keys or if unknown */
    struct link_account *account;
    bool in_session;
    uint32_t version; /* of the protocol, in its session */
    bool was_told;    /* that its messages are not welcome without a hello */
    uint64_t session;
    uint64_t last_in;
    uint64_t last_out;
    int64_t heard_ms;
    char *role;
    char *name;
    void *item;
    char ending[CAUSE_BYTES]; /* why its session is to end, "" if it is not */
    enum link_end end;
};

struct link_server {
    zloop_t *loop;
    struct link_socket socket;
    const keys_t *keys;
    uint64_t keys_generation; /* of the list that all sessions were checked against */
    enum link_peers peers_allowed;
    int32_t rate_max;
    int32_t sessions_max;
    bool shares_names;
    zap_t *zap;
    struct link_server_calls calls;
    void *owner;
    char *endpoint;
    int64_t heartbeat_ms;
    int timer;
    int64_t ticked_ms;
    zhashx_t *peers; /* by connection_id */
    zhashx_t *accounts;
    struct link_knocks knocks;
    int *doubtful; /* descriptors, see link_connection.c */
    size_t doubtful_count;
    size_t doubtful_capacity;
    reader_t *reader; /* of the message at hand */
    bool some_end;    /* some peer has an `ending` or `closed_ms` */
    uint64_t bad;
    uint64_t repeated;
    uint64_t strangers;
    uint64_t refused;
    uint64_t silent;
    uint64_t excess;
};

/* A table of peers, by connection_id, that owns them. */
zhashx_t *link_peers_new(void);

/* Handles what the monitor saw. */
void server_read_events(link_server_t *self);

/* The peer that `frame` is of, NULL if that cannot be told. */
link_peer_t *server_peer_of(link_server_t *self, struct link_frame *frame);

/* All messages were read that came before the last look at the events. */
void server_trust_descriptors(link_server_t *self);

/* Cuts connections that are of no use. Once a tick, after which all that waits to be read had its
 * turn. */
void server_hang_up(link_server_t *self);

/* The connection is cut as soon as a last message had time to arrive; none of its own counts any
 * more. */
void peer_cut_later(link_peer_t *self);

/* A HELLO is at hand: begins a session, or refuses. */
void session_on_hello(link_peer_t *self);

/* With keys, the list `allowed` gives role and name of a peer: -1, with `error`, if its hello says
 * others. */
int session_check_key(const link_peer_t *self, struct error *error);

void session_send_refused(link_peer_t *self, enum refusal_code code, const char *sentence);

/* The session is to end as soon as no call is in the middle of something with it. */
void session_end_later(link_peer_t *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends it and says so to the owner; `told`: the peer knows already. */
void session_end(link_peer_t *self, bool told, const char *cause);

/* Forgets a session that is over, or that never began. */
void session_forget(link_peer_t *self);

#endif
