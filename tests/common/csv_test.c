/* csv_test.c - rows are read whatever tool wrote the file, and a file that is damaged is refused
 * with the place of the damage. */
#include "common/csv.h"
#include "common/rng.h"
#include "tests/support/folder.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static folder_t *folder;
static csv_t *csv;
static struct error error;

FIXTURE(make_folder)
{
    folder = folder_new();
    return 0;
}

FIXTURE(drop_folder)
{
    csv_destroy(&csv);
    folder_destroy(&folder);
    return 0;
}

enum { COLUMN_NAME, COLUMN_SIZE, COLUMN_NOTE };

static const struct csv_column columns[] = {
    [COLUMN_NAME] = {{"name"}, false},
    [COLUMN_SIZE] = {{"size", "extent"}, false},
    [COLUMN_NOTE] = {{"note"}, true},
};

static csv_t *open_bytes(const char *bytes, size_t length)
{
    csv_destroy(&csv);
    csv = csv_open(folder_write_bytes(folder, "t.csv", bytes, length), ',', &error);
    return csv;
}

static void open_text(const char *text)
{
    if (!open_bytes(text, strlen(text)) || csv_expect(csv, columns, COUNT(columns), &error) < 0)
        fail_msg("%s", error.text);
}

static void check_row(const char *name, const char *size, int64_t line)
{
    if (csv_next(csv, &error) != 1)
        fail_msg("no row: %s", error.text);
    assert_string_equal(csv_get(csv, COLUMN_NAME).text, name);
    assert_int_equal(csv_get(csv, COLUMN_NAME).length, strlen(name));
    assert_string_equal(csv_get(csv, COLUMN_SIZE).text, size);
    assert_int_equal(csv_line(csv), line);
}

static void check_end(void)
{
    assert_int_equal(csv_next(csv, &error), 0);
    assert_int_equal(csv_next(csv, &error), 0);
}

/* The complaint names the file, then goes on with `where`, and holds `what`. */
static void check_complaint(const char *where, const char *what)
{
    const size_t path = strlen(folder_file(folder, "t.csv"));

    assert_memory_equal(error.text, folder_file(folder, "t.csv"), path);
    if (strncmp(error.text + path, where, strlen(where)) != 0 || !strstr(error.text, what))
        fail_msg("expected \"...%s\" and \"%s\", found \"%s\"", where, what, error.text);
}

/* Reads to the first row that is refused. */
static void check_refused(const char *bytes, size_t length, const char *where, const char *what)
{
    int got = 1;

    error.text[0] = '\0';
    if (open_bytes(bytes, length)) {
        assert_int_equal(csv_expect(csv, columns, COUNT(columns), &error), 0);
        while (got == 1)
            got = csv_next(csv, &error);
        assert_int_equal(got, -1);
    }
    check_complaint(where, what);
}

#define CHECK_REFUSED(text, where, what) check_refused(text, sizeof(text) - 1, where, what)

#define IN_FOLDER(name) TEST_WITH(name, make_folder, drop_folder)

IN_FOLDER(columns_are_found_by_name_in_any_order)
{
    open_text("colour,size,name\nred,1,a\ngreen,2,b\n");
    check_row("a", "1", 2);
    check_row("b", "2", 3);
    check_end();
    assert_false(csv_has(csv, COLUMN_NOTE));
    assert_int_equal(csv_header_count(csv), 3);
    assert_string_equal(csv_header_name(csv, 0), "colour");
}

IN_FOLDER(of_two_spellings_the_first_wins)
{
    open_text("extent,size,name\n5,1,a\n");
    check_row("a", "1", 2);
    open_text("extent,name\n5,a\n");
    check_row("a", "5", 2);
}

IN_FOLDER(the_marks_of_other_systems_are_no_part_of_the_text)
{
    open_text("\xef\xbb\xbfname,size\r\na,1\r\nb,2");
    check_row("a", "1", 2);
    check_row("b", "2", 3);
    check_end();
}

IN_FOLDER(blank_lines_are_skipped_and_counted)
{
    open_text("\n\r\nname,size\n\n\na,1\n\r\nb,2\n\n");
    check_row("a", "1", 6);
    check_row("b", "2", 8);
    check_end();
}

IN_FOLDER(a_quoted_field_may_hold_what_separates_fields)
{
    open_text("name,size\n\"a,\"\"b\"\"\nc\",1\nd,2\n");
    check_row("a,\"b\"\nc", "1", 2);
    check_row("d", "2", 4);
    check_end();
}

IN_FOLDER(blanks_belong_to_the_field)
{
    open_text("name,size\n a , 1\n");
    check_row(" a ", " 1", 2);
}

IN_FOLDER(a_file_may_be_separated_by_blanks)
{
    csv = csv_open(folder_write(folder, "t.txt", "name size\na 1\n"), ' ', &error);
    assert_non_null(csv);
    assert_int_equal(csv_expect(csv, columns, COUNT(columns), &error), 0);
    check_row("a", "1", 2);
}

