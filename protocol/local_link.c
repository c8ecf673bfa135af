/* local_link.c - see local_link.h.
 *
 * A session is a connection: both end together. The kernel loses nothing on a local socket, so
 * each connection bears one HELLO and all messages come in order. */
#include "protocol/local_link.h"

#include "common/clock.h"
#include "common/memory.h"
#include "protocol/timing.h"
#include "protocol/zmtp.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SESSION     1 /* number of the only session of a connection */
#define CAUSE_BYTES 256

/* First pause between failed tries to connect; the pause doubles with each failure. */
#define RETRY_MS     100
#define RETRY_MS_MAX 2000

/* Least time between the end of a session and the next HELLO. */
#define HELLO_GAP_MS 500

/* Time limit of a handshake, and the number of failed handshakes in a row that is no accident. */
#define HANDSHAKE_MS  5000
#define FAILURES_TOLD 3

/* Most reads before the owner has its turn again. */
#define READS_A_TURN 64

enum stage {
    STAGE_APART,     /* no connection */
    STAGE_HANDSHAKE, /* the ZMTP handshake */
    STAGE_ASKED,     /* HELLO is sent */
    STAGE_SESSION,
};

struct local_link {
    struct sockaddr_un address;
    struct link_client_calls calls;
    void *owner;
    int64_t heartbeat_ms;
    reader_t *reader; /* reader of the message at hand */

    enum stage stage;
    bool gave_up; /* the owner wants no more sessions */
    int descriptor;
    zmtp_t *bytes;       /* bytes of the connection, NULL while apart */
    int64_t begun_ms;    /* when the connection was made */
    int64_t retry_ms;    /* when the next connection is tried */
    int64_t patience_ms; /* pause between tries that fail */
    int failures;        /* failed handshakes since the last good handshake */
    uint32_t version;    /* version of the session, or of the next hello */
    uint64_t last_in;
    uint64_t last_out;
    int64_t heard_ms;
    int64_t turned_ms;
    const char
        *ending; /* why the session is to end in the next turn, NULL if the session goes on */
    bool called; /* the owner was called in this turn */
};

static int64_t now_ms(void)
{
    return (int64_t)(clock_s() * 1000);
}

/* ---- the end of a connection ---- */

static void disconnect(struct local_link *self, int64_t retry_in_ms)
{
    if (self->stage != STAGE_APART)
        (void)close(self->descriptor);
    zmtp_destroy(&self->bytes);
    self->stage = STAGE_APART;
    self->ending = NULL;
    self->retry_ms = now_ms() + retry_in_ms;
}

static void tell_gone(struct local_link *self, const char *cause, enum refusal_code refused)
{
    self->called = true;
    if (!self->calls.gone(self->owner, cause, refused))
        self->gave_up = true;
}

/* Ends a connection. `cause` may lie in the message at hand. `code` is the reason why there was
 * no session, if there was none. */
static void break_off_with(struct local_link *self, enum refusal_code code, const char *cause)
{
    char kept[CAUSE_BYTES];
    const bool was_session = self->stage == STAGE_SESSION;

    (void)snprintf(kept, sizeof(kept), "%s", cause);
    disconnect(self, was_session ? HELLO_GAP_MS : self->heartbeat_ms);
    if (was_session)
        self->version = WIRE_VERSION; /* the service may be another one when it is back */
    tell_gone(self, kept, was_session ? REFUSAL_NONE : code);
}

static void break_off(struct local_link *self, const char *cause)
{
    break_off_with(self, REFUSAL_UNSAID, cause);
}

/* Handles a connection that ended without a word. Before a session such an end may be an
 * accident, as when the service ends. */
static void on_closed(struct local_link *self)
{
    const enum stage stage = self->stage;

    disconnect(self, stage == STAGE_HANDSHAKE ? self->heartbeat_ms : HELLO_GAP_MS);
    if (stage == STAGE_SESSION)
        tell_gone(self, "its connection was closed", REFUSAL_NONE);
    else if (stage == STAGE_HANDSHAKE && ++self->failures == FAILURES_TOLD)
        tell_gone(self,
                  "it ends every handshake: it wants --keys, is no process of Rubato, or takes no "
                  "more connections of this user",
                  REFUSAL_UNSAID);
}

/* ---- what goes out ---- */

