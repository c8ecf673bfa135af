/* wire.c - messages that every link has; see wire.h. */
#include "protocol/wire.h"

#define HELLO_FIELDS       3
#define HELLO_OLDEST_SINCE 5 /* version since which a hello tells the oldest one */
#define REFUSAL_FIELDS     4
#define REFUSAL_CODE_SINCE 5 /* version since which a refusal has a code */

void msg_hello_pack(const struct msg_hello *hello, uint32_t more_fields, struct writer *out)
{
    const bool has_oldest = hello->version >= HELLO_OLDEST_SINCE;

    writer_open(out, MSG_HELLO, HELLO_FIELDS + has_oldest + more_fields);
    writer_whole(out, hello->version);
    writer_text(out, hello->role);
    writer_text(out, hello->name);
    if (has_oldest)
        writer_whole(out, WIRE_OLDEST);
}

void msg_hello_unpack(reader_t *in, struct msg_hello *hello)
{
    reader_expect(in, MSG_HELLO);
    hello->version = (uint32_t)reader_whole(in, 0, UINT32_MAX);
    hello->role = reader_text(in, WIRE_NAME_MAX);
    hello->name = reader_text(in, WIRE_NAME_MAX);
    hello->oldest = hello->version >= HELLO_OLDEST_SINCE
                        ? (uint32_t)reader_whole(in, 0, hello->version)
                        : hello->version;
}

void msg_bare_pack(int type, struct writer *out)
{
    writer_open(out, type, 0);
}

int msg_bare_unpack(reader_t *in, struct error *error)
{
    return reader_close(in, error);
}

void msg_refusal_pack(const struct msg_refusal *refusal, struct writer *out)
{
    writer_open(out, MSG_REFUSED, REFUSAL_FIELDS);
    writer_text(out, refusal->sentence);
    writer_whole(out, refusal->code);
    writer_whole(out, refusal->oldest);
    writer_whole(out, refusal->newest);
}

/* A code that a later version has added counts as no code. */
void msg_refusal_unpack(reader_t *in, struct msg_refusal *refusal)
{
    int64_t code = REFUSAL_UNSAID;

    reader_expect(in, MSG_REFUSED);
    refusal->sentence = reader_text(in, WIRE_TEXT_MAX);
    if (reader_has_more(in))
        code = reader_whole(in, 0, INT32_MAX);
    refusal->oldest = reader_has_more(in) ? (uint32_t)reader_whole(in, 0, UINT32_MAX) : 0;
    refusal->newest = reader_has_more(in) ? (uint32_t)reader_whole(in, 0, UINT32_MAX) : 0;
    refusal->code =
        code > REFUSAL_NONE && code < REFUSAL_CODES ? (enum refusal_code)code : REFUSAL_UNSAID;
}

uint32_t msg_refusal_version(const struct msg_refusal *refusal, uint32_t said)
{
    uint32_t next = 0;

    if (refusal->code == REFUSAL_UNSAID)
        next = REFUSAL_CODE_SINCE - 1;
    else if (refusal->code == REFUSAL_VERSION && refusal->oldest <= WIRE_VERSION)
        next = refusal->newest < WIRE_VERSION ? refusal->newest : WIRE_VERSION;
    return next >= WIRE_OLDEST && next < said ? next : 0;
}

void msg_goodbye_pack(const char *sentence, struct writer *out)
{
    writer_open(out, MSG_GOODBYE, 1);
    writer_text(out, sentence);
}

const char *msg_goodbye_unpack(reader_t *in)
{
    return reader_text(in, WIRE_TEXT_MAX);
}
