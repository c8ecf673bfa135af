/* client_link.h - the calls between the client end of a link and its owner, and the two kinds of
 * links that a client of the service talks through: over a local socket (local_link.h), and over
 * TCP by keys (tools/service/remote_link.c), which needs libzmq. */
#ifndef PROTOCOL_CLIENT_LINK_H
#define PROTOCOL_CLIENT_LINK_H

#include "protocol/process_name.h"
#include "protocol/wire.h"

struct link_client_calls {
    /* Packs the HELLO of a new session, in the layout of `version`. Called again, once an interval,
     * until the server answers, and after every break; in an older version if the server speaks no
     * later one. */
    void (*hello)(void *owner, uint32_t version, struct writer *out);
    /* -1, with `error`, if the message is invalid: the session is begun anew. */
    int (*message)(void *owner, int type, reader_t *in, struct error *error);
    /* The session is over: the server said goodbye or is silent, the connection is closed. If
     * `refused` is not REFUSAL_NONE, the session never began, because the server did not accept the
     * hello or the key; called once for each hello. The client repeats its hello unless the
     * function returns false. */
    bool (*gone)(void *owner, const char *cause, enum refusal_code refused);
};

/* The role and name of a client. */
struct client_name {
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
};

struct client_place {
    const char *address; /* the file of a local socket, or ADDRESS:PORT */
    const char *keys;    /* over TCP: folder of keys */
    const char *as;      /* over TCP: [ROLE:]NAME of the client's key; see key_choice.h */
};

/* A kind of links, each with a loop of its own. Callbacks are called from `turn` only. */
struct client_link_kind {
    /* Connects to the service. Over TCP `name` is set to that of the key. NULL, with `error`, if no
     * service can be reached at `place`. */
    void *(*open)(const struct client_place *place, int64_t heartbeat_ms, struct client_name *name,
                  const struct link_client_calls *calls, void *owner, struct error *error);
    void (*close)(void *link); /* sends no goodbye */
    bool (*in_session)(const void *link);
    void (*send)(void *link,
                 struct writer *message); /* sends and closes `message`; in a session only */
    void (*set_heartbeat)(void *link, int64_t heartbeat_ms);

    /* Waits until a message or event for the owner comes, or for `wait_ms`. */
    void (*turn)(void *link, int64_t wait_ms);
};

#endif
