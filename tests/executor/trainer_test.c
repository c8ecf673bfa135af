/* trainer_test.c - a trainer has one active workload and one that makes ready beside it. */
#include "executor/trainer.h"

#include "common/output.h"
#include "executor/checkpoint.h"
#include "executor/emulation_model.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_US ((int64_t)1000000)

static folder_t *folder;
static trainer_t *trainer;
static char said[4096];             /* "1.1:ready ": job, incarnation, state */
static struct msg_rank_report last; /* without its cause */
static char last_cause[1024];
static char cause[1024];
static int deaths;

static void die(void)
{
    deaths++;
}

static struct executor_setting executor;

static void on_report(void *owner, const struct msg_rank_report *report)
{
    const size_t used = strlen(said);

    (void)owner;
    last = *report;
    (void)snprintf(last_cause, sizeof(last_cause), "%s", report->part.cause);
    (void)snprintf(cause, sizeof(cause), "%s", report->part.cause);
    (void)snprintf(said + used, sizeof(said) - used, "%d.%d:%s ", (int)report->part.job,
                   (int)report->part.incarnation,
                   report->grouped ? "grouped" : part_state_name(report->part.state));
}

FIXTURE(set_up)
{
    const struct trainer_setting setting = {.executor = &executor, .gpu = 2, .report = on_report};

    folder = folder_new();
    said[0] = '\0';
    deaths = 0;
    executor = (struct executor_setting){
        .kind = "auto",
        .run_dir = folder_path(folder),
        .python = "python3",
        .visible = "",
        .grace_ms = 1000,
        .checkpoint_every_s = 600,
        .die = die,
    };
    trainer = trainer_new(&setting);
    return 0;
}

FIXTURE(tear_down)
{
    trainer_destroy(&trainer);
    folder_destroy(&folder);
    return 0;
}

#define assert_said(words)                                                                         \
    do {                                                                                           \
        assert_string_equal(said, words);                                                          \
        said[0] = '\0';                                                                            \
    } while (0)

/* What a test changes of a PREPARE. */
struct wish {
    bool real_time;
    double time_scale;
    int64_t overhead_ms;
    double rate;
    int32_t rank;
    int64_t memory_mib;
    int64_t iterations;
    int64_t lease_until_us;
};

static const struct wish plain = {.overhead_ms = -1, .rate = 10, .lease_until_us = INT64_MAX};

static void prepare(uint64_t job, uint32_t incarnation, const struct wish *wish, int64_t now_us)
{
    int32_t gpu = 2;
    int32_t rank = wish->rank;
    const struct msg_prepare message = {
        .run =
            {
                .job = job,
                .incarnation = incarnation,
                .name = "name",
                .model = "resnet50",
                .batch_size = 128,
                .iterations = wish->iterations > 0 ? wish->iterations : 1000,
                .overhead_ms = wish->overhead_ms,
                .rate = wish->rate,
                .fast_forward = !wish->real_time,
                .time_scale = wish->time_scale,
                .nodes = 1,
                .world = 2,
                .rendezvous_address = "",
                .gpu_count = 1,
                .gpus = &gpu,
                .ranks = &rank,
            },
        .local_world = 1,
        .local_gpus = &gpu,
        .memory_mib = wish->memory_mib,
        .lease_until_us = wish->lease_until_us,
    };

    trainer_prepare(trainer, &message, now_us);
}

static void begin(uint64_t job, uint32_t incarnation, int64_t step, int64_t now_us)
{
    const struct msg_begin message = {job, incarnation, step};

    trainer_begin(trainer, &message, now_us);
}

static void update(uint64_t job, uint32_t incarnation, int64_t step)
{
    const struct msg_update message = {job, incarnation, step, 1000};

    trainer_update(trainer, &message, 0);
}

static void stop(uint64_t job, uint32_t incarnation, int64_t step, enum stop_why why,
                 int64_t now_us)
{
    const struct msg_stop message = {job, incarnation, step, why, -1};

    trainer_stop(trainer, &message, now_us);
}

static int64_t saved_step(uint64_t job)
{
    struct error error;
    int64_t step;

    assert_int_equal(checkpoint_read(folder_path(folder), job, &step, &error), 0);
    return step;
}

/* ---- fast forward ---- */

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_fast_forwarded_workload_is_stable_when_it_begins)
{
    struct wish wish = plain;

    wish.overhead_ms = 12345;
    prepare(1, 1, &wish, 0);
    assert_said("1.1:ready ");
    assert_int_equal(trainer_state(trainer), TRAINER_SWITCH);
    begin(1, 1, 0, 0);
    assert_said("1.1:stable ");
    assert_int_equal(trainer_state(trainer), TRAINER_RUNNING);
    assert_int_equal(last.part.overhead_ms, 12345);
    assert_true(last.part.rate == 10);
    assert_true(last.part.emulated);
    assert_true(trainer_due_us(trainer) == INT64_MAX);
}

