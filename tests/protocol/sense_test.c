/* sense_test.c - messages whose fields are of the right kinds, but make no sense. */
#include "protocol/master_worker.h"
#include "protocol/scheduler_master.h"
#include "protocol/worker_trainer.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* The message that was packed; the caller destroys the reader. */
static reader_t *read_back(struct writer *message)
{
    struct error error = {.text = ""};
    reader_t *const reader = reader_new(message->bytes.data, message->bytes.size, &error);

    assert_string_equal(error.text, "");
    writer_close(message);
    return reader;
}

/* An error that never was has no text. */
static const char *text_of(const char *complaint)
{
    return complaint ? complaint : "";
}

/* Packs VALUE with the functions of MESSAGE and expects the reader to complain, or not if that is
 * NULL. */
#define EXPECT(message, value, complaint)                                                          \
    do {                                                                                           \
        struct msg_##message expect_read;                                                          \
        struct writer expect_packed;                                                               \
        struct error expect_error = {.text = ""};                                                  \
        reader_t *expect_reader;                                                                   \
                                                                                                   \
        msg_##message##_pack(value, &expect_packed);                                               \
        expect_reader = read_back(&expect_packed);                                                 \
        (void)msg_##message##_unpack(expect_reader, &expect_read, &expect_error);                  \
        assert_string_equal(expect_error.text, text_of(complaint));                                \
        reader_destroy(&expect_reader);                                                            \
    } while (0)

TEST(reasons_and_states_are_ones_that_there_are)
{
    const struct msg_stop stop = {.why = (enum stop_why)3};
    const struct msg_report report = {.part = {.state = (enum part_state)8}};
    const struct msg_job_report job = {.state = (enum job_report_state)6};
    const struct msg_rank_report rank = {.state = (enum trainer_state)4};
    const struct msg_trainer_heartbeat heartbeat = {.state = (enum trainer_state)4};
    struct msg_planned_stop planned = {.why = (enum stop_why)3};
    const struct msg_plan plan = {.stop_count = 1, .stops = &planned};

    EXPECT(stop, &stop, "STOP: field 4: 3 is not within 0 to 2");
    EXPECT(report, &report, "REPORT: field 1.3: 8 is not within 0 to 7");
    EXPECT(job_report, &job, "JOB_REPORT: field 4: 6 is not within 0 to 5");
    EXPECT(rank_report, &rank, "RANK_REPORT: field 2: 4 is not within 0 to 3");
    EXPECT(trainer_heartbeat, &heartbeat, "HEARTBEAT: field 1: 4 is not within 0 to 3");
    EXPECT(plan, &plan, "PLAN: field 7.1.3: 3 is not within 0 to 2");
}

static struct msg_run a_run(int32_t *gpus, int32_t *ranks, size_t count)
{
    return (struct msg_run){.nodes = 1,
                            .world = 4,
                            .rate = 1,
                            .time_scale = 1,
                            .gpu_count = count,
                            .gpus = gpus,
                            .ranks = ranks};
}

TEST(a_part_fits_into_its_job)
{
    int32_t gpus[] = {1, 2};
    int32_t falling[] = {2, 1};
    int32_t twice[] = {2, 2};
    int32_t far[] = {1, NODE_GPUS_MAX};
    int32_t ranks[] = {3, 0};
    int32_t beyond[] = {0, 4};
    struct msg_run run = a_run(gpus, ranks, 2);

    EXPECT(run, &run, NULL);
    run = a_run(falling, ranks, 2);
    EXPECT(run, &run, "RUN: field 18: 1 after 2: the numbers must rise");
    run = a_run(twice, ranks, 2);
    EXPECT(run, &run, "RUN: field 18: 2 after 2: the numbers must rise");
    run = a_run(far, ranks, 2);
    EXPECT(run, &run, "RUN: field 18.2: 1024 is not within 0 to 1023");
    run = a_run(gpus, beyond, 2);
    EXPECT(run, &run, "RUN: field 19.2: 4 is not within 0 to 3");
    run = a_run(gpus, ranks, 0);
    EXPECT(run, &run, "RUN: field 19: 0 ranks on 0 GPUs");
    run = a_run(gpus, ranks, 2);
    run.node_rank = 1;
    EXPECT(run, &run, "RUN: field 14: 1 is not within 2 to 4096");
    run = a_run(gpus, ranks, 2);
    run.rendezvous_port = 65536;
    EXPECT(run, &run, "RUN: field 17: 65536 is not within 0 to 65535");
    run = a_run(gpus, ranks, 2);
    run.step = -2;
    EXPECT(run, &run, "RUN: field 7: -2 is not within -1 to 9223372036854775807");
}

