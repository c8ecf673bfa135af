/* import.c - `rubato trace import`: a trace out of another system's job log. */
#include "common/input.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "common/shell_word.h"
#include "tools/trace_import/completed.h"
#include "tools/trace_import/format.h"
#include "tools/trace_import/local_time.h"
#include "tools/trace_tools/tables.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limits of options, within which a deadline stays below the limits of a trace. */
#define TIGHTNESS_MAX 500
#define START_MAX_S   1e11

#define ORIGIN_BYTES ((size_t)4096)

struct request {
    const char *from;
    const char *output;
    bool forced;
    const char *time_zone;
    struct format_setting setting;
    struct recipe recipe;
    char **files;
    struct completed_fit fit; /* the changed GPU counts, told once the trace is written */
};

/* The options that decide the bytes of the trace. */
#define IMPORT_OPTIONS(request)                                                                    \
    OPTION_CHOICE("from", "FORMAT", &(request)->from, format_names, "what the files are"),         \
        OPTION_WHOLE("seed", "S", &(request)->recipe.setting.seed, 0, RECIPE_SEED_MAX,             \
                     "what all random draws start from"),                                          \
        OPTION_RANGE("tightness", "RATIO", &(request)->recipe.setting.tightness, 0, TIGHTNESS_MAX, \
                     "time to the deadline as a multiple of the duration, LOW:HIGH, uniform"),     \
        OPTION_REAL("best-effort", "SHARE", &(request)->recipe.setting.best_effort_share, 0, 1,    \
                    "share of jobs without a deadline"),                                           \
        OPTION_TEXT("models", "LIST", &(request)->recipe.setting.models,                           \
                    "models to draw from, separated by commas (without it all that have no rate "  \
                    "of 0)"),                                                                      \
        OPTION_TEXT("gpu-type", "TYPE", &(request)->recipe.gpu_type,                               \
                    "which throughput table to use"),                                              \
        OPTION_TEXT("throughputs", "DIR", &(request)->recipe.throughputs,                          \
                    "folder of throughput tables, in Rubato's or the artifact's layout (the one "  \
                    "that came with the program without it)"),                                     \
        OPTION_WHOLE("start", "SECONDS", &(request)->recipe.setting.start_s, 0, START_MAX_S,       \
                     "when the first job comes"),                                                  \
        OPTION_CHOICE("dialect", "NAME", &(request)->recipe.dialect,                               \
                      dialect_names_of_one_deadline(), "how the columns are called"),              \
        OPTION_TEXT("time-zone", "ZONE", &(request)->time_zone,                                    \
                    "where the source's times of day are read, if they do not say"),               \
        OPTION_TEXT("gavel-gpu", "TYPE", &(request)->setting.gavel_gpu,                            \
                    "gavel: the GPUs whose rates turn steps into seconds"),                        \
        OPTION_WHOLE("processors-per-gpu", "COUNT", &(request)->setting.processors_per_gpu, 1,     \
                     1048576, "swf, batsim: how many processors stand for a GPU")

/* The command that makes the trace again, as a line of text; the caller frees it. Files appear by
 * their names alone, since folders differ from machine to machine. */
static char *origin_of(const struct request *request)
{
    struct request copy = *request; /* options need pointers to variables that they could change */
    const struct option_spec options[] = {IMPORT_OPTIONS(&copy), OPTION_END};
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    char *line = xmalloc(ORIGIN_BYTES);

    if (!memory)
        memory_out();
    (void)fputs("rubato trace import", memory);
    recipe_print_options(options, memory);
    for (int i = 0; i < format_find(request->from)->files; i++) {
        const char *slash = strrchr(request->files[i], '/');

        (void)fputc(' ', memory);
        shell_word_print(slash ? slash + 1 : request->files[i], memory);
    }
    (void)fclose(memory);
    (void)input_printable(line, ORIGIN_BYTES, text, size);
    free(text);
    return line;
}

static int write_trace(struct request *request, foreign_t *jobs, struct error *error)
{
    const struct recipe *recipe = &request->recipe;
    throughput_table_t *table = tables_read(recipe->throughputs, recipe->gpu_type, error);
    output_t *output = table ? trace_file_new(request->output, request->forced, error) : NULL;
    char *origin = origin_of(request);
    int result = -1;

    if (output &&
        completed_write(jobs, recipe, table, origin, trace_file_delimiter(request->output), output,
                        &request->fit, error) == 0)
        result = output_commit(&output, error);
    output_destroy(&output);
    throughput_destroy(&table);
    free(origin);
    return result;
}

