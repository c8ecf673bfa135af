/* zmtp.c - see zmtp.h. */
#include "protocol/zmtp.h"

#include "common/memory.h"
#include "protocol/wire.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The greeting: ten bytes that tell ZMTP from other protocols, the version, the name of the
 * mechanism padded with NULs, and 32 bytes that say nothing here. */
#define GREETING_BYTES  64
#define VERSION_AT      10
#define MECHANISM_AT    12
#define MECHANISM_BYTES 20

/* A frame: a byte of flags, a length of one byte or of eight, and the body. */
#define FLAG_MORE    0x01
#define FLAG_LONG    0x02
#define FLAG_COMMAND 0x04
#define FLAGS_KNOWN  (FLAG_MORE | FLAG_LONG | FLAG_COMMAND)
#define HEAD_SHORT   2
#define HEAD_LONG    9
#define SHORT_MAX    255

/* Bytes read at once, at least. */
#define ROOM_BYTES 16384

#define WAITING_MAX (4 * WIRE_FRAME_MAX)

struct bytes {
    unsigned char *items;
    size_t start; /* index of the first byte that was not taken yet */
    size_t end;
    size_t capacity;
};

enum stage { STAGE_GREETING, STAGE_HANDSHAKE, STAGE_MESSAGES };

struct zmtp {
    enum stage stage;
    struct bytes in;
    struct bytes out;
};

static size_t held(const struct bytes *self)
{
    return self->end - self->start;
}

static void make_room(struct bytes *self, size_t size)
{
    if (self->start > 0)
        memmove(self->items, self->items + self->start, held(self));
    self->end = held(self);
    self->start = 0;
    self->items = reserve_array(self->items, self->end + size, &self->capacity, 1);
}

static void take(struct bytes *self, size_t size)
{
    assert(size <= held(self));
    self->start += size;
}

static void add(struct bytes *self, const void *bytes, size_t size)
{
    make_room(self, size);
    memcpy(self->items + self->end, bytes, size);
    self->end += size;
}

/* ---- out ---- */

static void add_frame(struct bytes *self, unsigned flags, const void *bytes, size_t size)
{
    const bool is_short = size <= SHORT_MAX;
    unsigned char head[HEAD_LONG] = {(unsigned char)(flags | (is_short ? 0 : FLAG_LONG))};

    for (size_t i = 1; i < HEAD_LONG; i++)
        head[i] = (unsigned char)((uint64_t)size >> (8 * (HEAD_LONG - 1 - i)));
    if (is_short)
        head[1] = (unsigned char)size;
    add(self, head, is_short ? HEAD_SHORT : HEAD_LONG);
    add(self, bytes, size);
}

/* READY may follow the greeting at once: with the mechanism NULL nothing in READY depends on the
 * peer. */
static void add_opening(struct bytes *self)
{
    static const unsigned char greeting[GREETING_BYTES] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                                           0,    0x7f, 3, 0, 'N', 'U', 'L', 'L'};
    static const char ready[] = "\5READY\13Socket-Type\0\0\0\6DEALER\10Identity\0\0\0";

    add(self, greeting, sizeof(greeting));
    add_frame(self, FLAG_COMMAND, ready,
              sizeof(ready)); /* the final NUL ends the length, 0, of the identity */
}

zmtp_t *zmtp_new(void)
{
    zmtp_t *self = xcalloc(1, sizeof(*self));

    make_room(&self->in, ROOM_BYTES);
    add_opening(&self->out);
    return self;
}

void zmtp_destroy(zmtp_t **self)
{
    if (!*self)
        return;
    free((*self)->in.items);
    free((*self)->out.items);
    free(*self);
    *self = NULL;
}

int zmtp_send(zmtp_t *self, const void *bytes, size_t size)
{
    assert(self->stage == STAGE_MESSAGES);
    assert(size <= WIRE_FRAME_MAX);
    if (held(&self->out) > WAITING_MAX)
        return -1;
    add_frame(&self->out, 0, bytes, size);
    return 0;
}

const void *zmtp_waiting(const zmtp_t *self, size_t *size)
{
    *size = held(&self->out);
    return self->out.items + self->out.start;
}

void zmtp_sent(zmtp_t *self, size_t size)
{
    take(&self->out, size);
}

/* ---- in ---- */

void *zmtp_room(zmtp_t *self, size_t *size)
{
    make_room(&self->in, ROOM_BYTES);
    *size = self->in.capacity - self->in.end;
    return self->in.items + self->in.end;
}

