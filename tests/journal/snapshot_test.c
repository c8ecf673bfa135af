/* snapshot_test.c - a run goes on from its snapshot as if it had never stopped, and from its first
 * step where there is none that can be read. */
#include "common/log.h"
#include "scheduler/journal/journal.h"
#include "scheduler/snapshot/engine_archive.h"
#include "tests/journal/journaled_run.h"
#include "tests/replay/faulty_run.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static folder_t *folder;
static const char *state;
static const char *record;
static int64_t record_steps;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    (void)log_to_file(folder_file(folder, "log"));
    state = folder_file(folder, "state");
    record = folder_file(folder, "record");
    record_steps = faulty_run("rubato", record);
    return 0;
}

FIXTURE(tear_down)
{
    (void)log_to_file("/dev/null");
    folder_destroy(&folder);
    return 0;
}

static journal_t *open_journal(void)
{
    journal_t *journal = journal_open(state, &error);

    if (!journal)
        fail_msg("%s", error.text);
    return journal;
}

/* Takes the run up, from the snapshot at `snapshot` if that is not 0, goes on up to the step
 * `until`, keeping another snapshot after the step `keep`. */
static void go_on(int64_t snapshot, int64_t keep, int64_t until)
{
    journal_t *journal = open_journal();
    struct journaled_run run;

    journaled_run_open(&run, record);
    assert_int_equal(journaled_run_recall(&run, journal), snapshot);
    while (run.steps < until) {
        assert_true(journaled_run_step(&run, journal, true));
        if (run.steps == keep)
            journaled_run_keep(&run, journal);
    }
    assert_int_equal(journal_steps(journal), until);
    journaled_run_close(&run);
    journal_close(&journal);
}

/* The whole run decides as the record, from the first step on. */
static void check_all(void)
{
    journal_t *journal = open_journal();
    struct journaled_run run;

    journaled_run_open(&run, record);
    journaled_run_resume(&run, journal);
    assert_int_equal(run.steps, record_steps);
    journaled_run_close(&run);
    journal_close(&journal);
}

static void assert_logged(const char *words)
{
    char *log = folder_read(folder, "log");

    if (!strstr(log, words))
        fail_msg("no \"%s\" in %s", words, log);
    free(log);
}

TEST_WITH(a_run_goes_on_from_its_snapshot, set_up, tear_down)
{
    for (int64_t at = 1; at < record_steps; at += 1 + record_steps / 10) {
        char name[32];

        (void)snprintf(name, sizeof(name), "state-%d", (int)at);
        state = folder_file(folder, name);
        go_on(0, at, at);          /* at the end */
        go_on(at, at + 1, at + 1); /* no step came since */
        go_on(at + 1, 0, at + 2 < record_steps ? at + 2 : record_steps);
        go_on(at + 1, 0, record_steps); /* some did */
        check_all();
    }
}

/* ---- snapshots that cannot be read ---- */

static void put_snapshot(const char *body)
{
    journal_t *journal = open_journal();

    assert_int_equal(journal_begin(journal, &error), 0);
    assert_int_equal(journal_put(journal, "snapshot", "last", body, &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    journal_close(&journal);
}

TEST_WITH(another_version_is_not_read, set_up, tear_down)
{
    static const struct {
        const char *body;
        const char *words;
    } wrong[] = {
        {"snapshot version=99 by=\"9.9\" and more", "it is of version 99, by Rubato 9.9"},
        {"snapshot version=2 by=\"1\" steps=99999 rows=0\narchive ", "expected"},
        {"snapshot version=2 by=\"1\" steps=1 rows=0\n", "it breaks off"},
        {"snapshot version=2 by=\"1\" steps=1 rows=2\n< timer\narchive ", "it lacks rows"},
        {"snapshot version=2 by=\"1\" steps=1 rows=2\n?\narchive ", "an occurrence"},
        {"", "expected"},
    };

    go_on(0, 4, 5);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        put_snapshot(wrong[i].body);
        go_on(0, 0, 5);
        assert_logged(wrong[i].words);
    }
    go_on(0, 6, 7);
    go_on(6, 0, record_steps);
    check_all();
}

static void run_sql(const char *sql)
{
    char path[512];
    sqlite3 *sqlite;

    (void)snprintf(path, sizeof(path), "%s/state.db", state);
    assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(sqlite), SQLITE_OK);
}

TEST_WITH(a_damaged_one_is_set_aside, set_up, tear_down)
{
    journal_t *journal;

    go_on(0, 4, 6);
    run_sql("UPDATE document SET body = replace(body, ' 1 ', ' 2 ') WHERE kind = 'snapshot'");
    journal = open_journal();
    assert_int_equal(journal_set_aside(journal), 1);
    journal_close(&journal);
    go_on(0, 0, record_steps);
    check_all();
}

/* ---- in pieces ---- */

/* Goes on from the snapshot at `snapshot` up to the step `until`, after which as many pieces of
 * another one are kept. */
