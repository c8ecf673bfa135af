/* command_run_test.c - commands of a file: what is sent when, what is waited for, and what each
 * operation took. */
#include "common/log.h"
#include "master/commands/command_run.h"
#include "tests/master/bed.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define R_0 "R 0 vgg16 64 3 2 1 0 10.0.0.1 7000 3 1000 1 0 1\n"
#define R_1 "R 1 vgg16 64 3 2 1 0 10.0.0.2 7001 3 1000 0 2 3\n"

struct scene {
    folder_t *folder;
    command_file_t *commands;
    command_run_t *run;
    bed_t *bed;
    FILE *out;
    char *text;
    size_t size;
};

/* A file of commands, and the workers 0 and 1 with two GPUs each. */
static struct scene *scene_new(const char *text, double time_scale, int workers)
{
    struct scene *self = calloc(1, sizeof(*self));
    struct error error;

    assert_non_null(self);
    self->folder = folder_new();
    self->commands = command_file_read(folder_write(self->folder, "c.txt", text), &error);
    if (!self->commands)
        fail_msg("%s", error.text);
    self->out = open_memstream(&self->text, &self->size);
    self->run =
        command_run_new(self->commands, &(struct command_run_setting){time_scale, self->out});
    self->bed = bed_new_for(&command_run_watch, self->run);
    command_run_use(self->run, bed_dispatch(self->bed));
    for (int i = 0; i < workers; i++)
        assert_int_equal(bed_hello(self->bed, i, 2, ""), i);
    bed_skip(self->bed);
    return self;
}

static void scene_destroy(struct scene **self)
{
    bed_destroy(&(*self)->bed);
    command_run_destroy(&(*self)->run);
    command_file_destroy(&(*self)->commands);
    folder_destroy(&(*self)->folder);
    (void)fclose((*self)->out);
    free((*self)->text);
    free(*self);
    *self = NULL;
}

static void go_on(struct scene *self)
{
    struct error error;

    if (command_run_go_on(self->run, bed_now_us(self->bed), &error) < 0)
        fail_msg("%s", error.text);
}

static void pass(struct scene *self, double seconds)
{
    bed_pass(self->bed, (int64_t)(seconds * (double)BED_SECOND_US));
    go_on(self);
}

static const char *printed(struct scene *self)
{
    (void)fflush(self->out);
    return self->text;
}

TEST(nothing_is_done_before_all_workers_are_there)
{
    struct scene *scene = scene_new("2\n" R_0 "T\n", 1, 1);

    go_on(scene);
    bed_expect(scene->bed, "");
    assert_int_equal(bed_hello(scene->bed, 1, 2, ""), 1);
    bed_skip(scene->bed);
    go_on(scene);
    bed_expect(scene->bed, "n0 run 3.1 gpus 0,1 ranks 0,1 of 2 at 10.0.0.1:7000 step 0\n");
    scene_destroy(&scene);
}

/* As the traces of the artifact have it: two parts that both say they are the only one, at a
 * loopback address. */
TEST(parts_of_a_group_meet_at_the_first_of_their_workers)
{
    struct scene *scene = scene_new("2\nG 1 3 0 1 2 3\n"
                                    "R 0 vgg16 64 3 8 1 0 127.0.0.1 7000 3 1000 1 0 1\n"
                                    "R 1 vgg16 64 3 8 1 0 127.0.0.1 7000 3 1000 1 0 1\nF\nT\n",
                                    1, 2);

    go_on(scene);
    bed_expect(scene->bed, "n0 run 3.1 gpus 0,1 ranks 0,1 of 4 at a0:7000 step 0\n"
                           "n1 run 3.1 gpus 0,1 ranks 2,3 of 4 at a0:7000 step 0\n");
    scene_destroy(&scene);
}

TEST(what_runs_begins_with_t)
{
    struct scene *scene = scene_new("2\n" R_0 "W 10\nT\nS\n", 1, 2);

    go_on(scene);
    bed_says(scene->bed, 0, "3.1 ready");
    bed_skip(scene->bed);
    pass(scene, 9.9);
    bed_expect(scene->bed, "");
    pass(scene, 0.1);
    bed_expect(scene->bed, "n0 begin 3.1 step 0\n");
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_DONE);
    scene_destroy(&scene);
}

TEST(time_passes_as_its_scale_says)
{
    struct scene *scene = scene_new("1\nW 100\nS\n", 20, 1);

    go_on(scene);
    pass(scene, 4.9);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_GOES_ON);
    pass(scene, 0.1);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_DONE);
    scene_destroy(&scene);
    scene = scene_new("1\nW 100\nS\n", 0, 1);
    go_on(scene);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_DONE);
    scene_destroy(&scene);
}

