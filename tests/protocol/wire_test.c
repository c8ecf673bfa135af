/* wire_test.c - bytes that could make a decoder go wrong never reach it; fields are read one by
 * one. */
#include "protocol/wire.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the walk ---- */

static void expect_walk(const void *bytes, size_t size, const char *complaint)
{
    struct error error = {.text = ""};
    /* On the heap and no longer than that, so that a sanitizer sees a read beyond it. */
    void *const copy = malloc(size ? size : 1);

    memcpy(copy, bytes, size);
    assert_int_equal(wire_walk(copy, size, &error), complaint ? -1 : 0);
    assert_string_equal(error.text, complaint ? complaint : "");
    free(copy);
}

TEST(five_bytes_reserve_nothing)
{
    expect_walk("\xdd\x10\x00\x00\x00", 5, "a list of 268435456 fields where 0 bytes are left");
    expect_walk("\xdf\x10\x00\x00\x00", 5, "a list of 536870912 fields where 0 bytes are left");
}

TEST(objects_of_every_kind_are_walked_over)
{
    static const struct {
        const char *bytes;
        size_t size;
    } objects[] = {
        {"\x00", 1},
        {"\x7f", 1},
        {"\xe0", 1},
        {"\xff", 1},
        {"\xc0", 1},
        {"\xc2", 1},
        {"\xc3", 1},
        {"\xca\x00\x00\x00\x00", 5},
        {"\xcb\x00\x00\x00\x00\x00\x00\x00\x00", 9},
        {"\xcc\xff", 2},
        {"\xcd\xff\xff", 3},
        {"\xce\xff\xff\xff\xff", 5},
        {"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9},
        {"\xd0\xff", 2},
        {"\xd1\xff\xff", 3},
        {"\xd2\xff\xff\xff\xff", 5},
        {"\xd3\xff\xff\xff\xff\xff\xff\xff\xff", 9},
        {"\xa0", 1},
        {"\xa3xyz", 4},
        {"\xd9\x01x", 3},
        {"\xda\x00\x01x", 4},
        {"\xdb\x00\x00\x00\x01x", 6},
        {"\xc4\x01x", 3},
        {"\xc5\x00\x01x", 4},
        {"\xc6\x00\x00\x00\x01x", 6},
        {"\x90", 1},
        {"\x92\x01\x02", 3},
        {"\xdc\x00\x02\x01\x02", 5},
        {"\xdd\x00\x00\x00\x02\x01\x02", 7},
        {"\x80", 1},
        {"\x81\x01\x02", 3},
        {"\xde\x00\x01\x01\x02", 5},
        {"\xdf\x00\x00\x00\x01\x01\x02", 7},
        {"\x93\x91\x01\x90\x92\xa1x\xc0", 8},
    };

    for (size_t i = 0; i < COUNT(objects); i++) {
        expect_walk(objects[i].bytes, objects[i].size, NULL);
        for (size_t size = 0; size < objects[i].size; size++) {
            struct error error;

            assert_int_equal(wire_walk(objects[i].bytes, size, &error), -1);
        }
    }
}

TEST(bytes_after_the_object_are_refused)
{
    expect_walk("\x90\x00", 2, "1 bytes after the message");
    expect_walk("", 0, "the message ends where a field is to come");
}

TEST(kinds_that_are_never_sent_are_refused)
{
    static const char kinds[] = "\xc1\xc7\xc8\xc9\xd4\xd5\xd6\xd7\xd8";

    for (size_t i = 0; i < sizeof(kinds) - 1; i++) {
        char bytes[64] = {kinds[i]};
        struct error error;

        assert_int_equal(wire_walk(bytes, sizeof(bytes), &error), -1);
        assert_non_null(strstr(error.text, "unknown kind 0x"));
    }
}

/* Every length that a byte, two or four can state, of what takes lengths, over sixteen bytes. */
TEST(no_length_is_believed)
{
    static const struct {
        unsigned char first;
        size_t count_bytes;
        uint64_t fits; /* the only one that fits after it, exactly */
    } heads[] = {
        {0xc4, 1, 16}, {0xc5, 2, 16}, {0xc6, 4, 16}, {0xd9, 1, 16}, {0xda, 2, 16},
        {0xdb, 4, 16}, {0xdc, 2, 16}, {0xdd, 4, 16}, {0xde, 2, 8},  {0xdf, 4, 8},
    };

    for (size_t i = 0; i < COUNT(heads); i++) {
        const uint64_t limit = (uint64_t)1 << (8 * heads[i].count_bytes);

        /* All small ones, then ever larger ones up to the largest. */
        for (uint64_t length = 0; length < limit; length += length < 4096           ? 1
                                                            : length < limit - 4096 ? length / 7
                                                                                    : 1) {
            unsigned char bytes[5 + 16] = {heads[i].first};
            const size_t size = 1 + heads[i].count_bytes + 16;
            struct error error;

            for (size_t j = 0; j < heads[i].count_bytes; j++)
                bytes[1 + j] = (unsigned char)(length >> (8 * (heads[i].count_bytes - 1 - j)));
            assert_int_equal(wire_walk(bytes, size, &error), length == heads[i].fits ? 0 : -1);
        }
    }
}

/* Lists within lists that each claim all the bytes that are left: what is owed in all is what
 * counts. */
TEST(lists_do_not_share_the_bytes_that_are_left)
{
    const unsigned char bytes[1024] = {0xdc, 0x03, 0x00, 0xdc, 0x03, 0x00};
    struct error error;

    assert_int_equal(wire_walk(bytes, sizeof(bytes), &error), -1);
    assert_string_equal(error.text, "a list of 768 fields where 1018 bytes are left");
}

static void expect_depth(size_t depth, int expected)
{
    unsigned char *const bytes = malloc(depth);
    struct error error = {.text = ""};

    memset(bytes, 0x91, depth);
    bytes[depth - 1] = 0x90;
    assert_int_equal(wire_walk(bytes, depth, &error), expected);
    if (expected < 0)
        assert_string_equal(error.text, "lists nested deeper than 8");
    free(bytes);
}

TEST(lists_are_eight_deep_at_most)
{
    expect_depth(1, 0);
    expect_depth(8, 0);
    expect_depth(9, -1);
    expect_depth(33, -1);
    expect_depth(100000, -1);
    expect_walk("\x92\x91\x91\x91\x91\x91\x91\x90\x91\x91\x91\x91\x91\x91\x90", 15, NULL);
}

TEST(a_frame_has_a_largest_size)
{
    unsigned char *const bytes = calloc(1, WIRE_FRAME_MAX + 1);
    const uint32_t length = (uint32_t)WIRE_FRAME_MAX - 5;
    struct error error;

    bytes[0] = 0xdb;
    for (int i = 0; i < 4; i++)
        bytes[1 + i] = (unsigned char)(length >> (24 - 8 * i));
    assert_int_equal(wire_walk(bytes, WIRE_FRAME_MAX, &error), 0);
    assert_int_equal(wire_walk(bytes, WIRE_FRAME_MAX + 1, &error), -1);
    assert_string_equal(error.text, "a message of 1048577 bytes, more than 1048576");
    free(bytes);
}

/* ---- reading ---- */

static reader_t *read_bytes(const char *bytes, size_t size)
{
    struct error error = {.text = ""};
    reader_t *const reader = reader_new(bytes, size, &error);

    assert_string_equal(error.text, "");
    assert_non_null(reader);
    return reader;
}

static reader_t *read_back(struct writer *message)
{
    reader_t *const reader = read_bytes(message->bytes.data, message->bytes.size);

    writer_close(message);
    return reader;
}

static void expect_end(reader_t *reader, const char *complaint)
{
    struct error error = {.text = ""};

    assert_int_equal(reader_close(reader, &error), complaint ? -1 : 0);
    assert_string_equal(error.text, complaint ? complaint : "");
    reader_destroy(&reader);
}

TEST(a_message_has_a_type_a_session_and_a_sequence_number)
{
    struct writer message;
    reader_t *reader;

    writer_open(&message, 20, 0);
    writer_stamp(&message, UINT64_MAX, 0x0102030405060708);
    reader = read_back(&message);
    assert_int_equal(reader_type(reader), 20);
    assert_true(reader_session(reader) == UINT64_MAX);
    assert_true(reader_sequence(reader) == 0x0102030405060708);
    expect_end(reader, NULL);
}

/* The head of a message takes another number of bytes from 16 fields on, and from 65536. */
TEST(messages_of_any_number_of_fields_are_stamped)
{
    static const uint32_t counts[] = {0, 1, 12, 13, 14, 65532, 65533, 65534};

    for (size_t i = 0; i < COUNT(counts); i++) {
        struct writer message;
        reader_t *reader;

        writer_open(&message, 20, counts[i]);
        for (uint32_t j = 0; j < counts[i]; j++)
            writer_switch(&message, true);
        writer_stamp(&message, 3, 4);
        reader = read_back(&message);
        assert_int_equal(reader_session(reader), 3);
        assert_int_equal(reader_sequence(reader), 4);
        for (uint32_t j = 0; j < counts[i]; j++)
            assert_true(reader_switch(reader));
        expect_end(reader, NULL);
    }
}

TEST(what_does_not_begin_like_a_message_is_none)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *complaint;
    } frames[] = {
        {"\x01", 1, "no message: it is no list of fields"},
        {"\xa1x", 2, "no message: it is no list of fields"},
        {"\x80", 1, "no message: it is no list of fields"},
        {"\x90", 1, "no message: it does not begin with three numbers"},
        {"\x92\x01\x01", 3, "no message: it does not begin with three numbers"},
        {"\x93\x01\x01\xff", 4, "no message: it does not begin with three numbers"},
        {"\x93\x01\xa0\x01", 4, "no message: it does not begin with three numbers"},
        {"\x93\xc3\x01\x01", 4, "no message: it does not begin with three numbers"},
        {"\x93\x00\x01\x01", 4, "no message: 0 is no type of one"},
        {"\x93\xcc\x80\x01\x01", 5, "no message: 128 is no type of one"},
    };

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct error error;

        assert_null(reader_new(frames[i].bytes, frames[i].size, &error));
        assert_string_equal(error.text, frames[i].complaint);
    }
}

