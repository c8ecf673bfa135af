/* result_folder_test.c - a folder of results holds nothing else, and no file that is not ours is
 * harmed. tests/tools/failing_results_test.sh has what calls that fail do to it. */
#include "common/input.h"
#include "scheduler/report/result_folder.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder_t *folder;
static result_folder_t *results;
static struct error error;
static char stage[64];

FIXTURE(set_up)
{
    folder = folder_new();
    (void)snprintf(stage, sizeof(stage), "results/unfinished-%ld", (long)getpid());
    return 0;
}

FIXTURE(tear_down)
{
    result_folder_destroy(&results);
    folder_destroy(&folder);
    return 0;
}

static void make_results(void)
{
    assert_int_equal(mkdir(folder_file(folder, "results"), 0777), 0);
}

static void check_file(const char *name, const char *expected)
{
    char *text = folder_read(folder, name);

    assert_string_equal(text, expected);
    free(text);
}

static void start(bool forced)
{
    results = result_folder_open(folder_file(folder, "results"), forced, &error);
    if (!results)
        fail_msg("%s", error.text);
}

static void write_file(const char *name, const char *text)
{
    output_t *output = result_folder_create(results, name, &error);

    if (!output)
        fail_msg("%s", error.text);
    output_text(output, text);
    assert_int_equal(output_commit(&output, &error), 0);
}

/* A run with a few files that say `text`, to the point where they are to be moved. */
static void run(bool forced, const char *text)
{
    start(forced);
    write_file(RESULT_JOBS, text);
    write_file(RESULT_SUMMARY, text);
}

static void end(void)
{
    if (result_folder_commit(results, &error) < 0)
        fail_msg("%s", error.text);
    result_folder_destroy(&results);
}

static void check_refused(const char *words)
{
    assert_null(result_folder_open(folder_file(folder, "results"), false, &error));
    if (!strstr(error.text, words))
        fail_msg("expected \"%s\", found \"%s\"", words, error.text);
    assert_false(folder_has(folder, stage));
}

static void check_foreign(const char *name)
{
    char words[256];

    (void)snprintf(words, sizeof(words), "results: holds %s, which is no result of a run; ", name);
    check_refused(words);
}

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(a_new_folder_is_made_and_marked)
{
    run(false, "first");
    assert_false(folder_has(folder, "results/jobs.csv"));
    end();
    check_file("results/jobs.csv", "first");
    check_file("results/summary.json", "first");
    assert_true(folder_has(folder, "results/.rubato-results"));
    assert_false(folder_has(folder, stage));
}

IN_FOLDER(an_empty_folder_is_taken_and_stays_if_the_run_is_given_up)
{
    make_results();
    run(false, "first");
    result_folder_destroy(&results);
    assert_int_equal(rmdir(folder_file(folder, "results")), 0);
}

IN_FOLDER(results_of_an_earlier_run_are_replaced)
{
    run(false, "first");
    write_file("leases.csv", "first");
    end();
    run(false, "second");
    check_file("results/jobs.csv", "first");
    end();
    check_file("results/jobs.csv", "second");
    check_file("results/summary.json", "second");
    assert_false(folder_has(folder, "results/leases.csv"));
}

IN_FOLDER(a_folder_with_anything_else_is_refused)
{
    make_results();
    (void)folder_write(folder, "results/jobs.csv", "a trace");
    check_foreign("jobs.csv");
    check_file("results/jobs.csv", "a trace");
    assert_false(folder_has(folder, "results/.rubato-results"));
}

IN_FOLDER(a_marked_folder_with_anything_else_is_refused)
{
    run(false, "first");
    end();
    (void)folder_write(folder, "results/notes.txt", "mine");
    (void)folder_write(folder, "results/more.txt", "mine");
    check_foreign("more.txt");
    assert_int_equal(unlink(folder_file(folder, "results/more.txt")), 0);
    check_foreign("notes.txt");
    assert_int_equal(unlink(folder_file(folder, "results/notes.txt")), 0);
    assert_int_equal(mkdir(folder_file(folder, "results/old"), 0777), 0);
    check_foreign("old");
    check_file("results/jobs.csv", "first");
}

