/* verb.c - `rubato new-policy`: the files of a policy that compiles and passes its test, for the
 * user to change. */
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "scheduler/policies/policy.h"
#include "tools/new_policy/skeleton.h"
#include "tools/verbs.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES_MAX ((size_t)1024 * 1024)
#define NAME_BYTES_MAX ((size_t)40)
#define PATH_BYTES     ((size_t)128)
#define TABLE          "scheduler/policies/policy_table.c"
#define TESTS          "tests/policies/CMakeLists.txt"

/* New policies go before the list's last line, the only line without a backslash. */
#define TABLE_MARK  "    POLICY(srtf)\n"
#define TABLE_WIDTH 99

static int check_name(const char *name, struct error *error)
{
    bool plain = islower((unsigned char)name[0]) && strlen(name) <= NAME_BYTES_MAX;

    for (const char *at = name; *at; at++)
        plain = plain && (islower((unsigned char)*at) || isdigit((unsigned char)*at) ||
                          (*at == '-' && isalnum((unsigned char)at[1])));
    if (!plain)
        return error_set(error,
                         "expected a name of at most %zu small letters, digits and single dashes "
                         "that begins with a letter, found \"%s\"",
                         NAME_BYTES_MAX, name);
    if (policy_find(name))
        return error_set(error, "there is a policy \"%s\" already", name);
    return 0;
}

static int check_free(const char *path, struct error *error)
{
    struct stat status;

    return lstat(path, &status) == 0 ? error_set(error, "%s: there is such a file already", path)
                                     : 0;
}

/* Reads a file that is to be changed; the caller frees the text. The file is not read as an input,
 * because an output refuses to replace inputs. */
static char *read_text(const char *path, struct error *error)
{
    FILE *file = fopen(path, "re");
    char *text = xmalloc(TEXT_BYTES_MAX + 1);
    size_t length = 0;

    if (file)
        length = fread(text, 1, TEXT_BYTES_MAX, file);
    if (!file || ferror(file) || !feof(file)) {
        error_set(error, "%s: cannot be read: %s", path, strerror(errno ? errno : EFBIG));
        free(text);
        text = NULL;
    } else {
        text[length] = '\0';
    }
    if (file)
        (void)fclose(file);
    return text;
}

static output_t *begin_new(const char *path, const char *skeleton, const char *name,
                           struct error *error)
{
    output_t *output = output_new(path, error);

    if (output)
        skeleton_write(skeleton, name, output);
    return output;
}

/* Begins a new version of the file at `path`: `text` with `line` inserted before byte `at`. */
static output_t *begin_changed(const char *path, const char *text, size_t at, const char *line,
                               struct error *error)
{
    output_t *output = output_new(path, error);

    if (output) {
        output_bytes(output, text, at);
        output_text(output, line);
        output_text(output, text + at);
    }
    return output;
}

/* Begins the table of policies with the new policy. */
static output_t *begin_table(const char *file, struct error *error)
{
    char line[PATH_BYTES + TABLE_WIDTH];
    char *table = read_text(TABLE, error);
    const char *mark = table ? strstr(table, TABLE_MARK) : NULL;
    const int width = snprintf(line, sizeof(line), "    POLICY(%s)", file);
    output_t *output = NULL;

    (void)snprintf(line + width, sizeof(line) - (size_t)width, "%*s\n", TABLE_WIDTH - width + 1,
                   "\\");
    if (mark)
        output = begin_changed(TABLE, table, (size_t)(mark - table), line, error);
    else if (table)
        error_set(error, "%s: expected the line POLICY(srtf) as the last of the list, found none",
                  TABLE);
    free(table);
    return output;
}

/* Begins the list of tests with the test of the new policy. */
static output_t *begin_tests(const char *file, struct error *error)
{
    char line[PATH_BYTES + TABLE_WIDTH];
    char *tests = read_text(TESTS, error);
    output_t *output = NULL;

    (void)snprintf(line, sizeof(line),
                   "rubato_test(%s_test SOURCES %s_test.c steady.c LIBRARIES both_worlds m)\n",
                   file, file);
    if (tests)
        output = begin_changed(TESTS, tests, strlen(tests), line, error);
    free(tests);
    return output;
}

