/* events_test.c - events are in the journal once they are kept, with numbers that only grow. */
#include "scheduler/service/events.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <string.h>

static folder_t *folder;
static journal_t *journal;
static events_t *events;
static struct error error;

static void open_all(void)
{
    journal = journal_open(folder_file(folder, "state"), &error);
    assert_non_null(journal);
    events = events_new(journal, &error);
    assert_non_null(events);
}

static void close_all(void)
{
    events_destroy(&events);
    journal_close(&journal);
}

FIXTURE(set_up)
{
    folder = folder_new();
    open_all();
    return 0;
}

FIXTURE(tear_down)
{
    close_all();
    folder_destroy(&folder);
    return 0;
}

static void keep(void)
{
    assert_int_equal(events_put(events, &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    events_kept(events);
}

/* Their numbers as "1 2 3", with "..." if there are more. */
static void assert_listed(uint32_t row, int64_t after, int64_t limit, const char *expected)
{
    char text[256] = "";
    size_t used = 0;
    json_t *list;
    json_t *event;
    int64_t last;
    size_t i;

    assert_int_equal(events_list(events, row, after, limit, &list, &last, &error), 0);
    json_array_foreach(list, i, event)
    {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i > 0 ? " " : "",
                                 (int)json_integer_value(json_object_get(event, "number")));
        assert_true(row == 0 || json_integer_value(json_object_get(event, "job")) == row);
    }
    if (last > 0)
        (void)snprintf(text + used, sizeof(text) - used, "...");
    json_decref(list);
    assert_string_equal(text, expected);
}

static void note_five(void)
{
    events_note(events, 100, 0, NULL, "node-up", "node %d", 0);
    events_note(events, 101, 1, "alice", "submitted", "one");
    events_note(events, 101, 2, NULL, "submitted", "two");
    events_note(events, 102, 1, NULL, "started", "one");
    events_note(events, 103, 2, NULL, "started", "two");
}

TEST_WITH(they_are_listed_by_job_and_number, set_up, tear_down)
{
    assert_listed(0, 0, 10, "");
    note_five();
    keep();
    assert_listed(0, 0, 10, "1 2 3 4 5");
    assert_listed(0, 0, 2, "1 2...");
    assert_listed(0, 2, 2, "3 4...");
    assert_listed(0, 4, 2, "5");
    assert_listed(0, 5, 2, "");
    assert_listed(1, 0, 10, "2 4");
    assert_listed(2, 0, 1, "3...");
    assert_listed(2, 3, 2, "5");
    assert_listed(3, 0, 10, "");
    assert_listed(0, INT64_MAX, 10, "");
}

TEST_WITH(numbers_go_on_after_a_start, set_up, tear_down)
{
    note_five();
    keep();
    close_all();
    open_all();
    events_note(events, 104, 1, NULL, "done", "one");
    keep();
    assert_listed(0, 0, 10, "1 2 3 4 5 6");
    assert_listed(1, 0, 10, "2 4 6");
}

TEST_WITH(what_is_not_kept_was_never_there, set_up, tear_down)
{
    note_five();
    assert_int_equal(events_put(events, &error), 0);
    journal_rollback(journal);
    events_forget(events);
    events_note(events, 104, 7, NULL, "submitted", "seven");
    keep();
    assert_listed(0, 0, 10, "1");
    assert_listed(1, 0, 10, "");
    assert_listed(7, 0, 10, "1");
}

/* A commit that fails for want of space is tried again with the same events. */
TEST_WITH(what_was_put_may_be_put_again, set_up, tear_down)
{
    note_five();
    assert_int_equal(events_put(events, &error), 0);
    journal_rollback(journal);
    keep();
    assert_listed(0, 0, 10, "1 2 3 4 5");
}

/* A text that is cut, or was never UTF-8, is an event nevertheless. */
TEST_WITH(any_text_is_kept, set_up, tear_down)
{
    char text[1024];

    for (size_t i = 0; i + 1 < sizeof(text); i += 3)
        memcpy(text + i, "\xe2\x82\xac", 3);
    text[1022] = '\0';
    events_note(events, 1, 1, NULL, "failed", "x%s", text);
    events_note(events, 1, 1, NULL, "failed", "\xff\xfe \x80");
    keep();
    assert_listed(1, 0, 10, "1 2");
}

static void assert_falls(size_t first, size_t second)
{
    size_t falls[3] = {0};

    assert_int_equal(events_count_falls(events, falls, COUNT(falls), &error), 0);
    assert_int_equal(falls[0], 0);
    assert_int_equal(falls[1], first);
    assert_int_equal(falls[2], second);
}

/* Of a job that is not counted yet nothing is told. */
TEST_WITH(falls_are_counted_by_job_once_they_are_kept, set_up, tear_down)
{
    note_five();
    events_note(events, 104, 2, NULL, "falls", "two");
    assert_falls(0, 0);
    assert_int_equal(events_put(events, &error), 0);
    assert_falls(0, 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    events_kept(events);
    assert_falls(0, 1);
    events_note(events, 105, 2, NULL, "falls", "two");
    events_note(events, 105, 1, NULL, "falls", "one");
    events_note(events, 105, 7, NULL, "falls", "seven");
    keep();
    close_all();
    open_all();
    assert_falls(1, 2);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