IN_FOLDER(a_name_that_a_terminal_would_obey_is_not_printed_as_it_is)
{
    make_results();
    (void)folder_write(folder, "results/\033c", "mine");
    check_foreign("?c");
}

IN_FOLDER(other_files_stay_even_if_it_is_forced)
{
    make_results();
    (void)folder_write(folder, "results/notes.txt", "mine");
    (void)folder_write(folder, "results/jobs.csv", "older");
    run(true, "forced");
    end();
    check_file("results/notes.txt", "mine");
    check_file("results/jobs.csv", "forced");
    run(true, "again");
    result_folder_destroy(&results);
    check_file("results/notes.txt", "mine");
    check_file("results/jobs.csv", "forced");
}

IN_FOLDER(results_of_a_version_without_a_marker_are_known_by_their_summary)
{
    make_results();
    (void)folder_write(folder, "results/jobs.csv", "older");
    (void)folder_write(folder, "results/summary.json", "{\n  \"name\": \"other\"\n}\n");
    check_foreign("jobs.csv");
    (void)folder_write(folder, "results/summary.json", "{\n  \"schema_version\": 1,\n");
    (void)folder_write(folder, "results/notes.txt", "mine");
    check_foreign("notes.txt");
    assert_int_equal(unlink(folder_file(folder, "results/notes.txt")), 0);
    run(false, "newer");
    end();
    check_file("results/jobs.csv", "newer");
    assert_true(folder_has(folder, "results/.rubato-results"));
}

