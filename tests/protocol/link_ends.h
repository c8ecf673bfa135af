/* link_ends.h - both ends of a link in one loop. Each end notes what happens to it. */
#ifndef PROTOCOL_LINK_ENDS_H
#define PROTOCOL_LINK_ENDS_H

#include "protocol/link.h"

#include <stdbool.h>

/* The server's end. */
struct server_end {
    zloop_t *loop;
    link_server_t *server;
    int hellos;
    int messages;
    int gone;
    int last_type;
    int64_t last_number; /* first field of the last message that was no hello */
    char last_role[64];
    char last_name[64];
    char last_cause[256];
    const char *refuse; /* sentence with which hellos are refused; NULL accepts them */
    bool echo;          /* answers each message with a copy of it */
    int (*judge)(reader_t *in,
                 struct error *error); /* checks a message; NULL expects test_message */
    link_peer_t *peer;                 /* peer of the last session, NULL once the session is over */
};

/* The client's end. */
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
    bool give_up; /* gives up when the session is over */
    int (*judge)(reader_t *in,
                 struct error *error); /* checks a message; NULL expects test_message */
};

#define TEST_MESSAGE 100 /* a message of one whole number */

/* A new loop, which leaves signals to the test. Ends that are opened from now on have long
 * intervals, so that a busy machine makes no end look silent. */
zloop_t *ends_loop(void);

/* Sets the intervals of servers and clients that are opened from now on. */
void ends_set_heartbeats(int64_t server_ms, int64_t client_ms);

/* Sets the users from whom ends that are opened from now on accept peers. After ends_loop both
 * accept the user of this process only. */
void ends_set_peers(enum link_peers server, enum link_peers client);

/* The limits of servers that are opened from now on, for the test to set. After ends_loop there are
 * none. */
struct link_server_setting *ends_limits(void);

/* Opens a server at `endpoint`. The test fails if it cannot listen there. */
void server_end_open(struct server_end *self, zloop_t *loop, const char *endpoint,
                     const keys_t *keys);
void server_end_close(struct server_end *self);

void client_end_open(struct client_end *self, zloop_t *loop, const char *endpoint, const char *role,
                     const char *name, const keys_t *keys);
void client_end_close(struct client_end *self);

/* A message of type TEST_MESSAGE. */
void test_message(int64_t number, struct writer *out);
void client_end_send(struct client_end *self, int64_t number);

/* Runs the loop until `*number` is `at_least`. The test fails after a minute. */
void ends_await(zloop_t *loop, const int *number, int at_least);

/* Runs the loop until `is_so` returns true. The test fails after a minute. */
void ends_await_that(zloop_t *loop, bool (*is_so)(void *argument), void *argument);

/* ---- a raw end ---- */

/* A DEALER socket that sends only what the test sends. With keys, it expects the server's key to be
 * `server_key`. */
zsock_t *raw_dealer(const char *endpoint, const char *server_key, const char *public_key,
                    const char *secret_key);

/* Send: a message in a frame with its session and sequence, which closes `message`; plain bytes; a
 * hello. */
void raw_send(zsock_t *socket, uint64_t session, uint64_t sequence, struct writer *message);
void raw_send_bytes(zsock_t *socket, const void *bytes, size_t size);
void raw_hello(zsock_t *socket, uint64_t session, const char *role, const char *name);

/* Runs the loop until `socket` has a message, and returns it. The caller destroys it. */
reader_t *raw_receive(zloop_t *loop, zsock_t *socket);

/* Whether the socket has a message. */
bool raw_has_message(zsock_t *socket);

#endif