READY(an_update_is_a_checkpoint)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    update(1, 1, 70);
    assert_int_equal(last.part.checkpoint, 70);
    assert_int_equal(saved_step(1), 70);
}

READY(a_stop_is_a_checkpoint_too)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    said[0] = '\0';
    stop(1, 1, 90, STOP_PAUSED, 0);
    assert_said("1.1:stopped ");
    assert_int_equal(last.part.step, 90);
    assert_int_equal(last.part.checkpoint, 90);
    assert_int_equal(saved_step(1), 90);
    assert_int_equal(trainer_state(trainer), TRAINER_IDLE);
}

READY(a_cancelled_job_leaves_no_checkpoint)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    stop(1, 1, 90, STOP_CANCELLED, 0);
    assert_int_equal(last.part.state, PART_STOPPED);
    assert_int_equal(saved_step(1), 0);
}

READY(only_rank_0_writes_checkpoints)
{
    struct wish wish = plain;

    wish.rank = 1;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    update(1, 1, 70);
    stop(1, 1, 90, STOP_PAUSED, 0);
    assert_int_equal(last.part.step, -1);
    assert_int_equal(last.part.checkpoint, -1);
    assert_int_equal(saved_step(1), 0);
}

/* ---- active and standby ---- */

READY(a_standby_workload_is_ready_when_the_gpu_is_free)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    said[0] = '\0';
    prepare(2, 1, &plain, 0);
    assert_said("");
    begin(2, 1, 0, 0); /* too early: it is told so */
    assert_said("2.1:preparing ");
    stop(1, 1, 10, STOP_PAUSED, 0);
    assert_said("1.1:stopped 2.1:ready ");
    begin(2, 1, 0, 0);
    assert_said("2.1:stable ");
}

READY(a_standby_workload_that_is_stopped_leaves_the_active_one)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    prepare(2, 1, &plain, 0);
    said[0] = '\0';
    stop(2, 1, -1, STOP_PAUSED, 0);
    assert_said("2.1:stopped ");
    assert_int_equal(trainer_state(trainer), TRAINER_RUNNING);
    prepare(3, 1, &plain, 0);
    assert_said("");
}

READY(commands_that_come_twice_have_one_effect)
{
    prepare(1, 1, &plain, 0);
    prepare(1, 1, &plain, 0);
    assert_said("1.1:ready 1.1:ready ");
    begin(1, 1, 0, 0);
    update(1, 1, 50);
    said[0] = '\0';
    begin(1, 1, 0, 0);
    assert_said("1.1:stable ");
    assert_int_equal(last.part.step, 50);
    stop(1, 1, 60, STOP_PAUSED, 0);
    said[0] = '\0';
    stop(1, 1, 99, STOP_PAUSED, 0);
    assert_said("1.1:stopped ");
    assert_int_equal(saved_step(1), 60);
}

READY(a_begin_for_what_is_not_here_fails)
{
    begin(1, 1, 0, 0);
    assert_said("1.1:failed ");
    assert_true(last.part.retry);
}

/* ---- what can be wrong ---- */

READY(a_model_that_needs_more_memory_fails_for_good)
{
    struct wish wish = plain;

    wish.memory_mib = 1000;
    prepare(1, 1, &wish, 0);
    assert_said("1.1:failed ");
    assert_false(last.part.retry);
    assert_string_equal(cause, "resnet50 with 128 samples on 2 GPUs needs 6320 MiB of GPU memory, "
                               "GPU 2 has 1000");
    assert_true(trainer_is_empty(trainer));
}

READY(a_model_without_a_rate_fails_for_good)
{
    struct wish wish = plain;

    wish.rate = 0;
    prepare(1, 1, &wish, 0);
    assert_int_equal(last.part.state, PART_FAILED);
    assert_false(last.part.retry);
    assert_string_equal(cause, "no rate is known for resnet50");
}

READY(a_checkpoint_that_is_not_there_is_missed)
{
    struct wish wish = plain;

    wish.real_time = true;
    wish.time_scale = 1000;
    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 30, 0);
    assert_int_equal(last.part.state, PART_FAILED);
    assert_true(last.part.retry);
    assert_int_equal(last.part.checkpoint, 0);
    assert_string_equal(cause, "the checkpoint of job 1 is of step 0, not of 30");
}