void zmtp_received(zmtp_t *self, size_t size)
{
    assert(size <= self->in.capacity - self->in.end);
    self->in.end += size;
}

/* Judges a greeting as soon as the telling bytes are present: a peer of another protocol sends
 * no 64 bytes. */
static enum zmtp_event take_greeting(zmtp_t *self, struct error *error)
{
    static const unsigned char mechanism[MECHANISM_BYTES] = "NULL";
    const unsigned char *const greeting = self->in.items + self->in.start;
    const size_t size = held(&self->in);

    if ((size > 0 && greeting[0] != 0xff) || (size >= VERSION_AT && !(greeting[9] & 1)) ||
        (size > VERSION_AT && greeting[VERSION_AT] < 3)) {
        error_set(error, "it is no process of Rubato: it does not speak ZMTP 3");
        return ZMTP_BAD;
    }
    if (size < GREETING_BYTES)
        return ZMTP_NOTHING;
    if (memcmp(greeting + MECHANISM_AT, mechanism, MECHANISM_BYTES) != 0) {
        error_set(error, "it wants --keys, or is no process of Rubato");
        return ZMTP_BAD;
    }
    take(&self->in, GREETING_BYTES);
    self->stage = STAGE_HANDSHAKE;
    return ZMTP_NOTHING;
}

struct frame {
    unsigned flags;
    const unsigned char *body;
    size_t size;
};

static uint64_t length_of(const unsigned char *head)
{
    uint64_t length = 0;

    if (!(head[0] & FLAG_LONG))
        return head[1];
    for (size_t i = 1; i < HEAD_LONG; i++)
        length = length << 8 | head[i];
    return length;
}

/* Takes the next frame. 1 with the frame, 0 if it is not whole yet, -1 with `error`. */
static int take_frame(zmtp_t *self, struct frame *frame, struct error *error)
{
    const unsigned char *const head = self->in.items + self->in.start;
    const size_t size = held(&self->in);
    const size_t head_bytes = size > 0 && head[0] & FLAG_LONG ? HEAD_LONG : HEAD_SHORT;
    uint64_t length;

    if (size > 0 && head[0] & ~FLAGS_KNOWN)
        return error_set(error, "a frame has flags that ZMTP 3 does not know");
    if (size < head_bytes)
        return 0;
    length = length_of(head);
    if (length > WIRE_FRAME_MAX)
        return error_set(error, "a message is too long");
    if (size - head_bytes < length)
        return 0;
    *frame = (struct frame){head[0], head + head_bytes, (size_t)length};
    take(&self->in, head_bytes + (size_t)length);
    return 1;
}

static bool is_command(const struct frame *frame, const char *name)
{
    const size_t length = strlen(name);

    return frame->flags & FLAG_COMMAND && frame->size > length && frame->body[0] == length &&
           memcmp(frame->body + 1, name, length) == 0;
}

/* Ends the handshake. The properties of READY are not read: a wrong server would give no good
 * answer to a HELLO. */
static enum zmtp_event end_handshake(zmtp_t *self, const struct frame *frame, struct error *error)
{
    if (is_command(frame, "READY")) {
        self->stage = STAGE_MESSAGES;
        return ZMTP_READY;
    }
    error_set(error, is_command(frame, "ERROR") ? "it ends the handshake"
                                                : "it is no process of Rubato: no READY came");
    return ZMTP_BAD;
}

/* Takes the next message. Commands between messages are passed over, as the specification says of
 * unknown ones. */
static enum zmtp_event next_message(zmtp_t *self, struct zmtp_message *message, struct error *error)
{
    struct frame frame = {0};
    int got;

    while ((got = take_frame(self, &frame, error)) > 0) {
        if (self->stage == STAGE_HANDSHAKE)
            return end_handshake(self, &frame, error);
        if (frame.flags & FLAG_MORE) {
            error_set(error, "no message: it has not one frame");
            return ZMTP_BAD;
        }
        if (frame.flags & FLAG_COMMAND)
            continue;
        *message = (struct zmtp_message){frame.body, frame.size};
        return ZMTP_MESSAGE;
    }
    return got < 0 ? ZMTP_BAD : ZMTP_NOTHING;
}

enum zmtp_event zmtp_next(zmtp_t *self, struct zmtp_message *message, struct error *error)
{
    if (self->stage == STAGE_GREETING) {
        const enum zmtp_event event = take_greeting(self, error);

        if (self->stage == STAGE_GREETING)
            return event;
    }
    return next_message(self, message, error);
}
