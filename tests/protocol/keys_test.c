/* keys_test.c - the files of keys, and the peers that they allow. */
#include "protocol/key_file.h"
#include "protocol/keys.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

static int set_folder(void **state)
{
    *state = folder_new();
    return 0;
}

static int clear_folder(void **state)
{
    folder_t *folder = *state;

    folder_destroy(&folder);
    return 0;
}

static unsigned mode_of(folder_t *folder, const char *name)
{
    struct stat status;

    assert_int_equal(stat(folder_file(folder, name), &status), 0);
    return status.st_mode & 0777U;
}

static void make(folder_t *folder, const char *role, const char *name)
{
    struct error error = {.text = ""};

    assert_int_equal(keys_make(folder_path(folder), role, name, &error), 0);
    assert_string_equal(error.text, "");
}

static keys_t *read_keys(folder_t *folder, const char *name)
{
    struct error error = {.text = ""};
    keys_t *const keys = keys_read(folder_path(folder), name, &error);

    assert_string_equal(error.text, "");
    assert_non_null(keys);
    return keys;
}

/* ---- keys that are made ---- */

#define READY(name) TEST_WITH(name, set_folder, clear_folder)

READY(keys_that_are_made_can_be_read)
{
    folder_t *const folder = *test_state;
    struct allowed_key owner;
    struct error error;
    keys_t *keys;
    char derived[KEY_CHARS + 1];

    make(folder, "master", "master");
    make(folder, "worker", "node-a.example");
    keys = read_keys(folder, "node-a.example");
    assert_int_equal(strlen(keys_public(keys)), KEY_CHARS);
    assert_int_equal(zmq_curve_public(derived, keys_secret(keys)), 0);
    assert_string_equal(derived, keys_public(keys));
    assert_string_equal(keys_public_of(keys, "node-a.example", &error), keys_public(keys));
    assert_string_not_equal(keys_public_of(keys, "master", &error), keys_public(keys));
    assert_true(keys_allow(keys, keys_public(keys), &owner));
    assert_string_equal(owner.role, "worker");
    assert_string_equal(owner.name, "node-a.example");
    keys_destroy(&keys);
    assert_null(keys);
    keys_destroy(&keys);
}

READY(secret_keys_are_for_their_owner_only)
{
    folder_t *const folder = *test_state;
    const mode_t mask = umask(0);

    make(folder, "worker", "a");
    (void)umask(mask);
    assert_int_equal(mode_of(folder, "a.key"), 0600);
    assert_int_equal(mode_of(folder, "a.pub"), 0644);
    assert_int_equal(mode_of(folder, "allowed"), 0644);
}

READY(keys_are_never_overwritten)
{
    folder_t *const folder = *test_state;
    struct error error;
    char *before;
    char *after;

    make(folder, "worker", "a");
    before = folder_read(folder, "a.key");
    assert_int_equal(keys_make(folder_path(folder), "worker", "a", &error), -1);
    assert_non_null(strstr(error.text, "a.key: cannot be made: File exists"));
    after = folder_read(folder, "a.key");
    assert_string_equal(before, after);
    free(before);
    free(after);
    /* Where only the public one is there, no secret one is left. */
    assert_int_equal(unlink(folder_file(folder, "a.key")), 0);
    assert_int_equal(keys_make(folder_path(folder), "worker", "a", &error), -1);
    assert_non_null(strstr(error.text, "a.pub: cannot be made: File exists"));
    assert_false(folder_has(folder, "a.key"));
}

READY(a_folder_is_made_and_only_its_owner_looks_into_it)
{
    folder_t *const folder = *test_state;
    struct error error = {.text = ""};

    assert_int_equal(keys_make(folder_file(folder, "some/keys"), "worker", "a", &error), 0);
    assert_int_equal(mode_of(folder, "some/keys"), 0700);
    assert_int_equal(keys_make(folder_file(folder, "other/keys"), "worker", "../a", &error), -1);
    assert_false(folder_has(folder, "other"));
}

