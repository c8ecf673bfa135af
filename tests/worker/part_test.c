/* part_test.c - a part is as far as the slowest of its ranks, and its first cause of failure
 * stands. */
#include "worker/part.h"

#include "tests/support/test.h"

#include <string.h>

#define RANKS 3

static struct part *part;

FIXTURE(set_up)
{
    int32_t gpus[RANKS] = {0, 2, 3};
    int32_t ranks[RANKS] = {0, 1, 2};
    const struct msg_run run = {
        .job = 7,
        .incarnation = 2,
        .name = "name",
        .model = "model",
        .rendezvous_address = "",
        .world = RANKS,
        .gpu_count = RANKS,
        .gpus = gpus,
        .ranks = ranks,
    };

    part = part_new(&run);
    for (size_t i = 0; i < RANKS; i++)
        part->ranks[i].prepare_sent = true;
    return 0;
}

FIXTURE(tear_down)
{
    part_destroy(part);
    return 0;
}

static void are(enum part_state first, enum part_state second, enum part_state third)
{
    part->ranks[0].part.state = first;
    part->ranks[1].part.state = second;
    part->ranks[2].part.state = third;
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(the_slowest_rank_sets_the_state)
{
    static const struct {
        enum part_state ranks[RANKS];
        enum part_state part;
    } cases[] = {
        {{PART_READY, PART_PREPARING, PART_READY}, PART_PREPARING},
        {{PART_READY, PART_READY, PART_READY}, PART_READY},
        {{PART_RUNNING, PART_READY, PART_READY}, PART_RUNNING}, /* one that began cannot go back */
        {{PART_STABLE, PART_STABLE, PART_RUNNING}, PART_RUNNING},
        {{PART_STABLE, PART_DONE, PART_STABLE}, PART_STABLE},
        {{PART_STABLE, PART_STOPPING, PART_STABLE}, PART_STOPPING},
        {{PART_STOPPED, PART_STOPPED, PART_STABLE}, PART_STOPPING},
        {{PART_STOPPED, PART_DONE, PART_STOPPED}, PART_STOPPED},
        {{PART_DONE, PART_DONE, PART_DONE}, PART_DONE},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        are(cases[i].ranks[0], cases[i].ranks[1], cases[i].ranks[2]);
        assert_int_equal(part_state(part), cases[i].part);
        assert_int_equal(part_has_ended(part), cases[i].part >= PART_STOPPED);
    }
}

READY(one_that_failed_stops_until_all_its_ranks_have_ended)
{
    struct msg_part described;

    are(PART_STABLE, PART_FAILED, PART_STABLE);
    part_fail(part, 1, true, "it broke");
    part_fail(part, 3, false, "so did the rest");
    assert_int_equal(part_state(part), PART_STOPPING);
    are(PART_DONE, PART_FAILED, PART_DONE);
    assert_int_equal(part_state(part), PART_FAILED);
    assert_string_equal(part->cause, "it broke");
    assert_true(part->retry);
    part_describe(part, &described);
    assert_int_equal(described.gpu, 1);
}

READY(a_gpu_has_a_rank_until_that_has_ended)
{
    are(PART_STABLE, PART_STOPPED, PART_STABLE);
    assert_ptr_equal(part_rank_on(part, 0), &part->ranks[0]);
    assert_null(part_rank_on(part, 1));
    assert_null(part_rank_on(part, 2));
    assert_ptr_equal(part_rank_on(part, 3), &part->ranks[2]);
}

READY(the_first_wish_to_stop_counts)
{
    const struct msg_stop first = {.step = 9, .why = STOP_PAUSED, .grace_ms = 5};
    const struct msg_stop second = {.step = 11, .why = STOP_PAUSED, .grace_ms = 6};

    are(PART_STABLE, PART_STABLE, PART_PREPARING);
    part->ranks[2].prepare_sent = false;
    part_want_stop(part, &first);
    part_want_stop(part, &second);
    assert_int_equal(part->stop.step, 9);
    assert_int_equal(part->stop.job, 7);
    assert_int_equal(part->stop.incarnation, 2);
    assert_int_equal(part->ranks[2].part.state, PART_STOPPED); /* its trainer never heard of it */
    assert_int_equal(part_state(part), PART_STOPPING);
}

READY(a_rank_never_goes_back)
{
    const struct msg_part late = {.state = PART_RUNNING, .step = 4, .cause = "late"};
    const struct msg_part next = {.state = PART_STABLE, .step = 8, .cause = "slow"};

    are(PART_STABLE, PART_STABLE, PART_STABLE);
    assert_false(part_hear(part, &part->ranks[0], &late));
    assert_string_equal(part->cause, "");
    assert_true(part_hear(part, &part->ranks[0], &next));
    assert_int_equal(part->ranks[0].part.step, 8);
    assert_string_equal(part->cause, "slow");
}

READY(rank_0_knows_step_and_checkpoint)
{
    struct msg_part described;

    are(PART_STABLE, PART_STABLE, PART_STABLE);
    for (size_t i = 0; i < RANKS; i++) {
        part->ranks[i].part.step = 10 + (int64_t)i;
        part->ranks[i].part.checkpoint = 5 + (int64_t)i;
        part->ranks[i].part.overhead_ms = 100 * (int64_t)i;
        part->ranks[i].part.rate = 4 - (double)i;
    }
    part_describe(part, &described);
    assert_int_equal(described.step, 10);
    assert_int_equal(described.checkpoint, 5);
    assert_int_equal(described.overhead_ms, 200);
    assert_true(described.rate == 2);
    part->ranks[0].rank = 4; /* rank 0 is on another node */
    part_describe(part, &described);
    assert_int_equal(described.step, -1);
    assert_int_equal(described.checkpoint, -1);
}

/* Whether a node of four GPUs can run one rank of four on each of `gpus`, from `rank` on; the
 * sentence if not. */
static const char *complaint(size_t count, int32_t gpus[], int32_t rank)
{
    static struct error error;
    int32_t ranks[RANKS] = {rank, rank + 1, rank + 2};
    const struct msg_run run = {.world = 4, .gpu_count = count, .gpus = gpus, .ranks = ranks};

    return part_can_run(&run, 4, &error) ? "" : error.text;
}

READY(a_run_that_makes_no_sense_is_named)
{
    assert_string_equal(complaint(3, (int32_t[]){0, 1, 3}, 1), "");
    assert_string_equal(complaint(0, NULL, 0), "RUN names no GPU");
    assert_string_equal(complaint(2, (int32_t[]){3, 4}, 0), "there is no GPU 4 on this node");
    assert_string_equal(complaint(1, (int32_t[]){-1}, 0), "there is no GPU -1 on this node");
    assert_string_equal(complaint(2, (int32_t[]){1, 1}, 0), "the GPUs of RUN do not rise");
    assert_string_equal(complaint(2, (int32_t[]){0, 1}, 3), "there is no rank 4 of 4");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
