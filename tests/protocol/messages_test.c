/* messages_test.c - every message of every link: what it carries arrives, and what is no good
 * message is refused. */
#include "common/memory.h"
#include "common/rng.h"
#include "protocol/wire.h"
#include "tests/protocol/samples.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects before the first field: the message, its type, session and sequence number. */
#define HEAD_OBJECTS 4

/* The third and the fourth, which always take nine bytes. */
#define SESSION_OBJECT  3
#define SEQUENCE_OBJECT 4

static struct writer packed(const struct sample *sample)
{
    struct writer message;

    sample->pack(&message);
    writer_stamp(&message, 5, 77);
    return message;
}

/* Whether `bytes` are a good message of the kind of `sample`; then it is packed again into
 * `again`. */
static bool is_accepted(const struct sample *sample, const void *bytes, size_t size,
                        struct writer *again)
{
    struct error error = {.text = ""};
    reader_t *reader = reader_new(bytes, size, &error);
    const bool accepted = reader && sample->repack(reader, again, &error) == 0;

    if (accepted)
        writer_stamp(again, reader_session(reader), reader_sequence(reader));
    else
        assert_string_not_equal(error.text, "");
    reader_destroy(&reader);
    return accepted;
}

static void expect_refused(const struct sample *sample, const struct writer *message,
                           const char *what, size_t at)
{
    struct writer again;

    if (is_accepted(sample, message->bytes.data, message->bytes.size, &again))
        fail_msg("%s: %s at %zu is accepted", sample->name, what, at);
}

TEST(what_is_packed_is_unpacked)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);
        struct writer again = {.bytes = {0}};

        if (!is_accepted(&samples[i], message.bytes.data, message.bytes.size, &again))
            fail_msg("%s is refused", samples[i].name);
        assert_int_equal(message.bytes.size, again.bytes.size);
        assert_memory_equal(message.bytes.data, again.bytes.data, message.bytes.size);
        writer_close(&message);
        writer_close(&again);
    }
}

/* Logs and errors tell a message by its name. */
TEST(each_type_has_a_name)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);
        struct error error;
        reader_t *reader = reader_new(message.bytes.data, message.bytes.size, &error);

        assert_non_null(reader);
        if (strcmp(msg_type_name(reader_type(reader)), "message") == 0)
            fail_msg("%s: type %d has no name", samples[i].name, reader_type(reader));
        reader_destroy(&reader);
        writer_close(&message);
    }
}

/* A message as a line of a file of layouts; the caller frees the text. */
static char *line_of(const struct sample *sample)
{
    struct writer message = packed(sample);
    const size_t size = strlen(sample->name) + 2 * message.bytes.size + sizeof(" \n");
    char *const line = xmalloc(size);
    int used = snprintf(line, size, "%s ", sample->name);

    for (size_t i = 0; i < message.bytes.size; i++)
        used += snprintf(line + used, size - (size_t)used, "%02x",
                         (unsigned char)message.bytes.data[i]);
    (void)snprintf(line + used, size - (size_t)used, "\n");
    writer_close(&message);
    return line;
}

static FILE *open_layouts(int version)
{
    char path[64];
    FILE *file;

    (void)snprintf(path, sizeof(path), "tests/protocol/layouts/v%d", version);
    file = fopen(path, "re");
    if (!file)
        fail_msg("there is no %s: write `messages_test --layouts` there", path);
    return file;
}

/* The layout of a version is what users have. */
TEST(another_layout_is_another_version)
{
    FILE *const file = open_layouts(WIRE_VERSION);
    char *known = NULL;
    size_t room = 0;

    for (size_t i = 0; i < sample_count; i++) {
        char *const line = line_of(&samples[i]);

        if (getline(&known, &room, file) < 0 || strcmp(known, line) != 0)
            fail_msg("%s is no longer as in version %d. If version %d is in what users have, count "
                     "WIRE_VERSION up and see to the sessions of older versions, as "
                     "docs/protocol.md says; then write `messages_test --layouts` to "
                     "tests/protocol/layouts/vVERSION",
                     samples[i].name, WIRE_VERSION, WIRE_VERSION);
        free(line);
    }
    assert_int_equal(getline(&known, &room, file), -1);
    free(known);
    (void)fclose(file);
}