static void flush(struct local_link *self)
{
    size_t size;
    const void *waiting = zmtp_waiting(self->bytes, &size);

    while (size > 0) {
        const ssize_t sent = send(self->descriptor, waiting, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return; /* the socket is full, or the cause of its end is still to be read */
        zmtp_sent(self->bytes, (size_t)sent);
        waiting = zmtp_waiting(self->bytes, &size);
    }
}

/* Closes and sends `message`. The session ends in the next turn if the message cannot be sent. */
static void put(struct local_link *self, struct writer *message)
{
    const size_t size = message->bytes.size;

    writer_stamp(message, SESSION, ++self->last_out);
    if (size > WIRE_FRAME_MAX)
        self->ending = "a message was too long";
    else if (zmtp_send(self->bytes, message->bytes.data, size) < 0)
        self->ending = "it does not read what it is sent";
    else
        flush(self);
    writer_close(message);
}

static void say_hello(struct local_link *self)
{
    struct writer message;

    self->failures = 0;
    self->patience_ms = RETRY_MS;
    self->calls.hello(self->owner, self->version, &message);
    self->stage = STAGE_ASKED;
    put(self, &message);
}

/* ---- what comes in ---- */

/* Asks a service that speaks an older version again, in that version and over another
 * connection. */
static void on_refused(struct local_link *self)
{
    struct msg_refusal refusal;
    uint32_t next;
    char cause[CAUSE_BYTES];

    msg_refusal_unpack(self->reader, &refusal);
    next = self->stage == STAGE_ASKED ? msg_refusal_version(&refusal, self->version) : 0;
    if (next > 0) {
        self->version = next;
        disconnect(self, 0);
        return;
    }
    (void)snprintf(cause, sizeof(cause), "it refused: %s", refusal.sentence);
    break_off_with(self, refusal.code, cause);
}

static void on_goodbye(struct local_link *self)
{
    char cause[CAUSE_BYTES];

    (void)snprintf(cause, sizeof(cause), "it said goodbye: %s", msg_goodbye_unpack(self->reader));
    break_off(self, cause);
}

/* Whether the message at hand is the first of the session, or a later one in order. */
static bool is_in_order(struct local_link *self)
{
    const int type = reader_type(self->reader);

    if (reader_session(self->reader) != SESSION || reader_sequence(self->reader) <= self->last_in)
        return false;
    if (self->stage == STAGE_ASKED && type != MSG_WELCOME && type != MSG_REFUSED)
        return false;
    self->last_in = reader_sequence(self->reader);
    return true;
}

static void on_message(struct local_link *self, const struct zmtp_message *message)
{
    struct error error;

    if (reader_load(self->reader, message->bytes, message->size, &error) < 0) {
        break_off(self, error.text);
        return;
    }
    if (!is_in_order(self))
        return;
    self->heard_ms = now_ms();
    if (reader_type(self->reader) == MSG_REFUSED) {
        on_refused(self);
    } else if (reader_type(self->reader) == MSG_GOODBYE) {
        on_goodbye(self);
    } else {
        self->stage = STAGE_SESSION;
        self->called = true;
        if (self->calls.message(self->owner, reader_type(self->reader), self->reader, &error) < 0)
            break_off(self, error.text);
    }
}

/* Handles the messages that came. The owner has its turn after each message passed on. */
static void handle(struct local_link *self)
{
    struct zmtp_message message;
    struct error error;

    while (self->stage != STAGE_APART) {
        const enum zmtp_event event = zmtp_next(self->bytes, &message, &error);

        if (event == ZMTP_NOTHING)
            return;
        if (event == ZMTP_BAD)
            break_off(self, error.text);
        else if (event == ZMTP_READY)
            say_hello(self);
        else
            on_message(self, &message);
    }
}

static void receive(struct local_link *self)
{
    for (int i = 0; i < READS_A_TURN && self->stage != STAGE_APART; i++) {
        size_t size;
        void *const room = zmtp_room(self->bytes, &size);
        const ssize_t got = recv(self->descriptor, room, size, MSG_DONTWAIT);

        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            on_closed(self);
            return;
        }
        zmtp_received(self->bytes, (size_t)got);
        handle(self);
    }
}

/* ---- connection and silence ---- */

static void try_later(struct local_link *self)
{
    self->retry_ms = now_ms() + self->patience_ms;
    self->patience_ms *= 2;
    if (self->patience_ms > RETRY_MS_MAX)
        self->patience_ms = RETRY_MS_MAX;
}

/* Connects to the service. Returns 0 or the number of the error. */
static int connect_now(struct local_link *self)
{
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (descriptor < 0 ||
        connect(descriptor, (const struct sockaddr *)&self->address, sizeof(self->address)) < 0) {
        const int failure = errno;

        if (descriptor >= 0)
            (void)close(descriptor);
        try_later(self);
        return failure;
    }
    self->descriptor = descriptor;
    self->bytes = zmtp_new();
    self->stage = STAGE_HANDSHAKE;
    self->begun_ms = now_ms();
    self->last_in = 0;
    self->last_out = 0;
    flush(self);
    return 0;
}

