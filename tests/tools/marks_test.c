/* marks_test.c - bars and curves of characters, in Unicode and in ASCII. */
#include "tests/support/test.h"
#include "tools/picture/marks.h"

static char text[MARKS_BYTES];

static const char *bar(double share, int cells, bool unicode)
{
    marks_bar(share, cells, unicode, text);
    return text;
}

TEST(a_bar_has_eighths_of_a_cell)
{
    assert_string_equal(bar(0, 4, true), "    ");
    assert_string_equal(bar(1, 4, true), "████");
    assert_string_equal(bar(0.5, 4, true), "██  ");
    assert_string_equal(bar(0.53125, 4, true), "██▏ ");
    assert_string_equal(bar(0.0001, 4, true), "▏   "); /* seen */
    assert_string_equal(bar(7, 2, true), "██");
    assert_string_equal(bar(-7, 2, true), "  ");
    assert_string_equal(bar(0.5, 4, false), "##  ");
    assert_string_equal(bar(0.0001, 4, false), "#   ");
}

TEST(a_curve_is_as_high_as_its_values)
{
    static const double values[] = {0, 0.1, 4, 8};

    marks_curve(values, 4, 8, true, text);
    assert_string_equal(text, " ▁▄█");
    marks_curve(values, 4, 8, false, text);
    assert_string_equal(text, " .=@");
    marks_curve((const double[]){0.5 + 1e-15, 1e-300, -1, 1e300}, 4, 1, true, text);
    assert_string_equal(text, "▄▁ █");
    marks_curve(values, 4, 0, true, text);
    assert_string_equal(text, "    ");
    marks_curve(values, 0, 8, true, text);
    assert_string_equal(text, "");
}

TEST(each_doubling_of_gpus_is_a_step)
{
    assert_string_equal(marks_gpus(0, true), " ");
    assert_string_equal(marks_gpus(0.5, true), "▁");
    assert_string_equal(marks_gpus(1, true), "▁");
    assert_string_equal(marks_gpus(2, true), "▂");
    assert_string_equal(marks_gpus(64, true), "▇");
    assert_string_equal(marks_gpus(4096, true), "█");
    assert_string_equal(marks_gpus(4, false), "-");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
