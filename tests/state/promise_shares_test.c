/* promise_shares_test.c - which share of the cluster counts for whose jobs. */
#include "scheduler/state/promise_shares.h"
#include "tests/support/test.h"

#include <string.h>

static promise_shares_t *shares_of(const char *text)
{
    struct error error;
    promise_shares_t *shares = promise_shares_new(text, 3600, &error);

    if (!shares)
        fail_msg("%s", error.text);
    return shares;
}

/* A user is of all groups that the owner's text begins with. */
static bool begins(const void *owner, const char *user, const char *group)
{
    (void)user;
    return !strncmp(owner, group, strlen(group));
}

/* Checks that `user`, whose groups `groups` begins with, has the `count` shares `expected`. */
static void check(const char *text, const char *user, const char *groups, size_t count,
                  const struct job_share expected[])
{
    promise_shares_t *shares = shares_of(text);
    arena_t *kept = arena_new();
    struct submission job = {.share_count = 9};

    promise_shares_give(shares, user, begins, groups, kept, &job);
    promise_shares_destroy(&shares); /* what is given stays */
    assert_int_equal(job.share_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(job.shares[i].name, expected[i].name);
        assert_float_equal(job.shares[i].of, expected[i].of, 0);
        assert_int_equal(job.shares[i].horizon_s, 3600);
    }
    arena_destroy(&kept);
}

TEST(a_user_has_the_own_share_or_that_of_all_others)
{
    check("bob=0.3", "bob", "", 1, (const struct job_share[]){{"bob", 0.3, 3600}});
    check("bob=0.3", "sue", "", 0, NULL);
    check("bob=0.3,*=0.1", "sue", "", 1, (const struct job_share[]){{"sue", 0.1, 3600}});
    check("*=1,bob=0.3", "bob", "", 1, (const struct job_share[]){{"bob", 0.3, 3600}});
    check("a=b=0.3", "a=b", "", 1, (const struct job_share[]){{"a=b", 0.3, 3600}});
    check("*=0.1", "", "", 0, NULL);
}

TEST(a_job_counts_for_each_group_of_its_user)
{
    check("@ml=0.5,bob=0.3,@ml2=1e-2", "bob", "ml2", 3,
          (const struct job_share[]){{"bob", 0.3, 3600}, {"@ml", 0.5, 3600}, {"@ml2", 0.01, 3600}});
    check("@ml=0.5,@hpc=0.2", "bob", "hpc", 1, (const struct job_share[]){{"@hpc", 0.2, 3600}});
    check("@ml=0.5", "", "ml", 1, (const struct job_share[]){{"@ml", 0.5, 3600}});
    check("@ml=0.5", "@ml", "", 0, NULL); /* a user cannot pass for a group */
}

TEST(groups_are_listed)
{
    promise_shares_t *shares = shares_of("@ml=0.5,bob=0.3,@hpc=0.2");

    assert_true(promise_shares_have_users(shares));
    assert_string_equal(promise_shares_group(shares, 0), "ml");
    assert_string_equal(promise_shares_group(shares, 1), "hpc");
    assert_null(promise_shares_group(shares, 2));
    promise_shares_destroy(&shares);
    shares = shares_of("@ml=0.5");
    assert_false(promise_shares_have_users(shares));
    promise_shares_destroy(&shares);
}

TEST(what_is_no_share_is_named)
{
    static const char *const wrong[] = {"",        "bob",      "bob=",    "=0.3",
                                        "@=0.3",   "bob=0",    "bob=1.1", "bob=-1",
                                        "bob=nan", "bob=0.3,", ",bob=0.3"};
    char longer[SHARE_NAME_MAX + 8];
    struct error error;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_null(promise_shares_new(wrong[i], 3600, &error));
        assert_non_null(strstr(error.text, "a promise share: expected WHO=SHARE"));
    }
    assert_null(promise_shares_new("bob=0.1,*=0.2,bob=0.3", 3600, &error));
    assert_string_equal(error.text, "a promise share: \"bob\" has two");
    memset(longer, 'a', sizeof(longer));
    strcpy(longer + SHARE_NAME_MAX + 1, "=0.1");
    assert_null(promise_shares_new(longer, 3600, &error));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