static const struct sample *sample_of(const char *name)
{
    for (size_t i = 0; i < sample_count; i++) {
        if (strcmp(samples[i].name, name) == 0)
            return &samples[i];
    }
    fail();
    return NULL;
}

/* Turns hexadecimal digits to bytes in their place; returns how many. */
static size_t read_digits(char *digits)
{
    size_t size = 0;

    for (const char *at = digits; *at && *at != '\n'; at += 2) {
        const char pair[] = {at[0], at[1], '\0'};

        digits[size++] = (char)strtoul(pair, NULL, 16);
    }
    return size;
}

/* What a peer of that version sends is understood, and a message that is said to it in its version
 * is the one that it knows. Of a refusal it reads the sentence only. */
static void check_version(int version)
{
    FILE *const file = open_layouts(version);
    char *line = NULL;
    size_t room = 0;
    size_t count = 0;

    while (getline(&line, &room, file) > 0) {
        char *const digits = strchr(line, ' ') + 1;
        const size_t size = read_digits(digits);
        const struct sample *sample;
        struct writer again;

        digits[-1] = '\0';
        sample = sample_of(line);
        if (!is_accepted(sample, digits, size, &again))
            fail_msg("%s of version %d is refused", line, version);
        if (strcmp(line, "refused") != 0 &&
            (again.bytes.size != size || memcmp(again.bytes.data, digits, size) != 0))
            fail_msg("%s is another one in version %d", line, version);
        writer_close(&again);
        count++;
    }
    assert_true(count > 0);
    free(line);
    (void)fclose(file);
}

TEST(messages_of_older_versions_are_understood)
{
    for (int version = WIRE_OLDEST; version <= WIRE_VERSION; version++)
        check_version(version);
}

TEST(a_message_that_is_cut_off_anywhere_is_refused)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);

        for (size_t size = 0; size < message.bytes.size; size++) {
            /* On the heap and no longer than that, so that a sanitizer sees a read beyond it. */
            char *const cut = malloc(size ? size : 1);
            struct error error;

            memcpy(cut, message.bytes.data, size);
            assert_null(reader_new(cut, size, &error));
            free(cut);
        }
        writer_close(&message);
    }
}

TEST(a_message_for_another_is_refused)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);

        for (size_t j = 0; j < sample_count; j++) {
            struct writer again;

            if (samples[i].repack == samples[j].repack)
                continue;
            /* The messages of two links may share a type and look alike: then nothing tells them
             * apart. */
            if (is_accepted(&samples[j], message.bytes.data, message.bytes.size, &again)) {
                assert_int_equal(again.bytes.data[1], message.bytes.data[1]);
                writer_close(&again);
            }
        }
        writer_close(&message);
    }
}

/* ---- messages with one thing changed ---- */

enum change {
    CHANGE_NOTHING,
    CHANGE_TO_NIL,
    CHANGE_TO_SWITCH,
    CHANGE_TO_NEGATIVE,
    CHANGE_TO_LARGEST,
    CHANGE_TO_REAL,
    CHANGE_TO_SINGLE_REAL,
    CHANGE_TO_TEXT,
    CHANGE_TO_BYTES,
    CHANGE_TO_NO_UTF8,
    CHANGE_TO_LIST,
    CHANGE_TO_MAP,
    CHANGE_ONE_MORE, /* of a list: nil at its end */
    CHANGE_ONE_LESS, /* of a list: without the last */
    CHANGE_END,
};

struct rewrite {
    msgpack_packer *out;
    size_t target;
    size_t seen;
    enum change change;
    msgpack_object_type was; /* what stood at the target */
};