/* The moment at which time alone changes something. */
static int64_t due_ms(const struct local_link *self)
{
    if (self->ending)
        return 0;
    switch (self->stage) {
    case STAGE_APART:
        return self->gave_up ? INT64_MAX : self->retry_ms;
    case STAGE_HANDSHAKE:
        return self->begun_ms + HANDSHAKE_MS;
    case STAGE_SESSION:
        return self->heard_ms + self->heartbeat_ms * HEARTBEATS_MISSED;
    default:
        return INT64_MAX;
    }
}

static void on_time(struct local_link *self)
{
    if (now_ms() < due_ms(self))
        return;
    if (self->ending)
        break_off(self, self->ending);
    else if (self->stage == STAGE_APART)
        (void)connect_now(self);
    else if (self->stage == STAGE_HANDSHAKE)
        on_closed(self);
    else
        break_off(self, "it is silent");
}

static void wait_for(struct local_link *self, int64_t wait_ms)
{
    const int64_t due_in_ms = due_ms(self) - now_ms();
    struct pollfd wanted = {.fd = self->stage == STAGE_APART ? -1 : self->descriptor,
                            .events = POLLIN};
    size_t waiting = 0;

    if (self->stage != STAGE_APART)
        (void)zmtp_waiting(self->bytes, &waiting);
    if (waiting > 0)
        wanted.events |= POLLOUT;
    if (due_in_ms < wait_ms)
        wait_ms = due_in_ms > 0 ? due_in_ms : 0;
    if (poll(&wanted, 1, (int)wait_ms) <= 0)
        return;
    if (wanted.revents & POLLOUT)
        flush(self);
    if (wanted.revents & ~POLLOUT)
        receive(self);
}

/* ---- the owner's side ---- */

/* Makes the first connection. A socket that does not exist, or is not for this user, will be no
 * better in ten seconds: the failure is reported at once. A socket that refuses may belong to a
 * service that begins anew. */
static int begin(struct local_link *self, struct error *error)
{
    const char *const path = self->address.sun_path;
    const int failure = connect_now(self);

    if (failure == ENOENT || failure == ENOTDIR)
        return error_set(error, "no service answers at %s; `rubato up` starts one", path);
    if (failure == EACCES)
        return error_set(error, "%s: this user may not reach the service", path);
    return 0;
}

static void link_close(void *link)
{
    struct local_link *self = link;

    disconnect(self, 0);
    reader_destroy(&self->reader);
    free(self);
}

static void *link_open(const struct client_place *place, int64_t heartbeat_ms,
                       struct client_name *name, const struct link_client_calls *calls, void *owner,
                       struct error *error)
{
    struct local_link *self = xcalloc(1, sizeof(*self));

    (void)name;
    assert(strlen(place->address) < sizeof(self->address.sun_path));
    self->address.sun_family = AF_UNIX;
    memcpy(self->address.sun_path, place->address, strlen(place->address));
    self->calls = *calls;
    self->owner = owner;
    self->heartbeat_ms = heartbeat_ms;
    self->version = WIRE_VERSION;
    self->reader = reader_new_empty();
    self->patience_ms = RETRY_MS;
    self->turned_ms = now_ms();
    if (begin(self, error) == 0)
        return self;
    link_close(self);
    return NULL;
}

static bool link_in_session(const void *link)
{
    const struct local_link *self = link;

    return self->stage == STAGE_SESSION;
}

static void link_send(void *link, struct writer *message)
{
    struct local_link *self = link;

    if (self->stage == STAGE_SESSION && !self->ending)
        put(self, message);
    else
        writer_close(message);
}

static void link_set_heartbeat(void *link, int64_t heartbeat_ms)
{
    struct local_link *self = link;

    self->heartbeat_ms = heartbeat_ms;
}

/* Bytes that came while this process was stopped wait to be read. */
static void link_turn(void *link, int64_t wait_ms)
{
    struct local_link *self = link;
    const int64_t until_ms = now_ms() + wait_ms;

    if (now_ms() - self->turned_ms > self->heartbeat_ms)
        self->heard_ms = now_ms();
    self->called = false;
    do {
        const int64_t left_ms = until_ms - now_ms();

        wait_for(self, left_ms > 0 ? left_ms : 0);
        on_time(self);
        self->turned_ms = now_ms();
    } while (!self->called && self->turned_ms < until_ms);
}

const struct client_link_kind local_link = {
    .open = link_open,
    .close = link_close,
    .in_session = link_in_session,
    .send = link_send,
    .set_heartbeat = link_set_heartbeat,
    .turn = link_turn,
};
