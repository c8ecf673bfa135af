/* gpus_test.c - a node gives the GPUs that it has: found by the driver's library, by nvidia-smi, or
 * made up. */
#include "tests/support/program.h"
#include "tests/support/test.h"
#include "tests/worker/fake_master.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fake_master_t *master;
static char *path; /* of programs, as it was */

/* A machine: its library finds `nvml` GPUs and its nvidia-smi `smi`, 0: it cannot. */
static void pretend(const char *nvml, const char *smi)
{
    (void)setenv("FAKE_GPUS", nvml, 1);
    if (smi)
        (void)setenv("FAKE_SMI_GPUS", smi, 1);
    else
        (void)unsetenv("FAKE_SMI_GPUS");
}

FIXTURE(set_up)
{
    const char *bin = getenv("RUBATO_BIN");
    const char *before = getenv("PATH");
    char fakes[4096];
    char both[8192];

    (void)snprintf(fakes, sizeof(fakes), "%s/../tests/fake_gpus", bin ? bin : "build/bin");
    path = strdup(before ? before : "");
    (void)snprintf(both, sizeof(both), "%s:%s", fakes, path);
    (void)setenv("PATH", both, 1);
    (void)setenv("LD_LIBRARY_PATH", fakes, 1);
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    master = fake_master_new(30000);
    return 0;
}

FIXTURE(tear_down)
{
    fake_master_destroy(&master);
    (void)setenv("PATH", path, 1);
    (void)unsetenv("CUDA_VISIBLE_DEVICES");
    free(path);
    return 0;
}

static void start(const char *count)
{
    const char *const arguments[] = {"-n", count, NULL};

    fake_master_start(master, arguments);
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(the_drivers_library_is_asked_first)
{
    pretend("4", "2");
    start("0");
    assert_int_equal(fake_master_gpus(master), 4);
    assert_string_equal(fake_master_kind(master), "nvml");
    assert_string_equal(fake_master_uuid(master, 3), "GPU-00000003-nvml");
    assert_int_equal(fake_master_memory(master, 3), 40963);
}

READY(nvidia_smi_is_asked_next)
{
    pretend("0", "3");
    start("0");
    assert_int_equal(fake_master_gpus(master), 3);
    assert_string_equal(fake_master_kind(master), "nvidia-smi");
    assert_string_equal(fake_master_uuid(master, 2), "GPU-00000002-smi");
    assert_int_equal(fake_master_memory(master, 2), 16002);
}

READY(gpus_are_made_up_where_none_are_found)
{
    pretend("0", NULL);
    start("5");
    assert_int_equal(fake_master_gpus(master), 5);
    assert_string_equal(fake_master_kind(master), "made-up");
    fake_master_await_log(master, "kind=made-up differs=\"this machine has no GPU that NVML", 1);
    assert_string_equal(fake_master_uuid(master, 0), "");
}

READY(real_gpus_are_not_looked_for_when_all_are_emulated)
{
    static const char *const arguments[] = {"-n", "6", "--emulate", "--gpu-memory=1000", NULL};

    pretend("4", NULL);
    fake_master_start(master, arguments);
    assert_int_equal(fake_master_gpus(master), 6);
    assert_string_equal(fake_master_kind(master), "emulated");
    assert_int_equal(fake_master_memory(master, 5), 1000);
}

READY(a_node_gives_no_more_than_it_is_told_to)
{
    pretend("4", NULL);
    start("2");
    assert_int_equal(fake_master_gpus(master), 2);
}

READY(where_fewer_are_there_than_asked_for_the_node_gives_those)
{
    pretend("3", NULL);
    start("4");
    assert_int_equal(fake_master_gpus(master), 3);
    assert_string_equal(fake_master_kind(master), "nvml");
    fake_master_await_log(master,
                          "event=gpus job=- incarnation=- node=- gpu=- count=3 kind=nvml "
                          "differs=\"--gpus=4: this node has 3 GPUs, says nvml, and gives those",
                          1);
    fake_master_await_idle(master, 3);
}

READY(fewer_by_nvidia_smi_are_taken_likewise)
{
    pretend("0", "1");
    start("2");
    assert_int_equal(fake_master_gpus(master), 1);
    fake_master_await_log(master, "this node has 1 GPU, says nvidia-smi, and gives that GPU", 1);
    fake_master_await_idle(master, 1);
}

static void check_real(const char *nvml, const char *smi, const char *more, const char *complaint)
{
    const char *const arguments[] = {
        "--check", "--real-gpus", "-r", folder_path(fake_master_folder(master)), more, NULL};
    struct program_result result;

    pretend(nvml, smi);
    result = program_run("worker", arguments);
    assert_int_equal(result.status, *complaint ? 2 : 0);
    assert_string_equal(result.err, complaint);
    program_result_clear(&result);
}

READY(none_are_made_up_where_real_ones_are_wanted)
{
    check_real("4", NULL, NULL, "");
    check_real("0", "3", NULL, "");
    check_real("4", NULL, "--emulate", "worker: --real-gpus and --emulate exclude each other\n");
    if (access("/dev/nvidia0", F_OK) < 0)
        check_real("0", NULL, NULL,
                   "worker: --real-gpus: this machine has none that NVML, nvidia-smi or "
                   "/dev/nvidia0 shows\n");
}

/* More than fit into a mask of 32 bits, or one of 64 into the list of a test. */
READY(forty_gpus_work)
{
    struct msg_run run;

    pretend("40", NULL);
    start("0");
    fake_master_await_idle(master, 40);
    run = fake_run(1, 1, 0, 40);
    fake_master_bring_up(master, &run, 0);
    fake_master_stop(master, 1, 1, 10, STOP_PAUSED, -1);
    fake_master_await_part(master, 1, 1, PART_STOPPED);
    assert_int_equal(fake_master_part(master, 1, 1)->checkpoint, 10);
}

READY(only_visible_gpus_are_given)
{
    pretend("4", NULL);
    (void)setenv("CUDA_VISIBLE_DEVICES", "3,GPU-00000001", 1);
    start("0");
    assert_int_equal(fake_master_gpus(master), 2);
    assert_string_equal(fake_master_uuid(master, 0), "GPU-00000003-nvml");
    assert_string_equal(fake_master_uuid(master, 1), "GPU-00000001-nvml");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