IN_FOLDER(utf8_is_text)
{
    open_text("name,size\nf\xc3\xbcr \xe2\x82\xac \xf0\x9f\x8e\xbb,1\n");
    check_row("f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x8e\xbb", "1", 2);
}

IN_FOLDER(a_file_that_is_larger_than_every_buffer_is_read_to_its_end)
{
    const size_t rows = 60000;
    char *text = malloc(rows * 32);
    size_t length = (size_t)sprintf(text, "name,size\n");
    char name[16];

    for (size_t i = 0; i < rows; i++)
        length += (size_t)sprintf(text + length, "row-%zu,%zu\n", i, i);
    assert_non_null(open_bytes(text, length));
    assert_int_equal(csv_expect(csv, columns, COUNT(columns), &error), 0);
    for (size_t i = 0; i < rows; i++) {
        int64_t size = -1;

        (void)snprintf(name, sizeof(name), "row-%zu", i);
        assert_int_equal(csv_next(csv, &error), 1);
        assert_string_equal(csv_get(csv, COLUMN_NAME).text, name);
        assert_int_equal(csv_whole(csv, COLUMN_SIZE, 0, 1000000, &size, &error), 0);
        assert_int_equal(size, i);
    }
    check_end();
    free(text);
}

/* A text of up to seven characters; `quotable` ones may stand between quotes alone. */
static void draw_cell(rng_t *rng, bool quotable, char cell[8])
{
    static const char characters[] = "aZ0 \t'.;,\r\n";
    const size_t count = strlen(characters) - (quotable ? 0 : 3);
    const size_t length = rng_below(rng, 8);

    for (size_t i = 0; i < length; i++)
        cell[i] = characters[rng_below(rng, count)];
    cell[length] = '\0';
}

/* Lines without quotes are split by csv.c itself, the others by libcsv. */
IN_FOLDER(a_cell_reads_the_same_with_and_without_quotes)
{
    enum { ROWS = 500, CELLS = 3 };
    static const char *const line_ends[] = {"\n", "\r\n", "\n\n", "\r\n\r\n"};
    rng_t rng = rng_new(test_seed(), "cells");
    char cells[ROWS][CELLS][8];
    char *text = malloc((size_t)ROWS * 64);
    size_t length = (size_t)sprintf(text, "name,size,note\n");

    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < CELLS; i++) {
            const bool quoted = rng_below(&rng, 6) == 0;
            const char *end = i + 1 < CELLS     ? ","
                              : row + 1 == ROWS ? ""
                                                : line_ends[rng_below(&rng, COUNT(line_ends))];

            draw_cell(&rng, quoted, cells[row][i]);
            length +=
                (size_t)sprintf(text + length, quoted ? "\"%s\"%s" : "%s%s", cells[row][i], end);
        }
    assert_non_null(open_bytes(text, length));
    assert_int_equal(csv_expect(csv, columns, COUNT(columns), &error), 0);
    for (size_t row = 0; row < ROWS; row++) {
        if (csv_next(csv, &error) != 1)
            fail_msg("no row: %s", error.text);
        for (size_t i = 0; i < CELLS; i++) {
            assert_string_equal(csv_get(csv, i).text, cells[row][i]);
            assert_int_equal(csv_get(csv, i).length, strlen(cells[row][i]));
        }
    }
    check_end();
    free(text);
}

IN_FOLDER(a_cell_that_is_no_number_is_named_with_its_place)
{
    int64_t size = 7;

    open_text("name,size\na,1\nb,twelve\n");
    check_row("a", "1", 2);
    assert_int_equal(csv_whole(csv, COLUMN_SIZE, 0, 10, &size, &error), 0);
    check_row("b", "twelve", 3);
    assert_int_equal(csv_whole(csv, COLUMN_SIZE, 0, 10, &size, &error), -1);
    check_complaint(":3: column 2 (size): expected a whole number from 0 to 10", "twelve");
    assert_int_equal(size, 1);
}

IN_FOLDER(no_complaint_carries_what_a_terminal_obeys)
{
    open_text("name,size\na,\x1b[31m0123456789012345678901234567890123456789 and more\n");
    assert_int_equal(csv_next(csv, &error), 1);
    assert_int_equal(csv_complain(csv, COLUMN_SIZE, "a size", &error), -1);
    check_complaint(":2: column 2 (size): expected a size, found", "?[31m0123");
    assert_null(strchr(error.text, '\x1b'));
    assert_null(strstr(error.text, "and more"));
    assert_int_equal(csv_complain_at(csv, 0, "a name", &error), -1);
    check_complaint(":2: column 1 (name): expected a name, found", "\"a\"");
    assert_string_equal(csv_path(csv), folder_file(folder, "t.csv"));
}

IN_FOLDER(a_missing_column_is_named)
{
    assert_non_null(open_bytes("size,note\n1,2\n", 14));
    assert_int_equal(csv_expect(csv, columns, COUNT(columns), &error), -1);
    check_complaint(":1: no column name", "name");
    assert_non_null(open_bytes("name,note\n1,2\n", 14));
    assert_int_equal(csv_expect(csv, columns, COUNT(columns), &error), -1);
    check_complaint(":1: no column size", "extent");
}

