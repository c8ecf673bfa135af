/* arrival_time.c - how long a job that arrives waits for its verdict: the elapsed time of each
 * round with arrivals, by the arrivals in it, while about so many jobs live. */
#include "benchmarks/announce.h"
#include "benchmarks/clock.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/state/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    const char *policy;
    const char *throughputs;
    const char *gpu_type;
    int64_t nodes;
    int64_t gpus_per_node;
    int64_t slot_s;
    int64_t live_min;
    int64_t live_max;
    int64_t samples;
};

struct times {
    double *ms; /* for each arrival, the mean time of its round's arrivals */
    size_t count;
    size_t capacity;
    size_t rounds;
    int64_t live; /* at most */
};

static void note(struct times *self, double round_ms, size_t arrivals)
{
    self->rounds++;
    for (size_t i = 0; i < arrivals; i++) {
        self->ms = grow_array(self->ms, self->count, &self->capacity, sizeof(*self->ms));
        self->ms[self->count++] = round_ms / (double)arrivals;
    }
}

static size_t count_arrivals(const struct decision *decision)
{
    size_t count = 0;

    for (size_t i = 0; i < decision->decided_count; i++)
        count += decision->decided[i].verdict.kind != VERDICT_PROMISED_LATER;
    return count;
}

static int measure_rounds(const struct config *config, engine_t *engine, struct decision *decision,
                          struct times *times, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};

    while (decision->next_s != NEVER_S && times->count < (size_t)config->samples) {
        const double started_s = clock_now_s();
        int64_t live;
        size_t arrivals;

        if (engine_step(engine, decision->next_s, &expected, 1, decision, error) < 0)
            return -1;
        live = (int64_t)engine_status(engine).live;
        arrivals = count_arrivals(decision);
        times->live = live > times->live ? live : times->live;
        if (arrivals > 0 && live >= config->live_min && live <= config->live_max)
            note(times, 1000 * (clock_now_s() - started_s), arrivals);
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void report(const struct config *config, struct times *times)
{
    const size_t count = times->count;

    printf("{\"arrivals\": \"%s\", \"slot_s\": %" PRId64 ", \"gpus\": %" PRId64
           ", \"live_max\": %" PRId64 ", \"rounds\": %zu, \"samples\": %zu",
           config->policy, config->slot_s, config->nodes * config->gpus_per_node, times->live,
           times->rounds, count);
    if (count > 0) {
        const double p99 = times->ms[(count * 99 + 99) / 100 - 1];

        printf(", \"median_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f, \"bound_ms\": 1.0, "
               "\"met\": %s",
               times->ms[count / 2], p99, times->ms[count - 1], p99 <= 1 ? "true" : "false");
    }
    printf("}\n");
}

static int measure(const struct config *config, const char *trace, struct error *error)
{
    const struct policy *policy = policy_find(config->policy);
    const struct engine_setting setting = {
        .policy = policy,
        .placement = placement_find(policy->placement ? policy->placement : "best-fit"),
        .cluster = CLUSTER_OF(1, (int)config->nodes, (int)config->gpus_per_node),
        .gpu_type = config->gpu_type,
        .slot_s = config->slot_s,
        .restart_threshold = 100};
    throughput_table_t *table = throughput_read(config->throughputs, config->gpu_type, error);
    const struct trace_rules rules = {.throughputs = table, .unknown_model = UNKNOWN_MODEL_REFUSED};
    submissions_t *jobs = table ? trace_read(trace, &rules, error) : NULL;
    engine_t *engine = jobs ? engine_new(&setting, error) : NULL;
    struct times times = {.ms = NULL};
    struct decision decision;
    int status = engine ? announce(engine, jobs, &decision, error) : -1;

    if (status == 0)
        status = measure_rounds(config, engine, &decision, &times, error);
    if (times.count > 0)
        qsort(times.ms, times.count, sizeof(*times.ms), compare);
    if (status == 0)
        report(config, &times);
    free(times.ms);
    engine_destroy(&engine);
    submissions_destroy(&jobs);
    throughput_destroy(&table);
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {.policy = "rubato",
                            .throughputs = "throughputs",
                            .gpu_type = "A100",
                            .nodes = 256,
                            .gpus_per_node = 8,
                            .slot_s = 60,
                            .live_min = 900,
                            .live_max = 1100,
                            .samples = 400};
    const struct option_spec options[] = {
        OPTION_CHOICE("policy", "POLICY", &config.policy, policy_names(), "which policy"),
        OPTION_WHOLE("nodes", "N", &config.nodes, 1, 100000, "nodes of the cluster"),
        OPTION_WHOLE("gpus-per-node", "N", &config.gpus_per_node, 1, 256, "GPUs of a node"),
        OPTION_WHOLE("slot", "SECONDS", &config.slot_s, 0, 1000000, "length of a scheduling slot"),
        OPTION_TEXT("throughputs", "DIR", &config.throughputs, "folder of throughput tables"),
        OPTION_TEXT("gpu-type", "TYPE", &config.gpu_type, "which throughput table to use"),
        OPTION_WHOLE("live-min", "JOBS", &config.live_min, 0, 1000000,
                     "arrivals count while so many live at least"),
        OPTION_WHOLE("live-max", "JOBS", &config.live_max, 0, 1000000,
                     "arrivals count while so many live at most"),
        OPTION_WHOLE("samples", "N", &config.samples, 1, 1000000,
                     "the run ends after so many of these"),
        OPTION_END,
    };
    const struct command command = {
        .name = "arrival_time",
        .summary = "Measure how long a job that arrives waits for its verdict",
        .operands = "TRACE",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected a trace");
    if (status == 0)
        status = measure(&config, operands.items[0], &error);
    free(operands.items);
    return status < 0 ? options_fail(&command, &error) : 0;
}
