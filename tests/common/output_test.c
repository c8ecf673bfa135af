/* output_test.c - a file appears whole or not at all. */
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

static int make_folder(void **state)
{
    (void)state;
    folder = folder_new();
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    folder_destroy(&folder);
    return 0;
}

static void check_file(const char *name, const char *expected)
{
    char *text = folder_read(folder, name);

    assert_string_equal(text, expected);
    free(text);
}

static void a_file_gets_its_name_when_it_is_committed(void **state)
{
    output_t *output = output_new(folder_file(folder, "result"), &error);

    (void)state;
    assert_non_null(output);
    output_text(output, "whole");
    assert_false(folder_has(folder, "result"));
    assert_int_equal(folder_count(folder), 1);
    assert_int_equal(output_commit(&output, &error), 0);
    assert_null(output);
    check_file("result", "whole");
    assert_int_equal(folder_count(folder), 1);
}

static void a_file_that_is_given_up_leaves_nothing(void **state)
{
    output_t *output = output_new(folder_file(folder, "result"), &error);

    (void)state;
    assert_non_null(output);
    output_text(output, "half");
    output_destroy(&output);
    assert_null(output);
    output_destroy(&output);
    assert_int_equal(folder_count(folder), 0);
}

static void an_older_file_stays_until_the_new_one_is_whole(void **state)
{
    output_t *output;

    (void)state;
    output = output_new(folder_write(folder, "result", "old"), &error);
    output_text(output, "new");
    check_file("result", "old");
    assert_int_equal(output_commit(&output, &error), 0);
    check_file("result", "new");
}

static void a_file_that_is_lent_is_written_where_it_stands_and_stays_open(void **state)
{
    const char *path = folder_write(folder, "lent", "before and behind");
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    output_t *output;

    (void)state;
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
    check_file("lent", "before AND behind");
    assert_int_equal(folder_count(folder), 1);
}

static void a_file_that_is_lent_and_cannot_be_written_is_told(void **state)
{
    const int fd = open(folder_write(folder, "lent", ""), O_RDONLY | O_CLOEXEC);
    output_t *output = output_on(fd, "it");

    (void)state;
    output_text(output, "lost");
    assert_int_equal(output_commit(&output, &error), -1);
    assert_string_equal(error.text, "it: cannot be written: Bad file descriptor");
    assert_int_equal(close(fd), 0);
    assert_int_equal(folder_count(folder), 1);
}

static void numbers_are_written_in_full(void **state)
{
    output_t *output = output_new(folder_file(folder, "numbers"), &error);

    (void)state;
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

static void what_is_longer_than_the_buffer_is_written_too(void **state)
{
    const size_t length = 300000;
    char *text = malloc(length + 1);
    output_t *output = output_new(folder_file(folder, "long"), &error);

    (void)state;
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

static void a_folder_that_is_not_there_cannot_be_written(void **state)
{
    (void)state;
    assert_null(output_new(folder_file(folder, "none/result"), &error));
    assert_non_null(strstr(error.text, "none/result: cannot be written: No such file"));
}

static void a_folder_without_permission_cannot_be_written(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may write everywhere */
    assert_int_equal(chmod(folder_path(folder), 0500), 0);
    assert_null(output_new(folder_file(folder, "result"), &error));
    assert_non_null(strstr(error.text, "cannot be written: Permission denied"));
    assert_int_equal(chmod(folder_path(folder), 0700), 0);
}

/* A folder stands where the file is to be. */
static void a_name_that_is_taken_leaves_nothing(void **state)
{
    output_t *output;

    (void)state;
    assert_int_equal(output_make_folder(folder_file(folder, "result/inside"), &error), 2);
    output = output_new(folder_file(folder, "result"), &error);
    assert_non_null(output);
    output_text(output, "whole");
    assert_int_equal(output_commit(&output, &error), -1);
    assert_null(output);
    assert_non_null(strstr(error.text, "result: cannot be written"));
    assert_int_equal(folder_count(folder), 1);
}

/* The device on which every write fails. */
static void a_write_that_fails_is_told_at_the_end(void **state)
{
    output_t *output;

    (void)state;
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

static void folders_are_made_with_those_above_them(void **state)
{
    (void)state;
    assert_int_equal(output_make_folder(folder_file(folder, "a/b/c"), &error), 3);
    assert_int_equal(output_make_folder(folder_file(folder, "a/b/c"), &error), 0);
    assert_int_equal(output_make_folder(folder_file(folder, "a/b/d/"), &error), 1);
    assert_true(folder_has(folder, "a/b/c"));
    assert_true(folder_has(folder, "a/b/d"));
}

static void folders_that_were_made_can_be_taken_away_again(void **state)
{
    (void)state;
    assert_int_equal(output_make_folder(folder_file(folder, "there"), &error), 1);
    assert_int_equal(output_make_folder(folder_file(folder, "there/new//newer/"), &error), 2);
    output_remove_folders(folder_file(folder, "there/new//newer/"), 2);
    assert_true(folder_has(folder, "there"));
    assert_false(folder_has(folder, "there/new"));
}

static void a_folder_below_a_file_cannot_be_made(void **state)
{
    (void)state;
    (void)folder_write(folder, "file", "");
    assert_int_equal(output_make_folder(folder_file(folder, "file/below"), &error), -1);
    assert_non_null(strstr(error.text, "the folder cannot be made"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_file_gets_its_name_when_it_is_committed),
        IN_FOLDER(a_file_that_is_given_up_leaves_nothing),
        IN_FOLDER(an_older_file_stays_until_the_new_one_is_whole),
        IN_FOLDER(a_file_that_is_lent_is_written_where_it_stands_and_stays_open),
        IN_FOLDER(a_file_that_is_lent_and_cannot_be_written_is_told),
        IN_FOLDER(numbers_are_written_in_full),
        IN_FOLDER(what_is_longer_than_the_buffer_is_written_too),
        IN_FOLDER(a_folder_that_is_not_there_cannot_be_written),
        IN_FOLDER(a_folder_without_permission_cannot_be_written),
        IN_FOLDER(a_name_that_is_taken_leaves_nothing),
        IN_FOLDER(a_write_that_fails_is_told_at_the_end),
        IN_FOLDER(folders_are_made_with_those_above_them),
        IN_FOLDER(folders_that_were_made_can_be_taken_away_again),
        IN_FOLDER(a_folder_below_a_file_cannot_be_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
