/* command_test.c - what a user's program and the operator of a node may rely on: the launch
 * contract, and that nothing of a program is ever left. */
#include "common/descendants.h"
#include "executor/launch.h"
#include "tests/support/test.h"
#include "tests/worker/fake_master.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEASE_MS       30000
#define SHORT_LEASE_MS 5000

static fake_master_t *master;
static char program[4096]; /* what test_program is */

FIXTURE(set_up)
{
    const char *bin = getenv("RUBATO_BIN");

    (void)snprintf(program, sizeof(program), "%s/../tests/test_program", bin ? bin : "build/bin");
    master = fake_master_new(LEASE_MS);
    return 0;
}

FIXTURE(tear_down)
{
    fake_master_destroy(&master);
    return 0;
}

/* Starts a worker of two GPUs whose program does `actions`, lines, and is stable when it says so,
 * however long that takes; `more` options, up to four, ended with NULL. */
static void start_worker(const char *actions, const char *const more[])
{
    const char *arguments[16] = {"--emulate", "-n", "2", "--workload=command",
                                 "--stable-after=3600"};
    char option[4200];
    char *text;
    size_t count = 5;

    text = malloc(strlen(program) + strlen(actions) + 2);
    (void)sprintf(text, "%s\n%s", program, actions);
    (void)snprintf(option, sizeof(option), "--program=%s",
                   folder_write(fake_master_folder(master), "program", text));
    free(text);
    arguments[count++] = option;
    for (size_t i = 0; more && more[i]; i++)
        arguments[count++] = more[i];
    fake_master_start(master, arguments);
}

static struct msg_run real_run(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus)
{
    struct msg_run run = fake_run(job, incarnation, first, gpus);

    run.fast_forward = false;
    run.time_scale = 1;
    return run;
}

/* From RUN to BEGIN. */
static void begin_run(const struct msg_run *run, int64_t step)
{
    fake_master_run(master, run);
    fake_master_await_part(master, run->job, run->incarnation, PART_READY);
    fake_master_begin(master, run->job, run->incarnation, step);
}

static char *read_log(const char *name)
{
    return folder_read(fake_master_folder(master), name);
}

/* How many processes of test_program there are. */
static int count_programs(void)
{
    struct descendant *found;
    const size_t count = descendants_of(getpid(), &found);
    int programs = 0;

    for (size_t i = 0; i < count; i++) {
        char path[64];
        char name[32] = "";
        FILE *in;

        (void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)found[i].pid);
        in = fopen(path, "re");
        if (!in)
            continue;
        (void)!fgets(name, sizeof(name), in);
        (void)fclose(in);
        programs += !found[i].ended && !strcmp(name, "test_program\n");
    }
    free(found);
    return programs;
}

static bool programs_are(void *context)
{
    return count_programs() == *(const int *)context;
}

static void await_programs(int count)
{
    fake_master_await(master, programs_are, &count, "the program's processes");
}

static int64_t checkpoint_of(uint64_t job, uint32_t incarnation)
{
    return fake_master_part(master, job, incarnation)->checkpoint;
}

/* ---- the contract ---- */

/* The value of `name` in what "env" printed; NULL if it is not there. Line breaks in values
 * stay. */
static const char *find_variable(const char *text, size_t length, const char *name)
{
    const size_t bytes = strlen(name);

    for (const char *at = text; at < text + length; at += strlen(at) + 1)
        if (!strncmp(at, name, bytes) && at[bytes] == '=')
            return at + bytes + 1;
    return NULL;
}

