/* zmtp_test.c - what a server of libzmq sends in any pieces, and what no such server sends. */
#include "protocol/zmtp.h"

#include "common/memory.h"
#include "common/rng.h"
#include "protocol/wire.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GREETING_BYTES 64
#define OPENING_BYTES  107 /* of the client */

struct stream {
    unsigned char *items;
    size_t count;
    size_t capacity;
};

static void put(struct stream *self, const void *bytes, size_t size)
{
    const unsigned char *const from = bytes;

    self->items = reserve_array(self->items, self->count + size, &self->capacity, 1);
    for (size_t i = 0; i < size; i++)
        self->items[self->count++] = from[i];
}

static void put_greeting(struct stream *self, unsigned char version, const char *mechanism)
{
    unsigned char greeting[GREETING_BYTES] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, version, 1};

    for (size_t i = 0; mechanism[i]; i++)
        greeting[12 + i] = (unsigned char)mechanism[i];
    put(self, greeting, sizeof(greeting));
}

static void put_short(struct stream *self, unsigned char flags, const void *bytes, size_t size)
{
    const unsigned char head[] = {flags, (unsigned char)size};

    put(self, head, sizeof(head));
    put(self, bytes, size);
}

static void put_long(struct stream *self, unsigned char flags, uint64_t stated, const void *bytes,
                     size_t size)
{
    unsigned char head[9] = {flags | 2};

    for (size_t i = 1; i < sizeof(head); i++)
        head[i] = (unsigned char)(stated >> (8 * (8 - i)));
    put(self, head, sizeof(head));
    put(self, bytes, size);
}

static void put_ready(struct stream *self)
{
    static const char ready[] = "\5READY\13Socket-Type\0\0\0\6ROUTER\10Identity\0\0\0";

    put_short(self, 4, ready, sizeof(ready));
}

static void put_opening(struct stream *self)
{
    put_greeting(self, 3, "NULL");
    put_ready(self);
}

/* Gives `connection` all of `stream`, at most `most` bytes at a time, until an event comes. */
static enum zmtp_event feed(zmtp_t *connection, struct stream *stream, size_t *at, size_t most,
                            struct zmtp_message *message, struct error *error)
{
    for (;;) {
        const enum zmtp_event event = zmtp_next(connection, message, error);
        size_t size;
        unsigned char *room;

        if (event != ZMTP_NOTHING || *at == stream->count)
            return event;
        room = zmtp_room(connection, &size);
        if (size > most)
            size = most;
        if (size > stream->count - *at)
            size = stream->count - *at;
        memcpy(room, stream->items + *at, size);
        zmtp_received(connection, size);
        *at += size;
    }
}

/* `stream` ends with an event of that kind, and is given up. */
static void check_ends(struct stream *stream, enum zmtp_event expected, const char *sentence)
{
    static const size_t pieces[] = {1, 7, 100000};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        zmtp_t *connection = zmtp_new();
        struct zmtp_message message;
        struct error error = {.text = ""};
        enum zmtp_event event;
        size_t at = 0;

        while ((event = feed(connection, stream, &at, pieces[i], &message, &error)) == ZMTP_READY) {
        }
        assert_int_equal(event, expected);
        assert_string_equal(error.text, sentence);
        zmtp_destroy(&connection);
    }
    free(stream->items);
}

TEST(messages_come_whole_from_any_pieces)
{
    static const size_t sizes[] = {0, 1, 255, 256, 70000, WIRE_FRAME_MAX};
    unsigned char *const body = xmalloc(WIRE_FRAME_MAX);

    memset(body, 'm', WIRE_FRAME_MAX);
    for (size_t most = 1; most < 200000; most *= 7) {
        zmtp_t *connection = zmtp_new();
        struct stream stream = {NULL, 0, 0};
        struct zmtp_message message;
        struct error error;
        size_t at = 0;

        put_opening(&stream);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            if (sizes[i] < 256)
                put_short(&stream, 0, body, sizes[i]);
            else
                put_long(&stream, 0, sizes[i], body, sizes[i]);
            put_short(&stream, 4, "\4NEWS", 5); /* a command that is not known */
        }
        assert_int_equal(feed(connection, &stream, &at, most, &message, &error), ZMTP_READY);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            assert_int_equal(feed(connection, &stream, &at, most, &message, &error), ZMTP_MESSAGE);
            assert_int_equal(message.size, sizes[i]);
            assert_memory_equal(message.bytes, body, sizes[i]);
        }
        assert_int_equal(feed(connection, &stream, &at, most, &message, &error), ZMTP_NOTHING);
        zmtp_destroy(&connection);
        free(stream.items);
    }
    free(body);
}

TEST(another_protocol_is_told)
{
    static const char other[] = "it is no process of Rubato: it does not speak ZMTP 3";
    struct stream stream;

    stream = (struct stream){NULL, 0, 0};
    put(&stream, "HTTP/1.1 400 Bad Request\r\n", 26);
    check_ends(&stream, ZMTP_BAD, other);
    stream = (struct stream){NULL, 0, 0};
    put(&stream, "\xffnothing like that", 18);
    check_ends(&stream, ZMTP_BAD, other);
    stream = (struct stream){NULL, 0, 0};
    put_greeting(&stream, 1, "");
    check_ends(&stream, ZMTP_BAD, other);
    stream = (struct stream){NULL, 0, 0};
    put_greeting(&stream, 3, "CURVE");
    check_ends(&stream, ZMTP_BAD, "it wants --keys, or is no process of Rubato");
    stream = (struct stream){NULL, 0, 0};
    put_greeting(&stream, 3, "NULLO");
    check_ends(&stream, ZMTP_BAD, "it wants --keys, or is no process of Rubato");
}

