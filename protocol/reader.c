/* reader.c - unpacks messages field by field; see wire.h. */
#include "common/input.h"
#include "common/memory.h"
#include "protocol/wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list that is being read. */
struct level {
    const msgpack_object *items;
    size_t count;
    size_t next;
};

struct reader {
    msgpack_zone *zone;
    arena_t *arena;
    struct level levels[WIRE_DEPTH_MAX];
    size_t depth; /* depth of the list that is read now; the message itself has depth 0 */
    int type;
    uint64_t session;
    uint64_t sequence;
    bool failed;
    struct error error;
};

reader_t *reader_new_empty(void)
{
    reader_t *self = xcalloc(1, sizeof(*self));

    self->zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE);
    if (!self->zone)
        memory_out();
    self->arena = arena_new();
    return self;
}

void reader_destroy(reader_t **self)
{
    if (!*self)
        return;
    msgpack_zone_free((*self)->zone);
    arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

/* Takes type, session and sequence number off the front. */
static int read_head(reader_t *self, struct error *error)
{
    struct level *const level = &self->levels[0];
    uint64_t head[WIRE_HEAD];

    for (size_t i = 0; i < WIRE_HEAD; i++) {
        if (i >= level->count || level->items[i].type != MSGPACK_OBJECT_POSITIVE_INTEGER)
            return error_set(error, "no message: it does not begin with three numbers");
        head[i] = level->items[i].via.u64;
    }
    if (head[0] == 0 || head[0] > WIRE_TYPE_MAX)
        return error_set(error, "no message: %" PRIu64 " is no type of one", head[0]);
    self->type = (int)head[0];
    self->session = head[1];
    self->sequence = head[2];
    level->next = WIRE_HEAD;
    return 0;
}

int reader_load(reader_t *self, const void *bytes, size_t size, struct error *error)
{
    msgpack_object message;
    size_t used = 0;
    char *copy;

    if (wire_walk(bytes, size, error) < 0)
        return -1;
    arena_reset(self->arena);
    msgpack_zone_clear(self->zone);
    self->failed = false;
    self->depth = 0;
    copy = arena_alloc(self->arena, size);
    memcpy(copy, bytes, size);
    if (msgpack_unpack(copy, size, &used, self->zone, &message) != MSGPACK_UNPACK_SUCCESS ||
        used != size || message.type != MSGPACK_OBJECT_ARRAY)
        return error_set(error, "no message: it is no list of fields");
    self->levels[0] = (struct level){message.via.array.ptr, message.via.array.size, 0};
    return read_head(self, error);
}

reader_t *reader_new(const void *bytes, size_t size, struct error *error)
{
    reader_t *self = reader_new_empty();

    if (reader_load(self, bytes, size, error) < 0)
        reader_destroy(&self);
    return self;
}

int reader_type(const reader_t *self)
{
    return self->type;
}

uint64_t reader_session(const reader_t *self)
{
    return self->session;
}

uint64_t reader_sequence(const reader_t *self)
{
    return self->sequence;
}

arena_t *reader_arena(reader_t *self)
{
    return self->arena;
}

/* "RUN: field 3.2: " for the second field of the list that is the third field. */
static void name_place(const reader_t *self, char *place, size_t size)
{
    int used = snprintf(place, size, "%s: field", msg_type_name(self->type));

    for (size_t i = 0; i <= self->depth; i++) {
        const size_t number = self->levels[i].next - (i == 0 ? WIRE_HEAD : 0);

        assert(used > 0 && (size_t)used < size);
        used += snprintf(place + used, size - (size_t)used, "%c%zu", i == 0 ? ' ' : '.', number);
    }
}

void reader_refuse(reader_t *self, const char *format, ...)
{
    char place[256];
    char sentence[512];
    va_list arguments;

    if (self->failed)
        return;
    self->failed = true;
    name_place(self, place, sizeof(place));
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    error_set(&self->error, "%s: %s", place, sentence);
}

void reader_expect(reader_t *self, int type)
{
    if (self->type == type || self->failed)
        return;
    self->failed = true;
    error_set(&self->error, "%s where %s was expected", msg_type_name(self->type),
              msg_type_name(type));
}

static const char *kind_name(msgpack_object_type type)
{
    switch (type) {
    case MSGPACK_OBJECT_NIL:
        return "nothing";
    case MSGPACK_OBJECT_BOOLEAN:
        return "a switch";
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return "a whole number";
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return "a real number";
    case MSGPACK_OBJECT_STR:
        return "a text";
    case MSGPACK_OBJECT_ARRAY:
        return "a list";
    default:
        return "something else";
    }
}

/* The next field, NULL once the reader failed. */
static const msgpack_object *next_field(reader_t *self, const char *expected)
{
    struct level *const level = &self->levels[self->depth];

    if (self->failed)
        return NULL;
    level->next++;
    if (level->next > level->count) {
        reader_refuse(self, "missing: %s was expected", expected);
        return NULL;
    }
    return &level->items[level->next - 1];
}

/* The next field if it is a `type`. */
static const msgpack_object *field_of_type(reader_t *self, msgpack_object_type type,
                                           const char *expected)
{
    const msgpack_object *const field = next_field(self, expected);

    if (!field || field->type == type)
        return field;
    reader_refuse(self, "%s where %s was expected", kind_name(field->type), expected);
    return NULL;
}

int64_t reader_whole(reader_t *self, int64_t min, int64_t max)
{
    const msgpack_object *const field = next_field(self, "a whole number");
    int64_t value = 0;

    if (!field)
        return 0;
    if (field->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        value = field->via.i64;
    else if (field->type == MSGPACK_OBJECT_POSITIVE_INTEGER && field->via.u64 <= INT64_MAX)
        value = (int64_t)field->via.u64;
    else if (field->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        reader_refuse(self, "%" PRIu64 " is not within %" PRId64 " to %" PRId64, field->via.u64,
                      min, max);
    else
        reader_refuse(self, "%s where a whole number was expected", kind_name(field->type));
    if (!self->failed && (value < min || value > max))
        reader_refuse(self, "%" PRId64 " is not within %" PRId64 " to %" PRId64, value, min, max);
    return self->failed ? 0 : value;
}

uint64_t reader_number(reader_t *self)
{
    const msgpack_object *const field =
        field_of_type(self, MSGPACK_OBJECT_POSITIVE_INTEGER, "a number, not negative,");

    return field ? field->via.u64 : 0;
}

double reader_real(reader_t *self)
{
    const msgpack_object *const field =
        field_of_type(self, MSGPACK_OBJECT_FLOAT64, "a real number");

    return field ? field->via.f64 : 0;
}

bool reader_switch(reader_t *self)
{
    const msgpack_object *const field = field_of_type(self, MSGPACK_OBJECT_BOOLEAN, "a switch");

    return field && field->via.boolean;
}

const char *reader_text(reader_t *self, size_t length_max)
{
    const msgpack_object *const field = field_of_type(self, MSGPACK_OBJECT_STR, "a text");

    if (!field || field->via.str.size == 0) /* msgpack-c gives an empty text no address */
        return "";
    if (field->via.str.size > length_max)
        reader_refuse(self, "a text of %u bytes, more than %zu", field->via.str.size, length_max);
    else if (memchr(field->via.str.ptr, '\0', field->via.str.size))
        reader_refuse(self, "a text with a NUL inside");
    else if (input_valid_utf8(field->via.str.ptr, field->via.str.size) != field->via.str.size)
        reader_refuse(self, "a text that is not UTF-8");
    if (self->failed)
        return "";
    return arena_text(self->arena, field->via.str.ptr, field->via.str.size);
}

bool reader_has_more(const reader_t *self)
{
    const struct level *const level = &self->levels[self->depth];

    return !self->failed && level->next < level->count;
}

size_t reader_enter(reader_t *self, size_t items_max)
{
    const msgpack_object *const field = field_of_type(self, MSGPACK_OBJECT_ARRAY, "a list");

    if (!field)
        return 0;
    if (field->via.array.size > items_max) {
        reader_refuse(self, "a list of %u fields, more than %zu", field->via.array.size, items_max);
        return 0;
    }
    assert(self->depth + 1 < WIRE_DEPTH_MAX);
    self->levels[++self->depth] = (struct level){field->via.array.ptr, field->via.array.size, 0};
    return field->via.array.size;
}

/* Every field of the list that is read now must have been read. */
static void expect_end(reader_t *self)
{
    struct level *const level = &self->levels[self->depth];

    if (self->failed || level->next == level->count)
        return;
    level->next++;
    reader_refuse(self, "%zu fields too many", level->count - level->next + 1);
}

void reader_leave(reader_t *self)
{
    expect_end(self);
    if (self->failed)
        return;
    assert(self->depth > 0);
    self->depth--;
}

bool reader_failed(const reader_t *self)
{
    return self->failed;
}

int reader_close(reader_t *self, struct error *error)
{
    assert(self->failed || self->depth == 0);
    expect_end(self);
    return self->failed ? error_set(error, "%s", self->error.text) : 0;
}