TEST(fields_of_every_kind_come_back)
{
    struct writer message;
    reader_t *reader;

    writer_open(&message, 20, 11);
    writer_whole(&message, INT64_MIN);
    writer_whole(&message, INT64_MAX);
    writer_whole(&message, -1);
    writer_number(&message, UINT64_MAX);
    writer_real(&message, -0.0);
    writer_real(&message, NAN);
    writer_real(&message, 3.0); /* stays a real number */
    writer_switch(&message, false);
    writer_text(&message, "na\xc3\xafve");
    writer_text(&message, NULL);
    writer_list(&message, 2);
    writer_whole(&message, 7);
    writer_list(&message, 0);
    reader = read_back(&message);
    assert_true(reader_whole(reader, INT64_MIN, INT64_MAX) == INT64_MIN);
    assert_true(reader_whole(reader, INT64_MIN, INT64_MAX) == INT64_MAX);
    assert_int_equal(reader_whole(reader, -1, -1), -1);
    assert_true(reader_number(reader) == UINT64_MAX);
    assert_true(signbit(reader_real(reader)) != 0);
    assert_true(isnan(reader_real(reader)));
    assert_true(reader_real(reader) == 3.0);
    assert_false(reader_switch(reader));
    assert_string_equal(reader_text(reader, 6), "na\xc3\xafve");
    assert_string_equal(reader_text(reader, 0), "");
    assert_int_equal(reader_enter(reader, 2), 2);
    assert_int_equal(reader_whole(reader, 7, 7), 7);
    assert_int_equal(reader_enter(reader, 0), 0);
    reader_leave(reader);
    reader_leave(reader);
    assert_false(reader_failed(reader));
    expect_end(reader, NULL);
}

