/* command_fit_test.c - commands for workers that are others than those that came. */
#include "master/commands/command_fit.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

/* A worker of this name with two GPUs comes. */
static void come(registry_t *registry, const char *name)
{
    char uuids[2][8] = {"g0", "g1"};
    struct msg_gpu gpus[2] = {{uuids[0], 40960, false}, {uuids[1], 40960, false}};
    const struct msg_worker_hello hello = {
        .address = "127.0.0.1", .port = 9000, .kind = "nvml", .gpu_count = 2, .gpus = gpus};
    struct error error;
    struct worker_node *node = registry_admit(registry, name, &hello, &error);

    assert_non_null(node);
    node->state = WORKER_UP;
}

/* What is said of the file to two workers with two GPUs each, "" if it fits; without the path of
 * the file. */
static const char *complaint(const char *text)
{
    static struct error error;
    folder_t *folder = folder_new();
    registry_t *registry = registry_new();
    command_file_t *commands = command_file_read(folder_write(folder, "c.txt", text), &error);
    const char *sentence = "";

    if (!commands)
        fail_msg("%s", error.text);
    come(registry, "a");
    come(registry, "b");
    if (command_fit_check(commands, registry, &error) < 0) {
        sentence = strstr(error.text, "c.txt:");
        assert_non_null(sentence);
    }
    command_file_destroy(&commands);
    registry_destroy(&registry);
    folder_destroy(&folder);
    return sentence;
}

TEST(as_many_as_the_file_is_for_have_to_be_up)
{
    folder_t *folder = folder_new();
    registry_t *registry = registry_new();
    struct error error;
    command_file_t *commands = command_file_read(folder_write(folder, "c.txt", "2\nS\n"), &error);

    assert_non_null(commands);
    come(registry, "a");
    assert_false(command_fit_are_there(commands, registry));
    come(registry, "b");
    assert_true(command_fit_are_there(commands, registry));
    registry_at(registry, 0)->state = WORKER_DOWN;
    assert_false(command_fit_are_there(commands, registry));
    command_file_destroy(&commands);
    registry_destroy(&registry);
    folder_destroy(&folder);
}

TEST(gpus_by_their_own_ranks_fit)
{
    assert_string_equal(complaint("2\nG 1 3 2 3\nR 1 vgg16 64 3 2 1 0 a 7000 3 1000 1 2 3\nT\n"),
                        "");
    assert_string_equal(complaint("2\nS\n"), "");
}

TEST(ranks_that_are_counted_from_0_fit)
{
    assert_string_equal(complaint("2\nG 1 3 2 3\nR 1 vgg16 64 3 8 1 0 a 7000 3 1000 1 0 1\nT\n"),
                        "");
    assert_string_equal(complaint("2\nG 1 3 3\nR 1 vgg16 64 3 8 1 0 a 7000 2 1000 1 0\nT\n"), "");
}

TEST(a_group_of_other_gpus_than_those_of_the_parts_is_named)
{
    assert_string_equal(complaint("2\nG 1 3 0 1\nR 1 vgg16 64 3 8 1 0 a 7000 3 1000 1 0 1\nT\n"),
                        "c.txt:2: job 3 has no part in this round on the GPU of rank 0");
    assert_string_equal(complaint("2\nR 0 vgg16 64 3 1 1 0 a 7000 1 1000 1 0\nT\nK 0 3\n"
                                  "G 1 3 0\nR 1 vgg16 64 3 1 1 0 a 7000 1 1000 1 0\nT\n"),
                        "c.txt:5: job 3 has no part in this round on the GPU of rank 0");
    assert_string_equal(complaint("2\nG 1 3 1\nR 0 vgg16 64 3 1 1 0 a 7000 1 1000 1 0\n"
                                  "R 0 vgg16 64 4 1 1 0 a 7001 2 1000 1 1\nT\n"),
                        "c.txt:2: job 3 has no part in this round on the GPU of rank 1");
}

TEST(what_the_workers_do_not_have_is_named)
{
    assert_string_equal(complaint("2\nR 1 vgg16 64 3 1 1 0 a 7000 4 1000 1 4\nT\n"),
                        "c.txt:2: worker 1 has 2 GPUs, there is no GPU 2");
    assert_string_equal(complaint("2\nR 1 vgg16 64 3 1 1 0 a 7000 2 1000 1 1\nT\n"),
                        "c.txt:2: GPU 1 of worker 1 has the rank 3, not 1");
    assert_string_equal(complaint("2\nG 0 3 0 4 0\nR 0 vgg16 64 3 1 1 0 a 7000 1 1000 1 0\nT\n"),
                        "c.txt:2: the workers have 4 GPUs, there is no rank 4");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
