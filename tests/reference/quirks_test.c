/* quirks_test.c - the rules of a run: what may be put right is found by its tag, and nothing else
 * changes. */
#include "scheduler/reference/quirks.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static struct error error;

static void derive(const char *policy, const char *rules, struct variant *derived)
{
    *derived = (struct variant){.policy = {.name = NULL}};
    if (policy_with_rules(policy_find(policy), rules, derived, &error) < 0)
        fail_msg("%s", error.text);
    assert_ptr_equal(derived->policy.rules, derived->policy.rules ? &derived->rules : NULL);
}

/* The policy as the table has it. */
static void take_as_is(const char *policy, struct variant *taken)
{
    const struct policy *found = policy_find(policy);

    *taken = (struct variant){.policy = *found};
    if (found->rules)
        taken->rules = *(const struct reference_rules *)found->rules;
}

static bool same_bytes(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one;
    const unsigned char *b = other;
    size_t at = 0;

    while (at < size && a[at] == b[at])
        at++;
    return at == size;
}

/* Byte by byte, so that no member is forgotten; a copy of a constant has its padding as well. Where
 * the rules are found is another place for each. */
static bool same(const struct variant *one, const struct variant *other)
{
    struct policy a = one->policy;
    struct policy b = other->policy;

    a.rules = b.rules = NULL;
    return same_bytes(&a, &b, sizeof(a)) &&
           same_bytes(&one->rules, &other->rules, sizeof(one->rules));
}

TEST(the_reference_is_the_policy_as_it_is)
{
    for (const char *const *name = policy_names(); *name; name++) {
        struct variant plain;
        struct variant named;
        struct variant taken;

        derive(*name, NULL, &plain);
        derive(*name, "reference", &named);
        take_as_is(*name, &taken);
        assert_true(same(&plain, &taken));
        assert_true(same(&named, &taken));
    }
}

TEST(every_tag_is_unique_and_says_what_it_is)
{
    const struct quirk *quirk;
    const struct quirk *other;

    for (size_t i = 0; (quirk = quirk_at(i)); i++) {
        assert_true(strlen(quirk->summary) > 0);
        assert_true(strlen(quirk->instead) > 0);
        assert_null(strpbrk(quirk->summary, "\"|\n")); /* CSV and Markdown take them as they are */
        assert_null(strpbrk(quirk->instead, "\"|\n"));
        for (size_t k = 0; k < i && (other = quirk_at(k)); k++)
            assert_string_not_equal(quirk->tag, other->tag);
    }
}

static bool is_alias(const char *name)
{
    return strcmp(policy_find(name)->name, name) != 0;
}

TEST(every_clean_rule_changes_every_policy_that_has_the_quirk)
{
    const struct quirk *quirk;

    for (size_t i = 0; (quirk = quirk_at(i)); i++) {
        size_t count = 0;

        for (const char *const *name = policy_names(); *name; name++) {
            struct variant derived;
            struct variant taken;

            if (is_alias(*name))
                continue;
            if (!quirk_is_of(quirk, *name) || !quirk->clean) { /* or it is kept */
                assert_int_equal(
                    policy_with_rules(policy_find(*name), quirk->tag, &derived, &error), -1);
                continue;
            }
            derive(*name, quirk->tag, &derived);
            take_as_is(*name, &taken);
            assert_false(same(&derived, &taken));
            assert_string_equal(derived.policy.name, *name);
            count++;
        }
        assert_true(count > 0 || !quirk->clean);
    }
}

/* The names in `policies` are counted by their blanks. */
TEST(every_policy_of_a_quirk_exists)
{
    const struct quirk *quirk;

    for (size_t i = 0; (quirk = quirk_at(i)); i++) {
        size_t named = 1;
        size_t found = 0;

        for (const char *c = quirk->policies; *c; c++)
            named += *c == ' ';
        for (const char *const *name = policy_names(); *name; name++)
            found += !is_alias(*name) && quirk_is_of(quirk, *name);
        assert_int_equal(found, named);
    }
}

TEST(clean_is_every_defect_that_the_policy_has)
{
    for (const char *const *name = policy_names(); *name; name++) {
        struct variant clean;
        struct variant one_by_one;
        const struct quirk *quirk;

        derive(*name, "clean", &clean);
        take_as_is(*name, &one_by_one);
        for (size_t i = 0; (quirk = quirk_at(i)); i++)
            if (quirk->defect && quirk_is_of(quirk, one_by_one.policy.name))
                quirk->clean(&one_by_one);
        assert_true(same(&clean, &one_by_one));
    }
}

static void check_refused(const char *policy, const char *rules, const char *sentence)
{
    struct variant derived;

    assert_int_equal(policy_with_rules(policy_find(policy), rules, &derived, &error), -1);
    if (!strstr(error.text, sentence))
        fail_msg("expected \"%s\" in \"%s\"", sentence, error.text);
}

TEST(rules_that_make_no_sense_are_told_with_those_that_exist)
{
    check_refused("edf", "EF-Q9999", "--rules: expected reference, clean or quirks of edf (");
    check_refused("edf", "EF-Q9999", "), found \"EF-Q9999\"");
    check_refused("edf", "EF-Q10,", "found \"\"");
    check_refused("edf", "", "found \"\"");
    check_refused("edf", "EF-Q10,clean", "found \"clean\"");
    check_refused("edf", "EF-Q1", "found \"EF-Q1\"");
    check_refused("edf", "ef-q10", "found \"ef-q10\"");
    check_refused("edf", "EF-Q10,\x1b[2J", "found \"?[2J\"");
    check_refused("edf", "Clean", "EF-Q10");
}

static void check_part(const char *policy, const char *rules, const char *expected)
{
    char *part = rules_for(rules, policy_find(policy));

    assert_string_equal(part, expected);
    free(part);
}

TEST(of_policies_side_by_side_each_follows_the_rules_that_concern_it)
{
    const struct policy *const both[] = {policy_find("ef"), policy_find("edf")};

    assert_int_equal(rules_check("EF-Q10", both, 2, &error), 0);
    assert_int_equal(rules_check("EF-Q10", both, 1, &error), -1);
    check_part("edf", "EF-Q10", "EF-Q10");
    check_part("ef", "EF-Q10", "reference");
    check_part("ef", "clean", "clean");
    check_part("ef", "reference", "reference");
    check_part("ef", NULL, "reference");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
