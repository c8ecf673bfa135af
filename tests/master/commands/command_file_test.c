/* command_file_test.c - files of commands: what is read, and what each mistake is called. */
#include "master/commands/command_file.h"
#include "master/commands/gpu_mask.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_ON(worker) "R " worker " vgg16 64 3 2 1 0 127.0.0.1 7000 3 1000 1 0 1\n"

static command_file_t *read_text(folder_t *folder, const char *text, struct error *error)
{
    return command_file_read(folder_write(folder, "c.txt", text), error);
}

TEST(a_file_is_read_as_it_stands)
{
    static const char text[] = "2\r\n\n# a comment\nW 2.5\n"
                               "\tG 1 3 0 1 8\n"
                               "G 0 3 0 8 8\n"
                               "R 0 vgg16 64 3 2 2 0 10.0.0.1 7000 0x3 1000 1 0 1\n"
                               "R 1 vgg16 64 3 1 2 1 10.0.0.1 7000 1 1000 1 8\n"
                               "F\nT\nK 0 3\nK 1 3\n"
                               "R 1 vgg16 64 3 1 1 0 10.0.0.1 7001 16 1000 0 12\nT\n"
                               "U 0 vgg16 64 3 1 1 0 node-a.cluster 7001 2 1000 1\nT\nRE\nS";
    folder_t *folder = folder_new();
    struct error error;
    command_file_t *commands = read_text(folder, text, &error);
    const struct debug_command *at;

    if (!commands)
        fail_msg("%s", error.text);
    assert_int_equal(command_file_workers(commands), 2);
    assert_int_equal(command_file_count(commands), 15);
    assert_int_equal(command_file_at(commands, 0)->kind, COMMAND_WAIT);
    assert_int_equal(command_file_at(commands, 0)->line, 4);
    assert_true(command_file_at(commands, 0)->seconds == 2.5);
    at = command_file_at(commands, 1);
    assert_int_equal(at->kind, COMMAND_GROUP);
    assert_int_equal(at->rank_count, 3);
    assert_int_equal(at->ranks[2], 8);
    at = command_file_at(commands, 2);
    assert_int_equal(at->kind, COMMAND_MOVE);
    assert_int_equal(at->rank_count, 2);
    assert_int_equal(at->source, 8);
    at = command_file_at(commands, 3);
    assert_int_equal(at->kind, COMMAND_RUN);
    assert_string_equal(at->model, "vgg16");
    assert_string_equal(at->address, "10.0.0.1");
    assert_int_equal(at->batch_size, 64);
    assert_int_equal(at->job, 3);
    assert_int_equal(at->nodes, 2);
    assert_int_equal(at->port, 7000);
    assert_int_equal(at->gpu_count, 2);
    assert_int_equal(at->iterations, 1000);
    assert_true(at->from_scratch);
    assert_false(command_file_at(commands, 9)->from_scratch);
    assert_int_equal(command_file_at(commands, 9)->gpus[0], 4);
    assert_int_equal(command_file_at(commands, 11)->kind, COMMAND_UPDATE);
    assert_int_equal(command_file_at(commands, 13)->kind, COMMAND_RESTART);
    assert_int_equal(command_file_at(commands, 14)->kind, COMMAND_SHUTDOWN);
    command_file_destroy(&commands);
    folder_destroy(&folder);
}

TEST(parts_of_a_group_are_numbered_as_they_stand)
{
    static const char text[] = "3\nG 1 3 8 9 10 16\n"
                               "R 2 vgg16 64 3 8 1 0 127.0.0.1 7000 1 1000 1 0\n"
                               "R 1 vgg16 32 3 8 1 0 127.0.0.1 7000 7 1000 1 0 1 2\n"
                               "F\nT\nK 1 3\n"
                               "R 1 vgg16 64 3 1 2 1 127.0.0.1 7000 1 1000 1 0\n"
                               "R 0 vgg16 64 3 1 2 0 127.0.0.1 7000 1 1000 1 0\nT\n";
    folder_t *folder = folder_new();
    struct error error;
    command_file_t *commands = read_text(folder, text, &error);

    if (!commands)
        fail_msg("%s", error.text);
    assert_int_equal(command_file_at(commands, 1)->nodes, 2);
    assert_int_equal(command_file_at(commands, 1)->node_rank, 0);
    assert_int_equal(command_file_at(commands, 2)->nodes, 2);
    assert_int_equal(command_file_at(commands, 2)->node_rank, 1);
    assert_int_equal(command_file_at(commands, 2)->gpu_count, 3);
    assert_int_equal(command_file_at(commands, 6)->node_rank, 1);
    assert_int_equal(command_file_at(commands, 7)->node_rank, 0);
    command_file_destroy(&commands);
    folder_destroy(&folder);
}