static void pack_changed(struct rewrite *self)
{
    switch (self->change) {
    case CHANGE_TO_NIL:
        msgpack_pack_nil(self->out);
        break;
    case CHANGE_TO_SWITCH:
        msgpack_pack_true(self->out);
        break;
    case CHANGE_TO_NEGATIVE:
        msgpack_pack_int64(self->out, -2);
        break;
    case CHANGE_TO_LARGEST:
        msgpack_pack_uint64(self->out, UINT64_MAX);
        break;
    case CHANGE_TO_REAL:
        msgpack_pack_double(self->out, 0.75);
        break;
    case CHANGE_TO_SINGLE_REAL:
        msgpack_pack_float(self->out, 0.75F);
        break;
    case CHANGE_TO_TEXT:
        msgpack_pack_str_with_body(self->out, "text", 4);
        break;
    case CHANGE_TO_BYTES:
        msgpack_pack_bin_with_body(self->out, "text", 4);
        break;
    case CHANGE_TO_NO_UTF8:
        msgpack_pack_str_with_body(self->out, "te\xff", 3);
        break;
    case CHANGE_TO_LIST:
        msgpack_pack_array(self->out, 1);
        msgpack_pack_nil(self->out);
        break;
    case CHANGE_TO_MAP:
        msgpack_pack_map(self->out, 0);
        break;
    default:
        fail();
    }
}

static void rewrite(struct rewrite *self, const msgpack_object *object)
{
    const bool is_target = self->seen++ == self->target;
    const bool is_list = object->type == MSGPACK_OBJECT_ARRAY;
    const bool grows = is_target && self->change == CHANGE_ONE_MORE;
    const bool shrinks = is_target && self->change == CHANGE_ONE_LESS;
    size_t count;

    if (is_target)
        self->was = object->type;
    if (is_target && !grows && !shrinks && self->change != CHANGE_NOTHING) {
        pack_changed(self);
        return;
    }
    if (self->seen == SESSION_OBJECT || self->seen == SEQUENCE_OBJECT) {
        msgpack_pack_fix_uint64(self->out, object->via.u64);
        return;
    }
    if (!is_list) {
        msgpack_pack_object(self->out, *object);
        return;
    }
    count = object->via.array.size;
    if (shrinks && count > 0)
        count--;
    msgpack_pack_array(self->out, count + grows);
    for (size_t i = 0; i < count; i++)
        rewrite(self, &object->via.array.ptr[i]);
    if (grows)
        msgpack_pack_nil(self->out);
}

/* `message` with `change` at its object number `target`; false if it has not so many. */
static bool change(const struct writer *message, size_t target, enum change what,
                   struct writer *changed, msgpack_object_type *was)
{
    msgpack_zone *const zone = msgpack_zone_new(8192);
    msgpack_object object;
    struct rewrite self = {.target = target, .change = what};
    size_t used = 0;

    assert_int_equal(msgpack_unpack(message->bytes.data, message->bytes.size, &used, zone, &object),
                     MSGPACK_UNPACK_SUCCESS);
    msgpack_sbuffer_init(&changed->bytes);
    msgpack_packer_init(&changed->packer, &changed->bytes, msgpack_sbuffer_write);
    self.out = &changed->packer;
    rewrite(&self, &object);
    msgpack_zone_free(zone);
    *was = self.was;
    if (self.seen > target)
        return true;
    writer_close(changed);
    return false;
}

/* Whether a change makes another kind of field of one of kind `was`. */
static bool changes_kind(enum change change, msgpack_object_type was)
{
    switch (was) {
    case MSGPACK_OBJECT_BOOLEAN:
        return change != CHANGE_TO_SWITCH;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return change != CHANGE_TO_NEGATIVE && change != CHANGE_TO_LARGEST;
    case MSGPACK_OBJECT_FLOAT64:
        return change != CHANGE_TO_REAL;
    case MSGPACK_OBJECT_STR:
        return change != CHANGE_TO_TEXT;
    default:
        return true;
    }
}

