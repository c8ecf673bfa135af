/* trainers_test.c - a silent trainer is killed, and one that was only just started has time for a
 * first word. */
#include "worker/trainers.h"

#include "tests/support/test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define STARTED_US INT64_C(1000000)
#define DOUBT_US   INT64_C(1500000)

/* One trainer: its program says nothing and never ends. */
struct trainer_bed {
    trainers_t *trainers;
    int descriptor;  /* of its process */
    char cause[160]; /* why it is gone, "" while it is not */
};

static char *const *arguments(void *owner, int32_t gpu)
{
    static char *argv[] = {"sleep", "1000", NULL};

    (void)owner;
    (void)gpu;
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

static void tick(struct trainer_bed *self, int64_t now_us)
{
    struct error error;

    assert_int_equal(trainers_tick(self->trainers, now_us, &error), 0);
}

static void bed_start(struct trainer_bed *self)
{
    static const struct trainers_calls calls = {watch, unwatch, gone};
    static char *no_environment[] = {NULL};
    const struct trainers_setting setting = {1, arguments, no_environment, 0, &calls, self};

    self->cause[0] = '\0';
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

static void one_that_spoke_and_is_silent_is_killed(void **state)
{
    const int64_t limit_us = STARTED_US + DOUBT_US;
    struct trainer_bed bed;

    (void)state;
    bed_start(&bed);
    trainers_heard(bed.trainers, 0);
    assert_true(trainers_due_us(bed.trainers) == INT64_MAX);
    trainers_doubt(bed.trainers, 0, limit_us);
    assert_true(trainers_due_us(bed.trainers) == limit_us);
    tick(&bed, limit_us);
    bed_end(&bed, limit_us);
    assert_string_equal(bed.cause, "trainer of GPU 0 is silent");
}

static void one_that_was_just_started_has_time_for_its_first_word(void **state)
{
    const int64_t limit_us = STARTED_US + TRAINER_START_US;
    struct trainer_bed bed;

    (void)state;
    bed_start(&bed);
    trainers_doubt(bed.trainers, 0, STARTED_US + DOUBT_US);
    assert_true(trainers_due_us(bed.trainers) == limit_us);
    tick(&bed, limit_us);
    bed_end(&bed, limit_us);
    assert_string_equal(bed.cause, "trainer of GPU 0 is silent since its start");
}

static void one_that_is_asked_to_end_has_the_time_it_is_given(void **state)
{
    const int64_t limit_us = STARTED_US + 2 * TRAINER_START_US;
    struct trainer_bed bed;

    (void)state;
    bed_start(&bed);
    trainers_asked(bed.trainers, 0, limit_us);
    assert_true(trainers_due_us(bed.trainers) == limit_us);
    tick(&bed, limit_us);
    bed_end(&bed, limit_us);
    assert_string_equal(bed.cause, "trainer of GPU 0 did not end when asked to");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_spoke_and_is_silent_is_killed),
        cmocka_unit_test(one_that_was_just_started_has_time_for_its_first_word),
        cmocka_unit_test(one_that_is_asked_to_end_has_the_time_it_is_given),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
