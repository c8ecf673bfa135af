/* wire.c - the messages that every link has; see wire.h. */
#include "protocol/wire.h"

#include <assert.h>

void msg_hello_pack(const struct msg_hello *hello, uint32_t more_fields, struct writer *out)
{
    writer_open(out, MSG_HELLO, 3 + more_fields);
    writer_whole(out, hello->version);
    writer_text(out, hello->role);
    writer_text(out, hello->name);
}

void msg_hello_unpack(reader_t *in, struct msg_hello *hello)
{
    reader_expect(in, MSG_HELLO);
    hello->version = (uint32_t)reader_whole(in, 0, UINT32_MAX);
    hello->role = reader_text(in, WIRE_NAME_MAX);
    hello->name = reader_text(in, WIRE_NAME_MAX);
}

void msg_bare_pack(int type, struct writer *out)
{
    writer_open(out, type, 0);
}

int msg_bare_unpack(reader_t *in, struct error *error)
{
    return reader_close(in, error);
}

void msg_reason_pack(int type, const char *sentence, struct writer *out)
{
    assert(type == MSG_REFUSED || type == MSG_GOODBYE);
    writer_open(out, type, 1);
    writer_text(out, sentence);
}

const char *msg_reason_unpack(reader_t *in)
{
    return reader_text(in, WIRE_TEXT_MAX);
}
