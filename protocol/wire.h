/* wire.h - messages as bytes: a frame is one msgpack array [type, session, sequence, field ...].
 * docs/protocol.md has the grammar of every message.
 *
 * A length that a peer states is never believed: a frame is at most WIRE_FRAME_MAX bytes, and
 * before anything is decoded a walk over the bytes checks each count against the bytes that are
 * left and the depth. A reader that failed once stays failed, so that one check at the end does. */
#ifndef PROTOCOL_WIRE_H
#define PROTOCOL_WIRE_H

#include "common/error.h"
#include "common/memory.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Another version wherever the layout of a message becomes other than it was. The files of
 * tests/protocol/layouts hold the bytes of each version that is spoken: WIRE_OLDEST to
 * WIRE_VERSION. docs/protocol.md says how a field is added. */
#define WIRE_VERSION   6
#define WIRE_OLDEST    4
#define WIRE_FRAME_MAX ((size_t)1 << 20)
#define WIRE_DEPTH_MAX 8
#define WIRE_TYPE_MAX  127
#define WIRE_HEAD      3    /* fields before those of a message: type, session, sequence number */
#define WIRE_TEXT_MAX  1024 /* bytes of a text, where a message says nothing else */
#define WIRE_NAME_MAX  255  /* of a role or name */
#define WIRE_WORD_MAX  4096 /* of an argument of a program, or a variable of its environment */

/* The types that every link has; the links' own types come after. */
enum msg_type {
    MSG_HELLO = 1, /* struct msg_hello, then what the link adds: the first message of a session */
    MSG_WELCOME,   /* the answer of the link's server */
    MSG_REFUSED,   /* a sentence: why the session is over */
    MSG_HEARTBEAT, /* the link's own fields */
    MSG_GOODBYE,   /* a sentence: why; no more messages follow */
    MSG_LINK_FIRST = 16,
};

/* "HELLO", "RUN" ..., the types of all links together; "message" if there is none of that
 * number. */
const char *msg_type_name(int type);

/* Opens a session. */
struct msg_hello {
    uint32_t version; /* of the protocol: that of this message, and of the session */
    const char *role; /* "scheduler", "worker" or "trainer" */
    const char *name; /* unique among its role */
    uint32_t oldest;  /* version that the sender speaks, too; packed as WIRE_OLDEST */
};

/* Why there is no session. */
enum refusal_code {
    REFUSAL_NONE,        /* there was one, or it is not over */
    REFUSAL_UNSAID,      /* a peer of version 4 gives no code; nor does a connection that fails */
    REFUSAL_VERSION,     /* no version of the hello: the peer speaks `oldest` to `newest` */
    REFUSAL_HELLO,       /* no good hello */
    REFUSAL_NOT_ALLOWED, /* not that key or user */
    REFUSAL_NO_ROOM,     /* its key or user has too many sessions, or says too much */
    REFUSAL_NAMESAKE,    /* another one of its name is there */
    REFUSAL_OWNER,       /* the process at the other end does not want it */
    REFUSAL_NO_HELLO,    /* it spoke without a session */
    REFUSAL_BROKEN,      /* its session is over */
};

#define REFUSAL_CODES 10

/* REFUSED. Peers of version 4 read and send the sentence only. */
struct msg_refusal {
    const char *sentence;
    enum refusal_code code;
    uint32_t oldest; /* version that the sender speaks, and the newest; 0: unsaid */
    uint32_t newest;
};

/* Packs one message. */
struct writer {
    msgpack_sbuffer bytes;
    msgpack_packer packer;
    size_t owed; /* fields that were announced and are still to come */
};

/* Begins a message of `fields` fields. Session and sequence number are put in when it is sent. */
void writer_open(struct writer *self, int type, uint32_t fields);
void writer_close(struct writer *self); /* gives the bytes up */

void writer_whole(struct writer *self, int64_t value);
void writer_number(struct writer *self, uint64_t value);
void writer_real(struct writer *self, double value);
void writer_switch(struct writer *self, bool value);
/* NULL is sent as "". What no reader would take is mended: cut at WIRE_TEXT_MAX, '?' for what is no
 * UTF-8. */
