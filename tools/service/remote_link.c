/* remote_link.c - the link of a client to a service on another machine: CURVE over TCP, by libzmq.
 *
 * The link is an object file of its own, lib/rubato/remote_link.so. client.c loads it for a remote
 * service only, so that other clients do without libzmq. */
#include "tools/service/remote_link.h"

#include "common/memory.h"
#include "protocol/link.h"
#include "tools/service/key_choice.h"

#include <stdio.h>
#include <string.h>

#define SERVER "scheduler" /* name of the peer whose public key the folder of keys must have */

struct remote_link {
    struct link_client_calls calls;
    void *owner;
    keys_t *keys;
    zloop_t *loop;
    link_client_t *client;
};

static int leave(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    (void)argument;
    return -1;
}

/* Ends the turn of the loop, so that the client can look at the message. */
static void leave_soon(struct remote_link *self)
{
    (void)zloop_timer(self->loop, 0, 1, leave, NULL);
}

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct remote_link *self = owner;

    self->calls.hello(self->owner, version, out);
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct remote_link *self = owner;

    leave_soon(self);
    return self->calls.message(self->owner, type, in, error);
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct remote_link *self = owner;

    leave_soon(self);
    return self->calls.gone(self->owner, cause, refused);
}

static void link_close(void *link)
{
    struct remote_link *self = link;

    link_client_destroy(&self->client);
    zloop_destroy(&self->loop);
    keys_destroy(&self->keys);
    free(self);
}

static int read_keys(struct remote_link *self, const struct client_place *place,
                     struct client_name *name, struct error *error)
{
    struct key_choice choice = {0};

    self->keys = key_choice_read(place->keys, place->as, &choice, error);
    if (!self->keys)
        return -1;
    memcpy(name->role, choice.role, sizeof(name->role));
    memcpy(name->name, choice.name, sizeof(name->name));
    return 0;
}

static int begin(struct remote_link *self, const char *address, int64_t heartbeat_ms,
                 struct error *error)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    const size_t size = strlen(address) + sizeof("tcp://");
    char *const endpoint = xmalloc(size);

    (void)snprintf(endpoint, size, "tcp://%s", address);
    zsys_init();
    zsys_handler_set(NULL);
    self->loop = zloop_new();
    self->client = link_client_new(self->loop,
                                   &(struct link_client_setting){.endpoint = endpoint,
                                                                 .heartbeat_ms = heartbeat_ms,
                                                                 .keys = self->keys,
                                                                 .server = SERVER,
                                                                 .peers = LINK_PEERS_ANY_USER},
                                   &calls, self, error);
    free(endpoint);
    return self->client ? 0 : error_prefix(error, "--service");
}

static void *link_open(const struct client_place *place, int64_t heartbeat_ms,
                       struct client_name *name, const struct link_client_calls *calls, void *owner,
                       struct error *error)
{
    struct remote_link *self = xcalloc(1, sizeof(*self));

    self->calls = *calls;
    self->owner = owner;
    if (read_keys(self, place, name, error) == 0 &&
        begin(self, place->address, heartbeat_ms, error) == 0)
        return self;
    link_close(self);
    return NULL;
}

static bool link_in_session(const void *link)
{
    const struct remote_link *self = link;

    return link_client_in_session(self->client);
}

static void link_send(void *link, struct writer *message)
{
    struct remote_link *self = link;

    link_client_send(self->client, message);
}

static void link_set_heartbeat(void *link, int64_t heartbeat_ms)
{
    struct remote_link *self = link;

    link_client_set_heartbeat(self->client, heartbeat_ms);
}

static void link_turn(void *link, int64_t wait_ms)
{
    struct remote_link *self = link;
    const int timer = zloop_timer(self->loop, (size_t)wait_ms, 1, leave, NULL);

    (void)zloop_start(self->loop);
    (void)zloop_timer_end(self->loop, timer);
}

const struct client_link_kind remote_link = {
    .open = link_open,
    .close = link_close,
    .in_session = link_in_session,
    .send = link_send,
    .set_heartbeat = link_set_heartbeat,
    .turn = link_turn,
};
