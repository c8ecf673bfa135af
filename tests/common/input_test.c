/* input_test.c - the bytes of a file, plain or compressed, and none of a file that lies about
 * itself. The compressed files are made by the command line tools; where one is missing its test is
 * reported as skipped. */
#include "common/input.h"
#include "common/memory.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* All of the file, `length` bytes; NULL with `error`. Reads a few bytes at a time. */
static char *read_all(const char *path, size_t *length)
{
    input_t *input = input_open(path, &error);
    char *bytes = NULL;
    size_t capacity = 0;
    long got = input ? 1 : -1;

    *length = 0;
    while (got > 0) {
        if (*length + 1000 > capacity) {
            capacity = 2 * capacity + 1000;
            bytes = xrealloc(bytes, capacity);
        }
        got = input_read(input, bytes + *length, 1000, &error);
        *length += got > 0 ? (size_t)got : 0;
    }
    input_destroy(&input);
    if (got == 0)
        return bytes ? bytes : xcalloc(1, 1);
    free(bytes);
    return NULL;
}

/* Runs a command in the folder; skips the test if the tool is not there. */
static void make_with(const char *tool, const char *command)
{
    char line[4400];

    (void)snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", tool);
    if (system(line) != 0) /* NOLINT: a fixed command */
        skip();
    (void)snprintf(line, sizeof(line), "cd %s && %s", folder_path(folder), command);
    assert_int_equal(system(line), 0); /* NOLINT */
}

static const char *write_numbers(void)
{
    static char text[60000];
    size_t length = 0;

    for (int i = 0; length + 16 < sizeof(text); i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%d\n", i * 7919 % 10007);
    (void)folder_write(folder, "numbers", text);
    return text;
}

static void check_compressed(const char *tool, const char *command)
{
    const char *text = write_numbers();
    size_t length = 0;
    char *read;

    make_with(tool, command);
    read = read_all(folder_file(folder, "compressed"), &length);
    if (!read)
        fail_msg("%s", error.text);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(read, text, length);
    free(read);
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, drop_folder)

IN_FOLDER(a_plain_file_is_read_as_it_is)
{
    const char *text = write_numbers();
    size_t length = 0;
    char *read = read_all(folder_file(folder, "numbers"), &length);

    assert_non_null(read);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(read, text, length);
    free(read);
}

IN_FOLDER(an_empty_file_has_no_bytes)
{
    size_t length = 1;
    char *read = read_all(folder_write(folder, "empty", ""), &length);

    assert_non_null(read);
    assert_int_equal(length, 0);
    free(read);
}

/* Whatever they are called: the first bytes tell. */
IN_FOLDER(a_gzip_file_is_decompressed)
{
    check_compressed("gzip", "gzip -c numbers >compressed");
}

IN_FOLDER(a_zstd_file_is_decompressed)
{
    check_compressed("zstd", "zstd -q -c numbers >compressed");
}

IN_FOLDER(an_xz_file_is_decompressed)
{
    check_compressed("xz", "xz -c numbers >compressed");
}

IN_FOLDER(a_bzip2_file_is_decompressed)
{
    check_compressed("bzip2", "bzip2 -c numbers >compressed");
}

IN_FOLDER(a_file_that_begins_like_a_compressed_one_is_not_taken_for_text)
{
    size_t length;

    assert_null(read_all(folder_write(folder, "zst", "(\xb5/\xfd, no frame"), &length));
    assert_non_null(strstr(error.text, "zst: cannot decompress"));
}

IN_FOLDER(a_damaged_compressed_file_is_refused)
{
    size_t length;

    (void)write_numbers();
    make_with("gzip", "gzip -c numbers | head -c 5000 >compressed");
    assert_null(read_all(folder_file(folder, "compressed"), &length));
    assert_non_null(strstr(error.text, "compressed: cannot decompress"));
}

/* 128 MiB of zeros in some 130 kB. */
IN_FOLDER(a_decompression_bomb_is_refused)
{
    size_t length;

    make_with("gzip", "head -c 134217728 /dev/zero | gzip -9 -c >bomb");
    assert_null(read_all(folder_file(folder, "bomb"), &length));
    assert_non_null(strstr(error.text, "bomb: refused, it decompresses to more than 200 times"));
}

IN_FOLDER(a_file_that_cannot_be_opened_is_named)
{
    size_t length;

    assert_null(read_all(folder_file(folder, "none"), &length));
    assert_non_null(strstr(error.text, "none: cannot be read: No such file"));
    assert_null(read_all(folder_path(folder), &length));
    assert_non_null(strstr(error.text, "is a folder, expected a file"));
}

static void check_utf8(const char *text, size_t length, size_t valid)
{
    assert_int_equal(input_valid_utf8(text, length), valid);
}

TEST(utf8_is_valid_up_to_the_first_byte_that_is_none)
{
    check_utf8("", 0, 0);
    check_utf8("plain", 5, 5);
    check_utf8("a\xc3\xa9z", 4, 4);
    check_utf8("\xe2\x82\xac\xf0\x9f\x8e\xbb", 7, 7);
    check_utf8("ab\xff", 3, 2);
    check_utf8("ab\xc3", 3, 2);
    check_utf8("ab\xc3(", 4, 2);
    check_utf8("\xed\xa0\x80", 3, 0);
    check_utf8("\xe0\x9f\x80", 3, 0);
    check_utf8("\xf0\x8f\x80\x80", 4, 0);
    check_utf8("\xf4\x90\x80\x80", 4, 0);
    check_utf8("\xf5\x80\x80\x80", 4, 0);
}

static void check_shown(const char *text, const char *expected)
{
    char shown[64];

    assert_int_equal(input_printable(shown, sizeof(shown), text, strlen(text)), strlen(text));
    assert_string_equal(shown, expected);
}

TEST(what_a_terminal_would_obey_is_not_shown)
{
    char shown[8];

    check_shown("plain \xc3\xa9 \xe2\x82\xac", "plain \xc3\xa9 \xe2\x82\xac");
    check_shown("\x1b[31m\x07\x7f", "?[31m??");
    check_shown("\xc2\x9b!", "?!"); /* C1: as dangerous as an escape */
    check_shown("a\xe2\x80\xae"
                "b",
                "a?b"); /* turns the direction of writing */
    check_shown("a\xd8\x9c"
                "b",
                "a?b");
    check_shown("a\xe2\x81\xa6\xff"
                "b",
                "a??b");
    assert_int_equal(input_printable(shown, sizeof(shown), "too long for it", 15), 7);
    assert_string_equal(shown, "too lon");
    assert_int_equal(input_printable(shown, sizeof(shown), "123456\xe2\x82\xac", 9), 6);
    assert_string_equal(shown, "123456"); /* half a character is none */
}

static void check_lines(const char *text, const char *expected)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);

    assert_non_null(out);
    input_show(text, strlen(text), out);
    (void)fclose(out);
    assert_string_equal(shown, expected);
    free(shown);
}

