/* wire_walk.c - looks at the bytes of a message before anything is decoded; see wire.h.
 *
 * msgpack-c's decoder allocates what a count announces: the five bytes dd 10 00 00 00 make it ask
 * for 8 GiB. */
#include "protocol/wire.h"

#include <inttypes.h>

struct walk {
    const unsigned char *at;
    const unsigned char *end;
    uint64_t owed[WIRE_DEPTH_MAX + 1]; /* objects still to come in the lists that are open */
    uint64_t owed_in_all;
    size_t depth;
};

static uint64_t walk_left(const struct walk *self)
{
    return (uint64_t)(self->end - self->at);
}

/* Reads a count of `bytes` bytes, most significant first. False if they are not there. */
static bool walk_count(struct walk *self, size_t bytes, uint64_t *count)
{
    *count = 0;
    if (walk_left(self) < bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        *count = *count << 8 | *self->at++;
    return true;
}

/* Steps over the body of a text or number. */
static int walk_skip(struct walk *self, uint64_t bytes, struct error *error)
{
    if (bytes > walk_left(self))
        return error_set(error, "the message ends within a field of %" PRIu64 " bytes", bytes);
    self->at += bytes;
    return 0;
}

/* Steps over a text whose length takes `count_bytes`. */
static int walk_text(struct walk *self, size_t count_bytes, struct error *error)
{
    uint64_t bytes;

    if (!walk_count(self, count_bytes, &bytes))
        return error_set(error, "the message ends within a length");
    return walk_skip(self, bytes, error);
}

/* Opens a list. Each object takes a byte at least, so a message cannot owe more objects than it
 * has bytes left. All owed objects count together, so that the size of the message bounds the
 * decoder's memory, however lists are nested. */
static int walk_open(struct walk *self, uint64_t items, struct error *error)
{
    if (items > walk_left(self) || self->owed_in_all + items > walk_left(self))
        return error_set(error, "a list of %" PRIu64 " fields where %" PRIu64 " bytes are left",
                         items, walk_left(self));
    if (self->depth == WIRE_DEPTH_MAX)
        return error_set(error, "lists nested deeper than %d", WIRE_DEPTH_MAX);
    self->owed[++self->depth] = items;
    self->owed_in_all += items;
    return 0;
}

static int walk_list(struct walk *self, size_t count_bytes, unsigned per_item, struct error *error)
{
    uint64_t items;

    if (!walk_count(self, count_bytes, &items))
        return error_set(error, "the message ends within a count");
    return walk_open(self, items * per_item, error);
}

/* Steps over the object that starts at self->at. */
static int walk_object(struct walk *self, struct error *error)
{
    static const unsigned char number_bytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8}; /* ca to d3 */
    const unsigned char first = *self->at++;

    if (first <= 0x7f || first >= 0xe0 || first == 0xc0 || first == 0xc2 || first == 0xc3)
        return 0;
    if (first <= 0x9f)
        return walk_open(self, (uint64_t)(first & 0x0fU) * (first <= 0x8f ? 2U : 1U), error);
    if (first <= 0xbf)
        return walk_skip(self, first & 0x1fU, error);
    if (first >= 0xca && first <= 0xd3)
        return walk_skip(self, number_bytes[first - 0xca], error);
    if (first >= 0xc4 && first <= 0xc6)
        return walk_text(self, (size_t)1 << (first - 0xc4), error);
    if (first >= 0xd9 && first <= 0xdb)
        return walk_text(self, (size_t)1 << (first - 0xd9), error);
    if (first >= 0xdc)
        return walk_list(self, first % 2 == 0 ? 2 : 4, first <= 0xdd ? 1 : 2, error);
    return error_set(error, "a field of the unknown kind 0x%02x", first);
}

int wire_walk(const void *bytes, size_t size, struct error *error)
{
    struct walk walk = {.at = bytes, .end = (const unsigned char *)bytes + size};

    walk.owed[0] = 1;
    walk.owed_in_all = 1;
    if (size > WIRE_FRAME_MAX)
        return error_set(error, "a message of %zu bytes, more than %zu", size, WIRE_FRAME_MAX);
    while (walk.owed_in_all > 0) {
        while (walk.owed[walk.depth] == 0)
            walk.depth--;
        if (walk_left(&walk) == 0)
            return error_set(error, "the message ends where a field is to come");
        walk.owed[walk.depth]--;
        walk.owed_in_all--;
        if (walk_object(&walk, error) < 0)
            return -1;
    }
    if (walk_left(&walk) > 0)
        return error_set(error, "%" PRIu64 " bytes after the message", walk_left(&walk));
    return 0;
}