static void go_on_with_pieces(int64_t snapshot, int64_t until, int count)
{
    journal_t *journal = open_journal();
    struct journaled_run run;

    journaled_run_open(&run, record);
    assert_int_equal(journaled_run_recall(&run, journal), snapshot);
    while (run.steps < until)
        assert_true(journaled_run_step(&run, journal, true));
    journaled_run_keep_pieces(&run, journal, 200, count);
    journaled_run_close(&run);
    journal_close(&journal);
}

TEST_WITH(pieces_are_a_snapshot_once_there_are_all, set_up, tear_down)
{
    state = folder_file(folder, "state-pieces");
    go_on_with_pieces(0, 4, 3);
    go_on_with_pieces(0, 5, INT_MAX);
    go_on_with_pieces(5, 6, 3);
    go_on_with_pieces(5, 7, INT_MAX);
    go_on_with_pieces(7, 8, INT_MAX);
    go_on_with_pieces(8, 9, 1);
    go_on(8, 10, 10); /* in one document again */
    go_on_with_pieces(10, 11, 3);
    go_on_with_pieces(10, 12, INT_MAX);
    go_on(12, 0, record_steps);
    check_all();
}

TEST_WITH(pieces_that_do_not_make_one_are_not_read, set_up, tear_down)
{
    static const struct {
        const char *sql;
        const char *words;
    } wrong[] = {
        {"DELETE FROM document WHERE name LIKE '%-2'", "piece 2 of it is not there"},
        {"UPDATE document SET body = 'pieces set=0 count=1 check=0123456789abcdef' "
         "WHERE name = 'last'",
         "event=set-aside"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "state-pieces-%zu", i);
        state = folder_file(folder, name);
        go_on_with_pieces(0, 5, INT_MAX);
        run_sql(wrong[i].sql);
        go_on(0, 0, 6);
        assert_logged(wrong[i].words);
    }
    put_snapshot("pieces set=1 count=1 check=0123456789abcdef");
    go_on(0, 0, 7);
    assert_logged("its pieces are not of one snapshot");
    put_snapshot("pieces set=2");
    go_on(0, 8, 8);
    go_on(8, 0, record_steps);
    check_all();
}

/* ---- another program version ---- */

/* What Rubato 0.1 wrote after five steps of this run. Where it cannot be read any more
 * SNAPSHOT_VERSION counts up, and a file of that version takes its place. */
#define KEPT "tests/journal/snapshots/version_2"

TEST_WITH(a_snapshot_of_an_earlier_release_is_read, set_up, tear_down)
{
    char body[65536];
    FILE *file = fopen(KEPT, "r");
    size_t length;

    assert_non_null(file);
    length = fread(body, 1, sizeof(body) - 1, file);
    body[length] = '\0';
    assert_int_equal(fclose(file), 0);
    go_on(0, 0, 5);
    put_snapshot(body);
    go_on(5, 0, 5);
}

/* Up to `steps`, and a snapshot after `keep`, by a program whose decisions are others. */
static void run_of_another_version(int64_t keep, int64_t steps)
{
    journal_t *journal = open_journal();
    struct journaled_run run;

    journaled_run_open(&run, record);
    run.wakes_later = true;
    journaled_run_resume(&run, journal);
    while (run.steps < steps) {
        assert_true(journaled_run_step(&run, journal, true));
        if (run.steps == keep)
            journaled_run_keep(&run, journal);
    }
    journaled_run_close(&run);
    journal_close(&journal);
}

TEST_WITH(a_run_of_another_version_goes_on_from_its_snapshot, set_up, tear_down)
{
    run_of_another_version(5, 5);
    go_on(5, 8, 8);
    go_on(8, 0, record_steps);
}

/* The refusal leaves the state unchanged. */
TEST_WITH(steps_that_another_version_decided_otherwise_are_refused, set_up, tear_down)
{
    journal_t *journal;
    struct journaled_run run;
    struct journal_snapshot snapshot;
    struct journaled_step step;
    struct decision decision;

    run_of_another_version(5, 6);
    for (int i = 0; i < 2; i++) {
        journal = open_journal();
        journaled_run_open(&run, record);
        assert_int_equal(journal_settle(journal, record_reader_setting(run.reader), &error), 0);
        assert_int_equal(journal_read_snapshot(journal, &snapshot, &error), 1);
        engine_archive(run.engine, &snapshot.archive, journal_snapshot_job, &snapshot);
        engine_stands(run.engine, &decision);
        journal_skip(journal, &snapshot, &decision);
        assert_int_equal(journal_next(journal, run.engine, &step, &error), 1);
        assert_int_equal(step.sequence, 6);
        assert_int_equal(
            engine_step(run.engine, step.now_s, step.occurrences, step.count, &decision, &error),
            0);
        assert_int_equal(journal_check(journal, &step, &decision, &error), -1);
        assert_non_null(strstr(error.text, "step 6 at"));
        assert_non_null(strstr(error.text, "the version that wrote the step is "));
        assert_int_equal(journal_steps(journal), 6);
        journaled_run_close(&run);
        journal_close(&journal);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
