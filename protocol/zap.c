/* zap.c - see zap.h.
 *
 * czmq's zauth is a thread of its own, and reads certificates from files of another form. The whole
 * protocol is two messages. */
#include "protocol/zap.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"

#include <assert.h>

#define ADDRESS "inproc://zeromq.zap.01"

#define KEY_BYTES 32

struct zap {
    zloop_t *loop;
    zsock_t *socket;
    const keys_t *keys;
    double told_s; /* when a refusal was last logged */
};

/* Seconds between two logged refusals, so that a peer that tries again and again does not fill
 * the log. */
#define TELL_S 1.0

static void tell_refused(zap_t *self, zmsg_t *request, const char *key)
{
    char address[64] = "";
    zframe_t *frame = zmsg_first(request);

    if (self->told_s > 0 && clock_s() - self->told_s < TELL_S)
        return;
    self->told_s = clock_s();
    for (int i = 0; i < 3 && frame; i++)
        frame = zmsg_next(request);
    if (frame)
        (void)snprintf(address, sizeof(address), "%.*s", (int)zframe_size(frame),
                       (const char *)zframe_data(frame));
    log_event(&LOG_ABOUT_NOTHING, "refused", "peer=%s key=%s cause=%s", log_text(address),
              log_text(key),
              log_text(*key ? "its key is not in the list of those that are allowed"
                            : "it comes without a key"));
}

/* version, request, domain, address, identity, mechanism and, for CURVE, the key of the peer that
 * connects. */
static bool is_allowed(const zap_t *self, zmsg_t *request, char *key)
{
    struct allowed_key found;
    zframe_t *frame = NULL;

    if (zmsg_size(request) != 7)
        return false;
    for (int i = 0; i < 6; i++)
        frame = i == 0 ? zmsg_first(request) : zmsg_next(request);
    if (!zframe_streq(frame, "CURVE"))
        return false;
    frame = zmsg_next(request);
    if (zframe_size(frame) != KEY_BYTES || !zmq_z85_encode(key, zframe_data(frame), KEY_BYTES))
        return false;
    return keys_allow(self->keys, key, &found);
}

static int on_request(zloop_t *loop, zsock_t *socket, void *argument)
{
    zap_t *const self = argument;
    zmsg_t *request = zmsg_recv(socket);
    char key[KEY_CHARS + 1] = "";
    zframe_t *number;
    bool allowed;

    (void)loop;
    if (!request)
        return 0;
    (void)zmsg_first(request);
    number = zframe_dup(zmsg_next(request));
    allowed = is_allowed(self, request, key);
    (void)zsock_send(socket, "sfsssb", "1.0", number, allowed ? "200" : "400",
                     allowed ? "OK" : "the key is not allowed", allowed ? key : "", NULL,
                     (size_t)0);
    if (!allowed)
        tell_refused(self, request, key);
    zframe_destroy(&number);
    zmsg_destroy(&request);
    return 0;
}

zap_t *zap_new(zloop_t *loop, const keys_t *keys, struct error *error)
{
    zsock_t *socket = zsock_new(ZMQ_REP);
    zap_t *self;

    assert(socket);
    if (keys_check_allowed(keys, error) < 0) {
        zsock_destroy(&socket);
        return NULL;
    }
    if (zmq_bind(zsock_resolve(socket), ADDRESS) < 0) {
        error_set(error, "keys are looked after already in this process: %s", zmq_strerror(errno));
        zsock_destroy(&socket);
        return NULL;
    }
    self = xcalloc(1, sizeof(*self));
    self->loop = loop;
    self->socket = socket;
    self->keys = keys;
    (void)zloop_reader(loop, socket, on_request, self);
    return self;
}

void zap_destroy(zap_t **self)
{
    if (!*self)
        return;
    zloop_reader_end((*self)->loop, (*self)->socket);
    zsock_destroy(&(*self)->socket);
    free(*self);
    *self = NULL;
}
