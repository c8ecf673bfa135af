/* parts_test.c - a part is as far as its slowest rank, goes as a whole, and heeds each command
 * once. */
#include "worker/parts.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPUS 4

/* What was sent, one word for each message, as in "prepare:0 begin:0 report:running ". */
static char sent[4096];
static struct msg_part reported; /* the last one */
static char cause[512];
static struct msg_prepare prepared;
static parts_t *parts;

static void add(const char *what, int32_t gpu)
{
    const size_t used = strlen(sent);

    (void)snprintf(sent + used, sizeof(sent) - used, "%s:%d ", what, (int)gpu);
}

static void on_prepare(void *owner, int32_t gpu, const struct msg_prepare *prepare)
{
    (void)owner;
    prepared = *prepare;
    add("prepare", gpu);
}

static void on_begin(void *owner, int32_t gpu, const struct msg_begin *begin)
{
    (void)owner;
    (void)begin;
    add("begin", gpu);
}

static void on_update(void *owner, int32_t gpu, const struct msg_update *update)
{
    (void)owner;
    (void)update;
    add("update", gpu);
}

static void on_stop(void *owner, int32_t gpu, const struct msg_stop *stop)
{
    (void)owner;
    assert_true(stop->job > 0);
    assert_true(stop->incarnation > 0);
    add("stop", gpu);
}

static void on_group(void *owner, int32_t gpu, const struct msg_group *group)
{
    (void)owner;
    (void)group;
    add("group", gpu);
}

static void on_report(void *owner, const struct msg_report *report)
{
    const size_t used = strlen(sent);

    (void)owner;
    reported = report->part;
    (void)snprintf(cause, sizeof(cause), "%s", report->part.cause);
    (void)snprintf(sent + used, sizeof(sent) - used, "%s ",
                   report->grouped ? "grouped" : part_state_name(report->part.state));
}

static const struct order_calls calls = {on_prepare, on_begin, on_update, on_stop, on_group};

FIXTURE(set_up)
{
    const struct parts_setting setting = {
        .orders = {.gpu_count = GPUS, .calls = &calls},
        .report = on_report,
    };

    sent[0] = '\0';
    parts = parts_new(&setting);
    parts_set_node(parts, 3);
    for (int32_t gpu = 0; gpu < GPUS; gpu++)
        parts_trainer_up(parts, gpu);
    return 0;
}

FIXTURE(tear_down)
{
    parts_destroy(&parts);
    return 0;
}

/* All that was sent since the last look. */
#define assert_sent(words)                                                                         \
    do {                                                                                           \
        assert_string_equal(sent, words);                                                          \
        sent[0] = '\0';                                                                            \
    } while (0)

static enum effect run_ranks(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus,
                             int32_t first_rank)
{
    int32_t numbers[GPUS];
    int32_t ranks[GPUS];
    const struct msg_run run = {
        .job = job,
        .incarnation = incarnation,
        .name = "name",
        .model = "model",
        .batch_size = 64,
        .iterations = 100,
        .rate = 1,
        .world = 16,
        .nodes = 1,
        .rendezvous_address = "",
        .gpu_count = (size_t)gpus,
        .gpus = numbers,
        .ranks = ranks,
    };

    for (int32_t i = 0; i < gpus; i++) {
        numbers[i] = first + i;
        ranks[i] = first_rank + i;
    }
    return parts_run(parts, &run);
}

static enum effect run(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus)
{
    return run_ranks(job, incarnation, first, gpus, 0);
}

static void rank_is(uint64_t job, uint32_t incarnation, int32_t gpu, enum part_state state)
{
    const struct msg_rank_report report = {.part = {
                                               .job = job,
                                               .incarnation = incarnation,
                                               .state = state,
                                               .step = gpu == 0 ? 5 : -1,
                                               .checkpoint = gpu == 0 ? 5 : -1,
                                               .rate = 2,
                                               .cause = state == PART_FAILED ? "it broke" : "",
                                           }};

    parts_rank(parts, gpu, &report);
}

static enum effect begin(uint64_t job, uint32_t incarnation)
{
    const struct msg_begin message = {job, incarnation, 5};

    return parts_begin(parts, &message);
}

static enum effect stop(uint64_t job, uint32_t incarnation)
{
    const struct msg_stop message = {job, incarnation, -1, STOP_PAUSED, 1000};

    return parts_stop(parts, &message);
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_part_is_ready_when_all_its_ranks_are)
{
    assert_int_equal(run(1, 1, 0, 2), EFFECT_APPLIED);
    assert_sent("prepare:0 prepare:1 ");
    rank_is(1, 1, 1, PART_READY);
    assert_sent("");
    rank_is(1, 1, 0, PART_READY);
    assert_sent("ready ");
    assert_int_equal(reported.step, 5);
    assert_int_equal(reported.checkpoint, 5);
}

