/* stopwatch.c - runs a command again and again and says how long the whole process takes.
 *
 * The command is spawned without a shell, and its peak memory is the kernel's own account of it.
 * (That account starts with what the parent had at the spawn, a few hundred KiB.) */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct config {
    const char *name;
    const char *output;
    int64_t runs;
    int64_t warmup;
    double reference_s;
    bool reference_is_bound;
    double target_ms;
    double cpu_target_ms;
};

struct timing {
    double *wall_ms; /* a time for each run */
    double *cpu_ms;
    long peak_kib; /* of all runs */
};

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static int spawn(char **command, const char *output, pid_t *child)
{
    posix_spawn_file_actions_t files;
    int status;

    if (posix_spawn_file_actions_init(&files) != 0)
        abort();
    if (posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
        ((!output || strcmp(output, "-") != 0) &&
         posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output ? output : "/dev/null",
                                          O_WRONLY | O_CREAT | O_TRUNC, 0644) != 0))
        abort();
    status = posix_spawnp(child, command[0], &files, NULL, command, environ);
    posix_spawn_file_actions_destroy(&files);
    return status;
}

/* One run into place `at` of `timing`. */
static int run_once(const struct config *config, char **command, struct timing *timing, size_t at,
                    struct error *error)
{
    const double started_s = clock_now_s();
    struct rusage usage;
    pid_t child;
    int status = spawn(command, config->output, &child);

    if (status != 0)
        return error_set(error, "%s: %s", command[0], strerror(status));
    if (wait4(child, &status, 0, &usage) != child)
        return error_set(error, "%s: lost sight of it", command[0]);
    timing->wall_ms[at] = 1e3 * (clock_now_s() - started_s);
    timing->cpu_ms[at] = 1e3 * (seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime));
    timing->peak_kib = usage.ru_maxrss > timing->peak_kib ? usage.ru_maxrss : timing->peak_kib;
    if (WIFSIGNALED(status))
        return error_set(error, "%s: ended by signal %d", command[0], WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return error_set(error, "%s: exit status %d", command[0], WEXITSTATUS(status));
    return 0;
}

static int run_all(const struct config *config, char **command, struct timing *timing,
                   struct error *error)
{
    for (int64_t i = 0; i < config->warmup; i++)
        if (run_once(config, command, timing, 0, error) < 0)
            return -1;
    for (int64_t i = 0; i < config->runs; i++)
        if (run_once(config, command, timing, (size_t)i, error) < 0)
            return -1;
    return 0;
}

static void print_timing(const struct config *config, struct timing *timing)
{
    const size_t runs = (size_t)config->runs;
    const double median_ms = samples_median(timing->wall_ms, runs); /* puts them in order */
    const double cpu_ms = samples_median(timing->cpu_ms, runs);
    const char *more = config->reference_is_bound ? ">" : "";

    printf("{\"cell\": \"%s\", \"runs\": %zu, \"min_ms\": %.3f, \"median_ms\": %.3f, "
           "\"max_ms\": %.3f, \"cpu_ms\": %.3f, \"peak_kib\": %ld",
           config->name, runs, timing->wall_ms[0], median_ms, timing->wall_ms[runs - 1], cpu_ms,
           timing->peak_kib);
    if (config->reference_s > 0)
        printf(", \"reference_s\": \"%s%g\", \"times_faster\": \"%s%.0f\"", more,
               config->reference_s, more, 1e3 * config->reference_s / median_ms);
    else
        printf(", \"reference_s\": \"-\", \"times_faster\": \"-\"");
    if (config->target_ms > 0)
        printf(", \"target_ms\": %g, \"met\": %s", config->target_ms,
               median_ms <= config->target_ms ? "true" : "false");
    else if (config->cpu_target_ms > 0)
        printf(", \"cpu_target_ms\": %g, \"met\": %s", config->cpu_target_ms,
               cpu_ms <= config->cpu_target_ms ? "true" : "false");
    printf("}\n");
}

static int measure(const struct command *about, const struct config *config,
                   const struct operands *operands)
{
    struct timing timing = {.wall_ms = xcalloc((size_t)config->runs, sizeof(double)),
                            .cpu_ms = xcalloc((size_t)config->runs, sizeof(double))};
    char **command = xcalloc(operands->count + 1, sizeof(*command)); /* ended with NULL */
    struct error error;
    int status;

    memcpy(command, operands->items, operands->count * sizeof(*command));
    status = run_all(config, command, &timing, &error);
    if (status == 0)
        print_timing(config, &timing);
    free(command);
    free(timing.cpu_ms);
    free(timing.wall_ms);
    return status == 0 ? 0 : options_fail(about, &error);
}

int main(int argc, char **argv)
{
    struct config config = {.name = "command", .runs = 11, .warmup = 1};
    const struct option_spec options[] = {
        OPTION_TEXT("name", "TEXT", &config.name, "what the line printed is about"),
        OPTION_WHOLE("runs", "N", &config.runs, 1, 100000, "how many runs count"),
        OPTION_WHOLE("warmup", "N", &config.warmup, 0, 1000, "how many runs come before"),
        OPTION_TEXT("output", "FILE", &config.output,
                    "where the command's standard output goes, - for that of this program (nowhere "
                    "without it)"),
        OPTION_REAL("reference", "SECONDS", &config.reference_s, 0, 1e9,
                    "what the reference takes, 0 if that is unknown"),
        OPTION_SWITCH("reference-is-bound", &config.reference_is_bound,
                      "the reference takes more than that"),
        OPTION_REAL("target", "MILLISECONDS", &config.target_ms, 0, 1e9,
                    "what the median may be, 0 for no target"),
        OPTION_REAL("cpu-target", "MILLISECONDS", &config.cpu_target_ms, 0, 1e9,
                    "what the median of processor time may be instead"),
        OPTION_END,
    };
    const struct command command = {
        .name = "stopwatch",
        .summary = "Time a whole process, from its start to its exit",
        .operands = "-- COMMAND [ARGUMENT...]",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected a command");
    if (status != 0)
        status = status < 0 ? options_fail(&command, &error) : 0;
    else
        status = measure(&command, &config, &operands);
    free(operands.items);
    return status;
}