static size_t read_whole_log(const char *name, char *text, size_t size)
{
    FILE *in = fopen(folder_file(fake_master_folder(master), name), "re");
    size_t length;

    assert_non_null(in);
    length = fread(text, 1, size - 1, in);
    text[length] = '\0';
    (void)fclose(in);
    return length;
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_program_finds_the_variables_of_the_contract)
{
    static const char nasty[] = "a; $(touch x) `touch y`\n'\"&|<> \\";
    static const char *const more[] = {"--pass-env=RUBATOLIKE,LD_DEBUG_OUTPUT", NULL};
    struct msg_run run = real_run(4, 3, 0, 2);
    char text[65536];
    size_t length;

    (void)setenv("PYTHONPATH", "/nowhere", 1);
    (void)setenv("BASH_ENV", "/nowhere", 1);
    (void)setenv("LD_DEBUG_OUTPUT", "/nowhere", 1);
    (void)setenv("RUBATOLIKE", "1", 1);
    (void)setenv("RUBATO_MINE", "2", 1);
    (void)setenv("RANK", "99", 1);
    start_worker("env\nexit=0", more);
    run.name = nasty;
    begin_run(&run, 0);
    fake_master_await_part(master, 4, 3, PART_DONE);
    length = read_whole_log("run/logs/job-4.inc-3.rank-1.log", text, sizeof(text));
    for (size_t i = 0; launch_variable(i); i++)
        if (!find_variable(text, length, launch_variable(i)))
            fail_msg("%s is missing", launch_variable(i));
    assert_string_equal(find_variable(text, length, "RANK"), "1");
    assert_string_equal(find_variable(text, length, "LOCAL_RANK"), "1");
    assert_string_equal(find_variable(text, length, "WORLD_SIZE"), "2");
    assert_string_equal(find_variable(text, length, "MASTER_PORT"), "9000");
    assert_string_equal(find_variable(text, length, "CUDA_VISIBLE_DEVICES"), "0,1");
    assert_string_equal(find_variable(text, length, "RUBATO_JOB_NAME"), nasty);
    assert_string_equal(find_variable(text, length, "RUBATO_MINE"), "2");
    assert_string_equal(find_variable(text, length, "RUBATOLIKE"), "1");
    assert_string_equal(find_variable(text, length, "LD_DEBUG_OUTPUT"), "/nowhere");
    assert_null(find_variable(text, length, "PYTHONPATH"));
    assert_null(find_variable(text, length, "BASH_ENV"));
    (void)unsetenv("LD_DEBUG_OUTPUT");
    (void)unsetenv("RANK");
}

READY(arguments_arrive_unchanged)
{
    static const char nasty[] = "a; $(touch x) `touch y`\n'\"&|<> \\";
    struct msg_run run = real_run(4, 1, 0, 1);
    char text[4096];
    size_t length;

    start_worker("arguments\n$HOME\n{name}\n*\n--step={step}", NULL);
    run.name = nasty;
    begin_run(&run, 0);
    fake_master_await_part(master, 4, 1, PART_DONE);
    length = read_whole_log("run/logs/job-4.inc-1.rank-0.log", text, sizeof(text));
    assert_int_equal(length, sizeof("$HOME") + sizeof(nasty) + sizeof("*") + sizeof("--step=0"));
    assert_string_equal(text, "$HOME");
    assert_string_equal(text + 6, nasty);
    assert_string_equal(text + 6 + sizeof(nasty), "*");
    assert_string_equal(text + 8 + sizeof(nasty), "--step=0");
}

/* S8: no new privileges, no core files, a session of its own, no descriptor but the three. */
READY(a_program_inherits_nothing)
{
    const struct msg_run run = real_run(1, 1, 0, 1);
    char *text;

    start_worker("status", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_DONE);
    text = read_log("run/logs/job-1.inc-1.rank-0.log");
    assert_string_equal(text, "no-new-privileges=1 core=0 stdin=/dev/null leader=1 open=0,1,2,\n");
    free(text);
}

