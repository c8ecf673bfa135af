/* generate.c - `rubato trace generate`: a trace of random jobs, the same for the same options. */
#include "common/options.h"
#include "common/output.h"
#include "scheduler/state/job.h"
#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/generator.h"
#include "tools/trace_tools/tables.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define JOBS_MAX       100000000
#define SEED_MAX       9007199254740991.0 /* 2^53 - 1: options are checked in doubles */
#define START_MAX_S    1e11
#define DURATION_MAX_S 1e9

struct request {
    struct generator_setting setting;
    int64_t jobs;
    const char *output;
    const char *gpu_type;
    const char *throughputs;
    const char *dialect;
};

/* How the rows of this trace are written. */
struct form {
    char delimiter;
    bool best_effort; /* a column of its own */
};

static void write_header(output_t *output, enum dialect dialect, struct form form)
{
    const char *const names[] = {"job_id",
                                 dialect_column_name(dialect, DIALECT_SUBMISSION),
                                 dialect_column_name(dialect, DIALECT_ITERATIONS),
                                 "model_name",
                                 dialect_column_name(dialect, DIALECT_DEADLINE),
                                 "batch_size",
                                 "num_gpu",
                                 "duration",
                                 "best_effort"};
    const size_t count = sizeof(names) / sizeof(names[0]) - (form.best_effort ? 0 : 1);

    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            output_char(output, form.delimiter);
        output_text(output, names[i]);
    }
    output_char(output, '\n');
}

static void write_number(output_t *output, struct form form, int64_t number)
{
    output_char(output, form.delimiter);
    output_whole(output, number);
}

static void write_job(output_t *output, const struct generated_job *job, struct form form)
{
    output_whole(output, job->number);
    write_number(output, form, job->submit_s);
    write_number(output, form, job->iterations);
    output_char(output, form.delimiter);
    trace_file_cell(output, form.delimiter, job->row->model, strlen(job->row->model));
    write_number(output, form, job->deadline_s);
    write_number(output, form, job->row->batch_size);
    write_number(output, form, job->gpus);
    write_number(output, form, job->duration_s);
    if (form.best_effort)
        write_number(output, form, job->best_effort);
    output_char(output, '\n');
}

static int write_trace(const struct request *request, generator_t *generator, struct error *error)
{
    const struct form form = {.delimiter = trace_file_delimiter(request->output),
                              .best_effort = request->setting.best_effort_share > 0};
    output_t *output = trace_file_new(request->output, error);
    struct generated_job job;

    if (!output)
        return -1;
    write_header(output, dialect_find(request->dialect), form);
    for (int64_t i = 0; i < request->jobs; i++) {
        if (generator_next(generator, &job, error) < 0) {
            output_destroy(&output);
            return -1;
        }
        write_job(output, &job, form);
    }
    return output_commit(&output, error);
}

static int generate(const struct request *request, struct error *error)
{
    throughput_table_t *table = tables_read(request->throughputs, request->gpu_type, error);
    generator_t *generator = table ? generator_new(&request->setting, table, error) : NULL;
    const int result = generator ? write_trace(request, generator, error) : -1;

    generator_destroy(&generator);
    throughput_destroy(&table);
    return result;
}

static const char explanation[] =
    "The same options give the same bytes. For each job a GPU count is drawn from --gpus-mix, then "
    "a model among those whose throughput table has a rate above 0 on that many GPUs, each as "
    "likely as the others, then one of its batch sizes that has such a rate. So the mix is exact, "
    "and a model that cannot run on a count is never drawn with it. A model with a rate of 0 (\"it "
    "cannot run\") at any GPU count is left out unless --models names it.\n"
    "The duration is the run time on the GPUs asked for; iterations = duration x rate, rounded, at "
    "least 1; deadline = submission + duration x tightness, rounded. Each of arrivals, durations, "
    "GPU counts, models, batch sizes, tightness and best effort has a random stream of its own, so "
    "changing one parameter does not shift what the others draw. A column best_effort is written "
    "when --best-effort is above 0; the deadline of a best-effort job means nothing. An --output "
    "that ends in .txt is separated by blanks, as the reader expects.";

int verb_trace_generate(int argc, char **argv)
{
    struct request request = {
        .setting = {.seed = 1,
                    .arrival_interval_s = 300,
                    .duration_s = {600, 36000},
                    .tightness = {0.5, 1.5},
                    .gpus_mix = "1:70,2:10,4:15,8:5"},
        .jobs = 1000,
        .gpu_type = "A100",
        .dialect = "public",
    };
    struct generator_setting *setting = &request.setting;
    const struct option_spec options[] = {
        OPTION_WHOLE("jobs", "N", &request.jobs, 1, JOBS_MAX, "how many jobs"),
        OPTION_WHOLE("seed", "S", &setting->seed, 0, SEED_MAX, "what all random draws start from"),
        OPTION_TEXT("output", "FILE", &request.output, "the trace to write"),
        OPTION_CHOICE("dialect", "NAME", &request.dialect, dialect_names(),
                      "how the columns are called"),
        OPTION_TEXT("gpu-type", "TYPE", &request.gpu_type, "which throughput table to use"),
        OPTION_TEXT("throughputs", "DIR", &request.throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout (the one "
                    "that came with the program without it)"),
        OPTION_TEXT("models", "LIST", &setting->models,
                    "models to draw from, separated by commas (without it all that have no rate "
                    "of 0)"),
        OPTION_TEXT("gpus-mix", "GPUS:WEIGHT,...", &setting->gpus_mix,
                    "how many GPUs jobs ask for, and how often"),
        OPTION_WHOLE("start", "SECONDS", &setting->start_s, 0, START_MAX_S,
                     "time from which the first gap between arrivals counts"),
        OPTION_REAL("arrival-interval", "SECONDS", &setting->arrival_interval_s, 0, 1e9,
                    "mean time between arrivals, exponentially distributed"),
        OPTION_RANGE("duration", "SECONDS", &setting->duration_s, 1, DURATION_MAX_S,
                     "run time on the GPUs asked for, LOW:HIGH, log-uniform"),
        OPTION_RANGE("tightness", "RATIO", &setting->tightness, 0, 1000,
                     "time to the deadline as a multiple of the duration, LOW:HIGH, uniform"),
        OPTION_REAL("best-effort", "SHARE", &setting->best_effort_share, 0, 1,
                    "share of jobs without a deadline"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace generate",
        .summary = "Make a trace of random jobs from a seed",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    if (!request.output) {
        error_set(&error, "name the trace to write with --output");
        return options_fail(&command, &error);
    }
    if (generate(&request, &error) < 0)
        return options_fail(&command, &error);
    printf("wrote %s: %" PRId64 " jobs\n", request.output, request.jobs);
    return fflush(stdout) == 0 ? 0 : 1;
}