READY(a_credited_step_becomes_the_checkpoint_when_fast_forwarded)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 30, 0);
    assert_int_equal(last.part.state, PART_STABLE);
    assert_int_equal(last.part.checkpoint, 30);
    assert_int_equal(saved_step(1), 30);
}

/* ---- the lease ---- */

READY(a_lease_that_is_over_ends_everything)
{
    struct wish wish = plain;

    wish.lease_until_us = 5 * SECOND_US;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    prepare(2, 1, &wish, 0);
    said[0] = '\0';
    assert_true(trainer_due_us(trainer) == 5 * SECOND_US);
    trainer_tick(trainer, 5 * SECOND_US - 1);
    assert_said("");
    trainer_tick(trainer, 5 * SECOND_US);
    assert_said("1.1:failed 2.1:failed ");
    assert_string_equal(cause, "lease over");
    assert_true(last.part.retry);
    assert_true(trainer_is_empty(trainer));
}

READY(a_lease_is_prolonged_by_its_worker)
{
    struct wish wish = plain;

    wish.lease_until_us = 5 * SECOND_US;
    prepare(1, 1, &wish, 0);
    trainer_lease(trainer, 9 * SECOND_US, 4 * SECOND_US);
    trainer_tick(trainer, 6 * SECOND_US);
    assert_int_equal(trainer_state(trainer), TRAINER_SWITCH);
    trainer_tick(trainer, 9 * SECOND_US);
    assert_int_equal(trainer_state(trainer), TRAINER_IDLE);
}

READY(an_idle_trainer_needs_no_lease)
{
    trainer_lease(trainer, SECOND_US, 0);
    trainer_tick(trainer, 2 * SECOND_US);
    assert_said("");
    prepare(1, 1, &plain, 2 * SECOND_US);
    assert_said("1.1:ready ");
}

/* ---- real time ---- */

static struct wish real_time(double time_scale)
{
    struct wish wish = plain;

    wish.real_time = true;
    wish.time_scale = time_scale;
    return wish;
}

/* Lets the trainer do what is due, one thing after the other, until `until_us`. */
static void pass(int64_t until_us)
{
    while (trainer_due_us(trainer) <= until_us)
        trainer_tick(trainer, trainer_due_us(trainer));
    trainer_tick(trainer, until_us);
}

READY(starts_and_steps_take_their_time)
{
    const struct emulation_model *model = emulation_model_find("resnet50");
    const int64_t prepare_us = emulation_model_prepare_ms(model) * 1000;
    const int64_t begin_us = emulation_model_begin_ms(model, 2, 0) * 1000;
    const struct wish wish = real_time(1);

    prepare(1, 1, &wish, 0);
    assert_said("");
    pass(prepare_us - 1);
    assert_said("");
    pass(prepare_us);
    assert_said("1.1:ready ");
    begin(1, 1, 0, prepare_us);
    assert_said("1.1:running ");
    pass(prepare_us + begin_us);
    assert_said("1.1:stable ");
    assert_int_equal(last.part.overhead_ms, (prepare_us + begin_us) / 1000);
    pass(prepare_us + begin_us + 7 * SECOND_US);
    trainer_report_again(trainer);
    assert_int_equal(last.part.step, 70);
}

READY(emulated_time_passes_faster_when_scaled)
{
    struct wish wish = real_time(1000);

    wish.overhead_ms = 20000;
    prepare(1, 1, &wish, 0);
    pass(10000);
    begin(1, 1, 0, 10000);
    said[0] = '\0';
    pass(19999);
    assert_said("");
    pass(20000); /* 20 s of emulated time after RUN */
    assert_said("1.1:stable ");
    assert_int_equal(last.part.overhead_ms, 20000);
    pass(20000 + 7000);
    trainer_report_again(trainer);
    assert_int_equal(last.part.step, 70);
}

READY(a_job_that_made_all_its_steps_is_done)
{
    struct wish wish = real_time(1);

    wish.overhead_ms = 0;
    wish.iterations = 50;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    said[0] = '\0';
    pass(5 * SECOND_US - 1);
    assert_said("");
    pass(5 * SECOND_US + 1);
    assert_said("1.1:done ");
    assert_int_equal(last.part.step, 50);
    assert_int_equal(saved_step(1), 50);
}

READY(checkpoints_come_regularly)
{
    struct wish wish = real_time(1);

    executor.checkpoint_every_s = 100;
    wish.overhead_ms = 0;
    wish.iterations = 100000;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(250 * SECOND_US);
    assert_int_equal(last.part.checkpoint, 2000);
    assert_int_equal(saved_step(1), 2000);
}

