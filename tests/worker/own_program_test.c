/* own_program_test.c - a job that brings its program along: what is executed, where, as whom and in
 * which environment, on a worker that would emulate it otherwise. */
#include "tests/support/test.h"
#include "tests/worker/fake_master.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEASE_MS 30000
#define LOG      "run/logs/job-4.inc-1.rank-0.log"

static fake_master_t *master;
static char test_program[4096];

FIXTURE(set_up)
{
    static const char *const arguments[] = {"--emulate", "-n", "2", "--stable-after=600", NULL};
    const char *bin = getenv("RUBATO_BIN");

    (void)snprintf(test_program, sizeof(test_program), "%s/../tests/test_program",
                   bin ? bin : "build/bin");
    (void)setenv("RUBATO_BOTH", "worker", 1);
    (void)setenv("PYTHONPATH", "/worker", 1);
    master = fake_master_new(LEASE_MS);
    fake_master_start(master, arguments);
    return 0;
}

FIXTURE(tear_down)
{
    fake_master_destroy(&master);
    return 0;
}

/* Job 4 executes `arguments`, ended with NULL, as `more` has it, until `state`. A program that
 * `is_refused` fails before it begins. */
static void try(const char *const *arguments, struct msg_program more, bool is_refused,
                enum part_state state)
{
    static const char *words[16];
    struct msg_run run = fake_run(4, 1, 0, 1);

    more.job = 4;
    more.arguments = words;
    more.argument_count = 0;
    for (; arguments[more.argument_count]; more.argument_count++)
        words[more.argument_count] = arguments[more.argument_count];
    more.folder = more.folder ? more.folder : "";
    more.user = more.user ? more.user : "";
    run.fast_forward = false;
    run.time_scale = 1;
    run.program = &more;
    fake_master_run(master, &run);
    if (!is_refused) {
        fake_master_await_part(master, 4, 1, PART_READY);
        fake_master_begin(master, 4, 1, 0);
    }
    fake_master_await_part(master, 4, 1, state);
}

static void execute(const char *const *arguments, struct msg_program more, enum part_state state)
{
    try(arguments, more, false, state);
}

/* What it printed, NULs as line breaks; the caller frees it. */
static char *printed(void)
{
    FILE *in = fopen(folder_file(fake_master_folder(master), LOG), "re");
    char *text = calloc(1, 65536);
    size_t length;

    assert_non_null(in);
    length = fread(text, 1, 65535, in);
    (void)fclose(in);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = '\n';
    return text;
}

static void has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("no \"%s\" in: %s", line, text);
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(its_arguments_arrive_as_they_are)
{
    const char *const arguments[] = {test_program,       "arguments", "a; $(touch x) `y`\n'\"",
                                     "{name} {{ {nope}", "",          NULL};
    char *text;

    execute(arguments, (struct msg_program){.user = ""}, PART_DONE);
    text = printed();
    assert_string_equal(text, "a; $(touch x) `y`\n'\"\n{name} {{ {nope}\n\n");
    free(text);
}

READY(its_environment_is_that_of_the_contract_and_its_own)
{
    static const char *variables[] = {"MINE=a=b", "RUBATO_BOTH=own", "RANK=9", "LD_MINE=1"};
    const char *const arguments[] = {test_program, "env", "exit=0", NULL};
    char *text;

    execute(arguments,
            (struct msg_program){.variable_count = 4, .variables = variables, .grace_ms = 120000},
            PART_DONE);
    text = printed();
    has(text, "\nMINE=a=b\n");
    has(text, "\nRUBATO_BOTH=own\n");
    has(text, "\nLD_MINE=1\n");
    has(text, "\nRANK=0\n");
    has(text, "\nRUBATO_JOB_ID=4\n");
    has(text, "\nRUBATO_GRACE_SECONDS=120\n");
    assert_null(strstr(text, "RUBATO_BOTH=worker"));
    assert_null(strstr(text, "PYTHONPATH"));
    free(text);
}

READY(it_runs_in_its_folder_without_ways_to_more_privileges)
{
    const char *const arguments[] = {"cat", "/proc/self/status", "/proc/self/limits", "hostname",
                                     NULL};
    char *text;

    execute(arguments, (struct msg_program){.folder = "/etc"}, PART_DONE);
    text = printed();
    has(text, "\nNoNewPrivs:\t1\n");
    has(text, "\nMax core file size        0                    0 ");
    free(text);
}

