/* checkpoint_test.c - a checkpoint is whole, and says what step it is of. */
#include "executor/checkpoint.h"

#include "common/output.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder_t *folder;
static struct error error;

static int set_up(void **state)
{
    (void)state;
    folder = folder_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_destroy(&folder);
    return 0;
}

static void what_is_written_is_read(void **state)
{
    int64_t step = -1;
    char *text;

    (void)state;
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), 0);
    assert_int_equal(step, 0);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, true, &error), 0);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 23, false, &error), 0);
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), 0);
    assert_int_equal(step, 23);
    text = folder_read(folder, "jobs/4/checkpoint");
    assert_string_equal(text, "step 23\n");
    free(text);
}

/* What stands in the way of writing: a folder of its name. */
static void a_checkpoint_that_cannot_be_written_leaves_the_last_one(void **state)
{
    int64_t step;

    (void)state;
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, true, &error), 0);
    assert_int_equal(output_make_folder(folder_file(folder, "jobs/5/checkpoint/x"), &error), 4 - 1);
    assert_int_equal(checkpoint_write(folder_path(folder), 5, 1, true, &error), -1);
    assert_non_null(strstr(error.text, "jobs/5/checkpoint: cannot be written"));
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), 0);
    assert_int_equal(step, 17);
}

static void what_is_no_checkpoint_is_named(void **state)
{
    static const char *const texts[] = {"",       "step\n",    "step x\n",
                                        "step 5", "step -1\n", "step 5\nx"};
    int64_t step;

    (void)state;
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        (void)folder_write(folder, "jobs/4/checkpoint", texts[i]);
        assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), -1);
        assert_non_null(strstr(error.text, "jobs/4/checkpoint:1: expected \"step N\""));
    }
}

static void a_link_is_not_followed(void **state)
{
    int64_t step;

    (void)state;
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    assert_int_equal(unlink(folder_file(folder, "jobs/4/checkpoint")), 0);
    (void)folder_write(folder, "elsewhere", "step 3\n");
    assert_int_equal(symlink("../../elsewhere", folder_file(folder, "jobs/4/checkpoint")), 0);
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), -1);
}

static void a_link_in_the_place_of_a_folder_is_not_followed_either(void **state)
{
    int64_t step;

    (void)state;
    assert_true(output_make_folder(folder_file(folder, "elsewhere/4"), &error) > 0);
    assert_int_equal(symlink("elsewhere", folder_file(folder, "jobs")), 0);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), -1);
    assert_non_null(strstr(error.text, "/jobs/4: the folder cannot be made: "));
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), -1);
    assert_int_not_equal(access(folder_file(folder, "elsewhere/4/checkpoint"), F_OK), 0);
}

static void what_a_killed_writer_left_is_removed(void **state)
{
    (void)state;
    checkpoint_clean(folder_path(folder), 4);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    (void)folder_write(folder, "jobs/4/checkpoint.99.tmp", "ste");
    (void)folder_write(folder, "jobs/4/mine.tmp", "x");
    checkpoint_clean(folder_path(folder), 4);
    assert_int_not_equal(access(folder_file(folder, "jobs/4/checkpoint.99.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/mine.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/checkpoint"), F_OK), 0);
}

static void what_one_killed_writer_left_is_removed_alone(void **state)
{
    (void)state;
    checkpoint_clean_after(folder_path(folder), 4, 99);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    (void)folder_write(folder, "jobs/4/checkpoint.99.tmp", "ste");
    (void)folder_write(folder, "jobs/4/checkpoint.98.tmp", "ste");
    checkpoint_clean_after(folder_path(folder), 4, 99);
    assert_int_not_equal(access(folder_file(folder, "jobs/4/checkpoint.99.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/checkpoint.98.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/checkpoint"), F_OK), 0);
}

static void checkpoints_take_a_twentieth_of_the_time_at_most(void **state)
{
    (void)state;
    assert_int_equal(checkpoint_pause_us(600000000, 0), 600000000);
    assert_int_equal(checkpoint_pause_us(600000000, 1000000), 600000000);
    assert_int_equal(checkpoint_pause_us(600000000, 60000000), 19 * 60000000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(a_checkpoint_that_cannot_be_written_leaves_the_last_one),
        TEST(what_is_no_checkpoint_is_named),
        TEST(a_link_is_not_followed),
        TEST(checkpoints_take_a_twentieth_of_the_time_at_most),
        TEST(a_link_in_the_place_of_a_folder_is_not_followed_either),
        TEST(what_a_killed_writer_left_is_removed),
        TEST(what_one_killed_writer_left_is_removed_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
