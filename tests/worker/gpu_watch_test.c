/* gpu_watch_test.c - GPUs fall off, come back and are exchanged while a worker runs: the worker
 * tells the master, and parts on the other GPUs run on. The driver is a fake one whose answer is in
 * a file. */
#include "tests/support/test.h"
#include "tests/worker/fake_master.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fake_master_t *master;

/* What the driver says from here on: see fake_nvml.c. */
static void show(const char *gpus)
{
    char before[4096];
    char after[4096];

    (void)snprintf(before, sizeof(before), "%s",
                   folder_write(fake_master_folder(master), "gpus.new", gpus));
    (void)snprintf(after, sizeof(after), "%s", folder_file(fake_master_folder(master), "gpus"));
    assert_int_equal(rename(before, after), 0);
    (void)setenv("FAKE_GPUS_FILE", after, 1);
}

FIXTURE(set_up)
{
    const char *bin = getenv("RUBATO_BIN");
    char fakes[4096];

    (void)snprintf(fakes, sizeof(fakes), "%s/../tests/fake_gpus", bin ? bin : "build/bin");
    (void)setenv("LD_LIBRARY_PATH", fakes, 1);
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    master = fake_master_new(600000);
    return 0;
}

FIXTURE(tear_down)
{
    fake_master_destroy(&master);
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    return 0;
}

static void start(const char *count)
{
    const char *const arguments[] = {"-n", count, NULL};

    fake_master_start(master, arguments);
}

/* "there" and "gone" by a letter for each GPU. */
static bool gpus_are(void *context)
{
    const char *letters = context;

    if ((size_t)fake_master_gpus(master) != strlen(letters))
        return false;
    for (int32_t gpu = 0; letters[gpu]; gpu++)
        if (fake_master_gone(master, gpu) != (letters[gpu] == 'g'))
            return false;
    return true;
}

static void await_gpus(const char *letters)
{
    char copy[64];

    (void)snprintf(copy, sizeof(copy), "%s", letters);
    fake_master_await(master, gpus_are, copy, letters);
}

static void bring_up(uint64_t job, int32_t first, int32_t gpus)
{
    const struct msg_run run = fake_run(job, 1, first, gpus);

    fake_master_bring_up(master, &run, 0);
}

static void check_runs_on(uint64_t job)
{
    fake_master_stop(master, job, 1, 10, STOP_PAUSED, -1);
    fake_master_await_part(master, job, 1, PART_STOPPED);
    assert_int_equal(fake_master_part(master, job, 1)->checkpoint, 10);
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_part_on_a_gpu_that_falls_off_ends_and_the_others_run_on)
{
    show("0 1 2");
    start("0");
    fake_master_await_idle(master, 3);
    bring_up(1, 0, 1);
    bring_up(2, 1, 1);
    show("0 2");
    fake_master_await_part(master, 2, 1, PART_FAILED);
    assert_string_equal(fake_master_part(master, 2, 1)->cause, "GPU 1 of this node is gone");
    assert_true(fake_master_part(master, 2, 1)->retry);
    await_gpus("tgt"); /* was told before */
    assert_string_equal(fake_master_uuid(master, 2), "GPU-00000002-nvml");
    check_runs_on(1);
    fake_master_await_idle(master, 2);
}

READY(a_gpu_that_is_counted_but_lost_is_gone)
{
    show("0 1 2 3");
    start("0");
    fake_master_await_idle(master, 4);
    show("0 1 2 !3");
    await_gpus("tttg");
    fake_master_await_idle(master, 3);
}

READY(all_gpus_may_go_and_come_back_under_their_numbers)
{
    show("0 1");
    start("0");
    fake_master_await_idle(master, 2);
    show("none");
    await_gpus("gg");
    fake_master_await_idle(master, 0);
    show("1");
    await_gpus("gt");
    fake_master_await_idle(master, 1);
    show("1 0");
    await_gpus("tt");
    fake_master_await_idle(master, 2);
    bring_up(1, 0, 2);
    check_runs_on(1);
}

READY(a_run_for_a_gpu_that_is_gone_fails_but_may_be_tried_again)
{
    struct msg_run run;

    show("0 1");
    start("0");
    fake_master_await_idle(master, 2);
    show("0");
    await_gpus("tg");
    run = fake_run(1, 1, 0, 2);
    fake_master_run(master, &run);
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_true(fake_master_part(master, 1, 1)->retry);
}

/* The trainer that ran on GPU 0 before the new one came learns of that one. */
READY(an_exchanged_gpu_has_the_next_number)
{
    show("0 1");
    start("0");
    fake_master_await_idle(master, 2);
    bring_up(1, 0, 1);
    show("0 7");
    await_gpus("tgt");
    assert_string_equal(fake_master_uuid(master, 2), "GPU-00000007-nvml");
    check_runs_on(1);
    fake_master_await_log(master, "event=trainer-started job=- incarnation=- node=7 gpu=0", 1);
    fake_master_await_idle(master, 2);
    {
        struct msg_run run = fake_run(2, 1, 0, 2);

        run.gpus[1] = 2;
        fake_master_bring_up(master, &run, 0);
    }
    check_runs_on(2);
}

READY(no_more_are_taken_than_the_node_is_to_give)
{
    show("0 1");
    start("3");
    fake_master_await_idle(master, 2);
    show("0 1 2 3 4");
    await_gpus("ttt");
    fake_master_await_idle(master, 3);
    show("1 2 3 4");
    await_gpus("gttt");
}

READY(no_others_are_taken_than_those_that_were_visible)
{
    show("0 1 2");
    (void)setenv("CUDA_VISIBLE_DEVICES", "1,2", 1);
    start("0");
    fake_master_await_idle(master, 2);
    show("0 2 3");
    await_gpus("gt");
    show("0 1 2 3");
    await_gpus("tt");
}

READY(a_driver_that_cannot_say_or_hangs_changes_nothing)
{
    show("0 1");
    start("0");
    fake_master_await_idle(master, 2);
    show("broken");
    fake_master_await_log(master, "event=gpus-unknown", 1);
    await_gpus("tt");
    bring_up(1, 0, 1);
    show("hang");
    bring_up(2, 1, 1);
    check_runs_on(1);
    check_runs_on(2);
    await_gpus("tt");
}

READY(a_worker_that_found_no_gpu_takes_those_that_the_driver_shows_later)
{
    show("none");
    start("0");
    fake_master_await_idle(master, 1);
    assert_string_equal(fake_master_uuid(master, 0), "");
    bring_up(1, 0, 1);
    show("0 1");
    fake_master_await_part(master, 1, 1, PART_FAILED);
    assert_true(fake_master_part(master, 1, 1)->retry);
    await_gpus("gtt");
    assert_string_equal(fake_master_uuid(master, 2), "GPU-00000001-nvml");
    fake_master_await_log(master, "count=2 kind=driver differs=", 1);
    fake_master_await_idle(master, 2);
    bring_up(2, 1, 2);
    check_runs_on(2);
    show("1");
    await_gpus("ggt");
}

READY(of_those_that_come_later_no_more_are_taken_than_asked_for)
{
    show("broken"); /* as long as the driver starts */
    start("2");
    fake_master_await_idle(master, 2);
    show("0 1 2");
    await_gpus("ggtt");
}

READY(of_those_that_come_later_only_the_visible_are_taken)
{
    show("none");
    (void)setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    start("0");
    fake_master_await_idle(master, 1);
    show("0 1 2");
    await_gpus("gt");
    assert_string_equal(fake_master_uuid(master, 1), "GPU-00000001-nvml");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
