/* fault_file_test.c - files of faults that are read, and the sentence that each other one gets. */
#include "scheduler/simulate/fault_file.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/bad_input/faults/"

TEST(faults_are_read_in_order)
{
    static const struct fault expected[] = {
        {0, 3, true, false}, {100, 3, false, false}, {100, 0, true, false}, {250, 2, true, false}};
    struct fault_list faults;
    struct error error;

    assert_int_equal(fault_file_read(FOLDER "usual.csv", 4, &faults, &error), 0);
    assert_int_equal(faults.count, COUNT(expected));
    for (size_t i = 0; i < faults.count; i++) {
        assert_int_equal(faults.items[i].at_s, expected[i].at_s);
        assert_int_equal(faults.items[i].node, expected[i].node);
        assert_int_equal(faults.items[i].gone, expected[i].gone);
    }
    fault_list_free(&faults);
}

TEST(columns_are_found_by_name)
{
    struct fault_list faults;
    struct error error;

    assert_int_equal(fault_file_read(FOLDER "other_columns.csv", 2, &faults, &error), 0);
    assert_int_equal(faults.count, 2);
    assert_true(faults.items[1].at_s == 6 && faults.items[1].node == 1 && !faults.items[1].gone);
    fault_list_free(&faults);
}

TEST(nothing_may_happen)
{
    struct fault_list faults;
    struct error error;

    assert_int_equal(fault_file_read(FOLDER "none.csv", 4, &faults, &error), 0);
    assert_int_equal(faults.count, 0);
    fault_list_free(&faults);
}

TEST(a_node_that_is_reserved_is_back)
{
    static const struct fault expected[] = {
        {20, 1, true, false}, {30, 1, false, false}, {50, 0, false, true}, {60, 1, false, true}};
    struct fault_list faults;
    struct error error;

    assert_int_equal(fault_file_read(FOLDER "reserved.csv", 2, &faults, &error), 0);
    assert_int_equal(faults.count, COUNT(expected));
    for (size_t i = 0; i < faults.count; i++) {
        assert_int_equal(faults.items[i].at_s, expected[i].at_s);
        assert_int_equal(faults.items[i].node, expected[i].node);
        assert_int_equal(faults.items[i].gone, expected[i].gone);
        assert_int_equal(faults.items[i].is_back, expected[i].is_back);
    }
    assert_int_equal(faults.reserved_count, 2);
    assert_int_equal(faults.reserved[0].node, 0);
    assert_int_equal(faults.reserved[0].from_s, 10);
    assert_int_equal(faults.reserved[0].to_s, 50);
    fault_list_free(&faults);
}

TEST(what_makes_no_sense_is_refused)
{
    static const char *const refused[][2] = {
        {"empty.csv", ":1: the file is empty, expected a header"},
        {"no_node.csv", ":1: no column node"},
        {"time_fraction.csv", ":2: column 1 (time): expected a whole number from 0 to "
                              "1000000000000, found \"1.5\"; write "
                              "digits alone, without points, commas, blanks or exponents"},
        {"time_falls.csv", ":3: column 1 (time): expected a time that is not before that of the "
                           "last row, 5, found \"4\""},
        {"node_too_large.csv",
         ":2: column 2 (node): expected a whole number from 0 to 3, found \"4\""},
        {"event_unknown.csv",
         ":2: column 3 (event): expected gone, up or reserved, found \"down\""},
        {"reserved_open.csv", ":2: column 4 (until): expected a whole number from 6 to "
                              "1000000000000, found \"\""},
        {"reserved_backwards.csv", ":2: column 4 (until): expected a whole number from 6 to "
                                   "1000000000000, found \"5\""},
        {"gone_twice.csv",
         ":3: column 3 (event): expected up, as the node is gone, found \"gone\""},
        {"up_at_first.csv", ":2: column 3 (event): expected gone, as the node is up, found \"up\""},
    };
    char sentence[400];
    char path[100];

    for (size_t i = 0; i < COUNT(refused); i++) {
        struct fault_list faults;
        struct error error;

        (void)snprintf(path, sizeof(path), FOLDER "%s", refused[i][0]);
        (void)snprintf(sentence, sizeof(sentence), "%s%s", path, refused[i][1]);
        assert_int_equal(fault_file_read(path, 4, &faults, &error), -1);
        assert_string_equal(error.text, sentence);
        assert_null(faults.items);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
