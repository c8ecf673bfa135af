/* output_test.c - a file appears whole or not at all. */
#include "common/input.h"
#include "common/output.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder_t *folder;
static struct error error;

FIXTURE(make_folder)
{
    folder = folder_new();
    return 0;
}

FIXTURE(drop_folder)
{
    folder_destroy(&folder);
    return 0;
}

static void check_file(const char *name, const char *expected)
{
    char *text = folder_read(folder, name);

    assert_string_equal(text, expected);
    free(text);
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, drop_folder)

IN_FOLDER(a_file_gets_its_name_when_it_is_committed)
{
    output_t *output = output_new(folder_file(folder, "result"), &error);

    assert_non_null(output);
    output_text(output, "whole");
    assert_false(folder_has(folder, "result"));
    assert_int_equal(folder_count(folder), 1);
    assert_int_equal(output_commit(&output, &error), 0);
    assert_null(output);
    check_file("result", "whole");
    assert_int_equal(folder_count(folder), 1);
}

static int claim(const char *name, bool forced)
{
    output_t *output = output_new(folder_file(folder, name), &error);
    int status;

    assert_non_null(output);
    status = output_claim(output, forced, &error);
    output_destroy(&output);
    return status;
}

IN_FOLDER(a_name_that_a_file_has_is_claimed_by_force_alone)
{
    assert_int_equal(claim("result", false), 0);
    folder_write(folder, "result", "older");
    assert_int_equal(claim("result", false), -1);
    assert_non_null(strstr(error.text, "/result: is there already; name another file, or say "));
    assert_int_equal(claim("result", true), 0);
    check_file("result", "older");
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(a_file_that_is_given_up_leaves_nothing)
{
    output_t *output = output_new(folder_file(folder, "result"), &error);

    assert_non_null(output);
    output_text(output, "half");
    output_destroy(&output);
    assert_null(output);
    output_destroy(&output);
    assert_int_equal(folder_count(folder), 0);
}

IN_FOLDER(an_older_file_stays_until_the_new_one_is_whole)
{
    output_t *output;

    output = output_new(folder_write(folder, "result", "old"), &error);
    output_text(output, "new");
    check_file("result", "old");
    assert_int_equal(output_commit(&output, &error), 0);
    check_file("result", "new");
}

IN_FOLDER(a_file_that_is_lent_is_written_where_it_stands_and_stays_open)
{
    const char *path = folder_write(folder, "lent", "before and after");
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    output_t *output;

    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
    output = output_on(fd, "it");
    output_text(output, "AND");
    assert_int_equal(output_commit(&output, &error), 0);
    assert_null(output);
    output = output_on(fd, "it");
    output_text(output, "lost");
    output_destroy(&output);
    assert_int_equal(close(fd), 0);
    check_file("lent", "before AND after");
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(a_file_that_is_lent_and_cannot_be_written_is_told)
{
    const int fd = open(folder_write(folder, "lent", ""), O_RDONLY | O_CLOEXEC);
    output_t *output = output_on(fd, "it");

    output_text(output, "lost");
    assert_int_equal(output_commit(&output, &error), -1);
    assert_string_equal(error.text, "it: cannot be written: Bad file descriptor");
    assert_int_equal(close(fd), 0);
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(numbers_are_written_in_full)
{
    output_t *output = output_new(folder_file(folder, "numbers"), &error);

    output_whole(output, 0);
    output_char(output, ' ');
    output_whole(output, INT64_MAX);
    output_char(output, ' ');
    output_whole(output, INT64_MIN);
    output_format(output, " %.3f", 0.25);
    output_bytes(output, " end and more", 4);
    assert_int_equal(output_commit(&output, &error), 0);
    check_file("numbers", "0 9223372036854775807 -9223372036854775808 0.250 end");
}

IN_FOLDER(what_is_longer_than_the_buffer_is_written_too)
{
    const size_t length = 300000;
    char *text = malloc(length + 1);
    output_t *output = output_new(folder_file(folder, "long"), &error);

    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + i % 23);
    text[length] = '\0';
    output_bytes(output, text, 200000);
    for (size_t i = 200000; i < length; i++)
        output_char(output, text[i]);
    assert_int_equal(output_commit(&output, &error), 0);
    check_file("long", text);
    free(text);
}

IN_FOLDER(a_folder_that_is_not_there_cannot_be_written)
{
    assert_null(output_new(folder_file(folder, "none/result"), &error));
    assert_non_null(strstr(error.text, "none/result: cannot be written: No such file"));
}

IN_FOLDER(a_folder_without_permission_cannot_be_written)
{
    if (geteuid() == 0)
        skip(); /* root may write everywhere */
    assert_int_equal(chmod(folder_path(folder), 0500), 0);
    assert_null(output_new(folder_file(folder, "result"), &error));
    assert_non_null(strstr(error.text, "cannot be written: Permission denied"));
    assert_int_equal(chmod(folder_path(folder), 0700), 0);
}

IN_FOLDER(a_folder_is_no_file_to_write)
{
    assert_int_equal(output_make_folder(folder_file(folder, "result/inside"), &error), 2);
    assert_null(output_new(folder_file(folder, "result"), &error));
    assert_non_null(strstr(error.text, "result: cannot be written: Is a directory"));
    assert_int_equal(folder_count(folder), 1);
}

/* A folder comes to stand where the file is to be. */
IN_FOLDER(a_whole_file_whose_name_is_taken_meanwhile_is_kept_aside)
{
    output_t *output = output_new(folder_file(folder, "result"), &error);
    char aside[64];

    assert_non_null(output);
    output_text(output, "whole");
    assert_int_equal(output_make_folder(folder_file(folder, "result/inside"), &error), 2);
    assert_int_equal(output_commit(&output, &error), -1);
    assert_null(output);
    assert_non_null(strstr(error.text, "result: cannot be written: Is a directory; "));
    (void)snprintf(aside, sizeof(aside), "result.%ld.tmp", (long)getpid());
    assert_string_equal(strstr(error.text, "the whole file is in ") + 21,
                        folder_file(folder, aside));
    check_file(aside, "whole");
    assert_int_equal(folder_count(folder), 2);
}

IN_FOLDER(a_file_under_the_temporary_name_is_left_alone)
{
    output_t *output;
    char aside[64];

    (void)snprintf(aside, sizeof(aside), "result.%ld.tmp", (long)getpid());
    (void)folder_write(folder, aside, "foreign");
    output = output_new(folder_file(folder, "result"), &error);
    assert_non_null(output);
    output_text(output, "whole");
    assert_int_equal(output_commit(&output, &error), 0);
    check_file("result", "whole");
    check_file(aside, "foreign");
    assert_int_equal(folder_count(folder), 2);
}

static void write_to(const char *path, const char *text)
{
    output_t *output = output_new(path, &error);

    if (!output)
        fail_msg("%s", error.text);
    output_text(output, text);
    assert_int_equal(output_commit(&output, &error), 0);
}

IN_FOLDER(a_link_stays_and_what_it_leads_to_is_written)
{
    struct stat status;

    (void)folder_write(folder, "old", "old");
    assert_int_equal(mkdir(folder_file(folder, "in"), 0777), 0);
    assert_int_equal(symlink(folder_file(folder, "old"), folder_file(folder, "absolute")), 0);
    assert_int_equal(symlink("../absolute", folder_file(folder, "in/relative")), 0);
    assert_int_equal(symlink("new", folder_file(folder, "in/dangling")), 0);
    write_to(folder_file(folder, "in/relative"), "through two links");
    write_to(folder_file(folder, "in/dangling"), "made");
    check_file("old", "through two links");
    check_file("in/new", "made");
    assert_int_equal(lstat(folder_file(folder, "in/relative"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(folder_file(folder, "absolute"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(folder_count(folder), 3);
}

IN_FOLDER(links_that_lead_nowhere_are_told)
{
    assert_int_equal(symlink("two", folder_file(folder, "one")), 0);
    assert_int_equal(symlink("one", folder_file(folder, "two")), 0);
    assert_null(output_new(folder_file(folder, "one"), &error));
    assert_non_null(strstr(error.text, "one: cannot be written: Too many levels"));
}

IN_FOLDER(a_fifo_is_written_to_and_stays)
{
    const char *path = folder_file(folder, "fifo");
    char text[16] = "";
    struct stat status;
    int end;

    assert_int_equal(mkfifo(path, 0600), 0);
    end = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(end >= 0);
    write_to(path, "piped");
    assert_int_equal(read(end, text, sizeof(text)), 5);
    assert_string_equal(text, "piped");
    assert_int_equal(close(end), 0);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(a_device_is_written_to_and_stays)
{
    struct stat status;

    assert_int_equal(symlink("/dev/null", folder_file(folder, "null")), 0);
    write_to(folder_file(folder, "null"), "nothing");
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(folder_count(folder), 1);
}

/* Such a name leads to an open file, which may have another part before and after this one. */
IN_FOLDER(a_descriptor_of_this_process_is_written_where_it_stands)
{
    const int fd = open(folder_write(folder, "open", "before and after"), O_WRONLY | O_CLOEXEC);
    char path[64];

    assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
    (void)snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    assert_int_equal(symlink(path, folder_file(folder, "link")), 0);
    write_to(folder_file(folder, "link"), "AND");
    assert_int_equal(close(fd), 0);
    check_file("open", "before AND after");
    assert_int_equal(folder_count(folder), 2);
}

IN_FOLDER(a_dash_is_standard_output)
{
    const int fd = open(folder_write(folder, "out", ""), O_WRONLY | O_CLOEXEC);
    const int old = dup(STDOUT_FILENO);
    bool is_stdout[3];

    (void)fflush(stdout);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    write_to("-", "first, ");
    write_to("/dev/stdout", "second");
    is_stdout[0] = output_is_stdout("-");
    is_stdout[1] = output_is_stdout("/dev/stdout");
    is_stdout[2] = output_is_stdout(folder_file(folder, "other"));
    assert_int_equal(dup2(old, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(close(old), 0);
    assert_int_equal(close(fd), 0);
    check_file("out", "first, second");
    assert_true(is_stdout[0] && is_stdout[1]);
    assert_false(is_stdout[2]);
    assert_string_equal(output_name("-"), "standard output");
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(a_file_that_was_read_is_not_written)
{
    input_t *input = input_open(folder_write(folder, "input", "text"), &error);

    assert_non_null(input);
    input_destroy(&input);
    assert_int_equal(symlink("input", folder_file(folder, "link")), 0);
    assert_int_equal(link(folder_file(folder, "input"), folder_file(folder, "hard")), 0);
    assert_null(output_new(folder_file(folder, "input"), &error));
    assert_non_null(strstr(error.text, "input: is an input too, and would be overwritten"));
    assert_null(output_new(folder_file(folder, "link"), &error));
    assert_null(output_new(folder_file(folder, "hard"), &error));
    check_file("input", "text");
    assert_int_equal(folder_count(folder), 3);
    assert_int_equal(unlink(folder_file(folder, "input")), 0); /* it is an input no more */
    write_to(folder_file(folder, "hard"), "new");
    check_file("hard", "new");
}

IN_FOLDER(a_file_keeps_its_permissions)
{
    struct stat status;

    assert_int_equal(chmod(folder_write(folder, "secret", "old"), 0640), 0);
    write_to(folder_file(folder, "secret"), "new");
    assert_int_equal(stat(folder_file(folder, "secret"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    if (geteuid() == 0)
        return; /* root may write everywhere */
    assert_int_equal(chmod(folder_file(folder, "secret"), 0440), 0);
    assert_null(output_new(folder_file(folder, "secret"), &error));
    assert_non_null(strstr(error.text, "secret: cannot be written: Permission denied"));
}

/* The device on which every write fails. */
IN_FOLDER(a_write_that_fails_is_told_at_the_end)
{
    output_t *output;

    if (access("/dev/full", W_OK) != 0)
        skip();
    output = output_new(folder_file(folder, "result"), &error);
    assert_non_null(output);
    for (int fd = 3; fd < 64; fd++) { /* the one that the output opened */
        char path[64];
        char target[4096];
        ssize_t length;

        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        length = readlink(path, target, sizeof(target) - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        if (strstr(target, folder_path(folder))) {
            FILE *full = fopen("/dev/full", "w");

            assert_non_null(full);
            assert_int_equal(dup2(fileno(full), fd), fd);
            (void)fclose(full);
        }
    }
    output_text(output, "lost");
    assert_int_equal(output_commit(&output, &error), -1);
    assert_non_null(strstr(error.text, "No space left"));
    assert_int_equal(folder_count(folder), 0);
}

IN_FOLDER(files_that_are_committed_together_all_get_their_names)
{
    output_t *outputs[] = {output_new(folder_file(folder, "one"), &error),
                           output_new(folder_file(folder, "two"), &error)};

    output_text(outputs[0], "1");
    output_text(outputs[1], "2");
    assert_int_equal(output_commit_all(outputs, 2, &error), 0);
    assert_true(!outputs[0] && !outputs[1]);
    check_file("one", "1");
    check_file("two", "2");
    assert_int_equal(folder_count(folder), 2);
}

IN_FOLDER(none_of_them_does_if_one_cannot_be_written)
{
    output_t *outputs[3];

    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(symlink("/dev/full", folder_file(folder, "full")), 0);
    outputs[0] = output_new(folder_write(folder, "one", "older"), &error);
    outputs[1] = output_new(folder_file(folder, "full"), &error);
    outputs[2] = output_new(folder_file(folder, "two"), &error);
    for (size_t i = 0; i < 3; i++)
        output_text(outputs[i], "new");
    assert_int_equal(output_commit_all(outputs, 3, &error), -1);
    assert_true(!outputs[0] && !outputs[1] && !outputs[2]);
    assert_non_null(strstr(error.text, "full: cannot be written: No space left"));
    check_file("one", "older");
    assert_int_equal(folder_count(folder), 2);
}

IN_FOLDER(folders_are_made_with_those_above_them)
{
    assert_int_equal(output_make_folder(folder_file(folder, "a/b/c"), &error), 3);
    assert_int_equal(output_make_folder(folder_file(folder, "a/b/c"), &error), 0);
    assert_int_equal(output_make_folder(folder_file(folder, "a/b/d/"), &error), 1);
    assert_true(folder_has(folder, "a/b/c"));
    assert_true(folder_has(folder, "a/b/d"));
}

IN_FOLDER(folders_that_were_made_can_be_taken_away_again)
{
    assert_int_equal(output_make_folder(folder_file(folder, "there"), &error), 1);
    assert_int_equal(output_make_folder(folder_file(folder, "there/new//newer/"), &error), 2);
    output_remove_folders(folder_file(folder, "there/new//newer/"), 2);
    assert_true(folder_has(folder, "there"));
    assert_false(folder_has(folder, "there/new"));
}

IN_FOLDER(a_folder_below_a_file_cannot_be_made)
{
    (void)folder_write(folder, "file", "");
    assert_int_equal(output_make_folder(folder_file(folder, "file/below"), &error), -1);
    assert_non_null(strstr(error.text, "the folder cannot be made"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
