/* link_session.h - connections of a server and the sessions on them. For the files of the link
 * only. */
#ifndef PROTOCOL_LINK_SESSION_H
#define PROTOCOL_LINK_SESSION_H

#include "protocol/link.h"
#include "protocol/link_account.h"
#include "protocol/link_knocks.h"
#include "protocol/link_socket.h"
#include "protocol/zap.h"

/* libzmq's own names of connections have 5 bytes; peers may choose longer names, which are not
 * trusted. */
#define ID_BYTES_MAX 255

#define CAUSE_BYTES 256

struct connection_id {
    size_t bytes;
    unsigned char data[ID_BYTES_MAX];
};

struct link_peer {
    link_server_t *server;
    struct connection_id id;
    int descriptor;    /* descriptor of the connection, -1 if unknown */
    int64_t closed_ms; /* when the connection ended, 0 if it has not */
    int64_t cut_ms;    /* when to cut the connection, 0 for never */

    char key[KEY_CHARS + 1]; /* public key of the peer, "" without keys */
    int64_t uid;             /* user of the peer, -1 with keys or if unknown */
    struct link_account *account;
    bool in_session;
    uint32_t version; /* protocol version of the session */
    bool was_told;    /* the peer was told that its messages need a hello first */
    uint64_t session;
    uint64_t last_in;
    uint64_t last_out;
    int64_t heard_ms;
    char *role;
    char *name;
    void *item;
    char ending[CAUSE_BYTES]; /* why the session is to end, "" if it is not */
    enum link_end end;
};

struct link_server {
    zloop_t *loop;
    struct link_socket socket;
    const keys_t *keys;
    uint64_t keys_generation; /* generation of the key list that all sessions were checked
                                 against */
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
    zhashx_t *peers; /* peers by connection_id */
    zhashx_t *accounts;
    struct link_knocks knocks;
    int *doubtful; /* descriptors, see link_connection.c */
    size_t doubtful_count;
    size_t doubtful_capacity;
    reader_t *reader; /* reader of the current message */
    bool some_end;    /* some peer has an `ending` or `closed_ms` */
    uint64_t bad;
    uint64_t repeated;
    uint64_t strangers;
    uint64_t refused;
    uint64_t silent;
    uint64_t excess;
};

/* A table of peers, by connection_id, that owns the peers. */
zhashx_t *link_peers_new(void);

/* Handles the events of the monitor. */
void server_read_events(link_server_t *self);

/* The peer that sent `frame`, NULL if unknown. */
link_peer_t *server_peer_of(link_server_t *self, struct link_frame *frame);

/* To be called when all messages that came before the last look at the events were read. */
void server_trust_descriptors(link_server_t *self);

/* Cuts useless connections. Once a tick, after which all unread messages have had their turn. */
void server_hang_up(link_server_t *self);

/* Cuts the connection as soon as a last message had time to arrive; further messages of the peer
 * are ignored. */
void peer_cut_later(link_peer_t *self);

/* A HELLO is at hand: begins a session, or refuses. */
void session_on_hello(link_peer_t *self);

/* With keys, the list `allowed` gives role and name of a peer: -1, with `error`, if its hello has
 * others. */
int session_check_key(const link_peer_t *self, struct error *error);

void session_send_refused(link_peer_t *self, enum refusal_code code, const char *sentence);

/* Ends the session as soon as no caller is using it. */
void session_end_later(link_peer_t *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the session and tells its owner; `told`: the peer knows already. */
void session_end(link_peer_t *self, bool told, const char *cause);

/* Frees a session that is over, or that never began. */
void session_forget(link_peer_t *self);

#endif