/* Writes the policy, its test and both changed lists, or none of these files. */
static int write_c(const char *policy, const char *test, const char *name, const char *file,
                   struct error *error)
{
    output_t *outputs[4] = {NULL};

    if ((outputs[0] = begin_new(policy, skeleton_c, name, error)) &&
        (outputs[1] = begin_new(test, skeleton_test, name, error)) &&
        (outputs[2] = begin_table(file, error)) && (outputs[3] = begin_tests(file, error)))
        return output_commit_all(outputs, 4, error);
    for (size_t i = 0; i < 4; i++)
        output_destroy(&outputs[i]);
    return -1;
}

static int make_c(const char *name, const char *file, struct error *error)
{
    char policy[PATH_BYTES];
    char test[PATH_BYTES];

    if (access(TABLE, W_OK) != 0 || access(TESTS, W_OK) != 0)
        return error_set(error,
                         "%s: expected the top folder of Rubato's sources here; for a policy "
                         "beside them use --language python",
                         TABLE);
    (void)snprintf(policy, sizeof(policy), "scheduler/policies/%s.c", file);
    (void)snprintf(test, sizeof(test), "tests/policies/%s_test.c", file);
    if (check_free(policy, error) < 0 || check_free(test, error) < 0 ||
        write_c(policy, test, name, file, error) < 0)
        return -1;
    printf("%s: the policy\n%s: its test\n%s, %s: a line each\n"
           "next: make, then build/bin/rubato compare --policies %s,ef-accessctrl "
           "traces/testbed25.csv\n",
           policy, test, TABLE, TESTS, name);
    return 0;
}

static int write_program(const char *path, const char *name, struct error *error)
{
    output_t *output = begin_new(path, skeleton_python, name, error);

    if (!output || output_commit(&output, error) < 0)
        return -1;
    if (chmod(path, 0755) == 0)
        return 0;
    error_set(error, "%s: cannot be made a program: %m", path);
    (void)unlink(path);
    return -1;
}

static int make_python(const char *name, const char *file, struct error *error)
{
    char path[PATH_BYTES];

    (void)snprintf(path, sizeof(path), "%s.py", file);
    if (check_free(path, error) < 0 || write_program(path, name, error) < 0)
        return -1;
    printf("%s: the policy\nnext: rubato simulate --policy exec:./%s TRACE\n", path, path);
    return 0;
}

static const char explanation[] =
    "With --language c, in the top folder of Rubato's sources: scheduler/policies/NAME.c, its test "
    "tests/policies/NAME_test.c, and a line for each where the others stand. It compiles and "
    "passes "
    "its test as it is; docs/adding-a-policy.md has the rest. With --language python, anywhere: "
    "NAME.py, a program that runs as --policy exec:./NAME.py; rubato-policy(5) has what it is "
    "asked "
    "and what it answers. No file is overwritten.";

int verb_new_policy(int argc, char **argv)
{
    static const char *const languages[] = {"c", "python", NULL};
    const char *language = languages[0];
    const struct option_spec options[] = {
        OPTION_CHOICE("language", "LANGUAGE", &language, languages, "what it is written in"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato new-policy",
        .summary = "Begin a policy of one's own",
        .operands = "NAME",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    char *file = NULL;
    int status = 0;

    if (parsed > 0) {
        free(operands.items);
        return 0;
    }
    if (parsed == 0 && operands.count != 1)
        status = error_set(&error, "expected one name, found %zu", operands.count);
    else if (parsed == 0)
        status = check_name(operands.items[0], &error);
    if (parsed == 0 && status == 0) {
        file = skeleton_file(operands.items[0]);
        status = strcmp(language, "c") == 0 ? make_c(operands.items[0], file, &error)
                                            : make_python(operands.items[0], file, &error);
    }
    free(file);
    free(operands.items);
    return parsed < 0 || status < 0 ? options_fail(&command, &error) : 0;
}
