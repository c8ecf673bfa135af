/* link_ends.h - both ends of a link in one loop, which write down what happens to them. */
#ifndef PROTOCOL_LINK_ENDS_H
#define PROTOCOL_LINK_ENDS_H

#include "protocol/link.h"

#include <stdbool.h>

/* Of a server's side. */
struct server_end {
    zloop_t *loop;
    link_server_t *server;
    int hellos;
    int messages;
    int gone;
    int last_type;
    int64_t last_number; /* the first field of the last message that is not a hello */
    char last_role[64];
    char last_name[64];
    char last_cause[256];
    const char *refuse;                              /* hellos with this sentence, if not NULL */
    bool echo;                                       /* answer each message with a copy of it */
    int (*judge)(reader_t *in, struct error *error); /* of messages, NULL: each is a test_message */
    link_peer_t *peer;                               /* of the last session, NULL once it is over */
};

/* Of a client's side. */
struct client_end {
    link_client_t *client;
    const char *role;
    const char *name;
    int hellos;
    int welcomes;
    int messages;
    int gone;
    int refused;
    enum refusal_code last_code;
    int64_t last_number;
    char last_cause[256];
    bool give_up;                                    /* when the session is over */
    int (*judge)(reader_t *in, struct error *error); /* as above */
};

#define TEST_MESSAGE 100 /* one whole number */

/* A loop whose signals are the test's. Ends that are opened from here on have long intervals: on a
 * busy machine none is taken for silent. */
zloop_t *ends_loop(void);

/* Intervals of servers and clients that are opened from here on. */
void ends_set_heartbeats(int64_t server_ms, int64_t client_ms);

/* Which users they take, from here on; the loop begins with those of the same. */
void ends_set_peers(enum link_peers server, enum link_peers client);

/* Limits of servers that are opened from here on, for the test to set; the loop begins with
 * none. */
struct link_server_setting *ends_limits(void);

/* Listens at `endpoint`; the test fails if it cannot. */
void server_end_open(struct server_end *self, zloop_t *loop, const char *endpoint,
                     const keys_t *keys);
void server_end_close(struct server_end *self);

void client_end_open(struct client_end *self, zloop_t *loop, const char *endpoint, const char *role,
                     const char *name, const keys_t *keys);
void client_end_close(struct client_end *self);

/* A message of one whole number. */
void test_message(int64_t number, struct writer *out);
void client_end_send(struct client_end *self, int64_t number);

/* Runs the loop until `*number` is `at_least`; the test fails when that takes a minute. */
void ends_await(zloop_t *loop, const int *number, int at_least);

/* Runs `loop` until `is_so`. */
void ends_await_that(zloop_t *loop, bool (*is_so)(void *argument), void *argument);

/* ---- an end of another kind ---- */

/* A DEALER that says what it likes, and nothing by itself. With keys: `server_key` is what it
 * expects. */
zsock_t *raw_dealer(const char *endpoint, const char *server_key, const char *public_key,
                    const char *secret_key);

/* Stamps, sends and closes `message`. */
void raw_send(zsock_t *socket, uint64_t session, uint64_t sequence, struct writer *message);
void raw_send_bytes(zsock_t *socket, const void *bytes, size_t size);
void raw_hello(zsock_t *socket, uint64_t session, const char *role, const char *name);

/* Runs the loop until `socket` has a message, and reads it; the caller destroys it. */
reader_t *raw_receive(zloop_t *loop, zsock_t *socket);

/* Whether there is a message. */
bool raw_has_message(zsock_t *socket);

#endif
