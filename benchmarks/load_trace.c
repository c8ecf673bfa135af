/* load_trace.c - how fast trace_read() is: bytes and rows for each second, alone in a process that
 * does nothing else. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/state/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The target of loading: either of the two rates. */
#define TARGET_MB_PER_S   200.0
#define TARGET_ROWS_PER_S 1e6

struct config {
    const char *throughputs;
    const char *gpu_type;
    int64_t runs;
};

/* The time of each run. */
struct timing {
    double *wall_s;
    double *cpu_s;
    size_t rows;
};

static int read_once(const char *path, const struct trace_rules *rules, struct timing *timing,
                     size_t at, struct error *error)
{
    const double started_s = clock_now_s();
    const double computed_s = clock_cpu_s();
    submissions_t *jobs = trace_read(path, rules, error);

    timing->cpu_s[at] = clock_cpu_s() - computed_s;
    timing->wall_s[at] = clock_now_s() - started_s;
    if (!jobs)
        return -1;
    timing->rows = submissions_count(jobs);
    submissions_destroy(&jobs);
    return 0;
}

static void print_timing(const char *path, const struct trace_rules *rules, size_t runs,
                         struct timing *timing)
{
    const double median_s = samples_median(timing->wall_s, runs);
    const double cpu_s = samples_median(timing->cpu_s, runs);
    const double rows_per_s = (double)timing->rows / median_s;
    struct stat file = {.st_size = 0};
    double megabytes;

    (void)stat(path, &file);
    megabytes = 1e-6 * (double)file.st_size;
    printf("{\"load\": \"%s a throughput table\", \"rows\": %zu, \"mb\": %.1f, \"runs\": %zu, "
           "\"min_ms\": %.1f, \"median_ms\": %.1f, \"cpu_ms\": %.1f, \"mb_per_s\": %.0f, "
           "\"rows_per_s\": %.0f, \"target\": \"%.0f MB/s or %.0f rows/s\", \"met\": %s}\n",
           rules->throughputs ? "with" : "without", timing->rows, megabytes, runs,
           1e3 * timing->wall_s[0], 1e3 * median_s, 1e3 * cpu_s, megabytes / median_s, rows_per_s,
           TARGET_MB_PER_S, TARGET_ROWS_PER_S,
           megabytes / median_s >= TARGET_MB_PER_S || rows_per_s >= TARGET_ROWS_PER_S ? "true"
                                                                                      : "false");
}

/* The first run, which also brings the file into memory, does not count. */
static int measure(const struct config *config, const char *path, struct error *error)
{
    const size_t runs = (size_t)config->runs;
    struct timing timing = {.wall_s = xcalloc(runs, sizeof(double)),
                            .cpu_s = xcalloc(runs, sizeof(double))};
    throughput_table_t *table = NULL;
    struct trace_rules rules = {.unknown_model = UNKNOWN_MODEL_REFUSED};
    int status = 0;

    if (config->throughputs) {
        table = throughput_read(config->throughputs, config->gpu_type, error);
        status = table ? 0 : -1;
    }
    rules.throughputs = table;
    if (status == 0)
        status = read_once(path, &rules, &timing, 0, error);
    for (size_t i = 0; i < runs && status == 0; i++)
        status = read_once(path, &rules, &timing, i, error);
    if (status == 0)
        print_timing(path, &rules, runs, &timing);
    throughput_destroy(&table);
    free(timing.cpu_s);
    free(timing.wall_s);
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {.gpu_type = "A100", .runs = 5};
    const struct option_spec options[] = {
        OPTION_TEXT("throughputs", "DIR", &config.throughputs,
                    "folder of throughput tables; without it models are not looked up"),
        OPTION_TEXT("gpu-type", "TYPE", &config.gpu_type, "which throughput table to use"),
        OPTION_WHOLE("runs", "N", &config.runs, 1, 1000, "how often the trace is read"),
        OPTION_END,
    };
    const struct command command = {
        .name = "load_trace",
        .summary = "Time the reading of a trace",
        .operands = "TRACE",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected one trace, found %zu", operands.count);
    if (status == 0)
        status = measure(&config, operands.items[0], &error);
    free(operands.items);
    return status < 0 ? options_fail(&command, &error) : 0;
}
