/* worker_test.c - what a master may rely on of a worker and its trainers, with emulated jobs. */
#include "tests/support/program.h"
#include "tests/support/test.h"
#include "tests/worker/fake_master.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEASE_MS 30000

static fake_master_t *master;
static const char *const two_gpus[] = {"--emulate", "-n", "2", NULL};

FIXTURE(set_up)
{
    master = fake_master_new(LEASE_MS);
    return 0;
}

FIXTURE(tear_down)
{
    fake_master_destroy(&master);
    return 0;
}

/* Starts a worker of two GPUs with `faults`. */
static void start_with(const char *faults)
{
    const char *const arguments[] = {"--emulate", "-n", "2", "--faults", faults, NULL};

    fake_master_start(master, arguments);
}

static int64_t checkpoint_of(uint64_t job, uint32_t incarnation)
{
    return fake_master_part(master, job, incarnation)->checkpoint;
}

static const char *cause_of(uint64_t job, uint32_t incarnation)
{
    return fake_master_part(master, job, incarnation)->cause;
}

static void assert_file(const char *name, const char *expected)
{
    char *text = folder_read(fake_master_folder(master), name);

    assert_string_equal(text, expected);
    free(text);
}

static int count_in_log(const char *text)
{
    const char *at = fake_master_log(master);
    int times = 0;

    for (; (at = strstr(at, text)); at++)
        times++;
    return times;
}

static bool has_checkpoint_50(void *context)
{
    (void)context;
    return checkpoint_of(1, 1) == 50;
}

/* ---- what runs ---- */

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_fast_forwarded_job_is_stable_as_soon_as_it_begins)
{
    struct msg_run run = fake_run(1, 1, 0, 2);
    const struct msg_part *part;

    fake_master_start(master, two_gpus);
    run.overhead_ms = 4567;
    fake_master_bring_up(master, &run, 0);
    part = fake_master_part(master, 1, 1);
    assert_true(part->emulated);
    assert_true(part->rate == 10);
    assert_int_equal(part->overhead_ms, 4567);
    fake_master_update(master, 1, 1, 50);
    fake_master_await(master, has_checkpoint_50, NULL, "the checkpoint");
    assert_file("run/jobs/1/checkpoint", "step 50\n");
    fake_master_stop(master, 1, 1, 70, STOP_PAUSED, -1);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(checkpoint_of(1, 1), 70);
    assert_file("run/jobs/1/checkpoint", "step 70\n");
}

READY(the_next_incarnation_goes_on_from_the_checkpoint)
{
    const struct msg_run first = fake_run(1, 1, 0, 2);
    struct msg_run second;

    fake_master_start(master, two_gpus);
    fake_master_bring_up(master, &first, 0);
    second = fake_run(1, 2, 0, 1);
    fake_master_run(master, &second); /* at once, as the standby of the first */
    fake_master_await_part(master, 1, 2, PART_PREPARING);
    fake_master_stop(master, 1, 1, 70, STOP_PAUSED, -1);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    fake_master_await_part(master, 1, 2, PART_READY);
    fake_master_begin(master, 1, 2, 70);
    fake_master_await_part(master, 1, 2, PART_STABLE);
    assert_int_equal(fake_master_part(master, 1, 2)->step, 70);
}

READY(a_job_in_real_time_makes_its_steps_and_ends)
{
    struct msg_run run = fake_run(1, 1, 0, 2);

    fake_master_start(master, two_gpus);
    run.fast_forward = false;
    run.time_scale = 1000;
    run.overhead_ms = 1000;
    fake_master_bring_up(master, &run, 0); /* 1000 steps at 10/s are 0.1 s of real time */
    fake_master_await_part(master, 1, 1, PART_DONE);
    assert_int_equal(fake_master_part(master, 1, 1)->step, 1000);
    assert_file("run/jobs/1/checkpoint", "step 1000\n");
}

/* I8 and the fencing of I2. */
READY(commands_have_one_effect_however_often_they_come)
{
    const struct msg_run run = fake_run(1, 2, 0, 2);
    struct msg_run older;

    fake_master_start(master, two_gpus);
    fake_master_bring_up(master, &run, 0);
    fake_master_run(master, &run);
    fake_master_begin(master, 1, 2, 0);
    older = fake_run(1, 1, 0, 2);
    fake_master_run(master, &older);
    fake_master_stop(master, 1, 1, 5, STOP_PAUSED, -1);
    fake_master_await_log(master, "type=STOP", 1);
    fake_master_await_log(master, "effect=repeated", 2);
    fake_master_await_log(master, "effect=stale", 2);
    fake_master_stop(master, 1, 2, 30, STOP_PAUSED, -1);
    fake_master_await_part(master, 1, 2, PART_STOPPED);
    assert_null(fake_master_part(master, 1, 1));
    assert_int_equal(count_in_log("event=hold"), 2);
    assert_int_equal(count_in_log("event=release"), 2);
}