READY(without_an_interval_only_a_stop_has_one)
{
    struct wish wish = real_time(1);

    executor.checkpoint_every_s = 0;
    wish.overhead_ms = 0;
    wish.iterations = 1000000;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(10000 * SECOND_US);
    assert_int_equal(saved_step(1), 0);
    stop(1, 1, -1, STOP_PAUSED, 10000 * SECOND_US);
    pass(10100 * SECOND_US);
    assert_int_equal(saved_step(1), 100000);
}

/* What stands in its way is a folder of its name. */
static void hinder_checkpoints(void)
{
    struct error error;

    assert_true(output_make_folder(folder_file(folder, "jobs/1/checkpoint/x"), &error) > 0);
}

READY(a_stop_that_cannot_save_is_a_failure)
{
    struct wish wish = real_time(1);

    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(4 * SECOND_US);
    hinder_checkpoints();
    said[0] = '\0';
    stop(1, 1, -1, STOP_PAUSED, 4 * SECOND_US);
    pass(60 * SECOND_US);
    assert_said("1.1:stopping 1.1:failed ");
    assert_int_equal(last.part.checkpoint, 0);
    assert_true(last.part.retry);
    assert_non_null(strstr(last_cause, "/jobs/1/checkpoint: cannot be written: "));
}

READY(fast_forwarded_it_is_none)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    hinder_checkpoints();
    stop(1, 1, 30, STOP_PAUSED, 4 * SECOND_US);
    pass(60 * SECOND_US);
    assert_int_equal(last.part.state, PART_STOPPED);
    assert_int_equal(last.part.step, 30);
}

READY(a_stop_in_real_time_is_at_the_trainers_own_step)
{
    struct wish wish = real_time(1);

    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(4 * SECOND_US);
    said[0] = '\0';
    stop(1, 1, 999, STOP_PAUSED, 4 * SECOND_US);
    assert_said("1.1:stopping ");
    assert_int_equal(trainer_state(trainer), TRAINER_KILL);
    pass(60 * SECOND_US);
    assert_said("1.1:stopped ");
    assert_int_equal(last.part.step, 40);
    assert_int_equal(saved_step(1), 40);
}

READY(a_restart_goes_on_from_the_checkpoint)
{
    struct wish wish = real_time(1);

    a_stop_in_real_time_is_at_the_trainers_own_step(test_state);
    wish.overhead_ms = 0;
    prepare(1, 2, &wish, 100 * SECOND_US);
    begin(1, 2, 40, 100 * SECOND_US);
    pass(101 * SECOND_US);
    trainer_report_again(trainer);
    assert_int_equal(last.part.step, 50);
}

/* ---- faults ---- */

READY(a_straggler_is_slow_and_says_so)
{
    struct wish wish = real_time(1);

    executor.faults = "job=1:slow=0.5";
    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    assert_true(last.part.rate == 5);
    pass(10 * SECOND_US);
    trainer_report_again(trainer);
    assert_int_equal(last.part.step, 50);
}

READY(a_liar_is_passed_on_as_it_lies)
{
    static const struct {
        const char *spec;
        double rate;
    } lies[] = {{"lie=negative", -10}, {"lie=zero", 0}, {"lie=huge", 1e308}};

    for (size_t i = 0; i < COUNT(lies); i++) {
        executor.faults = lies[i].spec;
        prepare(i + 1, 1, &plain, 0);
        begin(i + 1, 1, 0, 0);
        assert_true(last.part.rate == lies[i].rate);
        stop(i + 1, 1, 5, STOP_PAUSED, 0);
    }
    executor.faults = "lie=nan";
    prepare(9, 1, &plain, 0);
    begin(9, 1, 0, 0);
    assert_true(isnan(last.part.rate));
}

READY(a_liar_goes_backwards)
{
    struct wish wish = real_time(1);
    int64_t first;

    executor.faults = "lie=backwards";
    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(50 * SECOND_US);
    trainer_report_again(trainer);
    first = last.part.step;
    trainer_tick(trainer, 50 * SECOND_US);
    trainer_report_again(trainer);
    assert_int_equal(first + last.part.step, 750);
}

READY(a_trainer_dies_at_the_step_that_it_was_told)
{
    executor.faults = "die-at=60";
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    update(1, 1, 59);
    assert_int_equal(deaths, 0);
    update(1, 1, 60);
    assert_int_equal(deaths, 1);
}

READY(a_workload_fails_at_the_step_that_it_was_told)
{
    struct wish wish = real_time(1);

    executor.faults = "fail-at=30";
    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    said[0] = '\0';
    pass(4 * SECOND_US);
    assert_said("1.1:failed ");
    assert_true(last.part.retry);
}