TEST(every_operation_is_timed)
{
    struct scene *scene = scene_new(
        "2\nG 1 3 0 1\n" R_0 "F\nT\nW 5\nK 0 3\nG 1 3 2 3\nG 0 3 0 2 0\n" R_1 "F\nT\nS\n", 1, 2);

    go_on(scene);
    bed_skip(scene->bed);
    pass(scene, 2);
    bed_says(scene->bed, 0, "3.1 ready");
    bed_expect(scene->bed, "n0 group 3.1 ranks 0,1 source -1\n");
    pass(scene, 1);
    bed_expect(scene->bed, "");
    bed_grouped(scene->bed, 0, 3, 1, 1500);
    go_on(scene);
    bed_expect(scene->bed, "n0 begin 3.1 step 0\n");
    pass(scene, 4);
    bed_says(scene->bed, 0, "3.1 stable rate 1");
    pass(scene, 1);
    bed_expect(scene->bed, "n0 stop 3.1 paused step -1 grace -1\n"
                           "n1 run 3.2 gpus 0,1 ranks 0,1 of 2 at 10.0.0.2:7001 step 0\n");
    bed_says(scene->bed, 1, "3.2 ready");
    bed_expect(scene->bed, "n1 group 3.2 ranks 2,3 source -1\n");
    bed_grouped(scene->bed, 1, 3, 2, 100);
    bed_expect(scene->bed, "n1 group 3.2 ranks 0,2 source 0\n");
    bed_grouped(scene->bed, 1, 3, 2, 200);
    pass(scene, 3);
    bed_says(scene->bed, 0, "3.1 stopped checkpoint 77");
    go_on(scene);
    bed_expect(scene->bed, "n1 begin 3.2 step 77\n");
    bed_says(scene->bed, 1, "3.2 stable rate 1");
    go_on(scene);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_DONE);
    command_run_print(scene->run);
    assert_non_null(strstr(printed(scene), "\noperation      job  GPUs      seconds\n"
                                           "start            3     2        2.000\n"
                                           "group            3     2        1.500\n"
                                           "train            3     2        4.000\n"
                                           "stop             3     2        3.000\n"
                                           "start            3     2        0.000\n"
                                           "group            3     2        0.100\n"
                                           "move             3     2        0.200\n"
                                           "train            3     2        0.000\n"));
    scene_destroy(&scene);
}

/* A part is done in the moment in which the master stops the job: nothing is left to be saved. The
 * other part may hear of the stop before. */
TEST(a_job_that_is_done_when_it_is_stopped_has_not_failed)
{
    static const char *const ends[][2] = {
        {"3.1 done step 1000", "3.1 done step 1000"},
        {"3.1 done step 1000", "3.1 stopped"},
        {"3.1 stopped", "3.1 done step 1000"},
    };

    for (size_t i = 0; i < COUNT(ends); i++) {
        struct scene *scene =
            scene_new("2\nR 0 vgg16 64 3 2 2 0 10.0.0.1 7000 3 1000 1 0 1\n"
                      "R 1 vgg16 64 3 2 2 1 10.0.0.1 7000 3 1000 1 2 3\nT\nK 0 3\nK 1 3\nS\n",
                      1, 2);

        go_on(scene);
        bed_says(scene->bed, 0, "3.1 ready");
        bed_says(scene->bed, 1, "3.1 ready");
        go_on(scene);
        assert_true(bed_sent(scene->bed, "n0 stop 3.1 paused step -1 grace -1"));
        bed_says(scene->bed, 0, ends[i][0]);
        bed_says(scene->bed, 1, ends[i][1]);
        go_on(scene);
        assert_null(strstr(printed(scene), "failed"));
        assert_int_equal(command_run_state(scene->run), COMMAND_RUN_DONE);
        scene_destroy(&scene);
    }
}

TEST(an_update_stops_what_still_runs_of_the_job)
{
    struct scene *scene =
        scene_new("2\n" R_0 "T\nU 1 vgg16 64 3 2 1 0 10.0.0.2 7001 3 1000 2 3\nT\n", 1, 2);

    go_on(scene);
    bed_says(scene->bed, 0, "3.1 ready");
    bed_skip(scene->bed);
    go_on(scene);
    bed_expect(scene->bed, "n0 stop 3.1 paused step -1 grace -1\n"
                           "n1 run 3.2 gpus 0,1 ranks 0,1 of 2 at 10.0.0.2:7001 step 0\n");
    bed_says(scene->bed, 1, "3.2 ready");
    bed_says(scene->bed, 0, "3.1 stopped checkpoint 9");
    bed_expect(scene->bed, "n1 begin 3.2 step 9\n");
    scene_destroy(&scene);
}

