/* executable_test.c - what a program's name means, and why it cannot be started. */
#include "common/executable.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder_t *folder;

FIXTURE(set_up)
{
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return setenv("PATH", "/usr/bin:/bin", 1);
}

static const char *write_program(const char *name, const char *text, mode_t mode)
{
    const char *path = folder_write(folder, name, text);

    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static void check_refused(const char *path, const char *expected)
{
    struct error error;

    assert_int_equal(executable_check(path, &error), -1);
    if (!strstr(error.text, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, error.text);
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_name_without_a_slash_is_looked_for_in_path)
{
    char list[4096];
    char path[PATH_MAX];
    struct error error;

    (void)write_program("tool", "#!/bin/true\n", 0644); /* it is passed over */
    assert_int_equal(mkdir(folder_file(folder, "bin"), 0700), 0);
    (void)write_program("bin/tool", "#!/bin/true\n", 0755);
    (void)snprintf(list, sizeof(list), "/nowhere:%s:%s", folder_path(folder),
                   folder_file(folder, "bin"));
    assert_int_equal(setenv("PATH", list, 1), 0);
    assert_int_equal(executable_find("tool", path, &error), 0);
    assert_string_equal(path, folder_file(folder, "bin/tool"));
    assert_int_equal(executable_check("tool", &error), 0);
    assert_int_equal(executable_find("other", path, &error), -1);
    assert_string_equal(error.text, "other: there is no such program in PATH");
}

READY(binaries_and_scripts_can_be_started)
{
    struct error error;

    assert_int_equal(executable_check("/proc/self/exe", &error), 0);
    assert_int_equal(executable_check(write_program("a", "#!/bin/true\n", 0755), &error), 0);
    assert_int_equal(executable_check(write_program("b", "#! /bin/true -x\n", 0755), &error), 0);
}

READY(what_cannot_be_started_is_named)
{
    check_refused("/nowhere/program", "/nowhere/program: No such file or directory");
    check_refused(folder_path(folder), ": it is a folder, no program");
    check_refused("/dev/null", "/dev/null: it is no file");
    check_refused(write_program("a", "#!/bin/true\n", 0644),
                  "a: it may not be executed (chmod +x)");
    check_refused(write_program("b", "echo\n", 0755), "b: it is neither a binary nor a script");
    check_refused(write_program("c", "", 0755), "c: it is neither a binary nor a script");
    check_refused(write_program("d", "#!/no/python\n", 0755),
                  "d: its interpreter: /no/python: No such file or directory");
    check_refused(write_program("e", "#!/bin/true\r\n", 0755),
                  "e: its interpreter: /bin/true\r: No");
    check_refused(write_program("f", "#!", 0755), "f: its interpreter: : No such file");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