/* ---- complaints ---- */

/* A STOP with one field, which `pack` makes. */
static reader_t *with_field(void (*pack)(struct writer *out))
{
    struct writer message;

    writer_open(&message, 35, 1);
    pack(&message);
    return read_back(&message);
}

static void pack_seven(struct writer *out)
{
    writer_whole(out, 7);
}

static void pack_minus_seven(struct writer *out)
{
    writer_whole(out, -7);
}

static void pack_text(struct writer *out)
{
    writer_text(out, "hello");
}

static void pack_text_with_nul(struct writer *out)
{
    msgpack_pack_str_with_body(&out->packer, "he\0lo", 5);
}

static void pack_no_utf8(struct writer *out)
{
    msgpack_pack_str_with_body(&out->packer, "\xed\xa0\x80", 3);
}

static void pack_nested(struct writer *out)
{
    writer_list(out, 2);
    writer_list(out, 1);
    writer_whole(out, 1);
    writer_list(out, 2);
    writer_whole(out, 1);
    writer_text(out, "x");
}

TEST(numbers_out_of_range_are_named)
{
    reader_t *reader = with_field(pack_seven);

    assert_int_equal(reader_whole(reader, 8, 9), 0);
    expect_end(reader, "STOP: field 1: 7 is not within 8 to 9");
    reader = with_field(pack_minus_seven);
    assert_int_equal(reader_whole(reader, 0, 9), 0);
    expect_end(reader, "STOP: field 1: -7 is not within 0 to 9");
    reader = with_field(pack_minus_seven);
    assert_int_equal(reader_number(reader), 0);
    expect_end(reader, "STOP: field 1: a whole number where a number, not negative, was expected");
}

TEST(texts_are_checked)
{
    reader_t *reader = with_field(pack_text);

    assert_string_equal(reader_text(reader, 4), "");
    expect_end(reader, "STOP: field 1: a text of 5 bytes, more than 4");
    reader = with_field(pack_text_with_nul);
    assert_string_equal(reader_text(reader, 5), "");
    expect_end(reader, "STOP: field 1: a text with a NUL inside");
    reader = with_field(pack_no_utf8);
    assert_string_equal(reader_text(reader, 5), "");
    expect_end(reader, "STOP: field 1: a text that is not UTF-8");
}