TEST(lines_are_shown_with_what_a_terminal_would_obey_spelled_out)
{
    check_lines("", "");
    check_lines("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\ttwo\n",
                "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\ttwo\n");
    check_lines("\x1b]0;title\x07 \r\x7f", "\\u001b]0;title\\u0007 \\u000d\\u007f");
    check_lines("\xc2\x9b!\xd8\x9c", "\\u009b!\\u061c");
    check_lines("\xe2\x80\xae\xe2\x81\xa6", "\\u202e\\u2066");
    check_lines("a\x9b\xff\xe2\x80", "a\\x9b\\xff\\xe2\\x80");
}

static void check_bytes(const char *bytes, size_t length, const char *expected)
{
    const char *path = folder_write_bytes(folder, "marked", bytes, length);
    size_t found;
    char *text = read_all(path, &found);

    assert_non_null(text);
    assert_int_equal(found, strlen(expected));
    assert_memory_equal(text, expected, found);
    free(text);
}

IN_FOLDER(a_byte_order_mark_is_no_part_of_the_text)
{
    check_bytes("\xef\xbb\xbfname", 7, "name");
    check_bytes("\xef\xbb\xbf", 3, "");
    check_bytes("\xef\xbb\xbf\xef\xbb\xbf", 6, "\xef\xbb\xbf");
    check_bytes("\xef\xbb", 2, "\xef\xbb");
    check_bytes("\xef", 1, "\xef");
}

IN_FOLDER(text_of_wide_characters_is_named)
{
    static const char *const texts[] = {"\xff\xfe"
                                        "a\0b\0",
                                        "\xfe\xff"
                                        "\0a\0b",
                                        "a\0b\0", "\0a\0b"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *path = folder_write_bytes(folder, "wide", texts[i], i < 2 ? 6 : 4);
        size_t length;

        assert_null(read_all(path, &length));
        assert_non_null(strstr(error.text, "wide: expected text in UTF-8, found UTF-16"));
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
