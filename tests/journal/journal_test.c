/* journal_test.c - what is committed is there again, for one process at a time, and of one run. */
#include "common/version.h"
#include "scheduler/journal/journal.h"
#include "scheduler/reference/leasing.h"
#include "tests/journal/journaled_run.h"
#include "tests/replay/faulty_run.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOINED_BYTES 512

static folder_t *folder;
static const char *state;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    state = folder_file(folder, "state");
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static journal_t *open_journal(void)
{
    journal_t *journal = journal_open(state, &error);

    if (!journal)
        print_message("%s\n", error.text);
    assert_non_null(journal);
    return journal;
}

static void assert_refused(const char *words)
{
    assert_null(journal_open(state, &error));
    if (!strstr(error.text, words))
        print_message("no \"%s\" in \"%s\"\n", words, error.text);
    assert_non_null(strstr(error.text, words));
}

/* ---- steps ---- */

/* Up to `until` of all steps, from what is there on. Returns how many there are then. */
static int64_t go_on(const char *record, int64_t until, bool tells_first)
{
    journal_t *journal = open_journal();
    struct journaled_run run;
    int64_t steps;

    journaled_run_open(&run, record);
    journaled_run_resume(&run, journal);
    while (run.steps < until && journaled_run_step(&run, journal, tells_first))
        ;
    steps = run.steps;
    assert_int_equal(journal_steps(journal), steps);
    journaled_run_close(&run);
    journal_close(&journal);
    return steps;
}

TEST_WITH(a_run_goes_on_where_it_stood, set_up, tear_down)
{
    static const char *const policies[] = {"ef-accessctrl", "gandiva", "chronus", "rubato"};

    for (size_t i = 0; i < COUNT(policies); i++) {
        const char *record = folder_file(folder, policies[i]);
        const int64_t steps = faulty_run(policies[i], record);

        for (int tells_first = 0; tells_first < 2; tells_first++) {
            char name[64];

            (void)snprintf(name, sizeof(name), "state-%s-%d", policies[i], tells_first);
            state = folder_file(folder, name);
            for (int64_t until = 3; until < steps; until += steps / 4 + 1)
                assert_int_equal(go_on(record, until, tells_first), until);
            assert_int_equal(go_on(record, steps, tells_first), steps);
            assert_int_equal(go_on(record, steps, tells_first), steps);
        }
    }
}

TEST_WITH(a_step_that_is_not_committed_has_not_happened, set_up, tear_down)
{
    const char *record = folder_file(folder, "record");
    const int64_t steps = faulty_run("fifo", record);
    journal_t *journal = open_journal();
    struct journaled_run run;

    journaled_run_open(&run, record);
    journaled_run_resume(&run, journal);
    assert_true(journaled_run_step(&run, journal, true));
    assert_true(journaled_run_add(&run, journal));
    journaled_run_close(&run);
    journal_close(&journal);
    assert_int_equal(go_on(record, 1, true), 1);
    assert_int_equal(go_on(record, steps, true), steps);
}

/* An engine that decides step `sequence` otherwise is found out. */
static void decide_otherwise(const char *record, int64_t sequence)
{
    journal_t *journal = open_journal();
    struct journaled_run run;
    struct journaled_step step = {.sequence = 0};
    struct decision decision;

    journaled_run_open(&run, record);
    assert_int_equal(journal_settle(journal, record_reader_setting(run.reader), &error), 0);
    while (step.sequence < sequence) {
        assert_int_equal(journal_next(journal, run.engine, &step, &error), 1);
        assert_int_equal(
            engine_step(run.engine, step.now_s, step.occurrences, step.count, &decision, &error),
            0);
    }
    decision.next_s++;
    assert_int_equal(journal_check(journal, &step, &decision, &error), -1);
    journaled_run_close(&run);
    journal_close(&journal);
}