TEST(every_mistake_is_named_with_file_and_line)
{
    static const struct {
        const char *text;
        const char *sentence; /* after "FILE:" */
    } cases[] = {
        {"", " expected how many workers there are, found nothing"},
        {"# nothing\n", " expected how many workers there are, found nothing"},
        {"0\n", "1: expected how many workers there are, from 1 to 4096, found \"0\""},
        {"two\n", "1: expected how many workers there are, from 1 to 4096, found \"two\""},
        {"2 3\n", "1: expected the end of the line, found \"3\""},
        {"1\nX\n", "2: expected a command: G, R, U, K, F, T, W, RE or S, found \"X\""},
        {"1\n\x1b[2J\n", "2: expected a command: G, R, U, K, F, T, W, RE or S, found \"?[2J\""},
        {"1\nT now\n", "2: expected the end of the line, found \"now\""},
        {"1\nW\n", "2: expected how many seconds to wait, found the end of the line"},
        {"1\nW -1\n", "2: expected how many seconds to wait, found \"-1\""},
        {"1\nW nan\n", "2: expected how many seconds to wait, found \"nan\""},
        {"1\nG 2 1 0\n", "2: expected 1 for a group or 0 for a pair, from 0 to 1, found \"2\""},
        {"1\nG 1 1\n", "2: expected the ranks of the group, found the end of the line"},
        {"1\nG 1 1 0 0\n", "2: a rank is listed twice"},
        {"1\nG 1 1 4 0 9 4\n", "2: a rank is listed twice"},
        {"1\nG 0 1 0 1\n", "2: expected two ranks and the one of them that has the state, found 2 "
                           "numbers"},
        {"1\nG 0 1 0 1 2\n", "2: rank 2 has the state, but is not of the pair"},
        {"1\nG 0 1 1 1 1\n", "2: a rank is listed twice"},
        {"1\nG 1 1 65536\n", "2: expected the rank of a GPU, from 0 to 65535, found \"65536\""},
        {"1\nR 1\n", "2: expected the number of a worker, from 0 to 0, found \"1\""},
        {"1\nR 0 a;b\n", "2: expected the name of a model, found \"a;b\""},
        {"1\nR 0 vgg16 0\n",
         "2: expected the global batch size, from 1 to 2147483647, found \"0\""},
        {"1\nR 0 vgg16 64 x\n",
         "2: expected the number of a job, from 0 to 9007199254740992, found \"x\""},
        {"1\nR 0 vgg16 64 3 0\n",
         "2: expected how many processes may run on this worker, from 1 to 1024, found \"0\""},
        {"1\nR 0 vgg16 64 3 2 2\n",
         "2: expected how many workers the job has, from 1 to 1, found \"2\""},
        {"2\nR 0 vgg16 64 3 2 2 2\n",
         "2: expected which of them this is, from 0 to 1, found \"2\""},
        {"1\nR 0 vgg16 64 3 2 1 0 $(x)\n",
         "2: expected the address of the first of them, found \"$(x)\""},
        {"1\nR 0 vgg16 64 3 2 1 0 a 0\n",
         "2: expected the port at which its ranks meet, from 1 to 65535, found \"0\""},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 0xg\n",
         "2: expected a mask of GPUs, in decimal or 0x and hexadecimal, found \"0xg\""},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 7\n",
         "2: the mask 7 is of 3 GPUs, expected 1 to 2, as many as processes at most"},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 0\n",
         "2: the mask 0 is of 0 GPUs, expected 1 to 2, as many as processes at most"},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 3 0\n",
         "2: expected how many iterations there are, from 1 to 1000000000000, found \"0\""},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 3 10 2\n",
         "2: expected 1 for from scratch or 0, from 0 to 1, found \"2\""},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 3 10 1 0\n",
         "2: expected 2 ranks, one for each GPU, found 1"},
        {"1\nR 0 vgg16 64 3 2 1 0 a 1 3 10 1 1 0\n",
         "2: expected ranks that rise, found 0 after 1"},
        {"1\nU 0 vgg16 64 3 2 1 0 a 1 3 10 0 1\nT\n",
         "2: U is for a job that was there, but nothing ran job 3"},
        {"1\n" RUN_ON("0") "T\n" RUN_ON("0"), "4: job 3 runs: stop it with K first, or use U"},
        {"2\nR 0 vgg16 64 3 1 2 0 a 1 1 10 1 0\nT\n", "3: job 3 has 1 of its 2 parts"},
        {"2\nR 0 vgg16 64 3 1 2 0 a 1 1 10 1 0\nR 1 vgg16 64 3 1 2 0 a 1 1 10 1 1\n",
         "3: job 3 has this part since line 2"},
        {"2\nR 0 vgg16 64 3 1 2 0 a 1 1 10 1 0\nR 0 vgg16 64 3 1 2 1 a 1 2 10 1 1\n",
         "3: job 3 has this part since line 2"},
        {"2\nR 0 vgg16 64 3 1 2 0 a 1 1 10 1 0\nR 1 vgg16 32 3 1 2 1 a 1 1 10 1 1\n",
         "3: job 3 is another one than in line 2"},
        {"1\n" RUN_ON("0") "R 0 vgg16 64 4 1 1 0 a 1 2 10 1 1\n",
         "3: GPU 1 of worker 0 is job 3's since line 2"},
        {"1\nG 1 3 0 1\nG 1 3 0 1\n", "3: job 3 has this group since line 2"},
        {"1\nF\nG 1 3 0 1\n", "3: a group after F: all of this round are given"},
        {"1\nF\nF\n", "3: this round has an F already"},
        {"1\nT\n", "2: T without an R or U in this round"},
        {"1\nG 1 4 0\n" RUN_ON("0") "T\n", "4: job 4 has a group in this round, but no part"},
        {"1\nG 1 3 0 1 2\n" RUN_ON("0") "T\n",
         "4: the group of job 3 in line 2 is of 3 GPUs, but its parts have 2"},
        {"2\n" RUN_ON("0") RUN_ON("1") "T\n",
         "4: job 3 has 2 parts that say they are the only one, and no group"},
        {"2\nG 1 3 0 1 2 3\n" RUN_ON("0") RUN_ON("0") "T\n", "4: job 3 has this part since line 3"},
        {"1\nK 0 3\n", "2: job 3 has nothing on worker 0 to stop"},
        {"2\n" RUN_ON("0") "T\nK 1 3\n", "4: job 3 has nothing on worker 1 to stop"},
        {"1\n" RUN_ON("0") "K 0 3\n", "3: job 3 has nothing on worker 0 to stop"},
        {"1\n" RUN_ON("0") "RE\n", "3: RE within a round: T comes first"},
        {"1\n" RUN_ON("0") "S\n", "3: S within a round: T comes first"},
        {"1\nS\nW 1\n", "3: nothing may follow S"},
        {"1\n" RUN_ON("0"), "2: the last round has no T"},
        {"1\nG 1 3 0 1", "2: the last round has no T"},
        {"1\nW \xff\n", "2: expected text"},
    };
    folder_t *folder = folder_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error error = {.text = ""};
        char expected[2048];

        if (read_text(folder, cases[i].text, &error))
            fail_msg("taken: \"%s\"", cases[i].text);
        (void)snprintf(expected, sizeof(expected), "%s:%s", folder_file(folder, "c.txt"),
                       cases[i].sentence);
        assert_string_equal(error.text, expected);
    }
    folder_destroy(&folder);
}

