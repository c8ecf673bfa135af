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

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(what_is_written_is_read)
{
    int64_t step = -1;
    char *text;

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
READY(a_checkpoint_that_cannot_be_written_leaves_the_last_one)
{
    int64_t step;

    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, true, &error), 0);
    assert_int_equal(output_make_folder(folder_file(folder, "jobs/5/checkpoint/x"), &error), 4 - 1);
    assert_int_equal(checkpoint_write(folder_path(folder), 5, 1, true, &error), -1);
    assert_non_null(strstr(error.text, "jobs/5/checkpoint: cannot be written"));
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), 0);
    assert_int_equal(step, 17);
}

READY(what_is_no_checkpoint_is_named)
{
    static const char *const texts[] = {"",       "step\n",    "step x\n",
                                        "step 5", "step -1\n", "step 5\nx"};
    int64_t step;

    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        (void)folder_write(folder, "jobs/4/checkpoint", texts[i]);
        assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), -1);
        assert_non_null(strstr(error.text, "jobs/4/checkpoint:1: expected \"step N\""));
    }
}

READY(a_link_is_not_followed)
{
    int64_t step;

    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    assert_int_equal(unlink(folder_file(folder, "jobs/4/checkpoint")), 0);
    (void)folder_write(folder, "elsewhere", "step 3\n");
    assert_int_equal(symlink("../../elsewhere", folder_file(folder, "jobs/4/checkpoint")), 0);
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), -1);
}

READY(a_link_in_the_place_of_a_folder_is_not_followed_either)
{
    int64_t step;

    assert_true(output_make_folder(folder_file(folder, "elsewhere/4"), &error) > 0);
    assert_int_equal(symlink("elsewhere", folder_file(folder, "jobs")), 0);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), -1);
    assert_non_null(strstr(error.text, "/jobs/4: the folder cannot be made: "));
    assert_int_equal(checkpoint_read(folder_path(folder), 4, &step, &error), -1);
    assert_int_not_equal(access(folder_file(folder, "elsewhere/4/checkpoint"), F_OK), 0);
}

READY(what_a_killed_writer_left_is_removed)
{
    checkpoint_clean(folder_path(folder), 4);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    (void)folder_write(folder, "jobs/4/checkpoint.99.tmp", "ste");
    (void)folder_write(folder, "jobs/4/mine.tmp", "x");
    checkpoint_clean(folder_path(folder), 4);
    assert_int_not_equal(access(folder_file(folder, "jobs/4/checkpoint.99.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/mine.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/checkpoint"), F_OK), 0);
}

READY(what_one_killed_writer_left_is_removed_alone)
{
    checkpoint_clean_after(folder_path(folder), 4, 99);
    assert_int_equal(checkpoint_write(folder_path(folder), 4, 17, false, &error), 0);
    (void)folder_write(folder, "jobs/4/checkpoint.99.tmp", "ste");
    (void)folder_write(folder, "jobs/4/checkpoint.98.tmp", "ste");
    checkpoint_clean_after(folder_path(folder), 4, 99);
    assert_int_not_equal(access(folder_file(folder, "jobs/4/checkpoint.99.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/checkpoint.98.tmp"), F_OK), 0);
    assert_int_equal(access(folder_file(folder, "jobs/4/checkpoint"), F_OK), 0);
}

READY(checkpoints_take_a_twentieth_of_the_time_at_most)
{
    assert_int_equal(checkpoint_pause_us(600000000, 0), 600000000);
    assert_int_equal(checkpoint_pause_us(600000000, 1000000), 600000000);
    assert_int_equal(checkpoint_pause_us(600000000, 60000000), 19 * 60000000);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
