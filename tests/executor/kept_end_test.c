/* kept_end_test.c - ends of ranks are kept until they are removed, and what is no end is not
 * believed. */
#include "common/clock.h"
#include "executor/kept_end.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static folder_t *folder;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static void write_end(uint64_t job, uint32_t incarnation, int32_t gpu, enum part_state state)
{
    int32_t gpus[] = {gpu};
    int32_t ranks[] = {7 - gpu};
    const struct msg_prepare prepare = {.run = {.job = job,
                                                .incarnation = incarnation,
                                                .name = "n",
                                                .model = "m",
                                                .batch_size = 64,
                                                .iterations = 100,
                                                .rate = 2,
                                                .nodes = 1,
                                                .world = 8,
                                                .time_scale = 1,
                                                .rendezvous_address = "127.0.0.1",
                                                .rendezvous_port = 9000,
                                                .gpu_count = 1,
                                                .gpus = gpus,
                                                .ranks = ranks},
                                        .local_world = 1,
                                        .local_gpus = gpus};
    const struct msg_part part = {.job = job,
                                  .incarnation = incarnation,
                                  .state = state,
                                  .step = 100,
                                  .checkpoint = 90,
                                  .rate = 2,
                                  .ended_us = 5000000,
                                  .cause = ""};

    if (kept_end_write(folder_path(folder), "a", &prepare, &part, &error) < 0)
        fail_msg("%s", error.text);
}

static size_t count(void)
{
    struct kept_end *ends;
    const size_t found = kept_ends_read(folder_path(folder), "a", &ends);

    kept_ends_free(ends, found);
    return found;
}

TEST_WITH(ends_are_kept_until_they_are_removed, set_up, tear_down)
{
    struct kept_end *ends;

    assert_int_equal(count(), 0);
    kept_end_remove(folder_path(folder), "a", 3, 1, 0);
    write_end(3, 2, 1, PART_DONE);
    write_end(3, 2, 0, PART_DONE);
    write_end(2, 9, 3, PART_DONE);
    assert_int_equal(kept_ends_read(folder_path(folder), "b", &ends), 0);
    assert_int_equal(kept_ends_read(folder_path(folder), "a", &ends), 3);
    assert_int_equal(ends[0].prepare.run.job, 2);
    assert_int_equal(ends[1].prepare.run.gpus[0], 0);
    assert_int_equal(ends[1].prepare.run.ranks[0], 7);
    assert_int_equal(ends[2].prepare.run.gpus[0], 1);
    assert_string_equal(ends[2].prepare.run.model, "m");
    assert_int_equal(ends[2].part.step, 100);
    kept_ends_free(ends, 3);
    kept_end_remove(folder_path(folder), "a", 3, 2, 6);
    assert_int_equal(count(), 2);
}

/* The end that is kept, after the line that its file begins with was rewritten. */
static int64_t ended_us(int64_t day_us, const char *boot)
{
    char bytes[4096];
    char head[256];
    struct kept_end *ends;
    const char *path;
    size_t size;
    int64_t found_us;
    FILE *file;

    write_end(3, 2, 1, PART_DONE);
    path = folder_file(folder, "ends/a/3.2.6");
    file = fopen(path, "r");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    assert_int_equal(fclose(file), 0);
    (void)snprintf(head, sizeof(head), "%.17s %" PRId64 " %s\n", bytes, day_us, boot);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(head, file);
    {
        const char *messages = (const char *)memchr(bytes, '\n', size) + 1;

        (void)fwrite(messages, 1, size - (size_t)(messages - bytes), file);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kept_ends_read(folder_path(folder), "a", &ends), 1);
    found_us = ends[0].part.ended_us;
    kept_ends_free(ends, 1);
    return found_us;
}

/* The clock of an end is that of the machine since a start: after another start, or on another
 * machine, it is dated by the time of day. */
TEST_WITH(an_end_keeps_its_date_over_a_start_of_the_machine, set_up, tear_down)
{
    const int64_t hour_us = INT64_C(3600000000);
    const int64_t earliest_us = clock_boot_us() - hour_us;
    char boot[CLOCK_BOOT_BYTES];
    int64_t found_us;

    clock_boot_name(boot);
    assert_int_equal(strlen(boot), 36);
    assert_int_equal(ended_us(clock_day_us() - hour_us, boot), 5000000);
    found_us = ended_us(clock_day_us() - hour_us, "another");
    assert_true(found_us >= earliest_us && found_us <= clock_boot_us() - hour_us);
    found_us = ended_us(clock_day_us() - hour_us, "");
    assert_true(found_us >= earliest_us && found_us <= clock_boot_us() - hour_us);
    found_us = ended_us(clock_day_us() + hour_us, "another"); /* the clock was set back since */
    assert_true(found_us >= earliest_us + hour_us && found_us <= clock_boot_us());
}

TEST_WITH(what_is_no_end_is_removed, set_up, tear_down)
{
    write_end(3, 2, 1, PART_DONE);
    write_end(3, 3, 1, PART_STOPPED);
    (void)folder_write(folder, "ends/a/3.4.0", "00000004 00000004\nabcdefgh");
    (void)folder_write(folder, "ends/a/3.5.0.new", "0000");
    (void)folder_write(folder, "ends/a/3.6.0", "");
    assert_int_equal(symlink("/etc/passwd", folder_file(folder, "ends/a/3.7.0")), 0);
    assert_int_equal(count(), 1);
    assert_int_not_equal(access(folder_file(folder, "ends/a/3.5.0.new"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "ends/a/3.2.6"), F_OK), 0);
}

TEST_WITH(an_end_that_is_cut_anywhere_is_not_believed, set_up, tear_down)
{
    char bytes[4096];
    FILE *file;
    size_t size;

    write_end(3, 2, 1, PART_DONE);
    file = fopen(folder_file(folder, "ends/a/3.2.6"), "r");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    assert_int_equal(fclose(file), 0);
    for (size_t cut = 0; cut < size; cut++) {
        file = fopen(folder_file(folder, "ends/a/3.2.6"), "w");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, cut, file), cut);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(count(), 0);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
