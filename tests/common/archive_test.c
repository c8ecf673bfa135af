/* archive_test.c - what is written is read back as it was, and nothing else is taken for it. */
#include "common/archive.h"
#include "tests/support/test.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum colour { RED, GREEN };

struct values {
    bool flag;
    int whole;
    enum colour colour;
    int64_t time_s;
    uint64_t number;
    double real;
    double none;
    char text[8];
};

static void archive_values(struct archive *archive, struct values *values)
{
    ARCHIVE(archive, &values->flag);
    ARCHIVE(archive, &values->whole);
    ARCHIVE(archive, &values->colour);
    ARCHIVE(archive, &values->time_s);
    ARCHIVE(archive, &values->number);
    ARCHIVE(archive, &values->real);
    ARCHIVE(archive, &values->none);
    archive_text(archive, values->text, sizeof(values->text));
}

static const struct values some = {true,       -1,   GREEN,       INT64_MIN,
                                   UINT64_MAX, -0.1, (double)NAN, "a b"};
static const struct values others = {false, INT_MAX, RED, 0, 0, 0, (double)INFINITY, ""};

static void check(const struct values *written)
{
    struct values values = *written;
    struct values back = {0};
    struct archive archive = archive_writing();
    struct archive reading;

    archive_values(&archive, &values);
    reading = archive_reading(archive.bytes, archive.used);
    archive_values(&reading, &back);
    assert_true(archive_is_over(&reading));
    assert_int_equal(back.flag, written->flag);
    assert_int_equal(back.whole, written->whole);
    assert_int_equal(back.colour, written->colour);
    assert_true(back.time_s == written->time_s && back.number == written->number);
    assert_memory_equal(&back.real, &written->real, sizeof(back.real));
    assert_memory_equal(&back.none, &written->none, sizeof(back.none));
    assert_string_equal(back.text, written->text);
    for (size_t length = 0; length < archive.used; length++) {
        reading = archive_reading(archive.bytes, length);
        archive_values(&reading, &back);
        assert_true(reading.broken);
    }
    archive_free(&archive);
}

TEST(values_come_back)
{
    check(&some);
    check(&others);
}

static bool is_bool(const char *text)
{
    struct archive archive = archive_reading(text, strlen(text));
    bool value = true;

    archive_bool(&archive, &value);
    assert_true(archive_is_over(&archive) || archive.at < archive.length || !value);
    return archive_is_over(&archive);
}

TEST(what_is_no_word_is_not_taken)
{
    static const char *const wrong[] = {"",   " ", "1", "2 ", "x ", "1x ", "11111111111111111 ",
                                        "1 1"};

    assert_true(is_bool("0 ") && is_bool("1 "));
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(is_bool(wrong[i]));
}

TEST(a_count_is_within_its_bounds)
{
    struct archive archive = archive_reading("5 5 1 ", 6);

    assert_int_equal(archive_count(&archive, 0, 5), 5);
    assert_int_equal(archive_count(&archive, 0, 4), 0);
    assert_true(archive.broken);
    assert_int_equal(archive_count(&archive, 0, 5), 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
