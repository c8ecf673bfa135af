/* figure_test.c - a figure of a table is found in its struct and said as text, whatever it is. */
#include "common/figure.h"

#include "tests/support/test.h"

#include <math.h>

enum colour { RED, GREEN };

struct sample {
    bool on;
    int64_t count;
    double share;
    const char *word;
    char name[8];
    enum colour colour;
    int64_t each[2];
    int64_t tenths;
    int64_t list[3];
    int listed;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct figure items[] = {
    {FIGURE(struct sample, on, "on", NULL, "whether it is on")},
    {FIGURE(struct sample, count, "count", "jobs", "how many")},
    {FIGURE(struct sample, share, "share", NULL, "a part")},
    {FIGURE(struct sample, word, "word", NULL, "a text")},
    {FIGURE(struct sample, name, "name", NULL, "a name")},
    {FIGURE_CHOICE(struct sample, colour, "colour", colours, "a choice")},
    {FIGURE_EACH(struct sample, each, "each", colours, NULL, "a number of each")},
    {.kind = FIGURE_KIND_TENTHS, .key = "tenths", .offset = offsetof(struct sample, tenths)},
    {.kind = FIGURE_KIND_LIST,
     .key = "list",
     .offset = offsetof(struct sample, list),
     .length = offsetof(struct sample, listed)},
    FIGURES_END};

static const struct sample sample = {true,  12,     0.1, "text",    "name",
                                     GREEN, {3, 4}, 25,  {7, 8, 9}, 2};

TEST(each_kind_is_said_as_text)
{
    static const char *const said[] = {
        "yes", "12", "0.1", "text", "name", "green", "red 3, green 4", "2.5", "7 8"};
    char text[64];

    for (size_t i = 0; items[i].kind != FIGURE_KIND_END; i++) {
        assert_true(figure_text(&items[i], &sample, text, sizeof(text)));
        assert_string_equal(text, said[i]);
    }
}

TEST(an_unknown_figure_is_no_text)
{
    const struct sample unknown = {.share = NAN};
    char text[64] = "before";

    assert_false(figure_text(&items[2], &unknown, text, sizeof(text)));
    assert_string_equal(text, "");
    assert_false(figure_text(&items[3], &unknown, text, sizeof(text)));
}

TEST(a_text_that_is_too_long_is_cut)
{
    char text[6];

    assert_true(figure_text(&items[6], &sample, text, sizeof(text)));
    assert_string_equal(text, "red 3");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