READY(only_the_node_of_rank_0_knows_steps)
{
    assert_int_equal(run_ranks(1, 1, 0, 1, 3), EFFECT_APPLIED);
    rank_is(1, 1, 0, PART_READY);
    assert_int_equal(reported.state, PART_READY);
    assert_int_equal(reported.step, -1);
    assert_int_equal(reported.checkpoint, -1);
}

READY(a_trainer_is_told_what_is_beside_it)
{
    assert_int_equal(run(1, 1, 1, 3), EFFECT_APPLIED);
    assert_int_equal(prepared.local_rank, 2);
    assert_int_equal(prepared.local_world, 3);
    assert_int_equal(prepared.node, 3);
    assert_int_equal(prepared.run.gpu_count, 1);
}

READY(begin_goes_to_all_ranks_once)
{
    (void)run(1, 1, 0, 2);
    rank_is(1, 1, 0, PART_READY);
    rank_is(1, 1, 1, PART_READY);
    sent[0] = '\0';
    assert_int_equal(begin(1, 1), EFFECT_APPLIED);
    assert_sent("begin:0 begin:1 ");
    assert_int_equal(begin(1, 1), EFFECT_REPEATED);
    assert_sent("ready ");
    rank_is(1, 1, 0, PART_RUNNING);
    assert_sent("running ");
    rank_is(1, 1, 0, PART_STABLE);
    assert_sent("");
    rank_is(1, 1, 1, PART_STABLE);
    assert_sent("stable ");
}

READY(a_part_is_not_begun_before_it_is_ready)
{
    (void)run(1, 1, 0, 2);
    rank_is(1, 1, 0, PART_READY);
    sent[0] = '\0';
    assert_int_equal(begin(1, 1), EFFECT_REPEATED);
    assert_sent("preparing ");
}

static void bring_up(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus)
{
    assert_int_equal(run(job, incarnation, first, gpus), EFFECT_APPLIED);
    for (int32_t gpu = first; gpu < first + gpus; gpu++)
        rank_is(job, incarnation, gpu, PART_READY);
    assert_int_equal(begin(job, incarnation), EFFECT_APPLIED);
    for (int32_t gpu = first; gpu < first + gpus; gpu++)
        rank_is(job, incarnation, gpu, PART_STABLE);
    sent[0] = '\0';
}

READY(a_repeated_run_changes_nothing)
{
    bring_up(1, 1, 0, 2);
    assert_int_equal(run(1, 1, 0, 2), EFFECT_REPEATED);
    assert_sent("stable ");
}

/* I2: a command of an incarnation that is over cannot touch the next. */
READY(a_command_for_an_older_incarnation_is_stale)
{
    bring_up(1, 2, 0, 2);
    assert_int_equal(run(1, 1, 2, 2), EFFECT_STALE);
    assert_sent("stable ");
    assert_int_equal(reported.incarnation, 2);
    assert_int_equal(begin(1, 1), EFFECT_STALE);
    assert_int_equal(stop(1, 1), EFFECT_STALE);
    assert_sent("stable stable ");
}

READY(a_part_is_stopped_when_all_its_ranks_are)
{
    bring_up(1, 1, 0, 2);
    assert_int_equal(stop(1, 1), EFFECT_APPLIED);
    assert_sent("stop:0 stop:1 stopping ");
    assert_int_equal(stop(1, 1), EFFECT_REPEATED);
    assert_sent("stopping ");
    rank_is(1, 1, 0, PART_STOPPED);
    assert_sent("");
    rank_is(1, 1, 1, PART_STOPPED);
    assert_sent("stopped ");
    assert_int_equal(parts_live(parts), 0);
    assert_int_equal(stop(1, 1), EFFECT_REPEATED);
    assert_sent("stopped ");
}

READY(when_a_rank_fails_the_others_are_stopped)
{
    bring_up(1, 1, 0, 3);
    rank_is(1, 1, 1, PART_FAILED);
    assert_sent("stop:0 stop:2 stopping ");
    rank_is(1, 1, 0, PART_STOPPED);
    rank_is(1, 1, 2, PART_STOPPED);
    assert_sent("failed ");
    assert_string_equal(cause, "it broke");
    assert_int_equal(reported.checkpoint, 5);
}