TEST(names_are_good_for_files_and_lists)
{
    static const char *const good[] = {"a", "node-1", "A_b.c", "9"};
    static const char *const bad[] = {"",     ".",   "..",        ".a", "a b", "a/b",
                                      "../a", "a\n", "n\xc3\xb8", "#a", "a#"};
    char longest[PROCESS_NAME_MAX + 2];

    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(process_name_is_good(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct error error;

        assert_false(process_name_is_good(bad[i]));
        assert_null(keys_read("/nowhere", bad[i], &error));
        assert_non_null(strstr(error.text, "\": a name is " PROCESS_NAME_RULE));
    }
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_false(process_name_is_good(longest));
    assert_true(process_name_is_good(longest + 1));
}

READY(lines_go_after_a_list_that_ends_anyhow)
{
    folder_t *const folder = *test_state;
    struct allowed_key owner;
    keys_t *keys;

    (void)folder_write(folder, "allowed", "# a list");
    make(folder, "worker", "a");
    keys = read_keys(folder, "a");
    assert_true(keys_allow(keys, keys_public(keys), &owner));
    keys_destroy(&keys);
}

/* ---- files that are no good ---- */

static void expect_unreadable(folder_t *folder, const char *complaint)
{
    struct error error = {.text = ""};

    assert_null(keys_read(folder_path(folder), "a", &error));
    if (!strstr(error.text, complaint))
        fail_msg("\"%s\" is not in \"%s\"", complaint, error.text);
}

READY(keys_that_others_may_read_are_refused)
{
    folder_t *const folder = *test_state;

    make(folder, "worker", "a");
    assert_int_equal(chmod(folder_file(folder, "a.key"), 0640), 0);
    expect_unreadable(folder, "a.key: others may read or write it (mode 640, not 600)");
    assert_int_equal(chmod(folder_file(folder, "a.key"), 0602), 0);
    expect_unreadable(folder, "a.key: others may read or write it (mode 602, not 600)");
    assert_int_equal(chmod(folder_file(folder, "a.key"), 0600), 0);
    assert_int_equal(chmod(folder_file(folder, "allowed"), 0664), 0);
    expect_unreadable(folder, "allowed: others may write to it (mode 664)");
}

/* A user that may write to it could put one file in the place of another. What lies above it does
 * not matter. */
READY(folders_that_others_may_write_to_are_refused)
{
    static const mode_t bad[] = {0777, 01777, 0770, 0702};
    static const mode_t good[] = {0755, 0700};
    folder_t *const folder = *test_state;

    make(folder, "worker", "a");
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct error error;
        char complaint[64];

        assert_int_equal(chmod(folder_path(folder), bad[i]), 0);
        (void)snprintf(complaint, sizeof(complaint),
                       ": others may write to it (mode %03o): chmod go-w", bad[i] & 0777U);
        expect_unreadable(folder, complaint);
        assert_int_equal(keys_make(folder_path(folder), "worker", "b", &error), -1);
        assert_non_null(strstr(error.text, complaint));
        assert_false(folder_has(folder, "b.key"));
    }
    for (size_t i = 0; i < COUNT(good); i++) {
        keys_t *keys;

        assert_int_equal(chmod(folder_path(folder), good[i]), 0);
        keys = read_keys(folder, "a");
        keys_destroy(&keys);
    }
}

READY(what_is_no_folder_is_refused)
{
    folder_t *const folder = *test_state;
    struct error error;

    assert_null(keys_read(folder_write(folder, "file", ""), "a", &error));
    assert_non_null(strstr(error.text, "file: it is no folder"));
    assert_null(keys_read(folder_file(folder, "nowhere"), "a", &error));
    assert_non_null(strstr(error.text, "nowhere: No such file or directory"));
}

READY(what_is_no_file_is_refused)
{
    folder_t *const folder = *test_state;

    expect_unreadable(folder, "a.key: No such file");
    assert_int_equal(mkdir(folder_file(folder, "a.key"), 0700), 0);
    expect_unreadable(folder, "a.key: it is no file");
    assert_int_equal(rmdir(folder_file(folder, "a.key")), 0);
    assert_int_equal(mkfifo(folder_file(folder, "a.key"), 0600), 0);
    expect_unreadable(folder, "a.key: it is no file"); /* and no call waits for a writer */
}

READY(malformed_keys_are_named_by_file_and_line)
{
    static const struct {
        const char *text;
        const char *complaint;
    } files[] = {
        {"", "a.key: it has not both the lines"},
        {"# nothing\n\n", "a.key: it has not both the lines"},
        {"public\n", "a.key:1: \"public KEY\" or \"secret KEY\" was expected"},
        {"\n\nprivate x\n", "a.key:3: \"public KEY\" or \"secret KEY\" was expected"},
        {"public a b\n", "a.key:1: \"public KEY\""},
        {"public short\n", "a.key:1: a key of 40 characters of Z85 was expected"},
        {"public 0123456789012345678901234567890123456789x\n", "a.key:1: a key of 40"},
        {"public 012345678901234567890123456789012345678~\n", "a.key:1: a key of 40"},
        {"public 0123456789012345678901234567890123456789\n"
         "public 0123456789012345678901234567890123456789\n",
         "a.key:2: a second key of the kind"},
        {"public 0123456789012345678901234567890123456789\n", "a.key: it has not both the lines"},
        {"public 0123456789012345678901234567890123456789\n"
         "secret 0123456789012345678901234567890123456789\n",
         "a.key: the public key is not that of the secret key"},
    };
    folder_t *const folder = *test_state;

    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(chmod(folder_write(folder, "a.key", files[i].text), 0600), 0);
        expect_unreadable(folder, files[i].complaint);
    }
}

