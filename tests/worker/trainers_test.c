/* trainers_test.c - a silent trainer is killed, and one that was only just started has time for a
 * first word. */
#include "worker/trainers.h"

#include "tests/support/test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define STARTED_US INT64_C(1000000)
#define DOUBT_US   INT64_C(1500000)

/* One trainer, whose program says nothing. */
struct trainer_bed {
    trainers_t *trainers;
    int descriptor;  /* of its process */
    char cause[160]; /* why it is gone, "" while it is not */
    char vain[160];  /* why trainers are started in vain, "" if they are not */
};

static const char *program; /* of all trainers */

static char *const *arguments(void *owner, int32_t gpu)
{
    static char *argv[] = {NULL, "1000", NULL};

    (void)owner;
    (void)gpu;
    argv[0] = (char *)(uintptr_t)program;
    return argv;
}

static void watch(void *owner, int32_t gpu, int descriptor)
{
    struct trainer_bed *self = owner;

    (void)gpu;
    self->descriptor = descriptor;
}

static void unwatch(void *owner, int32_t gpu, int descriptor)
{
    (void)owner;
    (void)gpu;
    (void)descriptor;
}

static void gone(void *owner, int32_t gpu, pid_t pid, const char *cause)
{
    struct trainer_bed *self = owner;

    (void)gpu;
    assert_true(pid > 0);
    (void)snprintf(self->cause, sizeof(self->cause), "%s", cause);
}

static void in_vain(void *owner, int32_t gpu, const char *cause)
{
    struct trainer_bed *self = owner;

    assert_int_equal(gpu, 0);
    (void)snprintf(self->vain, sizeof(self->vain), "%s", cause);
}

static void tick(struct trainer_bed *self, int64_t now_us)
{
    struct error error;

    assert_int_equal(trainers_tick(self->trainers, now_us, &error), 0);
}

static void bed_start(struct trainer_bed *self, const char *argv0)
{
    static const struct trainers_calls calls = {watch, unwatch, gone, in_vain};
    static char *no_environment[] = {NULL};
    const struct trainers_setting setting = {1, arguments, no_environment, 0, &calls, self};

    program = argv0;
    self->cause[0] = self->vain[0] = '\0';
    self->trainers = trainers_new(&setting);
    tick(self, STARTED_US);
}

/* Waits until its process has ended, which happened at `now_us`. */
static void bed_end(struct trainer_bed *self, int64_t now_us)
{
    struct pollfd ended = {.fd = self->descriptor, .events = POLLIN};

    trainers_close(self->trainers);
    assert_int_equal(poll(&ended, 1, -1), 1);
    trainers_ended(self->trainers, 0, now_us);
    while (!trainers_all_gone(self->trainers))
        tick(self, now_us += 5000);
    trainers_destroy(&self->trainers);
}

TEST(one_that_spoke_and_is_silent_is_killed)
{
    const int64_t limit_us = STARTED_US + DOUBT_US;
    struct trainer_bed bed;

    bed_start(&bed, "sleep");
    trainers_heard(bed.trainers, 0);
    assert_true(trainers_due_us(bed.trainers) == INT64_MAX);
    trainers_doubt(bed.trainers, 0, limit_us);
    assert_true(trainers_due_us(bed.trainers) == limit_us);
    tick(&bed, limit_us);
    bed_end(&bed, limit_us);
    assert_string_equal(bed.cause, "trainer of GPU 0 is silent");
}

TEST(one_that_was_just_started_has_time_for_its_first_word)
{
    const int64_t limit_us = STARTED_US + TRAINER_START_US;
    struct trainer_bed bed;

    bed_start(&bed, "sleep");
    trainers_doubt(bed.trainers, 0, STARTED_US + DOUBT_US);
    assert_true(trainers_due_us(bed.trainers) == limit_us);
    tick(&bed, limit_us);
    bed_end(&bed, limit_us);
    assert_string_equal(bed.cause, "trainer of GPU 0 is silent since its start");
}

TEST(one_that_is_asked_to_end_has_the_time_it_is_given)
{
    const int64_t limit_us = STARTED_US + 2 * TRAINER_START_US;
    struct trainer_bed bed;

    bed_start(&bed, "sleep");
    trainers_asked(bed.trainers, 0, limit_us);
    assert_true(trainers_due_us(bed.trainers) == limit_us);
    tick(&bed, limit_us);
    bed_end(&bed, limit_us);
    assert_string_equal(bed.cause, "trainer of GPU 0 did not end when asked to");
}

/* Waits until the trainer has ended, with all that the sweeper knows of it. */
static void bed_end_one(struct trainer_bed *self, int64_t *now_us)
{
    struct pollfd ended = {.fd = self->descriptor, .events = POLLIN};

    self->cause[0] = '\0';
    assert_int_equal(poll(&ended, 1, -1), 1);
    trainers_ended(self->trainers, 0, *now_us);
    while (!self->cause[0])
        tick(self, *now_us += 5000);
}

TEST(trainers_that_end_without_a_word_are_started_in_vain)
{
    int64_t now_us = STARTED_US;
    struct trainer_bed bed;

    bed_start(&bed, "false");
    for (int tries = 1; tries <= 2 * TRAINER_TRIES; tries++) {
        if (tries == TRAINER_TRIES) { /* a trainer that spoke is a new beginning */
            trainers_speaks(bed.trainers, 0);
            trainers_spoke(bed.trainers, 0);
        }
        bed_end_one(&bed, &now_us);
        assert_int_equal(bed.vain[0] != '\0', tries == 2 * TRAINER_TRIES);
        now_us = trainers_due_us(bed.trainers);
        tick(&bed, now_us);
    }
    assert_string_equal(bed.vain, "trainer of GPU 0 ended with exit status 1");
    trainers_close(bed.trainers);
    bed_end_one(&bed, &now_us);
    trainers_destroy(&bed.trainers);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