TEST(the_place_of_a_bad_field_is_named)
{
    reader_t *reader = with_field(pack_nested);

    assert_int_equal(reader_enter(reader, 9), 2);
    assert_int_equal(reader_enter(reader, 9), 1);
    assert_int_equal(reader_whole(reader, 0, 9), 1);
    reader_leave(reader);
    assert_int_equal(reader_enter(reader, 9), 2);
    assert_int_equal(reader_whole(reader, 0, 9), 1);
    assert_int_equal(reader_whole(reader, 0, 9), 0);
    reader_leave(reader);
    reader_leave(reader);
    expect_end(reader, "STOP: field 1.2.2: a text where a whole number was expected");
}

TEST(lists_have_a_largest_length)
{
    reader_t *reader = with_field(pack_nested);

    assert_int_equal(reader_enter(reader, 1), 0);
    expect_end(reader, "STOP: field 1: a list of 2 fields, more than 1");
}

TEST(fields_that_are_not_read_are_too_many)
{
    reader_t *reader = with_field(pack_seven);

    expect_end(reader, "STOP: field 1: 1 fields too many");
    reader = with_field(pack_nested);
    assert_int_equal(reader_enter(reader, 2), 2);
    assert_int_equal(reader_enter(reader, 2), 1);
    reader_leave(reader);
    expect_end(reader, "STOP: field 1.1.1: 1 fields too many");
}

TEST(a_reader_that_failed_stays_failed)
{
    reader_t *reader = with_field(pack_seven);

    assert_string_equal(reader_text(reader, 9), "");
    assert_true(reader_failed(reader));
    assert_int_equal(reader_whole(reader, 0, 9), 0);
    assert_int_equal(reader_number(reader), 0);
    assert_true(reader_real(reader) == 0);
    assert_false(reader_switch(reader));
    assert_int_equal(reader_enter(reader, 9), 0);
    reader_leave(reader);
    reader_refuse(reader, "never heard of");
    reader_expect(reader, 36);
    expect_end(reader, "STOP: field 1: a whole number where a text was expected");
}

TEST(what_a_caller_finds_wrong_is_said_alike)
{
    reader_t *reader = with_field(pack_seven);

    assert_int_equal(reader_whole(reader, 0, 9), 7);
    reader_refuse(reader, "%d is odd", 7);
    expect_end(reader, "STOP: field 1: 7 is odd");
    reader = with_field(pack_seven);
    reader_expect(reader, 33);
    expect_end(reader, "STOP where BEGIN was expected");
}

TEST(a_reader_is_used_again)
{
    reader_t *reader = reader_new_empty();
    struct error error;

    for (int i = 0; i < 100; i++) {
        struct writer message;

        writer_open(&message, 20, 1);
        writer_text(&message, "some text");
        writer_stamp(&message, 1, (uint64_t)i);
        assert_int_equal(reader_load(reader, "\x90", 1, &error), -1);
        assert_int_equal(reader_load(reader, message.bytes.data, message.bytes.size, &error), 0);
        writer_close(&message); /* what is read lives in the reader */
        assert_int_equal(reader_sequence(reader), i);
        if (i % 2 == 0)
            assert_string_equal(reader_text(reader, 99), "some text");
        else
            assert_int_equal(reader_whole(reader, 0, 1), 0);
        assert_int_equal(reader_close(reader, &error), i % 2 == 0 ? 0 : -1);
    }
    reader_destroy(&reader);
    assert_null(reader);
    reader_destroy(&reader);
}

TEST(texts_that_no_reader_takes_are_mended)
{
    struct writer message;
    char longer[WIRE_TEXT_MAX + 100];
    const char *text;
    reader_t *reader;

    memset(longer, 'x', sizeof(longer) - 1);
    memcpy(longer + WIRE_TEXT_MAX - 1, "\xc3\xa9", 2); /* cut in its middle */
    longer[sizeof(longer) - 1] = '\0';
    writer_open(&message, 20, 2);
    writer_text(&message, "a\xff\xfe"
                          "b\xc3");
    writer_text(&message, longer);
    reader = read_back(&message);
    assert_string_equal(reader_text(reader, WIRE_TEXT_MAX), "a??b?");
    text = reader_text(reader, WIRE_TEXT_MAX);
    assert_int_equal(strlen(text), WIRE_TEXT_MAX);
    assert_string_equal(text + WIRE_TEXT_MAX - 2, "x?");
    expect_end(reader, NULL);
}

TEST(types_have_names)
{
    assert_string_equal(msg_type_name(MSG_HELLO), "HELLO");
    assert_string_equal(msg_type_name(49), "RANK_REPORT");
    assert_string_equal(msg_type_name(0), "message");
    assert_string_equal(msg_type_name(-1), "message");
    assert_string_equal(msg_type_name(127), "message");
    assert_string_equal(msg_type_name(128), "message");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