READY(when_a_trainer_dies_its_parts_fail_with_its_cause)
{
    bring_up(1, 1, 0, 2);
    parts_trainer_gone(parts, 1, 4711, "trainer of GPU 1 was ended by signal 9");
    assert_sent("stop:0 stopping ");
    rank_is(1, 1, 0, PART_STOPPED);
    assert_sent("failed ");
    assert_string_equal(cause, "trainer of GPU 1 was ended by signal 9");
    assert_true(reported.retry);
}

READY(a_part_waits_for_no_trainer_that_never_speaks)
{
    parts_trainer_closed(parts, 0);
    assert_int_equal(run(1, 1, 0, 2), EFFECT_APPLIED);
    assert_sent("prepare:1 ");
    parts_no_trainer(parts, 3, "trainer of GPU 3 ended with exit status 127");
    assert_sent("");
    parts_no_trainer(parts, 0, "trainer of GPU 0 ended with exit status 127");
    assert_sent("stop:1 stopping ");
    rank_is(1, 1, 1, PART_STOPPED);
    assert_sent("failed ");
    assert_string_equal(cause, "trainer of GPU 0 ended with exit status 127");
    assert_true(reported.retry);
    assert_int_equal(run(2, 1, 0, 1), EFFECT_APPLIED);
    parts_no_trainer(parts, 0, "trainer of GPU 0 ended with exit status 127");
    assert_sent("failed ");
}

READY(a_job_that_did_all_its_iterations_is_done)
{
    bring_up(1, 1, 0, 2);
    rank_is(1, 1, 0, PART_DONE);
    assert_sent("");
    rank_is(1, 1, 1, PART_DONE);
    assert_sent("done ");
}

READY(the_next_job_prepares_beside_the_present_one)
{
    bring_up(1, 1, 0, 2);
    assert_int_equal(run(2, 1, 1, 2), EFFECT_APPLIED);
    assert_sent("prepare:1 prepare:2 ");
    rank_is(2, 1, 2, PART_READY);
    assert_sent("");
}

READY(a_trainer_gets_no_third_workload)
{
    bring_up(1, 1, 0, 1);
    (void)run(2, 1, 0, 1);
    (void)run(3, 1, 0, 1);
    assert_sent("prepare:0 ");
    (void)stop(1, 1);
    sent[0] = '\0';
    rank_is(1, 1, 0, PART_STOPPED);
    assert_sent("stopped prepare:0 ");
}

READY(what_no_trainer_heard_of_stops_at_once)
{
    bring_up(1, 1, 0, 1);
    (void)run(2, 1, 0, 1);
    (void)run(3, 1, 0, 1);
    sent[0] = '\0';
    assert_int_equal(stop(3, 1), EFFECT_APPLIED);
    assert_sent("stopped ");
}

READY(a_run_waits_for_its_trainer)
{
    parts_trainer_closed(parts, 0);
    (void)run(1, 1, 0, 2);
    assert_sent("prepare:1 ");
    parts_trainer_up(parts, 0);
    assert_sent("prepare:0 ");
}

/* A trainer that was stopped for a while says hello again; what it missed is said again. */
READY(a_trainer_that_comes_back_hears_what_it_missed)
{
    (void)run(1, 1, 0, 1);
    rank_is(1, 1, 0, PART_READY);
    parts_trainer_closed(parts, 0);
    (void)begin(1, 1);
    sent[0] = '\0';
    parts_trainer_up(parts, 0);
    assert_sent("begin:0 ");
    parts_trainer_closed(parts, 0);
    (void)stop(1, 1);
    sent[0] = '\0';
    parts_trainer_up(parts, 0);
    assert_sent("stop:0 ");
}

READY(a_stop_that_comes_before_its_run_wins)
{
    assert_int_equal(stop(1, 4), EFFECT_REPEATED);
    assert_sent("stopped ");
    assert_int_equal(run(1, 4, 0, 1), EFFECT_REPEATED);
    assert_sent("stopped ");
    assert_int_equal(run(1, 5, 0, 1), EFFECT_APPLIED);
    assert_sent("prepare:0 ");
}

READY(a_run_that_makes_no_sense_is_refused_with_a_sentence)
{
    assert_int_equal(run(1, 1, 3, 2), EFFECT_REFUSED);
    assert_sent("failed ");
    assert_string_equal(cause, "there is no GPU 4 on this node");
    assert_false(reported.retry);
}

/* An end is told by heartbeats until one that had it was answered. */
READY(an_end_is_told_until_the_master_knows)
{
    struct msg_part *found;

    bring_up(1, 1, 0, 1);
    bring_up(2, 1, 1, 1);
    (void)stop(1, 1);
    rank_is(1, 1, 0, PART_STOPPED);
    parts_acknowledged(parts, 1000); /* of a heartbeat from before */
    assert_int_equal(parts_describe(parts, 2000, &found), 2);
    assert_int_equal(found[0].state, PART_STOPPED);
    free(found);
    parts_acknowledged(parts, 1999);
    assert_int_equal(parts_describe(parts, 3000, &found), 2);
    free(found);
    parts_acknowledged(parts, 2000);
    assert_int_equal(parts_describe(parts, 4000, &found), 1);
    assert_int_equal(found[0].job, 2);
    free(found);
}