IN_FOLDER(a_row_has_as_many_fields_as_the_header)
{
    CHECK_REFUSED("name,size\na,1\nb\n", ":3: ", "columns");
    CHECK_REFUSED("name,size\na,1,2\n", ":2: ", "columns");
}

IN_FOLDER(a_column_name_stands_in_the_header_once)
{
    CHECK_REFUSED("name,size,name\n", ":1: column 3", "column 1");
}

IN_FOLDER(lines_that_begin_with_a_hash_before_the_header_are_skipped)
{
    open_text("# from elsewhere, \"quoted\n#\nname,size\n#1,2\n");
    check_row("#1", "2", 4);
}

IN_FOLDER(a_file_without_a_header_is_refused)
{
    CHECK_REFUSED("", ":1: ", "header");
    CHECK_REFUSED("\n\n", ":1: ", "header");
}

IN_FOLDER(a_quote_that_is_never_closed_is_found_where_it_opens)
{
    CHECK_REFUSED("name,size\na,1\n\"b,2\nc,3\n", ":3: ", "never closed");
    CHECK_REFUSED("name,size\n\"b\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
                  ":2: ", "too many lines");
}

IN_FOLDER(a_quote_inside_a_field_is_refused)
{
    CHECK_REFUSED("name,size\na,1\nb\"c,2\n", ":3: ", "quote");
    CHECK_REFUSED("name,size\n\"a\"b,2\n", ":2: ", "quote");
}

IN_FOLDER(a_nul_byte_is_refused)
{
    CHECK_REFUSED("name,size\na,1\nb\0c,2\n", ":3: ", "NUL");
    CHECK_REFUSED("na\0me,size\n", ":1: ", "NUL");
}

IN_FOLDER(bytes_that_are_no_utf8_are_refused)
{
    static const char *const texts[] = {
        "name,size\na\xff,1\n",
        "name,size\na\xc3,1\n",
        "name,size\na\xc0\xaf,1\n",
        "name,size\na\xe0\x80\xaf,1\n",
        "name,size\na\xed\xa0\x80,1\n",
        "name,size\na\xf4\x90\x80\x80,1\n",
        "name,size\na\xf0\x80\x80\xaf,1\n",
        "name,size\na\x80,1\n",
        "name,size\na\xe2\x82,1\n",
        "name,size\na,1\xe2\x82",
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        check_refused(texts[i], strlen(texts[i]), ":2: ", "UTF-8");
}

IN_FOLDER(a_carriage_return_inside_a_line_is_refused)
{
    CHECK_REFUSED("name,size\na,1\rb,2\n", ":2: ", "carriage return");
}

/* `head`, then as many x as make it `length` bytes, then `tail`; the caller frees it. */
static char *stretch(const char *head, size_t length, const char *tail)
{
    const size_t size = length + strlen(tail) + 1;
    char *text = malloc(size);
    const int used = snprintf(text, size, "%s", head);

    assert_true(used >= 0 && (size_t)used <= length);
    memset(text + used, 'x', length - (size_t)used);
    (void)snprintf(text + length, size - length, "%s", tail);
    return text;
}

IN_FOLDER(a_line_that_is_too_long_is_refused)
{
    char *text = stretch("name,size\n", CSV_LINE_BYTES_MAX + 100, "");

    check_refused(text, strlen(text), ":2: ", "longer than 65536 bytes");
    free(text);
    text = stretch("", CSV_LINE_BYTES_MAX + 100, "");
    check_refused(text, strlen(text), ":1: ", "longer than 65536 bytes");
    free(text);
}

/* Each of its lines is short enough. */
IN_FOLDER(a_row_that_is_too_long_is_refused)
{
    const size_t line = CSV_LINE_BYTES_MAX - 10;
    char *text = stretch("name,size\n\"", 4 * line, "\",1\n");

    for (size_t i = 1; i <= 3; i++)
        text[10 + i * line] = '\n';
    check_refused(text, strlen(text), ":2: ", "longer than 131072 bytes");
    free(text);
}

IN_FOLDER(too_many_columns_are_refused)
{
    char commas[300];
    char text[1000];

    memset(commas, ',', sizeof(commas));
    (void)snprintf(text, sizeof(text), "name,size%.*s\n", (int)CSV_COLUMNS_MAX, commas);
    check_refused(text, strlen(text), ":1: ", "256 columns");
    (void)snprintf(text, sizeof(text), "name,size\n%.*s\n", (int)CSV_COLUMNS_MAX, commas);
    check_refused(text, strlen(text), ":2: ", "256 columns");
}

IN_FOLDER(a_file_that_does_not_exist_is_named)
{
    assert_null(csv_open(folder_file(folder, "none.csv"), ',', &error));
    assert_non_null(strstr(error.text, "none.csv"));
    assert_null(csv_open(folder_path(folder), ',', &error));
    assert_non_null(strstr(error.text, "folder"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
