/* form_test.c - a document is read into a struct, and whatever is wrong with it is told. */
#include "scheduler/service/form.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
    const char *text;
    int64_t whole;
    bool is_on;
    struct words words;
    const char *needed;
};

static const struct form_field fields[] = {
    {"text", FORM_TEXT, offsetof(struct form, text), 0, 8, false},
    {"whole", FORM_WHOLE, offsetof(struct form, whole), -2, 9, false},
    {"switch", FORM_SWITCH, offsetof(struct form, is_on), 0, 0, false},
    {"words", FORM_WORDS, offsetof(struct form, words), 0, 4, false},
    {"needed", FORM_TEXT, offsetof(struct form, needed), 0, 8, true},
    {0}};

static arena_t *texts;
static struct form form;
static struct error error;

FIXTURE(set_up)
{
    texts = arena_new();
    form = (struct form){.text = "before", .whole = 7, .is_on = true};
    return 0;
}

FIXTURE(tear_down)
{
    arena_destroy(&texts);
    return 0;
}

static int read_document(const char *document)
{
    return form_read(document, fields, &form, texts, &error);
}

TEST_WITH(all_kinds_are_read, set_up, tear_down)
{
    assert_int_equal(read_document("{\"text\": \"12345678\", \"whole\": -2, \"switch\": false, "
                                   "\"words\": [\"a\", \"\", \"1234\"], \"needed\": \"x\"}"),
                     0);
    assert_string_equal(form.text, "12345678");
    assert_int_equal(form.whole, -2);
    assert_false(form.is_on);
    assert_int_equal(form.words.count, 3);
    assert_string_equal(form.words.items[1], "");
    assert_string_equal(form.words.items[2], "1234");
    assert_null(form.words.items[3]);
    assert_string_equal(form.needed, "x");
}

TEST_WITH(what_is_absent_stays, set_up, tear_down)
{
    assert_int_equal(read_document("{\"text\": null, \"whole\": null, \"switch\": null, "
                                   "\"words\": null, \"needed\": \"x\"}"),
                     0);
    assert_string_equal(form.text, "before");
    assert_int_equal(form.whole, 7);
    assert_true(form.is_on);
    assert_int_equal(form.words.count, 0);
}

static const struct mistake {
    const char *document;
    const char *words; /* of what is told */
} mistakes[] = {
    {"", "no JSON"},
    {"{", "no JSON"},
    {"{\"needed\": \"x\"} more", "no JSON"},
    {"{\"needed\": \"x\", \"needed\": \"x\"}", "no JSON"},
    {"{\"needed\": \"a\\u0000b\"}", "no JSON"},
    {"{\"needed\": \"\xff\"}", "no JSON"},
    {"{\"whole\": 1e999, \"needed\": \"x\"}", "no JSON"},
    {"{\"whole\": 9223372036854775808, \"needed\": \"x\"}", "no JSON"},
    {"{\"whole\": NaN, \"needed\": \"x\"}", "no JSON"},
    {"[]", "expected a JSON object"},
    {"[{\"needed\": \"x\"}]", "expected a JSON object"},
    {"{}", "field \"needed\" is missing"},
    {"{\"needed\": null}", "field \"needed\" is missing"},
    {"{\"other\": 1, \"needed\": \"x\"}", "there is no field \"other\""},
    {"{\"\": 1, \"needed\": \"x\"}", "there is no field \"\""},
    {"{\"\\u001b[2J\": 1, \"needed\": \"x\"}", "there is no field \"?[2J\""},
    {"{\"needed\": 1}", "field \"needed\": expected a text"},
    {"{\"needed\": \"\"}", "field \"needed\": expected 1 to 8 bytes, found 0"},
    {"{\"needed\": \"123456789\"}", "field \"needed\": expected 1 to 8 bytes, found 9"},
    {"{\"text\": true, \"needed\": \"x\"}", "field \"text\": expected a text"},
    {"{\"text\": [\"x\"], \"needed\": \"x\"}", "field \"text\": expected a text"},
    {"{\"whole\": \"1\", \"needed\": \"x\"}", "field \"whole\": expected a whole number"},
    {"{\"whole\": 1.0, \"needed\": \"x\"}", "field \"whole\": expected a whole number"},
    {"{\"whole\": true, \"needed\": \"x\"}", "field \"whole\": expected a whole number"},
    {"{\"whole\": -3, \"needed\": \"x\"}", "field \"whole\": -3 is not within -2 to 9"},
    {"{\"whole\": 10, \"needed\": \"x\"}", "field \"whole\": 10 is not within -2 to 9"},
    {"{\"switch\": 1, \"needed\": \"x\"}", "field \"switch\": expected true or false"},
    {"{\"switch\": \"true\", \"needed\": \"x\"}", "field \"switch\": expected true or false"},
    {"{\"words\": \"a\", \"needed\": \"x\"}", "field \"words\": expected a list of texts"},
    {"{\"words\": {}, \"needed\": \"x\"}", "field \"words\": expected a list of texts"},
    {"{\"words\": [1], \"needed\": \"x\"}", "field \"words\": expected a list of texts"},
    {"{\"words\": [null], \"needed\": \"x\"}", "field \"words\": expected a list of texts"},
    {"{\"words\": [\"12345\"], \"needed\": \"x\"}", "field \"words\": expected "},
};

TEST_WITH(mistakes_are_told, set_up, tear_down)
{
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        error = (struct error){.text = ""};
        assert_int_equal(read_document(mistakes[i].document), -1);
        if (!strstr(error.text, mistakes[i].words))
            fail_msg("%s: \"%s\" is not in \"%s\"", mistakes[i].document, mistakes[i].words,
                     error.text);
    }
}

/* A list of `count` empty words. */
static int read_list(size_t count)
{
    const size_t room = 4 * count + 64;
    char *document = malloc(room);
    int status;

    (void)snprintf(document, room, "{\"needed\": \"x\", \"words\": [\"\"");
    for (size_t i = 1; i < count; i++)
        memcpy(document + strlen("{\"needed\": \"x\", \"words\": [\"\"") + 3 * (i - 1), ",\"\"", 4);
    memcpy(document + strlen(document), "]}", 3);
    status = read_document(document);
    free(document);
    return status;
}

TEST_WITH(lists_have_an_end, set_up, tear_down)
{
    assert_int_equal(read_list(FORM_WORDS_MAX), 0);
    assert_int_equal(form.words.count, FORM_WORDS_MAX);
    assert_int_equal(read_list(FORM_WORDS_MAX + 1), -1);
    assert_non_null(strstr(error.text, "field \"words\": 1025 texts, more than 1024"));
}

/* No nesting makes the reader run out of its stack. */
TEST_WITH(nesting_has_an_end, set_up, tear_down)
{
    const size_t depth = 200000;
    char *document = malloc(depth + 16);

    memcpy(document, "{\"words\": ", 10);
    memset(document + 10, '[', depth);
    document[10 + depth] = '\0';
    assert_int_equal(read_document(document), -1);
    free(document);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