void writer_text(struct writer *self, const char *text);
void writer_word(struct writer *self, const char *text); /* likewise, cut at WIRE_WORD_MAX */
/* A text of any length, which must be valid UTF-8 and fit into a frame. */
void writer_document(struct writer *self, const char *text);
void writer_list(struct writer *self,
                 size_t items); /* `items` fields that belong together follow */

/* A name, cut to what a reader takes. */
void write_name(const char *name, struct writer *out);

/* Puts the number of the session and of the message in it into a message that is complete: a
 * packer that announced other counts than it wrote is a mistake of ours. */
void writer_stamp(struct writer *self, uint64_t session, uint64_t sequence);

/* A copy of a message that is complete. */
void writer_copy(const struct writer *self, struct writer *copy);

/* Checks the counts, lengths and the depth of one msgpack object that fills `size` bytes. -1, with
 * `error`, if decoding it could go wrong. */
int wire_walk(const void *bytes, size_t size, struct error *error);

/* Unpacks one message. */
struct reader;
typedef struct reader reader_t;

/* The message in `bytes`, which need not outlive the call. NULL, with `error`, if it is none. Texts
 * and arrays of the message live as long as the reader. */
reader_t *reader_new(const void *bytes, size_t size, struct error *error);
void reader_destroy(reader_t **self);

/* One reader for many messages: what the last one held is given up when the next is loaded. -1,
 * with `error`, if it is none; only reader_load and reader_destroy may follow then. */
reader_t *reader_new_empty(void) __attribute__((returns_nonnull));
int reader_load(reader_t *self, const void *bytes, size_t size, struct error *error);

int reader_type(const reader_t *self);
uint64_t reader_session(const reader_t *self);
uint64_t reader_sequence(const reader_t *self);
arena_t *reader_arena(reader_t *self);

/* The next field, in the range given; 0, "" or no items once the reader failed. */
int64_t reader_whole(reader_t *self, int64_t min, int64_t max);
uint64_t reader_number(reader_t *self);
double reader_real(reader_t *self); /* any double, NaN and infinities too: the caller must check */
bool reader_switch(reader_t *self);
const char *reader_text(reader_t *self,
                        size_t length_max); /* without NUL bytes inside, valid UTF-8 */

/* Whether the list that is read now has another field: the last ones of a message may be absent
 * where the peer is of an older version. */
bool reader_has_more(const reader_t *self);

/* Enters a list of at most `items_max` fields and returns how many it has; reader_leave must follow
 * when they are read. */
size_t reader_enter(reader_t *self, size_t items_max);
void reader_leave(reader_t *self);

/* Fails at the field that was read last; `format` says what is wrong with it. */
void reader_refuse(reader_t *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fails if the message has another type. */
void reader_expect(reader_t *self, int type);

/* Whether a field was missing, of another kind or out of its range so far. */
bool reader_failed(const reader_t *self);

/* 0 if every field was there and read; otherwise -1 with `error`, which names the message and the
 * field. */
int reader_close(reader_t *self, struct error *error);

void msg_hello_pack(const struct msg_hello *hello, uint32_t more_fields, struct writer *out);
/* Reads the fields that all hellos have. A version that is not spoken here is left for the caller
 * to refuse. */
void msg_hello_unpack(reader_t *in, struct msg_hello *hello);

/* A message without fields. */
void msg_bare_pack(int type, struct writer *out);
int msg_bare_unpack(reader_t *in, struct error *error);

void msg_refusal_pack(const struct msg_refusal *refusal, struct writer *out);
void msg_refusal_unpack(reader_t *in, struct msg_refusal *refusal);

/* The version to say hello in next, where that in version `said` was refused; 0 if none will do. */
uint32_t msg_refusal_version(const struct msg_refusal *refusal, uint32_t said);

/* GOODBYE; what is unpacked lives as long as the reader. */
void msg_goodbye_pack(const char *sentence, struct writer *out);
const char *msg_goodbye_unpack(reader_t *in);

#endif