TEST(a_line_without_an_end_is_refused)
{
    const size_t size = (size_t)2 << 20;
    folder_t *folder = folder_new();
    char *text = calloc(1, size + 1);
    struct error error;

    assert_non_null(text);
    memset(text, ' ', size);
    text[0] = '1';
    text[1] = '\n';
    assert_null(read_text(folder, text, &error));
    assert_non_null(strstr(error.text, "c.txt:2: expected a line of less than 1048576 bytes"));
    memset(text, '\n', size);
    assert_null(read_text(folder, text, &error));
    free(text);
    folder_destroy(&folder);
}

TEST(a_file_that_is_not_there_is_named)
{
    struct error error;

    assert_null(command_file_read("no/such.txt", &error));
    assert_non_null(strstr(error.text, "no/such.txt"));
}

TEST(masks_have_no_limit_of_bits)
{
    int32_t gpus[NODE_GPUS_MAX];
    char text[GPU_MASK_TEXT];
    size_t count;

    assert_int_equal(gpu_mask_parse("0", gpus, &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(gpu_mask_parse("18446744073709551616", gpus, &count), 0); /* 2^64 */
    assert_int_equal(count, 1);
    assert_int_equal(gpus[0], 64);
    assert_int_equal(gpu_mask_parse("0x80000000000000000000000000000001", gpus, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(gpus[0], 0);
    assert_int_equal(gpus[1], 127);
    gpu_mask_print(gpus, count, text);
    assert_string_equal(text, "0x80000000000000000000000000000001");
    for (int32_t i = 0; i < NODE_GPUS_MAX; i++)
        gpus[i] = i;
    gpu_mask_print(gpus, NODE_GPUS_MAX, text);
    assert_int_equal(gpu_mask_parse(text, gpus, &count), 0);
    assert_int_equal(count, NODE_GPUS_MAX);
    text[2] = '1';
    text[3] = '0';
    gpu_mask_print(gpus, 0, text);
    assert_string_equal(text, "0x0");
}

TEST(masks_that_are_none_are_refused)
{
    static const char *const bad[] = {"", "0x", "x1", "1a", "0xG", "-1", "1.5", " 1", "0X1"};
    int32_t gpus[NODE_GPUS_MAX];
    char beyond[NODE_GPUS_MAX / 4 + 4];
    size_t count;

    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(gpu_mask_parse(bad[i], gpus, &count), -1);
    memset(beyond, '0', sizeof(beyond));
    beyond[1] = 'x';
    beyond[2] = '1';
    beyond[sizeof(beyond) - 1] = '\0';
    assert_int_equal(gpu_mask_parse(beyond, gpus, &count), -1); /* 2^1024 */
}

int main(void)
{
    return tests_run(NULL, NULL);
}
