/* wire.h - messages as bytes: a frame is one msgpack array [type, session, sequence, field ...].
 * docs/protocol.md has the grammar of every message.
 *
 * A length that a peer states is never trusted: a frame is at most WIRE_FRAME_MAX bytes, and before
 * anything is decoded a walk over the bytes checks each count against the bytes that are left and
 * the depth. A reader that failed once stays failed, so that one check at the end is enough. */
#ifndef PROTOCOL_WIRE_H
#define PROTOCOL_WIRE_H

#include "common/error.h"
#include "common/memory.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new version whenever the layout of a message changes. The files of tests/protocol/layouts hold
 * the bytes of each version that is spoken: WIRE_OLDEST to WIRE_VERSION. docs/protocol.md says how
 * a field is added. */
#define WIRE_VERSION   6
#define WIRE_OLDEST    4
#define WIRE_FRAME_MAX ((size_t)1 << 20)
#define WIRE_DEPTH_MAX 8
#define WIRE_TYPE_MAX  127
#define WIRE_HEAD      3    /* header fields of a message: type, session, sequence number */
#define WIRE_TEXT_MAX  1024 /* bytes of a text, where a message sets no other limit */
#define WIRE_NAME_MAX  255  /* bytes of a role or name */
#define WIRE_WORD_MAX  4096 /* bytes of an argument or environment variable of a program */

/* The types that every link has; the types of single links come after. */
enum msg_type {
    MSG_HELLO = 1, /* struct msg_hello, then the link's fields: the first message of a session */
    MSG_WELCOME,   /* the answer of the link's server */
    MSG_REFUSED,   /* a sentence: why the session is over */
    MSG_HEARTBEAT, /* the link's own fields */
    MSG_GOODBYE,   /* a sentence: why; no more messages follow */
    MSG_LINK_FIRST = 16,
};

/* "HELLO", "RUN" ..., the types of all links together; "message" for an unknown number. */
const char *msg_type_name(int type);

/* Opens a session. */
struct msg_hello {
    uint32_t version; /* protocol version of this message and its session */
    const char *role; /* "scheduler", "worker" or "trainer" */
    const char *name; /* unique within its role */
    uint32_t oldest;  /* oldest version that the sender supports; packed as WIRE_OLDEST */
};

/* Why there is no session. */
enum refusal_code {
    REFUSAL_NONE,    /* there was a session, or the session is not over */
    REFUSAL_UNSAID,  /* no code was given: by a peer of version 4, or as the connection failed */
    REFUSAL_VERSION, /* no version of the hello: the peer speaks `oldest` to `newest` */
    REFUSAL_HELLO,   /* no good hello */
    REFUSAL_NOT_ALLOWED, /* this key or user is not allowed */
    REFUSAL_NO_ROOM,     /* the key or user has too many sessions, or sends too much */
    REFUSAL_NAMESAKE,    /* another session has this role and name */
    REFUSAL_OWNER,       /* the server's owner refused the hello */
    REFUSAL_NO_HELLO,    /* a message came without a session */
    REFUSAL_BROKEN,      /* the session is broken */
};

#define REFUSAL_CODES 10

/* REFUSED. Peers of version 4 read and send the sentence only. */
struct msg_refusal {
    const char *sentence;
    enum refusal_code code;
    uint32_t oldest; /* oldest version that the sender supports, and the newest; 0: not given */
    uint32_t newest;
};

/* Packs one message. */
struct writer {
    msgpack_sbuffer bytes;
    msgpack_packer packer;
    size_t owed; /* number of announced fields still to come */
};

/* Begins a message of `fields` fields. Session and sequence number are set when the message is
 * sent. */
void writer_open(struct writer *self, int type, uint32_t fields);
void writer_close(struct writer *self); /* frees the bytes */

void writer_whole(struct writer *self, int64_t value);
void writer_number(struct writer *self, uint64_t value);
void writer_real(struct writer *self, double value);
void writer_switch(struct writer *self, bool value);
/* Writes a text; NULL is sent as "". A text that readers would refuse is mended: cut at
 * WIRE_TEXT_MAX, '?' for invalid UTF-8. */