TEST(a_field_of_another_kind_is_refused)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);
        struct writer changed;
        msgpack_object_type was;

        for (int what = CHANGE_TO_NIL; what <= CHANGE_TO_MAP; what++) {
            for (size_t at = 0; change(&message, at, (enum change)what, &changed, &was); at++) {
                if (changes_kind((enum change)what, was))
                    expect_refused(&samples[i], &changed, "a field of another kind", at);
                writer_close(&changed);
            }
        }
        writer_close(&message);
    }
}

TEST(a_field_too_many_is_refused_in_every_list)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);
        struct writer changed;
        msgpack_object_type was;

        for (size_t at = 0; change(&message, at, CHANGE_ONE_MORE, &changed, &was); at++) {
            /* A version to come may have more in its hello: it is refused by name, not as
             * nonsense. */
            if (was == MSGPACK_OBJECT_ARRAY)
                expect_refused(&samples[i], &changed, "a field too many", at);
            writer_close(&changed);
        }
        writer_close(&message);
    }
}

TEST(a_field_too_few_is_refused)
{
    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);
        struct writer changed;
        msgpack_object_type was;

        /* SHUTDOWN has no fields to miss, but lists may be shorter elsewhere. The last fields of a
         * refusal may be absent, but not its sentence; nor is the last one of a worker's hello in
         * an older version. */
        assert_true(change(&message, 0, CHANGE_ONE_LESS, &changed, &was));
        if (strcmp(samples[i].name, "refused") != 0 && strcmp(samples[i].name, "worker_hello") != 0)
            expect_refused(&samples[i], &changed, "a field too few", 0);
        writer_close(&changed);
        writer_close(&message);
    }
}

/* A number out of its range is refused; within it, it arrives. */
TEST(extreme_numbers_are_refused_or_arrive)
{
    static const enum change extremes[] = {CHANGE_TO_NEGATIVE, CHANGE_TO_LARGEST};
    size_t refused = 0;

    for (size_t i = 0; i < sample_count; i++) {
        struct writer message = packed(&samples[i]);
        struct writer changed;
        msgpack_object_type was;

        for (size_t j = 0; j < COUNT(extremes); j++) {
            for (size_t at = HEAD_OBJECTS; change(&message, at, extremes[j], &changed, &was);
                 at++) {
                struct writer again;

                if (is_accepted(&samples[i], changed.bytes.data, changed.bytes.size, &again)) {
                    assert_int_equal(again.bytes.size, changed.bytes.size);
                    assert_memory_equal(again.bytes.data, changed.bytes.data, changed.bytes.size);
                    writer_close(&again);
                } else {
                    refused++;
                }
                writer_close(&changed);
            }
        }
        writer_close(&message);
    }
    assert_true(refused > 200);
}

/* ---- messages with anything changed ---- */

static size_t mutate(rng_t *rng, unsigned char *bytes, size_t size, const struct writer *other)
{
    const size_t at = rng_below(rng, size);

    switch (rng_below(rng, 4)) {
    case 0:
        bytes[at] = (unsigned char)(bytes[at] ^ (1U << rng_below(rng, 8)));
        return size;
    case 1:
        bytes[at] = (unsigned char)rng_below(rng, 256);
        return size;
    case 2:
        return at;
    default: {
        const size_t from = rng_below(rng, other->bytes.size);
        const size_t length =
            other->bytes.size - from < size - at ? other->bytes.size - from : size - at;

        memcpy(bytes + at, other->bytes.data + from, length);
        return size;
    }
    }
}