IN_FOLDER(a_folder_keeps_its_mode_its_links_and_who_stands_in_it)
{
    struct stat before;
    struct stat after;
    char *here = getcwd(NULL, 0);

    assert_int_equal(mkdir(folder_file(folder, "elsewhere"), 0750), 0);
    assert_int_equal(symlink("elsewhere", folder_file(folder, "results")), 0);
    run(false, "first");
    end();
    run(false, "second");
    end();
    assert_int_equal(lstat(folder_file(folder, "results"), &after), 0);
    assert_true(S_ISLNK(after.st_mode));
    assert_int_equal(stat(folder_file(folder, "elsewhere"), &before), 0);
    assert_int_equal(before.st_mode & 07777, 0750);
    check_file("elsewhere/jobs.csv", "second");

    assert_int_equal(chdir(folder_file(folder, "elsewhere")), 0);
    run(false, "third");
    end();
    assert_int_equal(stat(".", &after), 0);
    assert_int_equal(access("jobs.csv", R_OK), 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(after.st_ino, before.st_ino);
    check_file("elsewhere/jobs.csv", "third");
    assert_int_equal(folder_count(folder), 2);
    free(here);
}

IN_FOLDER(a_draft_of_a_living_run_stays)
{
    char name[128];
    result_folder_t *other;

    run(false, "kept");
    other = results;
    start(false);
    (void)snprintf(name, sizeof(name), "%s/jobs.csv",
                   strstr(result_folder_stage(other), "results/"));
    check_file(name, "kept");
    result_folder_destroy(&results);
    results = other;
    end();
    check_file("results/jobs.csv", "kept");
}

IN_FOLDER(a_folder_of_results_may_lie_in_another_one)
{
    results = result_folder_open(folder_file(folder, "results/of/ef"), false, &error);
    assert_non_null(results);
    end();
    results = result_folder_open(folder_file(folder, "results/of"), false, &error);
    assert_non_null(results);
    end();
    run(false, "above");
    end();
    assert_true(folder_has(folder, "results/of/ef/.rubato-results"));
}

IN_FOLDER(an_input_is_not_overwritten_even_if_it_is_forced)
{
    input_t *input;

    run(false, "first");
    end();
    input = input_open(folder_file(folder, "results/jobs.csv"), &error);
    input_destroy(&input);
    check_refused("results/jobs.csv: is an input too, and would be overwritten");
    assert_null(result_folder_open(folder_file(folder, "results"), true, &error));
    check_file("results/jobs.csv", "first");
}

IN_FOLDER(a_folder_with_the_name_of_a_result_is_refused)
{
    assert_int_equal(output_make_folder(folder_file(folder, "results/jobs.csv"), &error), 2);
    assert_null(result_folder_open(folder_file(folder, "results"), true, &error));
    assert_non_null(strstr(error.text, "results/jobs.csv: cannot be written: Is a directory"));
    assert_false(folder_has(folder, stage));
}

/* Fails to end, for `words`; the files stay in the stage, which `error` names. */
static void check_kept(const char *words)
{
    char name[128];

    assert_int_equal(result_folder_commit(results, &error), -1);
    result_folder_keep(results, &error);
    result_folder_destroy(&results);
    if (!strstr(error.text, words))
        fail_msg("expected \"%s\", found \"%s\"", words, error.text);
    assert_non_null(strstr(error.text, "; what the run has written stays in "));
    assert_non_null(strstr(error.text, folder_file(folder, stage)));
    (void)snprintf(name, sizeof(name), "%s/jobs.csv", stage);
    check_file(name, "kept");
    (void)snprintf(name, sizeof(name), "%s/summary.json", stage);
    check_file(name, "kept");
}

IN_FOLDER(what_appears_meanwhile_is_not_overwritten)
{
    run(false, "kept");
    (void)folder_write(folder, "results/summary.json", "mine");
    check_kept("results/summary.json: appeared during the run, and is not replaced");
    check_file("results/summary.json", "mine");
    assert_false(folder_has(folder, "results/jobs.csv"));
}

IN_FOLDER(what_is_changed_meanwhile_is_not_overwritten)
{
    run(false, "first");
    end();
    run(false, "kept");
    (void)folder_write(folder, "copy", "mine");
    assert_int_equal(rename(folder_file(folder, "copy"), folder_file(folder, "results/jobs.csv")),
                     0);
    check_kept("results/jobs.csv: was changed during the run, and is not replaced");
    check_file("results/jobs.csv", "mine");
    check_file("results/summary.json", "first");
}

IN_FOLDER(of_two_runs_at_a_time_the_second_to_end_is_kept_aside)
{
    result_folder_t *other;

    run(false, "kept");
    other = results;
    start(false);
    write_file(RESULT_JOBS, "first");
    end();
    results = other;
    check_kept("results/jobs.csv: appeared during the run, and is not replaced");
    check_file("results/jobs.csv", "first");
}

IN_FOLDER(what_was_kept_aside_stays_when_later_runs_come)
{
    char name[128];

    run(false, "kept");
    (void)folder_write(folder, "results/jobs.csv", "mine");
    check_kept("appeared");
    assert_int_equal(unlink(folder_file(folder, "results/jobs.csv")), 0);
    run(false, "later");
    end();
    check_file("results/jobs.csv", "later");
    (void)snprintf(name, sizeof(name), "%s/jobs.csv", stage);
    check_file(name, "kept");
}

IN_FOLDER(a_result_file_that_is_a_link_or_a_fifo_stays)
{
    struct stat status;
    char text[16] = "";
    int fifo;

    run(false, "first");
    end();
    (void)folder_write(folder, "elsewhere", "older");
    assert_int_equal(unlink(folder_file(folder, "results/jobs.csv")), 0);
    assert_int_equal(symlink("../elsewhere", folder_file(folder, "results/jobs.csv")), 0);
    assert_int_equal(unlink(folder_file(folder, "results/summary.json")), 0);
    assert_int_equal(mkfifo(folder_file(folder, "results/summary.json"), 0600), 0);
    assert_int_equal(symlink("/dev/null", folder_file(folder, "results/leases.csv")), 0);
    fifo = open(folder_file(folder, "results/summary.json"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    run(false, "second");
    end();
    check_file("elsewhere", "second");
    assert_int_equal(read(fifo, text, sizeof(text)), 6);
    assert_string_equal(text, "second");
    assert_int_equal(close(fifo), 0);
    assert_int_equal(lstat(folder_file(folder, "results/jobs.csv"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(folder_file(folder, "results/summary.json"), &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(lstat(folder_file(folder, "results/leases.csv"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