TEST(from_scratch_is_from_step_0)
{
    struct scene *scene =
        scene_new("2\n" R_0 "T\nK 0 3\nW 1\n" R_0 "T\nK 0 3\nW 1\n" R_1 "T\n", 1, 2);

    go_on(scene);
    bed_says(scene->bed, 0, "3.1 ready");
    go_on(scene);
    bed_says(scene->bed, 0, "3.1 stopped checkpoint 50");
    pass(scene, 1);
    bed_says(scene->bed, 0, "3.2 ready");
    assert_true(bed_sent(scene->bed, "n0 begin 3.2 step 0"));
    go_on(scene);
    bed_says(scene->bed, 0, "3.2 stopped checkpoint 20");
    pass(scene, 1);
    bed_says(scene->bed, 1, "3.3 ready");
    assert_true(bed_sent(scene->bed, "n1 begin 3.3 step 20"));
    scene_destroy(&scene);
}

TEST(trainers_restart_when_all_has_stopped)
{
    struct scene *scene = scene_new("2\n" R_0 "T\nRE\n" R_0 "T\n", 1, 2);

    go_on(scene);
    bed_says(scene->bed, 0, "3.1 ready");
    bed_skip(scene->bed);
    go_on(scene);
    bed_expect(scene->bed, "n0 stop 3.1 paused step -1 grace -1\nn1 restart\n");
    pass(scene, 2);
    bed_says(scene->bed, 0, "3.1 stopped checkpoint 1");
    bed_expect(scene->bed, "n0 restart\n");
    go_on(scene);
    bed_expect(scene->bed, "n0 run 3.2 gpus 0,1 ranks 0,1 of 2 at 10.0.0.1:7000 step 0\n");
    assert_non_null(strstr(printed(scene), "restart          -     -        2.000\n"));
    scene_destroy(&scene);
}

TEST(a_job_that_fails_is_named_and_the_rest_goes_on)
{
    struct scene *scene = scene_new("2\n" R_0 "T\nK 0 3\nS\n", 1, 2);

    go_on(scene);
    bed_says(scene->bed, 0, "3.1 failed noretry cause no-such-program");
    go_on(scene);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_FAILED);
    assert_string_equal(printed(scene), "job 3 failed: no-such-program\n");
    scene_destroy(&scene);
}

TEST(a_worker_that_goes_down_fails_its_jobs)
{
    struct scene *scene = scene_new("2\n" R_1 "T\nK 1 3\nW 1\n" R_1 "T\nS\n", 1, 2);

    go_on(scene);
    bed_silent(scene->bed, 1);
    pass(scene, 1);
    pass(scene, 1);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_FAILED);
    assert_string_equal(printed(scene), "job 3 failed: worker w1 is down: silent\n"
                                        "job 3 failed: one of its workers is down\n");
    scene_destroy(&scene);
}

TEST(a_group_that_is_not_made_fails)
{
    struct scene *scene = scene_new("2\nG 1 3 0 1\n" R_0 "F\nT\nS\n", 1, 2);

    go_on(scene);
    bed_says(scene->bed, 0, "3.1 ready");
    pass(scene, 59);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_GOES_ON);
    pass(scene, 1);
    assert_non_null(strstr(printed(scene), "job 3 failed: its trainers made no group\n"));
    bed_says(scene->bed, 0, "3.1 stopped");
    go_on(scene);
    assert_int_equal(command_run_state(scene->run), COMMAND_RUN_FAILED);
    scene_destroy(&scene);
}

TEST(nothing_runs_if_the_workers_do_not_fit)
{
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {"1\nW 1\nR 0 vgg16 64 3 1 1 0 a 7000 4 1000 1 2\nT\n",
         "c.txt:3: worker 0 has 2 GPUs, there is no GPU 2"},
        {"2\nR 1 vgg16 64 3 1 1 0 a 7000 2 1000 1 1\nT\n",
         "c.txt:2: GPU 1 of worker 1 has the rank 3, not 1"},
        {"2\n" R_0 "G 0 3 0 4 0\nT\n", "c.txt:3: the workers have 4 GPUs, there is no rank 4"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene *scene = scene_new(cases[i].text, 1, 2);
        struct error error;

        assert_int_equal(command_run_go_on(scene->run, bed_now_us(scene->bed), &error), -1);
        assert_non_null(strstr(error.text, cases[i].sentence));
        bed_expect(scene->bed, "");
        scene_destroy(&scene);
    }
}

FIXTURE(quiet)
{
    return log_to_file("/dev/null");
}

int main(void)
{
    return tests_run(quiet, NULL);
}