READY(a_folder_that_is_not_there_is_a_failure_for_good)
{
    const char *const arguments[] = {"true", NULL};
    const struct msg_part *part;

    execute(arguments, (struct msg_program){.folder = "/no/such folder"}, PART_FAILED);
    part = fake_master_part(master, 4, 1);
    assert_false(part->retry);
    assert_string_equal(part->cause,
                        "true cannot be started: /no/such folder: No such file or directory");
}

READY(a_user_that_the_node_does_not_have_is_one_too)
{
    const char *const arguments[] = {"true", NULL};
    const struct msg_part *part;

    try(arguments, (struct msg_program){.user = "no-such-user"}, true, PART_FAILED);
    part = fake_master_part(master, 4, 1);
    assert_false(part->retry);
    assert_string_equal(part->cause, "this node has no user \"no-such-user\"");
}

/* The run folder is in one that only root can enter. */
static void let_users_enter(void)
{
    assert_int_equal(chmod(folder_file(fake_master_folder(master), "."), 0711), 0);
}

/* By the worker of root. */
READY(it_runs_as_its_user)
{
    const char *const arguments[] = {"cat", "/proc/self/status", "/proc/self/environ", NULL};
    const struct passwd *user = getpwnam("nobody");
    char ids[64];
    struct stat folder;
    char *text;

    if (geteuid() != 0 || !user) {
        skip();
        return;
    }
    let_users_enter();
    execute(arguments, (struct msg_program){.user = "nobody", .folder = "/"}, PART_DONE);
    text = printed();
    (void)snprintf(ids, sizeof(ids), "\nUid:\t%d\t%d\t%d\t%d\n", (int)user->pw_uid,
                   (int)user->pw_uid, (int)user->pw_uid, (int)user->pw_uid);
    has(text, ids);
    (void)snprintf(ids, sizeof(ids), "\nGroups:\t%d \n", (int)user->pw_gid);
    has(text, ids);
    has(text, "\nCapEff:\t0000000000000000\n");
    has(text, "\nNoNewPrivs:\t1\n");
    has(text, "\nLOGNAME=nobody\n");
    assert_int_equal(stat(folder_file(fake_master_folder(master), "run/jobs/4"), &folder), 0);
    assert_int_equal(folder.st_uid, user->pw_uid);
    free(text);
}

/* What a program of another user says of itself is heard, and it is killed when its grace is
 * over. */
READY(a_program_of_a_user_is_heard_and_ended)
{
    char copy[4096];
    const char *const arguments[] = {copy, "deaf", "say=stable 5 rate 2", "wait", NULL};

    if (geteuid() != 0 || !getpwnam("nobody"))
        skip();
    if (!realpath(test_program, copy) || access(copy, X_OK) < 0)
        skip();
    let_users_enter();
    execute(arguments, (struct msg_program){.user = "nobody", .grace_ms = 50, .folder = "/"},
            PART_STABLE);
    assert_int_equal(fake_master_part(master, 4, 1)->step, 5);
    fake_master_stop(master, 4, 1, -1, STOP_PAUSED, -1);
    fake_master_await_part(master, 4, 1, PART_STOPPED);
    assert_string_equal(fake_master_part(master, 4, 1)->cause,
                        "killed, as it did not end when asked to");
}

static bool is_saved(void *context)
{
    return fake_master_part(master, 4, 1)->checkpoint == *(const int64_t *)context;
}

/* The worker's own interval is longer than any test. */
READY(one_that_can_is_told_to_save_now_and_then)
{
    const char *const arguments[] = {test_program,
                                     "save=checkpoint 7",
                                     "say=checkpoints-on-signal",
                                     "say=stable 5 rate 2",
                                     "wait",
                                     NULL};
    int64_t step = 7;

    execute(arguments, (struct msg_program){.checkpoint_s = 1}, PART_STABLE);
    fake_master_await(master, is_saved, &step, "a checkpoint");
    fake_master_stop(master, 4, 1, -1, STOP_PAUSED, -1);
    fake_master_await_part(master, 4, 1, PART_STOPPED);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
