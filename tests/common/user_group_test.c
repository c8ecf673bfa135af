/* user_group_test.c - members of a group are known by the user's number. */
#include "common/user_group.h"
#include "tests/support/test.h"

#include <grp.h>
#include <pwd.h>

#define NO_USER 3999999999U

TEST(the_first_group_of_a_user_has_the_user)
{
    const struct passwd *root = getpwuid(0);
    const struct group *group = root ? getgrgid(root->pw_gid) : NULL;
    struct error error;
    gid_t found;

    if (!group) {
        skip();
        return;
    }
    assert_int_equal(user_group_find(group->gr_name, &found, &error), 0);
    assert_true(user_group_has(found, 0));
    assert_false(user_group_has(found + 54321, 0));
}

TEST(a_user_without_a_name_is_in_no_group)
{
    assert_false(user_group_has(0, NO_USER));
    assert_false(user_group_has(NO_USER, NO_USER));
}

TEST(a_group_that_is_not_there_is_named)
{
    struct error error;
    gid_t found;

    assert_int_equal(user_group_find("no-such-group", &found, &error), -1);
    assert_string_equal(error.text, "this machine has no group \"no-such-group\"");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
