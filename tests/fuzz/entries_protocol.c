/* entries_protocol.c - what peers send, and the files of keys; see entries.h. */
#include "entries.h"

#include "common/error.h"
#include "common/input.h"
#include "protocol/key_file.h"
#include "protocol/wire.h"
#include "protocol/zmtp.h"
#include "tests/protocol/samples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PATH "keys"

/* A sentence that a terminal may be shown, but for what is quoted: names of peers go through
 * log_text. */
static void check_sentence(const struct error *error)
{
    assert(error->text[0]);
    assert(strlen(error->text) < sizeof(error->text));
}

/* What was understood is packed, and understood again. */
static void check_packed(const struct sample *sample, const struct writer *message)
{
    struct error error = {.text = ""};
    struct writer again;
    reader_t *reader = reader_new(message->bytes.data, message->bytes.size, &error);

    assert(reader);
    assert(sample->repack(reader, &again, &error) == 0);
    assert(again.bytes.size == message->bytes.size);
    assert(memcmp(again.bytes.data, message->bytes.data, again.bytes.size) == 0);
    writer_close(&again);
    reader_destroy(&reader);
}

/* The bytes as a message of the kind of `sample`. */
static void read_as(const struct sample *sample, const uint8_t *bytes, size_t size)
{
    static reader_t *reader; /* of all messages, as a link has it */
    struct error error = {.text = ""};
    struct writer message;

    if (!reader)
        reader = reader_new_empty();
    if (reader_load(reader, bytes, size, &error) < 0 ||
        sample->repack(reader, &message, &error) < 0) {
        check_sentence(&error);
        return;
    }
    assert(message.bytes.size <= 16 * size + 1024);
    check_packed(sample, &message);
    writer_close(&message);
}

void entry_messages(const uint8_t *bytes, size_t size)
{
    struct error error = {.text = ""};
    const int verdict = wire_walk(bytes, size, &error);
    reader_t *reader = reader_new(bytes, size, &error);

    assert(verdict == 0 || !reader);
    if (!reader) {
        check_sentence(&error);
        return;
    }
    reader_destroy(&reader);
    for (size_t i = 0; i < sample_count; i++)
        read_as(&samples[i], bytes, size);
}

/* In pieces whose lengths the bytes before them say. */
void entry_stream(const uint8_t *bytes, size_t size)
{
    zmtp_t *connection = zmtp_new();
    struct zmtp_message message;
    struct error error = {.text = ""};
    enum zmtp_event event = ZMTP_NOTHING;
    size_t at = 0;

    while (event != ZMTP_BAD && (event != ZMTP_NOTHING || at < size)) {
        if (event == ZMTP_NOTHING) {
            const size_t left = size - at;
            const size_t piece = 1 + (size_t)bytes[at] % 70;
            size_t room;
            void *const place = zmtp_room(connection, &room);

            assert(room >= 70 && room <= 4 * size + 65536);
            memcpy(place, bytes + at, piece < left ? piece : left);
            zmtp_received(connection, piece < left ? piece : left);
            at += piece < left ? piece : left;
        }
        event = zmtp_next(connection, &message, &error);
        if (event == ZMTP_MESSAGE)
            (void)wire_walk(message.bytes, message.size, &error);
        else if (event == ZMTP_BAD)
            check_sentence(&error);
    }
    zmtp_destroy(&connection);
}

static void check_key_error(const struct error *error)
{
    assert(strncmp(error->text, PATH ":", strlen(PATH ":")) == 0);
    assert(input_valid_utf8(error->text, strlen(error->text)) == strlen(error->text));
}

static void check_key(const char *key)
{
    assert(strlen(key) == KEY_CHARS);
    assert(strspn(key, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       ".-:+=^!/*?&<>()[]{}@%$#") == KEY_CHARS);
}

static void check_allowed(const struct allowed_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        check_key(list->lines[i].public_key);
        assert(process_name_is_good(list->lines[i].role));
        assert(process_name_is_good(list->lines[i].name));
        for (size_t j = 0; j < i; j++)
            assert(strcmp(list->lines[i].public_key, list->lines[j].public_key) != 0);
    }
}

static void read_allowed(const char *text, size_t size, bool lenient)
{
    struct allowed_list list = {NULL, 0, 0};
    struct error error = {.text = ""};

    if (key_file_parse_allowed(text, size, PATH, lenient, &list, &error) == 0)
        check_allowed(&list);
    else
        check_key_error(&error);
    assert(!lenient || key_file_parse_allowed("", 0, PATH, true, &list, &error) == 0);
    free(list.lines);
}

void entry_keys(const uint8_t *bytes, size_t size)
{
    const char *const text = (const char *)bytes;
    struct error error = {.text = ""};
    struct key_pair pair;
    char key[KEY_CHARS + 1];

    if (key_file_parse_pair(text, size, PATH, &pair, &error) == 0) {
        check_key(pair.public_key);
        check_key(pair.secret_key);
    } else {
        check_key_error(&error);
    }
    if (key_file_parse_public(text, size, PATH, key, &error) == 0)
        check_key(key);
    else
        check_key_error(&error);
    read_allowed(text, size, false);
    read_allowed(text, size, true);
}
