/* log_test.c - one line an event, whatever texts are in it. */
#include "common/log.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int set_folder(void **state)
{
    folder_t *const folder = folder_new();

    log_open("worker", "node-a");
    assert_int_equal(log_to_file(folder_file(folder, "log")), 0);
    *state = folder;
    return 0;
}

static int clear_folder(void **state)
{
    folder_t *folder = *state;

    folder_destroy(&folder);
    return 0;
}

/* What stands after the two times in the only line of the log; the caller frees it. */
static char *line_of(folder_t *folder)
{
    char *const text = folder_read(folder, "log");
    char *const end = strchr(text, '\n');
    long parts[7];
    int used = 0;
    char *line;

    assert_non_null(end);
    assert_int_equal(end[1], '\0');
    *end = '\0';
    assert_int_equal(sscanf(text, "%4ld-%2ld-%2ldT%2ld:%2ld:%2ld.%6ldZ %*d.%*6d %n", &parts[0],
                            &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &parts[6],
                            &used),
                     7);
    assert_true(used > 0);
    line = strdup(text + used);
    free(text);
    return line;
}

static void expect_line(folder_t *folder, const char *expected)
{
    char *const line = line_of(folder);

    assert_string_equal(line, expected);
    free(line);
}

TEST_WITH(an_event_says_what_it_is_about, set_folder, clear_folder)
{
    const struct log_subject about = {.job = 7, .incarnation = 3, .node = 0, .gpu = 2};

    log_event(&about, "started", "pid=%d", 99);
    expect_line(*test_state, "worker:node-a event=started job=7 incarnation=3 node=0 gpu=2 pid=99");
}

TEST_WITH(a_job_is_its_row_and_its_run, set_folder, clear_folder)
{
    const struct log_subject about = {(int64_t)0x3fa2c1 << 32 | 7, 3, 0, LOG_NONE};

    log_event(&about, "part", "step=%d", 4);
    expect_line(*test_state,
                "worker:node-a event=part job=7 incarnation=3 node=0 gpu=- run=3fa2c1 step=4");
}

TEST_WITH(what_an_event_is_not_about_is_a_dash, set_folder, clear_folder)
{
    log_event(&LOG_ABOUT_NOTHING, "up", NULL);
    expect_line(*test_state, "worker:node-a event=up job=- incarnation=- node=- gpu=-");
}

TEST_WITH(a_program_may_have_no_name_and_a_strange_one_is_one_word, set_folder, clear_folder)
{
    log_open("master", NULL);
    log_event(&LOG_ABOUT_NOTHING, "up", NULL);
    expect_line(*test_state, "master event=up job=- incarnation=- node=- gpu=-");
    assert_int_equal(unlink(folder_file(*test_state, "log")), 0);
    assert_int_equal(log_to_file(folder_file(*test_state, "log")), 0);
    log_open("worker", "a b\nc\"=\xc3\xa9");
    log_event(&LOG_ABOUT_NOTHING, "up", NULL);
    expect_line(*test_state, "worker:a?b?c???? event=up job=- incarnation=- node=- gpu=-");
}

TEST_WITH(lines_go_after_those_that_are_there, set_folder, clear_folder)
{
    char *text;

    log_event(&LOG_ABOUT_NOTHING, "up", NULL);
    assert_int_equal(log_to_file(folder_file(*test_state, "log")), 0);
    log_event(&LOG_ABOUT_NOTHING, "down", NULL);
    text = folder_read(*test_state, "log");
    assert_non_null(strstr(text, "event=up"));
    assert_non_null(strstr(text, "event=down"));
    free(text);
}

TEST(a_file_that_cannot_be_written_is_said_so)
{
    assert_int_equal(log_to_file("/no/such/folder/log"), -1);
    assert_int_equal(errno, ENOENT);
}

TEST(a_plain_word_is_itself_and_all_else_is_quoted)
{
    static const struct {
        const char *text;
        const char *value;
    } values[] = {
        {"plain", "plain"},
        {"127.0.0.1:6888/x-y_z,+", "127.0.0.1:6888/x-y_z,+"},
        {"", "\"\""},
        {"two words", "\"two words\""},
        {"a=b", "\"a=b\""},
        {"say \"x\" \\ y", "\"say \\\"x\\\" \\\\ y\""},
        {"a\nb\tc\rd", "\"a\\nb\\tc\\rd\""},
        {"\x1b[31m", "\"\\u001b[31m\""},
        {"\x7f", "\"\\u007f\""},
        {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
         "\"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xc2\x9b", "\"\\u009b\""},          /* a control character of the terminal */
        {"\xe2\x80\xae", "\"\\u202e\""},      /* turns the direction of writing */
        {"a\xff\xc3", "\"a\\ufffd\\ufffd\""}, /* no UTF-8 */
        {"\xc3\x28", "\"\\ufffd(\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* half a pair */
    };

    for (size_t i = 0; i < COUNT(values); i++)
        assert_string_equal(log_text(values[i].text), values[i].value);
}

TEST(four_texts_are_lent_at_a_time)
{
    const char *const lent[] = {log_text("a b"), log_text("c d"), log_text("e f"), log_text("g h")};

    assert_string_equal(lent[0], "\"a b\"");
    assert_string_equal(lent[1], "\"c d\"");
    assert_string_equal(lent[2], "\"e f\"");
    assert_string_equal(lent[3], "\"g h\"");
}

TEST_WITH(a_long_text_is_cut_within_its_quotes, set_folder, clear_folder)
{
    char text[5000];
    char *line;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_string_equal(log_text(text) + strlen(log_text(text)) - 5, "x...\"");
    memset(text, '\n', sizeof(text) - 1);
    log_event(&LOG_ABOUT_NOTHING, "x", "a=%s b=%s c=%s d=%s", log_text(text), log_text(text),
              log_text(text), log_text(text));
    line = line_of(*test_state);
    assert_string_equal(line + strlen(line) - 6, "\\n...\"");
    free(line);
}

TEST_WITH(a_line_longer_than_any_ends_all_the_same, set_folder, clear_folder)
{
    char *const text = malloc(100000);
    char *line;

    memset(text, 'y', 99999);
    text[99999] = '\0';
    log_event(&LOG_ABOUT_NOTHING, "x", "text=%s", text);
    line = line_of(*test_state);
    assert_true(strlen(line) < 9000);
    free(line);
    free(text);
}

TEST_WITH(lines_that_are_held_are_written_together, set_folder, clear_folder)
{
    char *text;
    const char *at;

    log_hold();
    for (int i = 0; i < 3; i++)
        log_event(&LOG_ABOUT_NOTHING, "x", "i=%d", i);
    text = folder_read(*test_state, "log");
    assert_string_equal(text, "");
    free(text);
    log_release();
    text = folder_read(*test_state, "log");
    at = strstr(text, " i=0\n");
    assert_non_null(at);
    at = strstr(at, " i=1\n");
    assert_non_null(at);
    assert_string_equal(strrchr(at, ' '), " i=2\n");
    free(text);
}

TEST_WITH(more_lines_than_can_be_held_are_written_in_order, set_folder, clear_folder)
{
    char *text;
    int seen = 0;

    log_hold();
    for (int i = 0; i < 5000; i++)
        log_event(&LOG_ABOUT_NOTHING, "x", "i=%d", i);
    log_release();
    text = folder_read(*test_state, "log");
    for (const char *at = text; (at = strstr(at, " i=")); at++)
        assert_int_equal((int)strtol(at + 3, NULL, 10), seen++);
    assert_int_equal(seen, 5000);
    free(text);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