READY(malformed_lists_are_named_by_file_and_line)
{
#define KEY "0123456789012345678901234567890123456789"
    static const struct {
        const char *text;
        const char *complaint;
    } files[] = {
        {KEY "\n", "allowed:1: PUBLIC-KEY ROLE NAME was expected"},
        {KEY " worker\n", "allowed:1: PUBLIC-KEY ROLE NAME was expected"},
        {KEY " worker a b\n", "allowed:1: PUBLIC-KEY ROLE NAME was expected"},
        {"# x\nworker a " KEY "\n", "allowed:2: a key of 40 characters of Z85 was expected"},
        {KEY " worker ..\n", "allowed:1: a role or name is at most 63"},
        {KEY " work/er a\n", "allowed:1: a role or name is at most 63"},
        {KEY " worker a\n" KEY " worker b\n", "allowed:2: an earlier line has this key"},
    };
    folder_t *const folder = *test_state;

    make(folder, "worker", "a");
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(chmod(folder_write(folder, "allowed", files[i].text), 0644), 0);
        expect_unreadable(folder, files[i].complaint);
    }
    (void)folder_write_bytes(folder, "allowed", KEY " worker a\0b\n",
                             sizeof(KEY " worker a\0b\n") - 1);
    expect_unreadable(folder, "allowed:1: a role or name is at most 63");
}

READY(lists_may_be_written_by_hand)
{
    folder_t *const folder = *test_state;
    struct allowed_key owner;
    keys_t *keys;

    make(folder, "worker", "a");
    (void)folder_write(folder, "allowed",
                       "# allowed\r\n\r\n \t" KEY "\tworker   b  # the old one\r\n\n#" KEY
                       " worker c");
    keys = read_keys(folder, "a");
    assert_true(keys_allow(keys, KEY, &owner));
    assert_string_equal(owner.name, "b");
    assert_false(keys_allow(keys, keys_public(keys), &owner));
    keys_destroy(&keys);
}

READY(public_keys_are_checked)
{
    static const struct {
        const char *text;
        const char *complaint;
    } files[] = {
        {"# nothing\n", "b.pub: there is no key in it"},
        {"short\n", "b.pub:1: a key of 40"},
        {KEY " x\n", "b.pub:1: one key was expected"},
        {KEY "\n" KEY "\n", "b.pub:2: one key was expected, not two"},
    };
    folder_t *const folder = *test_state;
    keys_t *keys;

    make(folder, "worker", "a");
    keys = read_keys(folder, "a");
    for (size_t i = 0; i < COUNT(files); i++) {
        struct error error;

        (void)folder_write(folder, "b.pub", files[i].text);
        assert_null(keys_public_of(keys, "b", &error));
        assert_non_null(strstr(error.text, files[i].complaint));
    }
    keys_destroy(&keys);
}

/* ---- lists that change ---- */

READY(a_list_is_read_again_when_it_changes)
{
    folder_t *const folder = *test_state;
    struct allowed_key owner;
    uint64_t generation;
    keys_t *keys;

    make(folder, "worker", "a");
    keys = read_keys(folder, "a");
    generation = keys_generation(keys);
    assert_int_equal(keys_generation(keys), generation);
    assert_false(keys_allow(keys, KEY, &owner));

    (void)folder_write(folder, "allowed", KEY " worker b\nthis line is no good\n");
    assert_true(keys_allow(keys, KEY, &owner)); /* the others count */
    assert_false(keys_allow(keys, keys_public(keys), &owner));
    assert_int_not_equal(keys_generation(keys), generation);

    assert_int_equal(unlink(folder_file(folder, "allowed")), 0);
    assert_false(keys_allow(keys, KEY, &owner));
    keys_destroy(&keys);
}

/* ---- addresses ---- */

TEST(addresses_on_this_machine_are_known)
{
    static const char *const local[] = {"ipc:///run/x",      "ipc://@x",          "inproc://x",
                                        "tcp://127.0.0.1:1", "tcp://127.1.2.3:*", "tcp://[::1]:1"};
    static const char *const far[] = {
        "",
        "tcp://",
        "tcp://:1",
        "tcp://*:1",
        "tcp://0.0.0.0:1",
        "tcp://128.0.0.1:1",
        "tcp://localhost:1", /* means what a resolver says */
        "tcp://127.0.0.1.evil.example:1",
        "tcp://127.0.0.1",
        "tcp://[::]:1",
        "tcp://[::ffff:127.0.0.1]:1",
        "tcp://[fe80::1]:1",
        "udp://127.0.0.1:1",
        "127.0.0.1:1",
        "pgm://127.0.0.1:1",
    };

    for (size_t i = 0; i < COUNT(local); i++) {
        if (!endpoint_is_local(local[i]))
            fail_msg("%s is on this machine", local[i]);
    }
    for (size_t i = 0; i < COUNT(far); i++) {
        if (endpoint_is_local(far[i]))
            fail_msg("%s is not on this machine", far[i]);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
