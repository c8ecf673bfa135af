/* privileges_test.c - a process that was root is another user for good. */
#include "common/privileges.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `work` in a process of its own: its exit status. */
static int in_child(int (*work)(const char *argument), const char *argument)
{
    const pid_t pid = fork();
    int status = -1;

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(work(argument));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Prints the sentence on failure, for the test that fails. */
static int tell(const struct error *error)
{
    (void)fprintf(stderr, "%s\n", error->text);
    return 1;
}

static int drop_and_look(const char *folder)
{
    struct error error;
    char sentence[256];

    if (privileges_drop("nobody", &error) < 0)
        return tell(&error);
    if (privileges_are_root() || getuid() != geteuid() || getgid() == 0 || getegid() == 0)
        return 2;
    if (setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 || setgroups(0, NULL) == 0)
        return 3;
    for (int i = 0; i < getgroups(0, NULL); i++) {
        gid_t groups[64];
        const int count = getgroups(64, groups);

        if (i < count && groups[i] == 0)
            return 4;
    }
    if (privileges_check_folder("keys", folder, false, &error) == 0)
        return 5;
    (void)snprintf(sentence, sizeof(sentence), "--keys: user nobody cannot read %s: %s", folder,
                   "Permission denied");
    if (strcmp(error.text, sentence) != 0)
        return tell(&error);
    return privileges_drop("nobody", &error) < 0 ? 6 : 0;
}

TEST(there_is_no_way_back)
{
    folder_t *folder = folder_new();

    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(folder_path(folder), 0700), 0);
    assert_int_equal(in_child(drop_and_look, folder_path(folder)), 0);
    folder_destroy(&folder);
}

static int drop_twice(const char *ignored)
{
    struct error error;

    (void)ignored;
    if (privileges_drop("nobody", &error) < 0)
        return tell(&error);
    if (privileges_drop("daemon", &error) == 0)
        return 2;
    return strcmp(error.text, "--user: only root can become \"daemon\"") == 0 ? 0 : tell(&error);
}

TEST(only_root_becomes_another)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(in_child(drop_twice, NULL), 0);
}

TEST(a_user_that_is_none_is_named)
{
    struct error error;

    assert_int_equal(privileges_drop("no-such-user", &error), -1);
    assert_string_equal(error.text, "--user: there is no user \"no-such-user\"");
    assert_int_equal(privileges_drop("root", &error), -1);
    assert_string_equal(error.text, "--user: \"root\" is root");
}

TEST(a_folder_is_looked_at)
{
    folder_t *folder = folder_new();
    struct error error;

    assert_int_equal(privileges_check_folder("state", folder_path(folder), true, &error), 0);
    assert_int_equal(privileges_check_folder("state", folder_file(folder, "none"), true, &error),
                     -1);
    assert_non_null(strstr(error.text, "--state: user "));
    assert_non_null(strstr(error.text, "cannot write to "));
    assert_non_null(strstr(error.text, "none: No such file or directory"));
    folder_destroy(&folder);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