/* A worker that was stopped meanwhile may have missed the end, and asks again for each command. */
READY(the_last_end_is_told_again_and_nothing_is_trained_twice)
{
    struct wish wish = real_time(1);

    wish.overhead_ms = 0;
    wish.iterations = 50;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(6 * SECOND_US);
    for (int again = 0; again < 3; again++) {
        said[0] = '\0';
        if (again == 0)
            prepare(1, 1, &wish, 7 * SECOND_US);
        else if (again == 1)
            begin(1, 1, 0, 8 * SECOND_US);
        else
            stop(1, 1, -1, STOP_PAUSED, 9 * SECOND_US);
        assert_said("1.1:done ");
        assert_int_equal(last.part.step, 50);
        assert_true(last.part.ended_us >= 5 * SECOND_US && last.part.ended_us <= 6 * SECOND_US);
        assert_true(trainer_is_empty(trainer));
    }
    begin(1, 2, 0, 8 * SECOND_US); /* another incarnation, and another job */
    begin(2, 1, 0, 8 * SECOND_US);
    assert_said("1.2:failed 2.1:failed ");
    prepare(1, 2, &wish, 9 * SECOND_US);
    assert_said("1.2:ready ");
}

READY(the_cause_of_a_failure_is_told_again)
{
    struct wish wish = real_time(1);
    char told[sizeof(cause)];

    executor.faults = "fail-at=30";
    wish.overhead_ms = 0;
    prepare(1, 1, &wish, 0);
    begin(1, 1, 0, 0);
    pass(4 * SECOND_US);
    (void)snprintf(told, sizeof(told), "%s", cause);
    said[0] = cause[0] = '\0';
    begin(1, 1, 0, 5 * SECOND_US);
    assert_said("1.1:failed ");
    assert_string_equal(cause, told);
}

READY(a_silent_workload_says_nothing_once_it_began)
{
    struct msg_trainer_heartbeat heartbeat;

    executor.faults = "silent";
    prepare(1, 1, &plain, 0);
    assert_said("1.1:ready ");
    assert_true(trainer_heartbeat(trainer, &heartbeat));
    begin(1, 1, 0, 0);
    update(1, 1, 50);
    assert_said("");
    assert_false(trainer_heartbeat(trainer, &heartbeat));
}

/* ---- the rest ---- */

READY(a_heartbeat_has_the_active_workload)
{
    struct msg_trainer_heartbeat heartbeat;

    assert_true(trainer_heartbeat(trainer, &heartbeat));
    assert_false(heartbeat.active);
    assert_int_equal(heartbeat.state, TRAINER_IDLE);
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    update(1, 1, 30);
    assert_true(trainer_heartbeat(trainer, &heartbeat));
    assert_true(heartbeat.active);
    assert_int_equal(heartbeat.part.step, 30);
    assert_int_equal(heartbeat.part.state, PART_STABLE);
}

READY(a_shutdown_stops_with_a_checkpoint_and_takes_nothing_more)
{
    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    update(1, 1, 30);
    prepare(2, 1, &plain, 0);
    said[0] = '\0';
    trainer_shutdown(trainer, false, 0);
    assert_said("1.1:stopped 2.1:stopped ");
    assert_int_equal(saved_step(1), 30);
    assert_true(trainer_is_empty(trainer));
    prepare(3, 1, &plain, 0);
    assert_said("3.1:failed ");
}

READY(a_group_takes_as_long_as_its_model_says)
{
    int32_t ranks[] = {0, 1, 2, 3};
    const struct msg_group group = {
        .job = 1, .incarnation = 1, .rank_count = 4, .ranks = ranks, .source = -1};

    prepare(1, 1, &plain, 0);
    begin(1, 1, 0, 0);
    said[0] = '\0';
    trainer_group(trainer, &group, 0);
    assert_said("1.1:grouped ");
    assert_int_equal(last.took_ms, emulation_model_group_ms(emulation_model_find("resnet50"), 4));
}

READY(locks_are_held_as_long_as_a_workload_is_on_the_gpu)
{
    const char *locks = folder_path(folder);
    const struct trainer_setting setting = {
        .executor = &executor, .gpu = 2, .report = on_report, .locks = locks};
    trainer_t *other = trainer_new(&setting);

    trainer_destroy(&trainer);
    trainer = other;
    prepare(1, 1, &plain, 0);
    assert_false(folder_has(folder, "node-0.gpu-2"));
    begin(1, 1, 0, 0);
    assert_true(folder_has(folder, "node-0.gpu-2"));
    assert_true(folder_has(folder, "job-1.rank-0"));
    stop(1, 1, 5, STOP_PAUSED, 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