TEST(damaged_messages_are_refused_or_mean_something)
{
    const long times = test_times(100000);
    rng_t rng = rng_new(test_seed(), "messages");
    long accepted = 0;

    for (long i = 0; i < times; i++) {
        const struct sample *const sample = &samples[rng_below(&rng, sample_count)];
        struct writer message = packed(sample);
        struct writer other = packed(&samples[rng_below(&rng, sample_count)]);
        const uint64_t changes = 1 + rng_below(&rng, 3);
        unsigned char *const bytes = malloc(message.bytes.size);
        size_t size = message.bytes.size;
        struct writer again = {.bytes = {0}};
        struct writer twice = {.bytes = {0}};

        memcpy(bytes, message.bytes.data, size);
        for (uint64_t j = 0; j < changes && size > 0; j++)
            size = mutate(&rng, bytes, size, &other);
        if (is_accepted(sample, bytes, size, &again)) {
            accepted++;
            /* What was understood is a good message. */
            assert_true(is_accepted(sample, again.bytes.data, again.bytes.size, &twice));
            assert_int_equal(again.bytes.size, twice.bytes.size);
            assert_memory_equal(again.bytes.data, twice.bytes.data, twice.bytes.size);
            writer_close(&again);
            writer_close(&twice);
        }
        free(bytes);
        writer_close(&message);
        writer_close(&other);
    }
    assert_true(accepted > times / 100);
    assert_true(accepted < times / 2);
}

/* ---- the bytes of every version ---- */

static void expect_bytes(const struct sample *sample, const char *hex)
{
    struct writer message = packed(sample);
    char found[1024] = "";

    assert_true(message.bytes.size * 2 < sizeof(found));
    for (size_t i = 0; i < message.bytes.size; i++)
        (void)snprintf(found + 2 * i, 3, "%02x", (unsigned char)message.bytes.data[i]);
    assert_string_equal(found, hex);
    writer_close(&message);
}

/* What other versions must be able to read: hello, refusal and goodbye. */
TEST(the_first_messages_begin_with_the_same_bytes_in_every_version)
{
    char hello[128];

    (void)snprintf(hello, sizeof(hello),
                   "97"
                   "01"
                   "cf0000000000000005"
                   "cf000000000000004d"
                   "%02x"
                   "a97363686564756c6572"
                   "ab6e696768742d7368696674"
                   "%02x",
                   WIRE_VERSION, WIRE_OLDEST);
    expect_bytes(sample_of("hello"), hello);
    expect_bytes(sample_of("goodbye"), "94"
                                       "05"
                                       "cf0000000000000005"
                                       "cf000000000000004d"
                                       "b0"
                                       "69747320776f726b20697320646f6e65");
    expect_bytes(sample_of("shutdown"), "93"
                                        "26"
                                        "cf0000000000000005"
                                        "cf000000000000004d");
}

TEST(a_hello_of_another_version_is_read_as_far_as_all_have_it)
{
    struct writer message;
    struct error error;
    struct msg_hello hello;
    reader_t *reader;

    writer_open(&message, MSG_HELLO, 5);
    writer_whole(&message, 2);
    writer_text(&message, "worker");
    writer_text(&message, "node-a");
    writer_text(&message, "something new");
    writer_list(&message, 0);
    reader = reader_new(message.bytes.data, message.bytes.size, &error);
    msg_hello_unpack(reader, &hello);
    assert_false(reader_failed(reader));
    assert_int_equal(hello.version, 2);
    assert_string_equal(hello.role, "worker");
    assert_string_equal(hello.name, "node-a");
    assert_int_equal(reader_close(reader, &error), -1);
    assert_string_equal(error.text, "HELLO: field 4: 2 fields too many");
    reader_destroy(&reader);
    writer_close(&message);
}

/* With --layouts it prints the messages of this version. */
int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--layouts")) {
        for (size_t i = 0; i < sample_count; i++) {
            char *const line = line_of(&samples[i]);

            (void)fputs(line, stdout);
            free(line);
        }
        return 0;
    }
    return tests_run(NULL, NULL);
}
