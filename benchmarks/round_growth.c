/* round_growth.c - how the cost of a round grows while a backlog does: an engine goes round, and
 * the processor time of every round is set against its live jobs, or, for the policies that plan as
 * ElasticFlow does, against its live jobs x timeline entries. Rounds that admit jobs do more than
 * the others and are kept apart. */
#include "benchmarks/announce.h"
#include "benchmarks/clock.h"
#include "benchmarks/growth_report.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plan/plan.h"
#include "scheduler/reference/reservation_book.h"
#include "scheduler/state/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct config {
    const char *policy;
    const char *throughputs;
    const char *gpu_type;
    int64_t nodes;
    int64_t gpus_per_node;
    int64_t slot_s;
    int64_t seconds_max;
    int64_t memory_mib_max;
    bool entries;
};

/* An engine keeps its plan to itself, but hands view and plan to the policy's function, which has
 * no place for a context of ours. */
static struct {
    const struct policy *real;
    struct policy shown; /* `real` with `allocate` replaced */
    arena_t *memory; /* memory of the book that counts entries; NULL if entries are not counted */
    int entries;
    double counting_s; /* seconds of this round that the count took, not the round */
} spy;

/* Plans all jobs of the round once more, only to see how many entries the timeline gets. */
static int count_entries(const struct view *view, const plan_t *plan, struct error *error)
{
    struct reservation_book book;
    int met;

    arena_reset(spy.memory);
    book = reservation_book_new(view, spy.memory);
    met = reservation_book_fill(&book, view, plan->order, false, error);
    spy.entries = book.free.count;
    return met < 0 ? -1 : 0;
}

static int allocate_and_tell(const struct view *view, plan_t *plan, struct error *error)
{
    const int status = spy.real->allocate(view, plan, error);
    const double started_s = clock_cpu_s();

    if (status == 0 && spy.memory && count_entries(view, plan, error) < 0)
        return -1;
    spy.counting_s = clock_cpu_s() - started_s;
    return status;
}

static long memory_mib(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static double size_of_round(const struct config *config, const engine_t *engine)
{
    const double live = (double)engine_status(engine).live;

    return config->entries ? live * spy.entries : live;
}

/* The rounds of all traces. */
struct rounds {
    growth_t *admitting;
    growth_t *quiet;
    const char *ended; /* what ended the last trace: the run, time or memory */
};

static bool admits(const struct decision *decision)
{
    for (size_t i = 0; i < decision->decided_count; i++)
        if (decision->decided[i].verdict.kind != VERDICT_DECLINED)
            return true;
    return false;
}

static int go_round(const struct config *config, engine_t *engine, struct decision *decision,
                    struct rounds *rounds, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};
    const double until_s = clock_now_s() + (double)config->seconds_max;

    for (rounds->ended = NULL; !rounds->ended;) {
        const double started_s = clock_cpu_s();

        spy.counting_s = 0;
        if (engine_step(engine, decision->next_s, &expected, 1, decision, error) < 0)
            return -1;
        growth_add(admits(decision) ? rounds->admitting : rounds->quiet,
                   size_of_round(config, engine), clock_cpu_s() - started_s - spy.counting_s);
        rounds->ended = decision->next_s == NEVER_S              ? "the run"
                        : clock_now_s() > until_s                ? "time"
                        : memory_mib() >= config->memory_mib_max ? "memory"
                                                                 : NULL;
    }
    return 0;
}

static int measure_trace(const struct config *config, const throughput_table_t *table,
                         const char *trace, struct rounds *rounds, struct error *error)
{
    const struct engine_setting setting = {
        .policy = &spy.shown,
        .placement = placement_find(spy.real->placement ? spy.real->placement : "best-fit"),
        .cluster = CLUSTER_OF(1, (int)config->nodes, (int)config->gpus_per_node),
        .gpu_type = config->gpu_type,
        .slot_s = config->slot_s};
    const struct trace_rules rules = {.throughputs = table, .unknown_model = UNKNOWN_MODEL_REFUSED};
    submissions_t *jobs = trace_read(trace, &rules, error);
    engine_t *engine = jobs ? engine_new(&setting, error) : NULL;
    struct decision decision;
    int status = engine ? announce(engine, jobs, &decision, error) : -1;

    if (status == 0)
        status = go_round(config, engine, &decision, rounds, error);
    engine_destroy(&engine);
    submissions_destroy(&jobs);
    return status;
}

static void report_rounds(const struct config *config, growth_t *growth, const char *which,
                          const char *ended)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "%s, %s", config->policy, which);
    growth_report(growth, &(struct growth_subject){
                              .name = name,
                              .size = config->entries ? "live jobs x entries" : "live jobs",
                              .ended = ended,
                              .gpus = (int)(config->nodes * config->gpus_per_node),
                              .samples_min = 5,
                              .size_min = config->entries ? 1024 : 32});
}

static int measure(const struct config *config, const struct operands *traces, struct error *error)
{
    throughput_table_t *table = throughput_read(config->throughputs, config->gpu_type, error);
    struct rounds rounds = {growth_new(), growth_new(), NULL};
    int status = table ? 0 : -1;

    for (size_t i = 0; i < traces->count && status == 0; i++)
        status = measure_trace(config, table, traces->items[i], &rounds, error);
    if (status == 0) {
        report_rounds(config, rounds.admitting, "admitting", rounds.ended);
        report_rounds(config, rounds.quiet, "quiet", rounds.ended);
    }
    growth_destroy(&rounds.quiet);
    growth_destroy(&rounds.admitting);
    throughput_destroy(&table);
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {.policy = "edf",
                            .throughputs = "throughputs",
                            .gpu_type = "A100",
                            .nodes = 16,
                            .gpus_per_node = 8,
                            .slot_s = 60,
                            .seconds_max = 10,
                            .memory_mib_max = 2048};
    const struct option_spec options[] = {
        OPTION_CHOICE("policy", "POLICY", &config.policy, policy_names(), "which policy"),
        OPTION_WHOLE("nodes", "N", &config.nodes, 1, 100000, "nodes of the cluster"),
        OPTION_WHOLE("gpus-per-node", "N", &config.gpus_per_node, 1, 256, "GPUs of a node"),
        OPTION_WHOLE("slot", "SECONDS", &config.slot_s, 1, 1000000, "length of a scheduling slot"),
        OPTION_TEXT("throughputs", "DIR", &config.throughputs, "folder of throughput tables"),
        OPTION_TEXT("gpu-type", "TYPE", &config.gpu_type, "which throughput table to use"),
        OPTION_WHOLE("seconds", "SECONDS", &config.seconds_max, 1, 1000000,
                     "a trace ends with the round that comes to this"),
        OPTION_WHOLE("memory", "MIB", &config.memory_mib_max, 16, 1000000,
                     "a trace ends with the round that comes to this"),
        OPTION_SWITCH("entries", &config.entries,
                      "the size of a round is its live jobs x timeline entries"),
        OPTION_END,
    };
    const struct command command = {
        .name = "round_growth",
        .summary = "Measure how the cost of a round grows with the live jobs",
        .operands = "TRACE...",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected a trace");
    if (status == 0) {
        spy.real = policy_find(config.policy);
        spy.shown = *spy.real;
        spy.shown.allocate = allocate_and_tell;
        spy.memory = config.entries ? arena_new() : NULL;
        status = measure(&config, &operands, &error);
        arena_destroy(&spy.memory);
    }
    free(operands.items);
    return status < 0 ? options_fail(&command, &error) : 0;
}
