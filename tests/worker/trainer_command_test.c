/* trainer_command_test.c - a trainer is told what its worker was told, and its GPU. */
#include "worker/trainer_command.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct worker_settings settings = {
    .name = "node-a",
    .run_dir = "/run dir",
    .python = "python3",
    .workload = "auto",
    .grace_s = 0.5,
    .stable_after_s = 5,
    .checkpoint_every_s = 600,
    .log_mib = 64,
};

static trainer_command_t *command_of(const struct worker_settings *of)
{
    const struct trainer_command_setting setting = {
        .settings = of,
        .program = "/bin/trainer",
        .endpoint = "ipc://@here",
        .visible = "GPU-1,GPU-2",
    };

    return trainer_command_new(&setting);
}

static void has(char *const *arguments, const char *wanted)
{
    while (*arguments && strcmp(*arguments, wanted) != 0)
        arguments++;
    if (!*arguments)
        fail_msg("there is no %s", wanted);
}

static size_t length(char *const *arguments)
{
    size_t count = 0;

    while (arguments[count])
        count++;
    return count;
}

TEST(it_says_what_the_worker_was_told)
{
    trainer_command_t *command = command_of(&settings);
    char *const *arguments = trainer_command_arguments(command, 1);

    assert_string_equal(arguments[0], "/bin/trainer");
    has(arguments, "--worker=ipc://@here");
    has(arguments, "--node=node-a");
    has(arguments, "--visible=GPU-1,GPU-2");
    has(arguments, "--run-dir=/run dir"); /* no shell: a blank is a blank */
    has(arguments, "--gpu=1");
    has(arguments, "--grace=0.5");
    has(arguments, "--checkpoint-interval=600");
    assert_int_equal(length(arguments), 12);
    trainer_command_destroy(&command);
}

TEST(it_is_told_of_the_lock)
{
    const struct trainer_command_setting setting = {
        .settings = &settings,
        .program = "/bin/trainer",
        .endpoint = "ipc://@here",
        .lock = 9,
        .visible = "",
    };
    trainer_command_t *command = trainer_command_new(&setting);

    has(trainer_command_arguments(command, 1), "--node-lock=9");
    trainer_command_destroy(&command);
}

TEST(what_was_not_said_is_left_out)
{
    struct worker_settings more = settings;
    trainer_command_t *command = command_of(&more);

    more.program = "launch.txt";
    more.faults = "silent";
    has(trainer_command_arguments(command, 0), "--program=launch.txt");
    has(trainer_command_arguments(command, 0), "--faults=silent");
    assert_int_equal(length(trainer_command_arguments(command, 0)), 14);
    trainer_command_destroy(&command);
}

TEST(the_next_trainer_gets_arguments_of_its_own)
{
    trainer_command_t *command = command_of(&settings);

    has(trainer_command_arguments(command, 0), "--gpu=0");
    has(trainer_command_arguments(command, 7), "--gpu=7");
    assert_int_equal(length(trainer_command_arguments(command, 7)), 12);
    trainer_command_destroy(&command);
}

TEST(a_trainer_that_cannot_be_run_is_named)
{
    folder_t *folder = folder_new();
    const char *file = folder_write(folder, "trainer", "#!/bin/sh\n");
    char path[PATH_MAX];
    char sentence[PATH_MAX + 100];
    struct error error;

    (void)snprintf(
        sentence, sizeof(sentence),
        "%s: it may not be executed (chmod +x); --trainer=FILE says where the trainer is", file);
    assert_int_equal(trainer_program_find(file, path, sizeof(path), &error), -1);
    assert_string_equal(error.text, sentence);
    assert_int_equal(chmod(file, 0700), 0);
    assert_int_equal(trainer_program_find(file, path, sizeof(path), &error), 0);
    assert_string_equal(path, file);
    folder_destroy(&folder);
}

/* There is none beside the program of this test. */
TEST(without_a_name_it_is_looked_for_beside_the_program)
{
    char path[PATH_MAX];
    struct error error;

    assert_int_equal(trainer_program_find(NULL, path, sizeof(path), &error), -1);
    assert_non_null(
        strstr(error.text, "/tests/trainer: No such file or directory; --trainer=FILE"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
