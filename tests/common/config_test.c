/* config_test.c - settings from a file: what is not understood is refused with its line. */
#include "common/config.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[] = {"policy", "slot", "log-path"};

static folder_t *folder;
static struct error error;
static char seen[2000]; /* "KEY=VALUE;" for each setting, in order */
static int last_line;   /* in which one was set */

FIXTURE(make_folder)
{
    folder = folder_new();
    seen[0] = '\0';
    last_line = 0;
    return 0;
}

FIXTURE(drop_folder)
{
    folder_destroy(&folder);
    return 0;
}

static int note(void *context, size_t key, const char *value, int line, struct error *why)
{
    size_t length = strlen(seen);

    assert_ptr_equal(context, seen);
    assert_true(line > last_line);
    last_line = line;
    if (!strcmp(value, "refused"))
        return error_set(why, "%s: expected something else", names[key]);
    (void)snprintf(seen + length, sizeof(seen) - length, "%s=%s;", names[key], value);
    return 0;
}

static int read_text(const char *text)
{
    const char *path = folder_write(folder, "settings", text);

    assert_int_equal(chmod(path, 0644), 0);
    last_line = 0;
    return config_read(path, names, COUNT(names), note, seen, &error);
}

static void check_read(const char *text, const char *expected)
{
    if (read_text(text) < 0)
        fail_msg("%s", error.text);
    assert_string_equal(seen, expected);
}

/* The complaint names the file, then goes on with `where`, and holds `what`. */
static void check_refused(const char *text, const char *where, const char *what)
{
    const char *path = folder_file(folder, "settings");

    assert_int_equal(read_text(text), -1);
    if (strncmp(error.text, path, strlen(path)) != 0 ||
        strncmp(error.text + strlen(path), where, strlen(where)) != 0 || !strstr(error.text, what))
        fail_msg("expected \"...%s\" and \"%s\", found \"%s\"", where, what, error.text);
}

#define IN_FOLDER(name) TEST_WITH(name, make_folder, drop_folder)

IN_FOLDER(settings_come_in_the_order_of_the_file)
{
    check_read("# a comment\nslot = 60\n\npolicy=\"ef\"   # why not\n\tlog-path = out/of_here.d\n",
               "slot=60;policy=ef;log-path=out/of_here.d;");
}

IN_FOLDER(a_file_from_another_system_is_read_too)
{
    check_read("\xef\xbb\xbfslot = 60\r\npolicy = ef", "slot=60;policy=ef;");
}

IN_FOLDER(a_quoted_value_may_hold_anything_printable)
{
    check_read("log-path = \"a b # \\\"c\\\" \\\\ \\$d\"\n", "log-path=a b # \"c\" \\ $d;");
}

IN_FOLDER(an_unknown_key_is_refused_with_its_line)
{
    check_refused("slot = 60\npolicies = ef\n", ":2", "policies");
}

IN_FOLDER(a_bad_value_is_refused_with_its_line)
{
    check_refused("# first\n\nslot = refused\n", ":3: slot: expected something else", "");
}

IN_FOLDER(a_key_stands_there_once)
{
    check_refused("slot = 60\npolicy = ef\nslot = 30\n", ":3: slot", "line 1");
}

IN_FOLDER(what_is_no_setting_is_refused_with_its_line)
{
    static const char *const lines[] = {
        "slot",
        "slot 60",
        "= 60",
        "slot = ",
        "slot = \"60",
        "slot = 60 70",
        "slot { 60 }",
        "/* slot = 60 */",
        "slot = {1, 2}",
        "slot = \"${HOME}\"",
        "slot = \"\\x00\"",
        "slot += 60",
        "slot = 60; policy = ef",
        "include(\"/etc/passwd\")",
        "slot = //",
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[200];

        (void)snprintf(text, sizeof(text), "policy = ef\n%s\n", lines[i]);
        check_refused(text, ":2", "");
    }
}

IN_FOLDER(nothing_is_set_by_a_file_that_is_damaged_further_down)
{
    check_refused("slot = 60\npolicy = \"ef\n", ":2", "quote");
    assert_string_equal(seen, "");
}

IN_FOLDER(a_value_that_a_terminal_would_obey_is_refused)
{
    check_refused("slot = \"\x1b[31m\"\n", ":1", "");
    assert_null(strchr(error.text, '\x1b'));
    check_refused("slot = \"\xff\"\n", ":1", "");
}

IN_FOLDER(a_value_that_is_too_long_is_refused)
{
    char value[4500];
    char text[5000];

    memset(value, 'x', sizeof(value));
    (void)snprintf(text, sizeof(text), "slot = \"%.*s\"\n", (int)sizeof(value), value);
    check_refused(text, ":1", "4095 bytes");
}

IN_FOLDER(a_file_that_any_user_may_write_to_is_refused)
{
    const char *path = folder_write(folder, "settings", "slot = 60\n");

    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(config_read(path, names, COUNT(names), note, seen, &error), -1);
    assert_non_null(strstr(error.text, "settings: any user may write to it"));
    assert_string_equal(seen, "");
}

IN_FOLDER(a_file_that_is_not_there_is_named)
{
    assert_int_equal(
        config_read(folder_file(folder, "none"), names, COUNT(names), note, seen, &error), -1);
    assert_non_null(strstr(error.text, "none: cannot be read"));
    assert_int_equal(config_read(folder_path(folder), names, COUNT(names), note, seen, &error), -1);
}

IN_FOLDER(a_nul_byte_is_refused)
{
    const char *path = folder_write_bytes(folder, "settings", "slot = 60\npo\0licy = ef\n", 23);

    assert_int_equal(config_read(path, names, COUNT(names), note, seen, &error), -1);
    assert_non_null(strstr(error.text, "NUL"));
}

IN_FOLDER(a_file_that_is_too_long_is_refused)
{
    const size_t length = 1024 * 1024 + 1;
    char *text = malloc(length);
    const char *path;

    memset(text, '\n', length);
    path = folder_write_bytes(folder, "settings", text, length);
    free(text);
    assert_int_equal(config_read(path, names, COUNT(names), note, seen, &error), -1);
    assert_non_null(strstr(error.text, "1048576 bytes"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