TEST(a_handshake_that_goes_wrong_is_told)
{
    struct stream stream;

    stream = (struct stream){NULL, 0, 0};
    put_greeting(&stream, 3, "NULL");
    put_short(&stream, 4, "\5ERROR\003400", 10);
    check_ends(&stream, ZMTP_BAD, "it ends the handshake");
    stream = (struct stream){NULL, 0, 0};
    put_greeting(&stream, 3, "NULL");
    put_short(&stream, 0, "\5READY", 6); /* a message */
    check_ends(&stream, ZMTP_BAD, "it is no process of Rubato: no READY came");
    stream = (struct stream){NULL, 0, 0};
    put_greeting(&stream, 3, "NULL");
    put_short(&stream, 4, "", 0);
    check_ends(&stream, ZMTP_BAD, "it is no process of Rubato: no READY came");
}

TEST(a_bad_frame_is_told)
{
    struct stream stream;

    stream = (struct stream){NULL, 0, 0};
    put_opening(&stream);
    put_short(&stream, 1, "first of two", 12);
    check_ends(&stream, ZMTP_BAD, "no message: it has not one frame");
    stream = (struct stream){NULL, 0, 0};
    put_opening(&stream);
    put_short(&stream, 8, "", 0);
    check_ends(&stream, ZMTP_BAD, "a frame has flags that ZMTP 3 does not know");
    stream = (struct stream){NULL, 0, 0};
    put_opening(&stream);
    put_long(&stream, 0, WIRE_FRAME_MAX + 1, "", 0);
    check_ends(&stream, ZMTP_BAD, "a message is too long");
    stream = (struct stream){NULL, 0, 0};
    put_opening(&stream);
    put_long(&stream, 4, UINT64_MAX, "", 0);
    check_ends(&stream, ZMTP_BAD, "a message is too long");
}

TEST(no_memory_is_taken_for_what_did_not_come)
{
    zmtp_t *connection = zmtp_new();
    struct stream stream = {NULL, 0, 0};
    struct zmtp_message message;
    struct error error;
    size_t at = 0;
    size_t room;

    put_opening(&stream);
    put_long(&stream, 0, WIRE_FRAME_MAX, "some", 4);
    assert_int_equal(feed(connection, &stream, &at, 1000, &message, &error), ZMTP_READY);
    assert_int_equal(feed(connection, &stream, &at, 1000, &message, &error), ZMTP_NOTHING);
    (void)zmtp_room(connection, &room);
    assert_true(room < 100000);
    zmtp_destroy(&connection);
    free(stream.items);
}

TEST(what_a_peer_does_not_read_is_bounded)
{
    static const unsigned char body[100000];
    zmtp_t *connection = zmtp_new();
    struct stream stream = {NULL, 0, 0};
    struct zmtp_message message;
    struct error error;
    size_t at = 0;
    size_t waiting;
    int sent = 0;

    put_opening(&stream);
    assert_int_equal(feed(connection, &stream, &at, 1000, &message, &error), ZMTP_READY);
    (void)zmtp_waiting(connection, &waiting);
    assert_int_equal(waiting, OPENING_BYTES);
    zmtp_sent(connection, waiting);
    while (zmtp_send(connection, body, sizeof(body)) == 0)
        sent++;
    assert_true(sent > 10 && sent < 100);
    (void)zmtp_waiting(connection, &waiting);
    zmtp_sent(connection, waiting - 1);
    assert_int_equal(zmtp_send(connection, body, sizeof(body)), 0);
    zmtp_destroy(&connection);
    free(stream.items);
}

/* Damaged streams end in an event, and none is read beyond its end. */
TEST(damage_is_survived)
{
    rng_t rng = rng_new(test_seed(), "damage");
    const long times = test_times(20000);

    for (long i = 0; i < times; i++) {
        zmtp_t *connection = zmtp_new();
        struct stream stream = {NULL, 0, 0};
        struct zmtp_message message = {NULL, 0};
        struct error error;
        enum zmtp_event event;
        size_t at = 0;
        uint64_t sum = 0;

        put_opening(&stream);
        put_short(&stream, 0, "abcdefgh", 8);
        put_long(&stream, 0, 300, "the beginning of a message", 26);
        for (int j = 0; j < 3; j++)
            stream.items[rng_below(&rng, stream.count)] ^= (unsigned char)rng_below(&rng, 256);
        while ((event = feed(connection, &stream, &at, 1 + rng_below(&rng, 60), &message,
                             &error)) != ZMTP_NOTHING &&
               event != ZMTP_BAD)
            for (size_t k = 0; event == ZMTP_MESSAGE && k < message.size; k++)
                sum += ((const unsigned char *)message.bytes)[k];
        assert_true(event == ZMTP_BAD || at == stream.count);
        assert_true(sum <= stream.count * 255);
        zmtp_destroy(&connection);
        free(stream.items);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
