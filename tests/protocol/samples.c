/* samples.c - see samples.h. */
#include "tests/protocol/samples.h"

#include "protocol/client_scheduler.h"
#include "protocol/master_worker.h"
#include "protocol/scheduler_master.h"
#include "protocol/worker_trainer.h"

#include <stdlib.h>
#include <string.h>

/* Defines the repack function of messages that have a struct, a pack and an unpack function of one
 * name. */
#define REPACK(message)                                                                            \
    static int repack_##message(reader_t *in, struct writer *out, struct error *error)             \
    {                                                                                              \
        struct msg_##message value;                                                                \
                                                                                                   \
        if (msg_##message##_unpack(in, &value, error) < 0)                                         \
            return -1;                                                                             \
        msg_##message##_pack(&value, out);                                                         \
        return 0;                                                                                  \
    }

/* ---- every link ---- */

static void pack_hello(struct writer *out)
{
    msg_hello_pack(
        &(struct msg_hello){.version = WIRE_VERSION, .role = "scheduler", .name = "night-shift"}, 0,
        out);
}

static bool is_spoken(const struct msg_hello *hello)
{
    return hello->version >= WIRE_OLDEST && hello->version <= WIRE_VERSION;
}

static int repack_hello(reader_t *in, struct writer *out, struct error *error)
{
    struct msg_hello hello;

    msg_hello_unpack(in, &hello);
    if (reader_close(in, error) < 0)
        return -1;
    msg_hello_pack(&hello, 0, out);
    return 0;
}

static void pack_refused(struct writer *out)
{
    msg_refusal_pack(
        &(struct msg_refusal){"another scheduler is there already", REFUSAL_NAMESAKE, 4, 5}, out);
}

static void pack_goodbye(struct writer *out)
{
    msg_goodbye_pack("its work is done", out);
}

static int repack_refused(reader_t *in, struct writer *out, struct error *error)
{
    struct msg_refusal refusal;

    msg_refusal_unpack(in, &refusal);
    if (reader_close(in, error) < 0)
        return -1;
    msg_refusal_pack(&refusal, out);
    return 0;
}

static int repack_goodbye(reader_t *in, struct writer *out, struct error *error)
{
    const char *const sentence = msg_goodbye_unpack(in);

    reader_expect(in, MSG_GOODBYE);
    if (reader_close(in, error) < 0)
        return -1;
    msg_goodbye_pack(sentence, out);
    return 0;
}

static void pack_shutdown(struct writer *out)
{
    msg_bare_pack(MSG_SHUTDOWN, out);
}

static int repack_bare(reader_t *in, struct writer *out, struct error *error)
{
    const int type = reader_type(in);

    reader_expect(in, MSG_SHUTDOWN);
    if (msg_bare_unpack(in, error) < 0)
        return -1;
    msg_bare_pack(type, out);
    return 0;
}

/* ---- scheduler and master ---- */

static void pack_scheduler_welcome(struct writer *out)
{
    msg_scheduler_welcome_pack(&(struct msg_scheduler_welcome){1000, 10000, 3}, out);
}
REPACK(scheduler_welcome)

static void pack_nodes(struct writer *out)
{
    struct msg_node nodes[] = {
        {.node = 0,
         .name = "node-a",
         .gpus = 8,
         .first_rank = 1,
         .up = true,
         .cause = "",
         .user = "rubato",
         .only = ""},
        {.node = 2,
         .name = "n\xc3\xb8"
                 "de",
         .gpus = 4,
         .first_rank = 9,
         .cause = "it is silent",
         .user = "carol",
         .only = "its worker is not root",
         .type = "A100"},
    };

    msg_nodes_pack(&(struct msg_nodes){2, nodes, true}, WIRE_VERSION, out);
}

/* In a message of an older version no node has a type. */
static int repack_nodes(reader_t *in, struct writer *out, struct error *error)
{
    struct msg_nodes nodes;
    bool has_type;

    if (msg_nodes_unpack(in, &nodes, error) < 0)
        return -1;
    has_type = nodes.count > 0 && nodes.nodes[0].type;
    msg_nodes_pack(&nodes, has_type ? WIRE_VERSION : WIRE_OLDEST, out);
    return 0;
}

static void pack_plan(struct writer *out)
{
    int32_t ranks[] = {0, 1, 5, 65535};
    struct msg_planned_job jobs[] = {
        {.job = UINT64_MAX,
         .name = "train me",
         .model = "resnet50",
         .batch_size = 256,
         .iterations = 100000,
         .step = 1234,
         .deadline_s = INT64_MAX,
         .overhead_s = 30,
         .rate = 7.25,
         .rank_count = 4,
         .ranks = ranks},
        {.job = 2, .name = "b", .model = "c", .rate = 1e-3, .rank_count = 1, .ranks = ranks},
    };
    struct msg_planned_stop stops[] = {{3, 77, STOP_DONE}, {4, 0, STOP_CANCELLED}};

    msg_plan_pack(&(struct msg_plan){.round = 12,
                                     .at_s = 960,
                                     .fast_forward = true,
                                     .time_scale = 0.5,
                                     .restart = false,
                                     .job_count = 2,
                                     .jobs = jobs,
                                     .stop_count = 2,
                                     .stops = stops},
                  out);
}
REPACK(plan)

static void pack_job_report(struct writer *out)
{
    msg_job_report_pack(&(struct msg_job_report){.round = 12,
                                                 .job = 7,
                                                 .incarnation = 3,
                                                 .state = JOB_REPORT_LOST,
                                                 .step = 500,
                                                 .overhead_ms = 30500,
                                                 .emulated = true,
                                                 .rate = 2.5,
                                                 .ended_us = INT64_MIN,
                                                 .cause = "node 1 is silent"},
                        out);
}
REPACK(job_report)

static struct msg_program a_program(uint64_t job)
{
    static const char *arguments[] = {"train.py", "--name=$(x) `y`", ""};
    static const char *variables[] = {"A=1", "N\xc3\xb8=b=c"};

    return (struct msg_program){.job = job,
                                .argument_count = 3,
                                .arguments = arguments,
                                .folder = "/home/ann/x y",
                                .variable_count = 2,
                                .variables = variables,
                                .user = "ann",
                                .grace_ms = 120000,
                                .checkpoint_s = 900};
}

static void pack_program(struct writer *out)
{
    const struct msg_program program = a_program(UINT64_MAX - 1);

    msg_program_pack(&program, out);
}
REPACK(program)

static void pack_settled(struct writer *out)
{
    msg_settled_pack(&(struct msg_settled){.round = 12}, out);
}
REPACK(settled)

/* ---- client - scheduler ---- */

static void pack_client_welcome(struct writer *out)
{
    msg_client_welcome_pack(&(struct msg_client_welcome){5000, "clara", "submit"}, out);
}
REPACK(client_welcome)

static void pack_request(struct writer *out)
{
    msg_request_pack(&(struct msg_request){3, "show", "{\"job\": 17}"}, out);
}
REPACK(request)

static void pack_answer(struct writer *out)
{
    msg_answer_pack(&(struct msg_answer){3, ANSWER_UNKNOWN, "{\"error\": \"no job 17\"}"}, out);
}
REPACK(answer)

static void pack_master_heartbeat(struct writer *out)
{
    struct msg_progress progress[] = {{1, 2, 3, 4.5}, {6, 7, -1, 0}};

    msg_master_heartbeat_pack(&(struct msg_master_heartbeat){-7, 2, progress}, out);
}
REPACK(master_heartbeat)

/* ---- master and worker ---- */

static struct msg_part a_part(uint64_t job)
{
    return (struct msg_part){.job = job,
                             .incarnation = UINT32_MAX,
                             .state = PART_FAILED,
                             .step = 1000,
                             .checkpoint = 900,
                             .overhead_ms = -1,
                             .emulated = false,
                             .retry = true,
                             .gpu = 2,
                             .rate = 3.125,
                             .ended_us = 86400000001,
                             .cause = "rank 2 ended with status 1"};
}

static struct msg_run a_run(size_t gpu_count)
{
    static struct msg_program program;
    static int32_t gpus[] = {1, 3, 1023};
    static int32_t ranks[] = {4, 5, 2};

    program = a_program(7);
    return (struct msg_run){.job = 7,
                            .incarnation = 3,
                            .name = "train; rm -rf $(x)",
                            .model = "bert",
                            .batch_size = 64,
                            .iterations = 10000,
                            .step = 500,
                            .deadline_s = -5,
                            .overhead_ms = 30000,
                            .rate = 1.5,
                            .fast_forward = true,
                            .time_scale = 0.25,
                            .node_rank = 1,
                            .nodes = 2,
                            .world = 6,
                            .rendezvous_address = "10.0.0.1",
                            .rendezvous_port = 9001,
                            .gpu_count = gpu_count,
                            .gpus = gpus,
                            .ranks = ranks,
                            .program = &program};
}

static void pack_worker_hello(struct writer *out)
{
    struct msg_gpu gpus[] = {{"GPU-1234", 40960, false}, {"", 0, true}};
    struct msg_part parts[] = {a_part(1), a_part(2)};
    struct msg_run runs[] = {a_run(2), a_run(1)};

    msg_worker_hello_pack("node-a", WIRE_VERSION,
                          &(struct msg_worker_hello){.address = "10.0.0.1",
                                                     .port = 9000,
                                                     .kind = "emulated",
                                                     .user = "carol",
                                                     .only = "its worker is not root",
                                                     .type = "T4",
                                                     .stamp_us = -17,
                                                     .gpu_count = 2,
                                                     .gpus = gpus,
                                                     .part_count = 2,
                                                     .parts = parts,
                                                     .numbered = true,
                                                     .node = 3,
                                                     .first_rank = 24,
                                                     .lock = 77,
                                                     .named = 12,
                                                     .run_count = 2,
                                                     .runs = runs},
                          out);
}

static int repack_worker_hello(reader_t *in, struct writer *out, struct error *error)
{
    struct msg_hello common;
    struct msg_worker_hello hello;

    msg_hello_unpack(in, &common);
    if (msg_worker_hello_unpack(in, &hello, error) < 0)
        return -1;
    if (!is_spoken(&common) || strcmp(common.role, "worker") != 0)
        return error_set(error, "another version or role");
    msg_worker_hello_pack(common.name, common.version, &hello, out);
    return 0;
}

static void pack_worker_welcome(struct writer *out)
{
    msg_worker_welcome_pack(&(struct msg_worker_welcome){3, 24, 1000, 10000, INT64_MIN}, out);
}
REPACK(worker_welcome)

static void pack_run(struct writer *out)
{
    const struct msg_run run = a_run(3);

    msg_run_pack(&run, out);
}
REPACK(run)

static void pack_begin(struct writer *out)
{
    msg_begin_pack(&(struct msg_begin){7, 3, 500}, out);
}
REPACK(begin)

static void pack_update(struct writer *out)
{
    msg_update_pack(&(struct msg_update){7, 3, 500, 10000}, out);
}
REPACK(update)

static void pack_stop(struct writer *out)
{
    msg_stop_pack(&(struct msg_stop){7, 3, -1, STOP_CANCELLED, 30000}, out);
}
REPACK(stop)

static void pack_group(struct writer *out)
{
    int32_t ranks[] = {9, 2, 4};

    msg_group_pack(&(struct msg_group){7, 3, true, 9, 3, ranks}, out);
}
REPACK(group)

static void pack_report(struct writer *out)
{
    msg_report_pack(&(struct msg_report){.part = a_part(7), .grouped = true, .took_ms = 12}, out);
}
REPACK(report)

static void pack_gpus(struct writer *out)
{
    struct msg_gpu gpus[] = {{"GPU-1234", 40960, true}, {"GPU-5678", 81920, false}};

    msg_gpus_pack(&(struct msg_gpus){2, gpus}, out);
}
REPACK(gpus)

static void pack_worker_heartbeat(struct writer *out)
{
    struct msg_part parts[] = {a_part(8), a_part(9)};

    msg_worker_heartbeat_pack(&(struct msg_worker_heartbeat){123456789, 5, 2, parts}, out);
}
REPACK(worker_heartbeat)

static void pack_lease(struct writer *out)
{
    msg_lease_pack(&(struct msg_lease){123456789}, out);
}
REPACK(lease)

/* ---- worker and trainer ---- */

static void pack_trainer_hello(struct writer *out)
{
    msg_trainer_hello_pack("6", WIRE_VERSION, &(struct msg_trainer_hello){6, 12345}, out);
}

static int repack_trainer_hello(reader_t *in, struct writer *out, struct error *error)
{
    struct msg_hello common;
    struct msg_trainer_hello hello;

    msg_hello_unpack(in, &common);
    if (msg_trainer_hello_unpack(in, &hello, error) < 0)
        return -1;
    if (!is_spoken(&common) || strcmp(common.role, "trainer") != 0)
        return error_set(error, "another version or role");
    msg_trainer_hello_pack(common.name, common.version, &hello, out);
    return 0;
}

static void pack_trainer_welcome(struct writer *out)
{
    msg_trainer_welcome_pack(&(struct msg_trainer_welcome){1000}, out);
}
REPACK(trainer_welcome)

static void pack_prepare(struct writer *out)
{
    static int32_t local_gpus[] = {1, 3};

    msg_prepare_pack(&(struct msg_prepare){.run = a_run(1),
                                           .local_rank = 0,
                                           .local_world = 2,
                                           .local_gpus = local_gpus,
                                           .node = 4,
                                           .memory_mib = 40960,
                                           .lease_until_us = 987654321},
                     out);
}
REPACK(prepare)

static void pack_rank_report(struct writer *out)
{
    msg_rank_report_pack(
        &(struct msg_rank_report){
            .part = a_part(7), .state = TRAINER_SWITCH, .grouped = true, .took_ms = 15},
        out);
}
REPACK(rank_report)

static void pack_trainer_lease(struct writer *out)
{
    msg_trainer_lease_pack(&(struct msg_trainer_lease){987654321}, out);
}
REPACK(trainer_lease)

static void pack_trainer_heartbeat(struct writer *out)
{
    msg_trainer_heartbeat_pack(
        &(struct msg_trainer_heartbeat){.state = TRAINER_KILL, .active = true, .part = a_part(7)},
        out);
}
REPACK(trainer_heartbeat)

static void pack_idle_heartbeat(struct writer *out)
{
    msg_trainer_heartbeat_pack(&(struct msg_trainer_heartbeat){.state = TRAINER_IDLE}, out);
}

const struct sample samples[] = {
    {"hello", pack_hello, repack_hello},
    {"refused", pack_refused, repack_refused},
    {"goodbye", pack_goodbye, repack_goodbye},
    {"shutdown", pack_shutdown, repack_bare},
    {"scheduler_welcome", pack_scheduler_welcome, repack_scheduler_welcome},
    {"nodes", pack_nodes, repack_nodes},
    {"plan", pack_plan, repack_plan},
    {"job_report", pack_job_report, repack_job_report},
    {"settled", pack_settled, repack_settled},
    {"program", pack_program, repack_program},
    {"client_welcome", pack_client_welcome, repack_client_welcome},
    {"request", pack_request, repack_request},
    {"answer", pack_answer, repack_answer},
    {"master_heartbeat", pack_master_heartbeat, repack_master_heartbeat},
    {"worker_hello", pack_worker_hello, repack_worker_hello},
    {"worker_welcome", pack_worker_welcome, repack_worker_welcome},
    {"run", pack_run, repack_run},
    {"begin", pack_begin, repack_begin},
    {"update", pack_update, repack_update},
    {"stop", pack_stop, repack_stop},
    {"group", pack_group, repack_group},
    {"report", pack_report, repack_report},
    {"gpus", pack_gpus, repack_gpus},
    {"worker_heartbeat", pack_worker_heartbeat, repack_worker_heartbeat},
    {"lease", pack_lease, repack_lease},
    {"trainer_hello", pack_trainer_hello, repack_trainer_hello},
    {"trainer_welcome", pack_trainer_welcome, repack_trainer_welcome},
    {"prepare", pack_prepare, repack_prepare},
    {"rank_report", pack_rank_report, repack_rank_report},
    {"trainer_lease", pack_trainer_lease, repack_trainer_lease},
    {"trainer_heartbeat", pack_trainer_heartbeat, repack_trainer_heartbeat},
    {"idle_heartbeat", pack_idle_heartbeat, repack_trainer_heartbeat},
};

const size_t sample_count = sizeof(samples) / sizeof(samples[0]);
