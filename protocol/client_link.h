/* client_link.h - what the end of a link that seeks the other is told by its owner and tells it,
 * and the two kinds of links that a client of the service talks through: over a local socket
 * (local_link.h), and over TCP by keys (tools/service/remote_link.c), which needs libzmq. */
#ifndef PROTOCOL_CLIENT_LINK_H
#define PROTOCOL_CLIENT_LINK_H

#include "protocol/process_name.h"
#include "protocol/wire.h"

struct link_client_calls {
    /* A session is to begin: packs the HELLO, as that version has it. Comes again, once an
     * interval, until the server answers, and after every break; in an older version if the server
     * speaks no later one. */
    void (*hello)(void *owner, uint32_t version, struct writer *out);
    /* -1, with `error`, if it is no good message: the session is begun anew. */
    int (*message)(void *owner, int type, reader_t *in, struct error *error);
    /* The session is over: the server said goodbye or is silent, the connection is closed.
     * `refused`, unless it is REFUSAL_NONE: it never began, because the server does not accept the
     * hello, or does not allow the key; that is said once for each hello. The client goes on saying
     * hello unless this returns false. */
    bool (*gone)(void *owner, const char *cause, enum refusal_code refused);
};

/* As whom a client comes. */
struct client_name {
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
};

struct client_place {
    const char *address; /* the file of a local socket, or ADDRESS:PORT */
    const char *keys;    /* over TCP: folder of keys */
    const char *as;      /* over TCP: [ROLE:]NAME whose key it is; see key_choice.h */
};

/* A kind of links, each with a loop of its own. Callbacks come from `turn` only. */
struct client_link_kind {
    /* Seeks the service. Over TCP `name` becomes that of the key. NULL, with `error`, if there is
     * none to be reached there. */
    void *(*open)(const struct client_place *place, int64_t heartbeat_ms, struct client_name *name,
                  const struct link_client_calls *calls, void *owner, struct error *error);
    void (*close)(void *link); /* without a goodbye */
    bool (*in_session)(const void *link);
    void (*send)(void *link, struct writer *message); /* and closes it; in a session only */
    void (*set_heartbeat)(void *link, int64_t heartbeat_ms);

    /* Waits until something comes that may concern the owner, or for `wait_ms`. */
    void (*turn)(void *link, int64_t wait_ms);
};

#endif