READY(a_rate_that_was_not_said_is_looked_up)
{
    struct msg_run run = fake_run(1, 1, 0, 2);

    fake_master_start(master, two_gpus);
    run.rate = 0;
    run.model = "bert";
    run.batch_size = 64;
    fake_master_bring_up(master, &run, 0);
    assert_true(fake_master_part(master, 1, 1)->rate == 8.643477263279834); /* A100.csv */
}

READY(a_model_without_a_table_is_refused_for_good)
{
    struct msg_run run = fake_run(1, 1, 0, 2);

    fake_master_start(master, two_gpus);
    run.rate = 0;
    run.model = "unheard-of";
    fake_master_run(master, &run);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_false(fake_master_part(master, 1, 1)->retry);
    assert_non_null(strstr(cause_of(1, 1), "no rate of unheard-of with 128 samples on 2 GPUs"));
}

READY(groups_are_made_and_timed)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    fake_master_start(master, two_gpus);
    fake_master_bring_up(master, &run, 0);
    fake_master_group(master, 1, 1);
    fake_master_stop(master, 1, 1, 5, STOP_PAUSED, -1);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_true(fake_master_grouped_ms(master) > 0);
}

/* ---- trainers that come and go ---- */

READY(trainers_say_that_they_are_there)
{
    char *out;

    fake_master_start(master, two_gpus);
    fake_master_await_idle(master, 2);
    out = folder_read(fake_master_folder(master), "out");
    assert_non_null(strstr(out, "trainer 0 is started\ntrainer 0 idles\n"));
    assert_non_null(strstr(out, "trainer 1 is started\ntrainer 1 idles\n"));
    free(out);
}

READY(a_restart_stops_jobs_with_a_checkpoint_and_renews_trainers)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);
    struct msg_run next;
    pid_t trainer;

    fake_master_start(master, two_gpus);
    fake_master_bring_up(master, &run, 0);
    fake_master_update(master, 1, 1, 50);
    trainer = fake_master_trainer(master, 0);
    fake_master_say(master, MSG_RESTART);
    next = fake_run(2, 1, 0, 2);
    fake_master_run(master, &next); /* waits for the new trainers */
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(checkpoint_of(1, 1), 50);
    fake_master_await_part(master, 2, 1, PART_READY);
    assert_int_not_equal(fake_master_trainer(master, 0), trainer);
}

READY(an_idle_trainer_that_dies_comes_again)
{
    fake_master_start(master, two_gpus);
    fake_master_await_idle(master, 2);
    assert_int_equal(kill(fake_master_trainer(master, 1), SIGKILL), 0);
    fake_master_await_log(master, "event=trainer-started", 3);
    fake_master_await_idle(master, 2);
}

READY(a_worker_that_is_asked_to_end_leaves_nothing)
{
    fake_master_start(master, two_gpus);
    fake_master_await_idle(master, 2);
    assert_int_equal(kill(fake_master_worker(master), SIGTERM), 0);
    assert_int_equal(fake_master_wait_exit(master), 0);
    fake_master_await_no_process(master);
}

READY(a_worker_that_its_master_ends_stops_jobs_first)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    fake_master_start(master, two_gpus);
    fake_master_bring_up(master, &run, 0);
    fake_master_update(master, 1, 1, 50);
    fake_master_say(master, MSG_SHUTDOWN);
    assert_int_equal(fake_master_wait_exit(master), 0);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(checkpoint_of(1, 1), 50);
}

READY(signals_that_ask_for_nothing_have_no_effect)
{
    static const int numbers[] = {SIGHUP, SIGUSR1, SIGUSR2};
    const struct msg_run run = fake_run(1, 1, 0, 2);
    char text[64];

    fake_master_start(master, two_gpus);
    fake_master_bring_up(master, &run, 0);
    assert_int_equal(kill(fake_master_worker(master), SIGPIPE), 0);
    assert_int_equal(kill(fake_master_trainer(master, 0), SIGPIPE), 0);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        (void)snprintf(text, sizeof(text), "number=%d effect=none", numbers[i]);
        assert_int_equal(kill(fake_master_worker(master), numbers[i]), 0);
        assert_int_equal(kill(fake_master_trainer(master, 0), numbers[i]), 0);
        fake_master_await_log(master, text, 2);
    }
    assert_int_equal(kill(fake_master_worker(master), SIGQUIT), 0);
    assert_int_equal(fake_master_wait_exit(master), 0);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
}