TEST_WITH(another_decision_is_told, set_up, tear_down)
{
    const char *record = folder_file(folder, "record");

    (void)faulty_run("fifo", record);
    (void)go_on(record, 2, true);
    decide_otherwise(record, 1);
    assert_non_null(strstr(error.text, "step 1 at 60 s is decided otherwise than it was"));
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

static void expect_writer(const char *record, int64_t sequence, const char *writer)
{
    char words[256];

    decide_otherwise(record, sequence);
    (void)snprintf(words, sizeof(words), writer, version_text);
    if (!strstr(error.text, words))
        fail_msg("step %d: no \"%s\" in \"%s\"", (int)sequence, words, error.text);
}

/* The version that wrote a step is named, where several wrote to one state. */
TEST_WITH(a_step_is_known_by_the_version_that_wrote_it, set_up, tear_down)
{
    const char *record = folder_file(folder, "record");

    (void)faulty_run("fifo", record);
    assert_int_equal(go_on(record, 2, true), 2);
    run_sql("UPDATE meta SET name = 'writer 2', value = '0.0.9 (decisions 0)' "
            "WHERE name = 'writer 1'");
    assert_int_equal(go_on(record, 12, true), 12);
    assert_int_equal(go_on(record, 14, true), 14);
    expect_writer(record, 1, "; the version that wrote the step is not known, this is %s");
    expect_writer(record, 2,
                  "; the version that wrote the step is 0.0.9 (decisions 0), this is %s");
    expect_writer(record, 3, "; the version that wrote the step is %s, as this is");
    expect_writer(record, 13, "; the version that wrote the step is %s, as this is");
}

/* ---- the run ---- */

TEST_WITH(a_run_keeps_its_id, set_up, tear_down)
{
    journal_t *journal = open_journal();
    const uint32_t run = journal_run(journal);

    assert_in_range(run, 1, INT32_MAX);
    journal_close(&journal);
    journal = open_journal();
    assert_int_equal(journal_run(journal), run);
    journal_close(&journal);
    state = folder_file(folder, "other");
    journal = open_journal();
    assert_int_not_equal(journal_run(journal), run);
    journal_close(&journal);
}

static void assert_other(struct record_setting setting, const char *words)
{
    journal_t *journal = open_journal();

    assert_int_equal(journal_settle(journal, &setting, &error), -1);
    if (!strstr(error.text, words))
        print_message("no \"%s\" in \"%s\"\n", words, error.text);
    assert_non_null(strstr(error.text, words));
    journal_close(&journal);
}

TEST_WITH(another_setting_is_refused, set_up, tear_down)
{
    struct record_setting setting = {.policy = "my ef",
                                     .rules = "reference",
                                     .placement = "elastic",
                                     .gpu_type = "A100",
                                     .cluster = CLUSTER_OF(1, 4, 4),
                                     .slot_s = 60};
    struct record_setting other = setting;
    journal_t *journal = open_journal();

    assert_int_equal(journal_settle(journal, &setting, &error), 0);
    journal_close(&journal);
    journal = open_journal();
    assert_int_equal(journal_settle(journal, &setting, &error), 0);
    journal_close(&journal);

    other.policy = "my edf";
    assert_other(other, "state.db: is the state of a run with policy=\"my ef\", not with "
                        "policy=\"my edf\"");
    other = setting;
    other.cluster = (struct cluster_spec)CLUSTER_OF(1, 5, 4);
    assert_other(other, "is the state of a run with nodes=4, not with nodes=5");
    other = setting;
    other.options = &leasing_options;
    other.values = leasing_options.usual;
    assert_other(other, "is the state of a run with nothing, not with leasing");
}

/* ---- who may use it ---- */

TEST_WITH(one_process_uses_it, set_up, tear_down)
{
    journal_t *journal = open_journal();
    char expected[128];
    const pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        (void)snprintf(expected, sizeof(expected), "%s: is used by process %ld", state,
                       (long)getppid());
        _exit(!journal_open(state, &error) && !strcmp(error.text, expected) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    journal_close(&journal);
    journal = open_journal();
    journal_close(&journal);
}

TEST_WITH(a_newer_version_is_refused, set_up, tear_down)
{
    journal_t *journal = open_journal();

    journal_close(&journal);
    run_sql("PRAGMA user_version=2");
    assert_refused("state.db: is a state of version 2, which a newer Rubato wrote; this one reads "
                   "version 1");
}

TEST_WITH(a_folder_has_to_be_the_owners, set_up, tear_down)
{
    struct stat made;
    journal_t *journal = open_journal();

    journal_close(&journal);
    assert_int_equal(stat(state, &made), 0);
    assert_int_equal(made.st_mode & 07777, 0700);
    assert_int_equal(chmod(state, 0777), 0);
    assert_refused("state: others may write to it; chmod 700 it");
    state = folder_write(folder, "file", "text");
    assert_refused("file: is no folder");
    state = folder_file(folder, "none/there");
    assert_refused("none/there: cannot be made: No such file or directory");
}

/* The journal has the environment of jobs: other users cannot read the file, not even in a folder
 * that they may list. */
TEST_WITH(what_is_kept_is_for_its_user_only, set_up, tear_down)
{
    static const char *const names[] = {"state/state.db", "state/state.db-wal"};
    const char *const database = folder_file(folder, names[0]);
    const mode_t before = umask(022);
    journal_t *journal = open_journal();
    struct stat found;

    journal_close(&journal);
    assert_int_equal(chmod(database, 0644), 0); /* as an earlier one made it */
    journal = open_journal();
    (void)umask(before);
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(stat(folder_file(folder, names[i]), &found), 0);
        assert_int_equal(found.st_mode & 07777, 0600);
    }
    journal_close(&journal);
}

/* ---- documents ---- */

static int join(void *owner, const char *key, const char *body)
{
    char *joined = owner;
    const size_t used = strlen(joined);

    (void)snprintf(joined + used, JOINED_BYTES - used, "%s=%s ", key, body);
    return 0;
}

static void assert_documents(journal_t *journal, const char *kind, const char *expected)
{
    char joined[JOINED_BYTES] = "";

    assert_int_equal(journal_each(journal, kind, join, joined, &error), 0);
    assert_string_equal(joined, expected);
}

static void put(journal_t *journal, const char *kind, const char *key, const char *body)
{
    assert_int_equal(journal_put(journal, kind, key, body, &error), 0);
}

TEST_WITH(documents_are_kept, set_up, tear_down)
{
    journal_t *journal = open_journal();
    const char *body;

    assert_int_equal(journal_begin(journal, &error), 0);
    assert_int_equal(journal_put_number(journal, "job", UINT64_MAX, "{\"id\": \"z\"}", &error), 0);
    put(journal, "job", "b", "2");
    put(journal, "answer", "b", "other kind");
    put(journal, "job", "a", "3");
    put(journal, "job", "b", "two");
    assert_int_equal(journal_commit(journal, &error), 0);

    assert_int_equal(journal_begin(journal, &error), 0);
    put(journal, "job", "b", "given up");
    assert_int_equal(journal_forget(journal, "job", "a", &error), 0);
    journal_rollback(journal);
    assert_documents(journal, "job", "18446744073709551615={\"id\": \"z\"} b=two a=3 ");

    assert_int_equal(journal_begin(journal, &error), 0);
    assert_int_equal(journal_forget(journal, "job", "a", &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    journal_close(&journal);

    journal = open_journal();
    assert_documents(journal, "job", "18446744073709551615={\"id\": \"z\"} b=two ");
    assert_int_equal(journal_get(journal, "answer", "b", &body, &error), 1);
    assert_string_equal(body, "other kind");
    assert_int_equal(journal_get(journal, "answer", "a", &body, &error), 0);
    journal_close(&journal);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