READY(a_program_that_says_it_is_stable_is)
{
    const struct msg_run run = real_run(1, 1, 0, 1);
    const struct msg_part *part;

    start_worker("say=ready\nsay=stable 20 rate 3.5\nwait", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    part = fake_master_part(master, 1, 1);
    assert_int_equal(part->step, 20);
    assert_true(part->rate == 3.5);
    assert_false(part->emulated);
}

READY(a_program_that_says_nothing_is_stable_after_a_while)
{
    const struct msg_run run = real_run(1, 1, 0, 2);

    start_worker("wait", (const char *const[]){"--stable-after=0.05", NULL});
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    assert_true(fake_master_part(master, 1, 1)->rate == run.rate);
}

/* The program trains only to tell its start and rate; its steps are credited. */
READY(a_fast_forwarded_program_is_credited_with_its_steps)
{
    const struct msg_run run = fake_run(1, 1, 0, 1);

    start_worker("say=stable 3 rate 7\nsay=checkpoint 3\nwait", NULL);
    begin_run(&run, 100);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    assert_true(fake_master_part(master, 1, 1)->rate == 7);
    assert_int_equal(fake_master_part(master, 1, 1)->step, 100);
    fake_master_stop(master, 1, 1, 900, STOP_PAUSED, 30000);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(fake_master_part(master, 1, 1)->step, 900);
    assert_int_equal(checkpoint_of(1, 1), 900);
}

READY(a_program_that_ends_well_is_done)
{
    const struct msg_run run = real_run(1, 1, 0, 1);

    start_worker("say=step 999\nsay=checkpoint 999\nexit=0", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_DONE);
    assert_int_equal(checkpoint_of(1, 1), 999);
}

READY(a_program_that_ends_badly_has_failed)
{
    const struct msg_run run = real_run(1, 1, 0, 1);
    const struct msg_part *part;

    start_worker("say=checkpoint 30\nexit=3", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    part = fake_master_part(master, 1, 1);
    assert_true(part->retry);
    assert_int_equal(part->checkpoint, 30);
    assert_non_null(strstr(part->cause, "the program ended with exit status 3, see "));
    assert_non_null(strstr(part->cause, "/run/logs/job-1.inc-1.rank-0.log"));
}

READY(a_program_that_cannot_be_run_is_not_tried_again)
{
    const struct msg_run run = real_run(1, 1, 0, 1);

    char sentence[4200];

    (void)snprintf(program, sizeof(program), "%s",
                   folder_write(fake_master_folder(master), "vanishing", "#!/bin/true\n"));
    assert_int_equal(chmod(program, 0755), 0);
    (void)snprintf(sentence, sizeof(sentence), "%s cannot be started: No such file or directory",
                   program);
    start_worker("", NULL);
    fake_master_await_idle(master, 2);
    assert_int_equal(unlink(program), 0);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_false(fake_master_part(master, 1, 1)->retry);
    assert_string_equal(fake_master_part(master, 1, 1)->cause, sentence);
}

READY(output_is_kept_up_to_a_limit)
{
    static const char *const more[] = {"--log-limit=1", NULL};
    const struct msg_run run = real_run(1, 1, 0, 1);
    char *text;

    start_worker("flood=3000\nexit=0", more);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_DONE);
    text = read_log("run/logs/job-1.inc-1.rank-0.log");
    assert_in_range(strlen(text), 1 << 20, (1 << 20) + 100);
    assert_non_null(strstr(text, "[the limit of this log is reached]"));
    free(text);
}

/* ---- stopping ---- */

static void stop_run(uint64_t job, uint32_t incarnation, int64_t grace_ms)
{
    fake_master_stop(master, job, incarnation, -1, STOP_PAUSED, grace_ms);
}

READY(a_stop_is_a_signal_and_ends_with_a_confirmed_checkpoint)
{
    const struct msg_run run = real_run(1, 1, 0, 1);

    start_worker("term=checkpoint 70\nsay=stable 60 rate 1\nwait", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    stop_run(1, 1, 30000);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(checkpoint_of(1, 1), 70);
    assert_string_equal(fake_master_part(master, 1, 1)->cause, "");
    await_programs(0);
}

READY(every_clean_end_is_a_pause)
{
    static const char *const ends[] = {"term-exit=0\n", "term-exit=143\n", ""};

    for (size_t i = 0; i < COUNT(ends); i++) {
        const struct msg_run run = real_run(1, 1, 0, 1);
        char actions[128];

        (void)snprintf(actions, sizeof(actions), "%ssay=stable 5 rate 1\nwait", ends[i]);
        start_worker(actions, NULL);
        begin_run(&run, 0);
        fake_master_await_part(master, 1, 1, PART_STABLE);
        stop_run(1, 1, 30000);
        fake_master_await_part(master, 1, 1, PART_STOPPED);
        (void)tear_down(test_state);
        (void)set_up(test_state);
    }
}

READY(a_program_that_breaks_when_asked_to_stop_has_failed)
{
    const struct msg_run run = real_run(1, 1, 0, 1);

    start_worker("term-exit=1\nsay=stable 5 rate 1\nwait", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    stop_run(1, 1, 30000);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_non_null(strstr(fake_master_part(master, 1, 1)->cause, "when asked to stop"));
}

/* 18 of the checklist. */
READY(what_ignores_signals_is_killed_with_all_it_forked)
{
    const struct msg_run run = real_run(1, 1, 0, 1);

    start_worker("deaf\nfork\nleave\nsay=checkpoint 8\nsay=stable 9 rate 1\nwait", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    await_programs(3);
    stop_run(1, 1, 100);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(count_programs(), 0);
    assert_int_equal(checkpoint_of(1, 1), 8);
    assert_string_equal(fake_master_part(master, 1, 1)->cause,
                        "killed, as it did not end when asked to");
}

READY(what_a_program_leaves_ends_with_it)
{
    const struct msg_run run = real_run(1, 1, 0, 1);

    start_worker("fork\nleave\nexit=0", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_DONE);
    assert_int_equal(count_programs(), 0);
}

READY(the_next_program_starts_when_the_last_is_gone)
{
    const struct msg_run first = real_run(1, 1, 0, 2);
    struct msg_run second;

    start_worker("fork\nleave\nsay=stable 9 rate 1\nwait", NULL);
    begin_run(&first, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    second = real_run(2, 1, 0, 2);
    fake_master_run(master, &second);
    fake_master_await_log(master, "type=RUN", 2);
    stop_run(1, 1, 30000);
    fake_master_await_part(master, 2, 1, PART_READY);
    assert_int_equal(count_programs(), 0);
}

/* ---- processes that die ---- */

static void bring_up_hard_ones(int32_t gpus)
{
    const struct msg_run run = real_run(1, 1, 0, gpus);

    start_worker("deaf\nfork\nleave\nsay=stable 9 rate 1\nwait", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    await_programs(3 * gpus);
}

/* 4 of the checklist: one rank's trainer is killed, the whole part goes, the trainer comes
 * again. */
READY(a_killed_trainer_takes_its_program_along_and_comes_again)
{
    static const char *const more[] = {"--grace=0.1", NULL};
    const struct msg_run run = real_run(1, 1, 0, 2);

    start_worker("deaf\nfork\nleave\nsay=stable 9 rate 1\nwait", more);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    await_programs(6);
    assert_int_equal(kill(fake_master_trainer(master, 1), SIGKILL), 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_int_equal(count_programs(), 0);
    assert_string_equal(fake_master_part(master, 1, 1)->cause,
                        "trainer of GPU 1 was ended by signal 9");
    assert_true(fake_master_part(master, 1, 1)->retry);
    fake_master_await_idle(master, 2);
}

/* 3 of the checklist. */
READY(a_killed_worker_takes_everything_along)
{
    bring_up_hard_ones(2);
    assert_int_equal(kill(fake_master_worker(master), SIGKILL), 0);
    assert_int_equal(fake_master_wait_exit(master), 128 + SIGKILL);
    fake_master_await_no_process(master);
}

/* The keeper is killed, and program and children are the trainer's. */
READY(a_killed_keeper_takes_its_program_along)
{
    struct descendant *found;
    size_t count;
    pid_t keeper = 0;

    bring_up_hard_ones(1);
    count = descendants_of(fake_master_trainer(master, 0), &found);
    for (size_t i = 0; i < count; i++)
        if (found[i].parent == fake_master_trainer(master, 0))
            keeper = found[i].pid;
    free(found);
    assert_int_equal(kill(keeper, SIGKILL), 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_int_equal(count_programs(), 0);
}

/* 6 of the checklist: the trainer watches the lease itself. What it said of the end is lost where
 * the worker was stopped for so long that the trainer gave their session up. */
READY(a_stopped_worker_keeps_no_gpu_beyond_its_lease)
{
    const char *cause;

    fake_master_destroy(&master);
    master = fake_master_new(SHORT_LEASE_MS);
    bring_up_hard_ones(2);
    assert_int_equal(kill(fake_master_worker(master), SIGSTOP), 0);
    await_programs(0);
    fake_master_await_log(master, "event=lease-over", 2);
    assert_int_equal(kill(fake_master_worker(master), SIGCONT), 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    cause = fake_master_part(master, 1, 1)->cause;
    if (strcmp(cause, "it is not on this trainer") != 0)
        assert_string_equal(cause, "lease over");
    fake_master_await_idle(master, 2);
}

/* 9 of the checklist, from the worker's side: no answer comes. */
READY(a_worker_that_is_not_answered_gives_its_gpus_up)
{
    fake_master_destroy(&master);
    master = fake_master_new(SHORT_LEASE_MS);
    bring_up_hard_ones(2);
    fake_master_answer(master, false);
    await_programs(0);
    fake_master_answer(master, true);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_string_equal(fake_master_part(master, 1, 1)->cause, "lease over");
}

/* Both are in trouble: the worker kills what the trainer should have. */
READY(a_stopped_trainer_keeps_no_gpu_beyond_the_lease)
{
    fake_master_destroy(&master);
    master = fake_master_new(2500); /* over before the trainer counts as silent */
    bring_up_hard_ones(1);
    assert_int_equal(kill(fake_master_trainer(master, 0), SIGSTOP), 0);
    fake_master_answer(master, false);
    fake_master_await_log(master, "worker:node-a event=lease-over", 1);
    await_programs(0);
    fake_master_answer(master, true);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_string_equal(fake_master_part(master, 1, 1)->cause, "lease over");
    fake_master_await_idle(master, 2);
}

/* 7 of the checklist, of a trainer: it is silent, so it is killed. */
READY(a_stopped_trainer_is_noticed_and_replaced)
{
    bring_up_hard_ones(1);
    assert_int_equal(kill(fake_master_trainer(master, 0), SIGSTOP), 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_int_equal(count_programs(), 0);
    assert_string_equal(fake_master_part(master, 1, 1)->cause, "trainer of GPU 0 is silent");
    fake_master_await_idle(master, 2);
}

READY(a_worker_that_is_asked_to_end_lets_programs_save)
{
    const struct msg_run run = real_run(1, 1, 0, 2);

    start_worker("term=checkpoint 70\nleave\nsay=stable 60 rate 1\nwait", NULL);
    begin_run(&run, 0);
    fake_master_await_part(master, 1, 1, PART_STABLE);
    assert_int_equal(kill(fake_master_worker(master), SIGTERM), 0);
    assert_int_equal(fake_master_wait_exit(master), 0);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(checkpoint_of(1, 1), 70);
    fake_master_await_no_process(master);
}

READY(a_second_signal_ends_a_worker_at_once)
{
    bring_up_hard_ones(2);
    assert_int_equal(kill(fake_master_worker(master), SIGTERM), 0);
    fake_master_await_part(master, 1, 1, PART_STOPPING);
    assert_int_equal(kill(fake_master_worker(master), SIGTERM), 0);
    assert_int_equal(fake_master_wait_exit(master), 0);
    fake_master_await_no_process(master);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
