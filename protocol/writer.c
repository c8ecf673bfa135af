/* writer.c - packs messages; see wire.h. */
#include "common/input.h"
#include "protocol/wire.h"

#include <assert.h>
#include <string.h>

/* Session and sequence number always take nine bytes each, so that they can be filled in last. */
#define STAMP_MARK  0xcf
#define STAMP_BYTES ((size_t)8)

void writer_open(struct writer *self, int type, uint32_t fields)
{
    const unsigned char stamp[1 + STAMP_BYTES] = {STAMP_MARK};

    assert(type > 0 && type <= WIRE_TYPE_MAX);
    msgpack_sbuffer_init(&self->bytes);
    msgpack_packer_init(&self->packer, &self->bytes, msgpack_sbuffer_write);
    msgpack_pack_array(&self->packer, fields + WIRE_HEAD);
    msgpack_pack_int(&self->packer, type);
    msgpack_sbuffer_write(&self->bytes, (const char *)stamp, sizeof(stamp));
    msgpack_sbuffer_write(&self->bytes, (const char *)stamp, sizeof(stamp));
    self->owed = fields;
}

/* Counts a field as written. */
static void pay(struct writer *self)
{
    assert(self->owed > 0);
    self->owed--;
}

void writer_close(struct writer *self)
{
    msgpack_sbuffer_destroy(&self->bytes);
    msgpack_sbuffer_init(&self->bytes);
}

void writer_whole(struct writer *self, int64_t value)
{
    pay(self);
    msgpack_pack_int64(&self->packer, value);
}

void writer_number(struct writer *self, uint64_t value)
{
    pay(self);
    msgpack_pack_uint64(&self->packer, value);
}

void writer_real(struct writer *self, double value)
{
    pay(self);
    msgpack_pack_double(&self->packer, value);
}

void writer_switch(struct writer *self, bool value)
{
    pay(self);
    (void)(value ? msgpack_pack_true(&self->packer) : msgpack_pack_false(&self->packer));
}

/* Bytes that are not UTF-8 become '?': a reader would end the session over them, and a quotation
 * from files and programs may hold anything. */
static void writer_mended(struct writer *self, const char *text, size_t length)
{
    char mended[WIRE_WORD_MAX];

    memcpy(mended, text, length);
    input_mend_utf8(mended, length);
    msgpack_pack_str_with_body(&self->packer, mended, length);
}

static void write_text(struct writer *self, const char *text, size_t length_max)
{
    const size_t length = text ? strlen(text) : 0;
    const size_t valid = text ? input_valid_utf8(text, length) : 0;

    pay(self);
    if (valid == length && length <= length_max)
        msgpack_pack_str_with_body(&self->packer, text ? text : "", length);
    else
        writer_mended(self, text, length < length_max ? length : length_max);
}

void writer_text(struct writer *self, const char *text)
{
    write_text(self, text, WIRE_TEXT_MAX);
}

void writer_word(struct writer *self, const char *text)
{
    write_text(self, text, WIRE_WORD_MAX);
}

void writer_document(struct writer *self, const char *text)
{
    pay(self);
    msgpack_pack_str_with_body(&self->packer, text, strlen(text));
}

void writer_list(struct writer *self, size_t items)
{
    pay(self);
    self->owed += items;
    msgpack_pack_array(&self->packer, items);
}

void writer_copy(const struct writer *self, struct writer *copy)
{
    assert(self->owed == 0);
    msgpack_sbuffer_init(&copy->bytes);
    msgpack_sbuffer_write(&copy->bytes, self->bytes.data, self->bytes.size);
    msgpack_packer_init(&copy->packer, &copy->bytes, msgpack_sbuffer_write);
    copy->owed = 0;
}

static void stamp(unsigned char *place, uint64_t number)
{
    assert(place[0] == STAMP_MARK);
    for (size_t i = 0; i < STAMP_BYTES; i++)
        place[1 + i] = (unsigned char)(number >> (8 * (STAMP_BYTES - 1 - i)));
}

void writer_stamp(struct writer *self, uint64_t session, uint64_t sequence)
{
    unsigned char *const bytes = (unsigned char *)self->bytes.data;
    const size_t head = bytes[0] == 0xdc ? 3 : bytes[0] == 0xdd ? 5 : 1;
    unsigned char *const place = bytes + head + 1;

    assert(self->owed == 0);
    assert(self->bytes.size >= head + 1 + 2 * (1 + STAMP_BYTES));
    stamp(place, session);
    stamp(place + 1 + STAMP_BYTES, sequence);
}

void write_name(const char *name, struct writer *out)
{
    char cut[WIRE_NAME_MAX + 1];

    if (!name || strlen(name) <= WIRE_NAME_MAX) {
        writer_text(out, name);
        return;
    }
    memcpy(cut, name, WIRE_NAME_MAX);
    cut[WIRE_NAME_MAX] = '\0';
    writer_text(out, cut);
}
