/* grammar_test.c - docs/protocol.md has the grammar of every message, as it is sent.
 *
 * A production is `name = [item, ...]`; an item is a number, or `label:kind`, or a label alone,
 * which stands for a number. A kind is one of the words below, the name of a production, or [kind
 * ...]. */
#include "tests/protocol/samples.h"
#include "tests/support/test.h"

#include <ctype.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT "docs/protocol.md"

struct grammar {
    char *text; /* all productions, one after the other */
};

static char *read_document(void)
{
    FILE *const file = fopen(DOCUMENT, "re");
    char *const text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    (void)fclose(file);
    return text;
}

/* The blocks of grammar in the document. */
static int set_grammar(void **state)
{
    static struct grammar grammar;
    char *const document = read_document();
    char *at = document;

    grammar.text = calloc(1, strlen(document) + 2);
    while ((at = strstr(at, "```grammar\n"))) {
        char *const end = strstr(at + 3, "\n```\n");

        assert_non_null(end);
        at = strchr(at, '\n');
        (void)strncat(grammar.text, at, (size_t)(end - at));
        at = end + 4;
    }
    (void)strncat(grammar.text, "\n", 2);
    free(document);
    *state = &grammar;
    return 0;
}

static int clear_grammar(void **state)
{
    struct grammar *const grammar = *state;

    free(grammar->text);
    return 0;
}

/* Where the body of the production of `name` begins, NULL if there is none. */
static const char *find(const struct grammar *grammar, const char *name, size_t length)
{
    char head[128];
    const char *found;

    (void)snprintf(head, sizeof(head), "\n%.*s = ", (int)length, name);
    found = strstr(grammar->text, head);
    if (found && strstr(found + 1, head))
        fail_msg("%s has %.*s twice", DOCUMENT, (int)length, name);
    return found ? found + strlen(head) : NULL;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \n");
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static bool word_is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

static bool is_whole(const msgpack_object *object)
{
    return object->type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
           object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
}

static const char *match_list(const struct grammar *grammar, const char *at,
                              const msgpack_object *object, const char *message);

/* Matches the kind at `at`; returns what stands after it. */
static const char *match_kind(const struct grammar *grammar, const char *at,
                              const msgpack_object *object, const char *message)
{
    const size_t length = word_length(at);
    bool good = false;

    if (*at == '[') { /* any number of one kind */
        const char *end = strstr(at, " ...]");

        assert_non_null(end);
        if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size == 0)
            fail_msg("%s: the sample has an empty list, or none, for %.20s", message, at);
        for (uint32_t i = 0; i < object->via.array.size; i++)
            (void)match_kind(grammar, at + 1, &object->via.array.ptr[i], message);
        return end + strlen(" ...]");
    }
    if (word_is(at, length, "number"))
        good = object->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    else if (word_is(at, length, "whole"))
        good = is_whole(object);
    else if (word_is(at, length, "real"))
        good = object->type == MSGPACK_OBJECT_FLOAT64;
    else if (word_is(at, length, "switch"))
        good = object->type == MSGPACK_OBJECT_BOOLEAN;
    else if (word_is(at, length, "text"))
        good = object->type == MSGPACK_OBJECT_STR;
    else if (find(grammar, at, length)) {
        (void)match_list(grammar, find(grammar, at, length), object, message);
        good = true;
    }
    if (!good)
        fail_msg("%s: %.*s is something else", message, (int)length, at);
    return at + length;
}

/* Matches one item of a list. */
static const char *match_item(const struct grammar *grammar, const char *at,
                              const msgpack_object *object, const char *message)
{
    const size_t length = word_length(at);

    if (at[length] == ':')
        return match_kind(grammar, at + length + 1, object, message);
    if (object->type != MSGPACK_OBJECT_POSITIVE_INTEGER)
        fail_msg("%s: %.*s is no number", message, (int)length, at);
    if (isdigit((unsigned char)*at))
        assert_int_equal(object->via.u64, strtoul(at, NULL, 10));
    return at + length;
}

static const char *match_list(const struct grammar *grammar, const char *at,
                              const msgpack_object *object, const char *message)
{
    assert_int_equal(*at, '[');
    assert_int_equal(object->type, MSGPACK_OBJECT_ARRAY);
    at++;
    for (uint32_t i = 0; i < object->via.array.size; i++) {
        if (*at == ']')
            fail_msg("%s: more fields than %s says", message, DOCUMENT);
        at = match_item(grammar, at, &object->via.array.ptr[i], message);
        if (*at == ',')
            at = skip_blanks(at + 1);
    }
    if (*at != ']')
        fail_msg("%s: fewer fields than %s says: %.30s", message, DOCUMENT, at);
    return at + 1;
}

TEST(every_message_is_as_the_document_says)
{
    const struct grammar *const grammar = *test_state;

    for (size_t i = 0; i < sample_count; i++) {
        msgpack_zone *const zone = msgpack_zone_new(8192);
        const char *const name = samples[i].name;
        msgpack_object object;
        struct writer message;
        size_t used = 0;

        if (strcmp(name, "idle_heartbeat") == 0) { /* one with an empty list */
            msgpack_zone_free(zone);
            continue;
        }
        samples[i].pack(&message);
        assert_int_equal(
            msgpack_unpack(message.bytes.data, message.bytes.size, &used, zone, &object),
            MSGPACK_UNPACK_SUCCESS);
        if (!find(grammar, name, strlen(name)))
            fail_msg("%s does not have %s", DOCUMENT, name);
        (void)match_list(grammar, find(grammar, name, strlen(name)), &object, name);
        writer_close(&message);
        msgpack_zone_free(zone);
    }
}

static bool is_sample(const char *name, size_t length)
{
    for (size_t i = 0; i < sample_count; i++) {
        if (word_is(name, length, samples[i].name))
            return true;
    }
    return false;
}

/* A production is a message, or stands in one. */
TEST(the_document_has_nothing_that_is_never_said)
{
    const struct grammar *const grammar = *test_state;
    size_t productions = 0;

    for (const char *at = strchr(grammar->text, '\n'); at; at = strchr(at + 1, '\n')) {
        const size_t length = word_length(at + 1);
        char as_kind[128];
        char as_items[128];

        if (length == 0 || strncmp(at + 1 + length, " = [", 4) != 0)
            continue;
        productions++;
        (void)snprintf(as_kind, sizeof(as_kind), ":%.*s,", (int)length, at + 1);
        (void)snprintf(as_items, sizeof(as_items), ":[%.*s ...]", (int)length, at + 1);
        if (!is_sample(at + 1, length) && !strstr(grammar->text, as_kind) &&
            !strstr(grammar->text, as_items))
            fail_msg("%s: no sample of %.*s", DOCUMENT, (int)length, at + 1);
    }
    assert_true(productions >= sample_count);
}

/* With a row of the table of versions for the present version. */
TEST(the_document_names_the_present_version)
{
    char *const document = read_document();
    char sentence[64];
    char row[32];

    (void)snprintf(sentence, sizeof(sentence), "This is version %d;", WIRE_VERSION);
    (void)snprintf(row, sizeof(row), "\n| %d | ", WIRE_VERSION);
    if (!strstr(document, sentence) || !strstr(document, row))
        fail_msg("%s does not name version %d", DOCUMENT, WIRE_VERSION);
    free(document);
}

int main(void)
{
    return tests_run(set_grammar, clear_grammar);
}