/* A heartbeat has bounds, however much happens between two of them. */
READY(only_so_many_ends_are_kept)
{
    struct msg_part *found;
    size_t count;

    bring_up(1, 1, 1, 1);
    for (uint64_t job = 2; job < 1000; job++) {
        (void)run(job, 1, 0, 1);
        (void)stop(job, 1);
        rank_is(job, 1, 0, PART_STOPPED);
        sent[0] = '\0';
    }
    count = parts_describe(parts, 1, &found);
    assert_int_equal(count, 257);
    assert_int_equal(found[0].job, 1); /* it lives */
    assert_int_equal(found[1].job, 744);
    free(found);
    assert_int_equal(stop(2, 1), EFFECT_REPEATED);
    assert_sent("stopped ");
}

READY(a_forgotten_incarnation_does_not_start_again)
{
    struct msg_part *found;

    bring_up(1, 1, 0, 1);
    (void)stop(1, 1);
    rank_is(1, 1, 0, PART_STOPPED);
    (void)parts_describe(parts, 1, &found);
    free(found);
    parts_acknowledged(parts, 1);
    sent[0] = '\0';
    assert_int_equal(run(1, 1, 0, 1), EFFECT_REPEATED);
    assert_sent("stopped ");
}

READY(all_parts_fail_with_the_lease)
{
    bring_up(1, 1, 0, 2);
    (void)run(2, 1, 0, 1);
    (void)run(3, 1, 0, 1);
    sent[0] = '\0';
    parts_fail_all(parts, "lease over");
    assert_sent("stop:0 stop:1 stopping stop:0 stopping failed ");
    rank_is(1, 1, 0, PART_FAILED);
    rank_is(1, 1, 1, PART_FAILED);
    assert_sent("failed ");
    assert_string_equal(cause, "lease over");
}

READY(reports_that_come_late_turn_nothing_back)
{
    bring_up(1, 1, 0, 1);
    rank_is(1, 1, 0, PART_READY);
    assert_sent("");
    rank_is(1, 1, 3, PART_FAILED); /* a GPU that it is not on */
    rank_is(9, 1, 0, PART_FAILED); /* a job that is not here */
    assert_sent("");
}

READY(a_rate_that_is_no_number_stays_none)
{
    struct msg_rank_report report = {
        .part = {.job = 1, .incarnation = 1, .state = PART_STABLE, .rate = 3, .cause = ""}};

    (void)run(1, 1, 0, 2);
    rank_is(1, 1, 0, PART_READY);
    rank_is(1, 1, 1, PART_READY);
    (void)begin(1, 1);
    parts_rank(parts, 1, &report);
    report.part.rate = (double)NAN;
    parts_rank(parts, 0, &report);
    assert_int_equal(reported.state, PART_STABLE);
    assert_true(isnan(reported.rate));
}

READY(the_slowest_rank_sets_the_rate)
{
    struct msg_rank_report report = {
        .part = {.job = 1, .incarnation = 1, .state = PART_STABLE, .rate = 3, .cause = ""}};

    (void)run(1, 1, 0, 2);
    rank_is(1, 1, 0, PART_READY);
    rank_is(1, 1, 1, PART_READY);
    (void)begin(1, 1);
    parts_rank(parts, 0, &report);
    report.part.rate = 1.5;
    parts_rank(parts, 1, &report);
    assert_true(reported.rate == 1.5);
}

READY(a_group_is_made_by_one_trainer_and_reported)
{
    const struct msg_group group = {.job = 1, .incarnation = 1};
    const struct msg_rank_report made = {
        .part = {.job = 1, .incarnation = 1, .state = PART_STABLE, .cause = ""},
        .grouped = true,
        .took_ms = 7,
    };

    bring_up(1, 1, 0, 2);
    assert_int_equal(parts_group(parts, &group), EFFECT_APPLIED);
    assert_sent("group:0 ");
    parts_rank(parts, 0, &made);
    assert_sent("grouped ");
}

READY(updates_go_to_the_trainers_of_a_part)
{
    const struct msg_update update = {1, 1, 50, 100};

    bring_up(1, 1, 0, 2);
    assert_int_equal(parts_update(parts, &update), EFFECT_APPLIED);
    assert_sent("update:0 update:1 ");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
