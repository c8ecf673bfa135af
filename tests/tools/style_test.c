/* style_test.c - styles of series: one policy has one style, and all can be told apart in grey. */
#include "scheduler/policies/policy.h"
#include "tests/support/test.h"
#include "tools/figure/style.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What a figure of the paper shows, in the order of its bars. */
static const char *const of_paper[] = {"edf",     "gandiva", "dlas-gpu",      "themis",
                                       "chronus", "Pollux",  "ef-accessctrl", "rubato"};

static double lightness_apart(const struct style *a, const struct style *b)
{
    return fabs(style_lightness(a) - style_lightness(b));
}

static bool same_dashes(const struct style *a, const struct style *b)
{
    for (int i = 0; i < STYLE_DASHES; i++)
        if (a->dashes[i] != b->dashes[i])
            return false;
    return true;
}

TEST(black_is_0_and_white_is_100)
{
    const struct style black = {.red = 0};
    const struct style white = {.red = 1, .green = 1, .blue = 1};
    const struct style grey = {.red = 119.0 / 255, .green = 119.0 / 255, .blue = 119.0 / 255};

    assert_true(fabs(style_lightness(&black)) < 1e-9);
    assert_true(fabs(style_lightness(&white) - 100) < 1e-3);
    assert_true(fabs(style_lightness(&grey) - 50.03) < 0.02); /* sRGB 119 is L* 50.03 */
}

/* The eye tells apart a step of some 2; all steps are larger, those of the paper's series far so,
 * and neighbours among these still more. */
TEST(lightness_tells_series_apart)
{
    const struct style *styles[COUNT(of_paper)];

    styles_of(of_paper, COUNT(of_paper), styles);
    for (size_t i = 0; i < COUNT(of_paper); i++) {
        for (size_t k = 0; k < i; k++)
            assert_true(lightness_apart(styles[i], styles[k]) > 9);
        assert_true(i == 0 || lightness_apart(styles[i], styles[i - 1]) > 30);
        assert_true(style_lightness(styles[i]) < 92); /* on white */
    }
    for (size_t i = 0; i < STYLES_MAX; i++)
        for (size_t k = 0; k < i; k++) {
            const char *names[2];
            const struct style *a = style_at(i, &names[0]);
            const struct style *b = style_at(k, &names[1]);

            assert_true(lightness_apart(a, b) > (names[0] && names[1] ? 4 : 2));
        }
}

/* Also where a printer knows black and white only. */
TEST(patterns_tell_series_apart)
{
    for (size_t i = 0; i < STYLES_MAX; i++)
        for (size_t k = 0; k < i; k++) {
            const char *names[2];
            const struct style *a = style_at(i, &names[0]);
            const struct style *b = style_at(k, &names[1]);

            assert_false(same_dashes(a, b));
            assert_false(a->hatch == b->hatch && a->apart == b->apart);
            if (names[0] && names[1])
                assert_false(a->marker == b->marker && a->hollow == b->hollow);
        }
}

TEST(every_policy_has_a_style_of_its_own)
{
    for (const char *const *name = policy_names(); *name; name++) {
        bool found = false;

        for (size_t i = 0; i < STYLES_MAX; i++) {
            const char *policy;

            (void)style_at(i, &policy);
            found |= policy && !strcmp(policy, policy_find(*name)->name);
        }
        if (!found)
            fail_msg("policy %s has no row", *name);
    }
}

TEST(a_policy_has_one_style_whatever_is_beside_it)
{
    const char *const some[] = {"exec:./mine.py", "edf", "rubato"};
    const char *const others[] = {"rubato", "exec:./mine.py"};
    const char *const alone[] = {"edf"};
    const struct style *first[3];
    const struct style *second[2];
    const struct style *third[1];

    styles_of(some, 3, first);
    styles_of(others, 2, second);
    styles_of(alone, 1, third);
    assert_ptr_equal(first[2], second[0]);
    assert_ptr_equal(first[0], second[1]);
    assert_ptr_equal(first[1], third[0]);
}

TEST(no_two_series_of_a_figure_share_a_style)
{
    static char texts[STYLES_MAX][32];
    const char *names[STYLES_MAX];
    const struct style *styles[STYLES_MAX];

    for (size_t i = 0; i < STYLES_MAX; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "exec:./policy%zu.py", i);
        names[i] = texts[i];
    }
    styles_of(names, STYLES_MAX, styles);
    for (size_t i = 0; i < STYLES_MAX; i++)
        for (size_t k = 0; k < i; k++)
            assert_ptr_not_equal(styles[i], styles[k]);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