TEST(what_is_profiled_is_a_finite_amount)
{
    static const double bad[] = {-1, -INFINITY, INFINITY, NAN};
    int32_t gpu = 0;
    int32_t rank = 0;

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct msg_run run = a_run(&gpu, &rank, 1);
        struct msg_plan plan = {.time_scale = bad[i]};
        struct error error = {.text = ""};
        struct writer message;
        reader_t *reader;

        run.rate = bad[i];
        msg_run_pack(&run, &message);
        reader = read_back(&message);
        assert_int_equal(msg_run_unpack(reader, &run, &error), -1);
        assert_non_null(strstr(error.text, "where a finite number, not negative, was expected"));
        reader_destroy(&reader);
        msg_plan_pack(&plan, &message);
        reader = read_back(&message);
        assert_int_equal(msg_plan_unpack(reader, &plan, &error), -1);
        assert_non_null(strstr(error.text, "PLAN: field 4: "));
        reader_destroy(&reader);
    }
}

TEST(a_planned_job_has_ranks_and_a_rate)
{
    int32_t ranks[] = {0, 1, 1};
    struct msg_planned_job job = {.rate = 1, .rank_count = 2, .ranks = ranks};
    const struct msg_plan plan = {.job_count = 1, .jobs = &job};

    EXPECT(plan, &plan, NULL);
    job.rank_count = 3;
    EXPECT(plan, &plan, "PLAN: field 6.1.10: 1 after 1: the numbers must rise");
    job.rank_count = 0;
    EXPECT(plan, &plan, "PLAN: field 6.1.10: a job without ranks");
    job.rank_count = 1;
    job.rate = 0;
    EXPECT(plan, &plan, "PLAN: field 6.1.9: a rate of 0");
}

/* What a trainer says of itself is passed on as it is; it is judged where it is used. */
TEST(speeds_that_are_reported_may_be_anything)
{
    static const double rates[] = {NAN, -1, INFINITY, 1e308, 0};

    for (size_t i = 0; i < COUNT(rates); i++) {
        const struct msg_report report = {.part = {.rate = rates[i]}};
        const struct msg_job_report job = {.rate = rates[i]};

        EXPECT(report, &report, NULL);
        EXPECT(job_report, &job, NULL);
    }
}

TEST(intervals_are_longer_than_nothing)
{
    const struct msg_scheduler_welcome scheduler = {.hold_ms = 1};
    const struct msg_worker_welcome worker = {.heartbeat_ms = 1};
    const struct msg_trainer_welcome trainer = {.heartbeat_ms = -1};

    EXPECT(scheduler_welcome, &scheduler, "WELCOME: field 1: 0 is not within 1 to 2147483647");
    EXPECT(worker_welcome, &worker, "WELCOME: field 4: 0 is not within 1 to 2147483647");
    EXPECT(trainer_welcome, &trainer, "WELCOME: field 1: -1 is not within 1 to 2147483647");
}

TEST(a_local_rank_is_one_of_its_node)
{
    int32_t gpu = 3;
    int32_t rank = 0;
    int32_t local[] = {3, 5};
    struct msg_prepare prepare = {
        .run = a_run(&gpu, &rank, 1), .local_world = 2, .local_gpus = local};

    EXPECT(prepare, &prepare, NULL);
    prepare.local_rank = 2;
    EXPECT(prepare, &prepare, "PREPARE: field 22: 2 is not within 3 to 1024");
}

TEST(names_are_cut_and_causes_too)
{
    char longer[2000];
    const struct msg_report report = {.part = {.cause = longer}};
    int32_t gpu = 0;
    int32_t rank = 0;
    struct msg_run run = a_run(&gpu, &rank, 1);

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    EXPECT(report, &report, NULL);
    run.name = longer;
    EXPECT(run, &run, NULL);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