READY(trainers_die_with_their_worker)
{
    fake_master_start(master, two_gpus);
    fake_master_await_idle(master, 2);
    assert_int_equal(kill(fake_master_worker(master), SIGKILL), 0);
    assert_int_equal(fake_master_wait_exit(master), 128 + SIGKILL);
    fake_master_await_no_process(master);
}

/* ---- faults ---- */

READY(lies_reach_the_master_as_they_are)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    start_with("gpu=1:lie=nan");
    fake_master_bring_up(master, &run, 0);
    assert_true(isnan(fake_master_part(master, 1, 1)->rate));
}

READY(a_trainer_that_dies_on_the_way_fails_its_part)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    start_with("gpu=1:die-at=40");
    fake_master_bring_up(master, &run, 0);
    fake_master_update(master, 1, 1, 30);
    fake_master_update(master, 1, 1, 40);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_string_equal(cause_of(1, 1), "trainer of GPU 1 was ended by signal 9");
    assert_int_equal(checkpoint_of(1, 1), 40);
    fake_master_await_idle(master, 2);
}

READY(a_trainer_that_falls_silent_fails_its_part)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    start_with("gpu=0:silent");
    fake_master_run(master, &run);
    fake_master_await_part(master, 1, 1, PART_READY);
    fake_master_begin(master, 1, 1, 0);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_string_equal(cause_of(1, 1), "trainer of GPU 0 is silent");
    fake_master_await_idle(master, 2);
}

READY(a_job_that_does_not_stop_is_killed_with_its_children)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    start_with("ignore-term;fork-children");
    fake_master_bring_up(master, &run, 0);
    fake_master_stop(master, 1, 1, 30, STOP_PAUSED, 200);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(checkpoint_of(1, 1), 0);
    assert_int_equal(kill(fake_master_worker(master), SIGTERM), 0);
    assert_int_equal(fake_master_wait_exit(master), 0);
    fake_master_await_no_process(master);
}

READY(emulated_children_die_with_a_killed_worker)
{
    const struct msg_run run = fake_run(1, 1, 0, 2);

    start_with("ignore-term;fork-children");
    fake_master_bring_up(master, &run, 0);
    assert_int_equal(kill(fake_master_worker(master), SIGKILL), 0);
    (void)fake_master_wait_exit(master);
    fake_master_await_no_process(master);
}

/* ---- command lines ---- */

static void assert_refused(const char *const words[], const char *sentence)
{
    const char *arguments[8] = {"-r", folder_file(fake_master_folder(master), "refused")};
    struct program_result result;

    for (size_t i = 0; words[i]; i++)
        arguments[2 + i] = words[i];
    result = program_run("worker", arguments);
    assert_int_equal(result.status, 2);
    if (!strstr(result.err, sentence))
        fail_msg("\"%s\" is not in \"%s\"", sentence, result.err);
    program_result_clear(&result);
}

READY(mistakes_are_named)
{
    static const char *const faults[] = {"--emulate", "--faults=slow=0", NULL};
    static const char *const kind[] = {"--emulate", "--workload=command", NULL};
    static const char *const program[] = {"--emulate", "--program=/nowhere/program", NULL};
    static const char *const trainer[] = {"--emulate", "--trainer=/nowhere/trainer", NULL};
    static const char *const names[] = {"--emulate", "--pass-env=A=B", NULL};
    static const char *const host[] = {"--emulate", "-i", "no such host", NULL};

    assert_refused(faults, "worker: --faults: \"slow=0\" is none of");
    assert_refused(kind, "worker: --workload=command needs --program=FILE\n");
    assert_refused(program, "worker: --program: /nowhere/program: cannot be read: No such file");
    assert_refused(trainer, "worker: /nowhere/trainer: No such file or directory; --trainer=FILE");
    assert_refused(names, "worker: --pass-env: \"A=B\" is no name of a variable\n");
    assert_refused(host, "worker: no such host: ");
}

/* The artifact's own words for a worker. */
READY(the_artifacts_command_line_works)
{
    const char *const arguments[] = {"-i",
                                     "127.0.0.1",
                                     "-p",
                                     "9000",
                                     "-n",
                                     "2",
                                     "-A",
                                     "127.0.0.1",
                                     "-g",
                                     "6889",
                                     "-w",
                                     "8",
                                     "-x",
                                     "python3",
                                     "--dynamic_requests=True",
                                     "--scheduler_port=6890",
                                     "--scheduler_addr=127.0.0.1",
                                     "--emulate",
                                     NULL};

    fake_master_start(master, arguments);
    assert_int_equal(fake_master_gpus(master), 2);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