void writer_text(struct writer *self, const char *text);
void writer_word(struct writer *self, const char *text); /* as writer_text, cut at WIRE_WORD_MAX */
/* A text of any length, which must be valid UTF-8 and fit into a frame. */
void writer_document(struct writer *self, const char *text);
void writer_list(struct writer *self, size_t items); /* begins a list of `items` fields */

/* Writes a name, cut to the length that readers accept. */
void write_name(const char *name, struct writer *out);

/* Sets session and sequence number of a complete message. Asserts that the packer wrote as many
 * fields as it announced. */
void writer_stamp(struct writer *self, uint64_t session, uint64_t sequence);

/* Copies a complete message. */
void writer_copy(const struct writer *self, struct writer *copy);

/* Checks the counts, lengths and the depth of one msgpack object that fills `size` bytes. -1, with
 * `error`, if the object is not safe to decode. */
int wire_walk(const void *bytes, size_t size, struct error *error);

/* Unpacks one message. */
struct reader;
typedef struct reader reader_t;

/* The message in `bytes`, which need not outlive the call. NULL, with `error`, if they are no
 * message. Texts and arrays of the message live as long as the reader. */
reader_t *reader_new(const void *bytes, size_t size, struct error *error);
void reader_destroy(reader_t **self);

/* A reader for many messages, one at a time: reader_load frees the message before. -1, with
 * `error`, if the bytes are no message; then only reader_load and reader_destroy may follow. */
reader_t *reader_new_empty(void) __attribute__((returns_nonnull));
int reader_load(reader_t *self, const void *bytes, size_t size, struct error *error);

int reader_type(const reader_t *self);
uint64_t reader_session(const reader_t *self);
uint64_t reader_sequence(const reader_t *self);
arena_t *reader_arena(reader_t *self);

/* The next field, in the range given; 0, "" or no items once the reader failed. */
int64_t reader_whole(reader_t *self, int64_t min, int64_t max);
uint64_t reader_number(reader_t *self);
double reader_real(reader_t *self); /* any double, even NaN and infinities: the caller must check */
bool reader_switch(reader_t *self);
const char *reader_text(reader_t *self, size_t length_max); /* valid UTF-8 without NUL bytes */

/* Whether the current list has another field: the last fields of a message may be absent if the
 * peer has an older version. */
bool reader_has_more(const reader_t *self);

/* Enters a list of at most `items_max` fields and returns its length; reader_leave must follow
 * after its last field. */
size_t reader_enter(reader_t *self, size_t items_max);
void reader_leave(reader_t *self);

/* Fails at the field that was read last; `format` describes the mistake. */
void reader_refuse(reader_t *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fails if the message has another type. */
void reader_expect(reader_t *self, int type);

/* Whether a field was missing, of another kind or out of its range so far. */
bool reader_failed(const reader_t *self);

/* 0 if every field was there and read; otherwise -1 with `error`, which names the message and the
 * field. */
int reader_close(reader_t *self, struct error *error);

void msg_hello_pack(const struct msg_hello *hello, uint32_t more_fields, struct writer *out);
/* Reads the fields that all hellos have. The caller refuses unsupported versions. */
void msg_hello_unpack(reader_t *in, struct msg_hello *hello);

/* A message without fields. */
void msg_bare_pack(int type, struct writer *out);
int msg_bare_unpack(reader_t *in, struct error *error);

void msg_refusal_pack(const struct msg_refusal *refusal, struct writer *out);
void msg_refusal_unpack(reader_t *in, struct msg_refusal *refusal);

/* The version for the next hello after a hello of version `said` was refused; 0 if no version will
 * do. */
uint32_t msg_refusal_version(const struct msg_refusal *refusal, uint32_t said);

/* GOODBYE; unpacked texts live as long as the reader. */
void msg_goodbye_pack(const char *sentence, struct writer *out);
const char *msg_goodbye_unpack(reader_t *in);

#endif
