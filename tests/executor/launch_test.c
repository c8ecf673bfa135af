/* launch_test.c - what a program is started with: its environment and its arguments, word by
 * word. */
#include "executor/launch.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static folder_t *folder;
static struct error error;
static int32_t local_gpus[] = {1, 3};
static int32_t gpu = 3;
static int32_t rank = 5;

static struct msg_prepare prepare;
static const struct rank_start launch = {
    .prepare = &prepare,
    .devices = "GPU-b,GPU-d",
    .checkpoint_dir = "/run/jobs/12",
    .progress = "@progress",
    .grace_ms = 30000,
    .step = 400,
};

FIXTURE(set_up)
{
    prepare = (struct msg_prepare){
        .run =
            {
                .job = 12,
                .incarnation = 3,
                .name = "a; $(b) `c`\nd",
                .model = "vgg16",
                .batch_size = 256,
                .iterations = 5000,
                .deadline_s = 7200,
                .node_rank = 2,
                .nodes = 3,
                .world = 6,
                .rendezvous_address = "10.0.0.1",
                .rendezvous_port = 9005,
                .gpu_count = 1,
                .gpus = &gpu,
                .ranks = &rank,
            },
        .local_rank = 1,
        .local_world = 2,
        .local_gpus = local_gpus,
    };
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static const char *value_of(char **words, const char *name)
{
    const size_t length = strlen(name);
    const char *found = NULL;

    for (size_t i = 0; words[i]; i++) {
        if (strncmp(words[i], name, length) != 0 || words[i][length] != '=')
            continue;
        if (found)
            fail_msg("%s is there twice", name);
        found = words[i] + length + 1;
    }
    if (!found)
        fail_msg("%s is missing", name);
    return found;
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(the_environment_is_as_the_contract_says)
{
    static char *base[] = {"PATH=/bin", "RANK=77", "RUBATO_STEP=1", "RUBATO_OTHER=x", NULL};
    static const char *const expected[][2] = {
        {"MASTER_ADDR", "10.0.0.1"},
        {"MASTER_PORT", "9005"},
        {"RANK", "5"},
        {"LOCAL_RANK", "1"},
        {"WORLD_SIZE", "6"},
        {"LOCAL_WORLD_SIZE", "2"},
        {"GROUP_RANK", "2"},
        {"NODE_RANK", "2"},
        {"CUDA_VISIBLE_DEVICES", "GPU-b,GPU-d"},
        {"TORCHELASTIC_RESTART_COUNT", "2"},
        {"TORCHELASTIC_RUN_ID", "rubato-12"},
        {"RUBATO_JOB_ID", "12"},
        {"RUBATO_JOB_NAME", "a; $(b) `c`\nd"},
        {"RUBATO_INCARNATION", "3"},
        {"RUBATO_CHECKPOINT_DIR", "/run/jobs/12"},
        {"RUBATO_DEADLINE", "7200"},
        {"RUBATO_GRACE_SECONDS", "30"},
        {"RUBATO_PROGRESS", "@progress"},
        {"RUBATO_MODEL", "vgg16"},
        {"RUBATO_BATCH_SIZE", "256"},
        {"RUBATO_ITERATIONS", "5000"},
        {"RUBATO_STEP", "400"},
        {"PATH", "/bin"},
        {"RUBATO_OTHER", "x"},
    };
    char **words = launch_environment(&launch, base);
    size_t count = 0;

    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(value_of(words, expected[i][0]), expected[i][1]);
    while (words[count])
        count++;
    assert_int_equal(count, COUNT(expected));
    launch_words_free(words);
}

READY(a_job_without_a_deadline_is_told_so)
{
    static char *base[] = {NULL};
    char **words;

    prepare.run.deadline_s = INT64_MAX;
    words = launch_environment(&launch, base);
    assert_string_equal(value_of(words, "RUBATO_DEADLINE"), "none");
    launch_words_free(words);
}

READY(arguments_are_lines_with_placeholders)
{
    const char *path =
        folder_write(folder, "program",
                     "# how to train\n/opt/train\n--model={model}\r\n\n--name\n{name}\n"
                     "{batch_size}x{iterations}@{step}\n{\"lr\": 0.1}\n{{model}\n  a b $HOME");
    char **words = launch_arguments(&launch, path, "python3", &error);
    static const char *const expected[] = {"/opt/train",     "--model=vgg16", "--name",
                                           "a; $(b) `c`\nd", "256x5000@400",  "{\"lr\": 0.1}",
                                           "{model}",        "  a b $HOME"};

    assert_non_null(words);
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[COUNT(expected)]);
    launch_words_free(words);
}

READY(a_script_is_run_by_python)
{
    char **words = launch_arguments(&launch, folder_write(folder, "program", "train.py\n-v\n"),
                                    "/usr/bin/python3.11", &error);

    assert_string_equal(words[0], "/usr/bin/python3.11");
    assert_string_equal(words[1], "train.py");
    assert_string_equal(words[2], "-v");
    launch_words_free(words);
}

READY(a_placeholder_that_does_not_exist_is_named)
{
    const char *path = folder_write(folder, "program", "train\n\n--x={modell}\n");

    assert_null(launch_arguments(NULL, path, "python3", &error));
    assert_non_null(strstr(error.text, "program:3: {modell} is no placeholder"));
}

READY(a_file_without_a_program_is_refused)
{
    assert_null(
        launch_arguments(NULL, folder_write(folder, "empty", "# nothing\n\n"), "p", &error));
    assert_non_null(strstr(error.text, "names no program"));
    assert_null(launch_arguments(NULL, folder_file(folder, "none"), "p", &error));
    assert_non_null(strstr(error.text, "cannot be read"));
    assert_null(launch_arguments(NULL, folder_write_bytes(folder, "nul", "a\0b", 3), "p", &error));
}

static void check_launch(const char *text, const char *complaint)
{
    const int result =
        launch_check(folder_write(folder, "program", text), "/nowhere/python", &error);

    assert_int_equal(result, complaint ? -1 : 0);
    if (complaint && !strstr(error.text, complaint))
        fail_msg("\"%s\" is not in \"%s\"", complaint, error.text);
}

/* As far as that can be known without a job. */
READY(a_program_that_cannot_be_started_is_told_beforehand)
{
    check_launch("/bin/true\n{model}\n", NULL);
    check_launch("/nowhere/{model}\n", NULL);
    check_launch("/nowhere/train\n", "program: /nowhere/train: No such file or directory");
    check_launch("no-such-tool\n", "program: no-such-tool: there is no such program in PATH");
    check_launch("train.py\n", "program: /nowhere/python: No such file or directory");
    assert_int_equal(
        launch_check(folder_write(folder, "program", "/nowhere/{job}.py\n"), "true", &error), 0);
    assert_int_equal(
        launch_check(folder_write(folder, "program", "/nowhere/train.py\n"), "true", &error), -1);
    assert_non_null(strstr(
        error.text, "program: /nowhere/train.py: cannot be read: No such file or directory"));
}

READY(devices_are_those_of_the_local_ranks)
{
    char *uuids = launch_devices(&prepare, "GPU-a,GPU-b,GPU-c,GPU-d");
    char *numbers = launch_devices(&prepare, "0,1,2,3");
    char *none = launch_devices(&prepare, "");

    assert_string_equal(uuids, "GPU-b,GPU-d");
    assert_string_equal(numbers, "1,3");
    assert_string_equal(none, "1,3");
    free(uuids);
    free(numbers);
    free(none);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