static int import(struct request *request, foreign_t *jobs, struct error *error)
{
    const char *paths[FORMAT_FILES_MAX] = {request->files[0]};
    const struct format *format = format_find(request->from);

    for (int i = 1; i < format->files; i++)
        paths[i] = request->files[i];
    if (local_time_zone(request->time_zone, error) < 0 ||
        format->read(paths, &request->setting, jobs, error) < 0)
        return -1;
    if (foreign_count(jobs) == 0)
        return error_set(error, "%s: expected jobs that ran on GPUs, found none", paths[0]);
    foreign_order(jobs);
    return write_trace(request, jobs, error);
}

static int check_request(struct request *request, const struct operands *operands,
                         struct error *error)
{
    const struct format *format;

    if (!request->from)
        return error_set(error, "name the format of the files with --from: philly, helios, "
                                "pai2020, gpu2023, gavel, swf, sacct or batsim");
    format = format_find(request->from);
    if (operands->count != (size_t)format->files)
        return error_set(error, "--from %s: expected %d file%s (%s), found %zu", format->name,
                         format->files, PLURAL(format->files), format->wanted, operands->count);
    if (!request->output)
        return error_set(error, "name the trace to write with --output");
    request->files = operands->items;
    return 0;
}

/* Tells how many jobs were written and, by reason, how many were left out. */
static int tell(const struct request *request, const foreign_t *jobs)
{
    for (int reason = 0; reason < FOREIGN_REASON_COUNT; reason++) {
        const size_t count = foreign_left_out(jobs, (enum foreign_reason)reason);

        if (count > 0)
            (void)fprintf(stderr, "%s: warning: left out %zu job%s that %s\n", request->files[0],
                          count, PLURAL(count),
                          foreign_reason_words((enum foreign_reason)reason, count));
    }
    if (request->fit.narrowed > 0)
        (void)fprintf(
            stderr,
            "%s: warning: %zu job%s asked for more GPUs than the throughput table has and "
            "get its %d: %.1f %% of the GPU seconds of all jobs are lost\n",
            request->files[0], request->fit.narrowed, PLURAL(request->fit.narrowed),
            request->fit.most, 100 * request->fit.lost_share);
    if (fprintf(output_talk(request->output), "wrote %s: %zu job%s\n", output_name(request->output),
                foreign_count(jobs), PLURAL(foreign_count(jobs))) < 0 ||
        output_flush_stdout() != 0)
        return 1;
    return 0;
}

static const char explanation[] =
    "FORMAT is philly (Microsoft's cluster_job_log), helios (cluster_log.csv), pai2020 (Alibaba's "
    "pai_job_table.csv and pai_task_table.csv), gpu2023 (Alibaba's openb_pod_list_*.csv), gavel (a "
    ".trace and simulation_throughputs.json), swf (the Standard Workload Format), sacct (what "
    "Slurm's sacct --parsable2 --format=JobID,Submit,Start,End,AllocTRES,ReqTRES prints) or batsim "
    "(a workload in JSON). Files may be compressed.\n"
    "Of each job the source says when it came, how long it ran and on how many GPUs. Jobs that ask "
    "for no GPU or never ran are left out, with a warning; how a job ended does not count, for it "
    "held its GPUs. A part of a GPU counts as a GPU, and a number that the throughput table does "
    "not have as the next one that it has.\n"
    "What the source does not say is drawn from --seed, as rubato trace generate draws it: the "
    "model, its batch size and the deadline; iterations = duration x rate. Lines that begin with # "
    "at the head of the trace hold this rule, the counts, and the command that makes it again.";

int verb_trace_import(int argc, char **argv)
{
    struct request request = {.time_zone = "UTC",
                              .setting = {.gavel_gpu = "v100", .processors_per_gpu = 1},
                              .recipe = recipe_default()};
    const struct option_spec options[] = {
        IMPORT_OPTIONS(&request),
        OPTION_TEXT("output", "FILE", &request.output, "the trace to write, - for standard output"),
        OPTION_SWITCH("force", &request.forced, TRACE_FORCE_HELP),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace import",
        .summary = "Make a trace out of another system's job log",
        .operands = "FILE...",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    foreign_t *jobs = foreign_new();
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int status = 0;

    if (parsed != 0)
        status = parsed < 0 ? options_fail(&command, &error) : 0;
    else if (check_request(&request, &operands, &error) < 0 || import(&request, jobs, &error) < 0)
        status = options_fail(&command, &error);
    else
        status = tell(&request, jobs);
    foreign_destroy(&jobs);
    free(operands.items);
    return status;
}
