/* holdings_bed.c - see holdings_bed.h. */
#include "tests/worker/holdings_bed.h"

#include <stdio.h>
#include <string.h>

static void on_watch(void *owner, int32_t gpu, int descriptor)
{
    (void)owner;
    (void)gpu;
    (void)descriptor;
}

static void on_report(void *owner, const struct msg_report *report)
{
    struct holdings_bed *bed = owner;
    const size_t used = strlen(bed->reported);

    (void)snprintf(bed->reported + used, sizeof(bed->reported) - used, "%s ",
                   part_state_name(report->part.state));
    (void)snprintf(bed->cause, sizeof(bed->cause), "%s", report->part.cause);
}

void holdings_bed_make(struct holdings_bed *bed)
{
    static const struct holdings_calls calls = {on_watch, on_watch, on_report};
    static const struct worker_settings settings = {
        .name = "node-a", .run_dir = ".", .python = "python3", .workload = "emulated"};
    static char *const environment[] = {NULL};
    static struct gpu items[BED_GPUS];
    static const struct gpus gpus = {
        .kind = KIND_EMULATED, .count = BED_GPUS, .room = BED_GPUS, .items = items};
    const struct trainer_command_setting command = {
        .settings = &settings,
        .program = "/nowhere/trainer",
        .endpoint = "ipc://@nowhere",
        .visible = "0,1",
    };
    struct holdings_setting setting = {
        .gpus = &gpus,
        .environment = environment,
        .calls = &calls,
        .owner = bed,
    };

    *bed = (struct holdings_bed){.command = trainer_command_new(&command)};
    setting.trainer_command = bed->command;
    bed->holdings = holdings_new(&setting);
}

void holdings_bed_clear(struct holdings_bed *bed)
{
    holdings_destroy(&bed->holdings);
    trainer_command_destroy(&bed->command);
}

struct msg_run holdings_bed_run(uint64_t job, int32_t gpu)
{
    static int32_t gpus[BED_GPUS] = {0, 1};
    static int32_t rank = 0;

    return (struct msg_run){
        .job = job,
        .incarnation = 1,
        .name = "name",
        .model = "model",
        .batch_size = 64,
        .iterations = 100,
        .rate = 1,
        .time_scale = 1,
        .world = 1,
        .nodes = 1,
        .rendezvous_address = "",
        .gpu_count = 1,
        .gpus = &gpus[gpu],
        .ranks = &rank,
    };
}

void holdings_bed_rank_is(struct holdings_bed *bed, uint64_t job, int32_t gpu,
                          enum part_state state)
{
    const struct msg_rank_report report = {
        .part = {.job = job, .incarnation = 1, .state = state, .cause = ""}};

    parts_rank(holdings_parts(bed->holdings), gpu, &report);
}
