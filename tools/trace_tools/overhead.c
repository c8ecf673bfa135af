/* overhead.c - `rubato trace overhead`: commands that time how long a job takes to start, scale and
 * move. */
#include "common/options.h"
#include "common/output.h"
#include "protocol/scheduler_master.h"
#include "tools/trace_tools/overhead_trace.h"
#include "tools/trace_tools/tables.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <stdio.h>

struct sources {
    const char *gpu_type;
    const char *throughputs;
    const char *path;
    bool forced;
};

static int write_file(const struct overhead_case *wanted, const struct sources *sources,
                      struct error *error)
{
    throughput_table_t *table = tables_read(sources->throughputs, sources->gpu_type, error);
    output_t *output = table ? trace_file_new(sources->path, sources->forced, error) : NULL;
    int starts = output ? overhead_trace_write(wanted, 1, table, NULL, output, error) : -1;

    if (starts >= 0 && output_commit(&output, error) < 0)
        starts = -1;
    output_destroy(&output);
    throughput_destroy(&table);
    return starts;
}

static int check(const struct overhead_case *wanted, const struct sources *sources,
                 struct error *error)
{
    if (!wanted->model)
        return error_set(error, "name the model with --model");
    if (!sources->path)
        return error_set(error, "name the file to write with --output");
    if (wanted->nodes * wanted->gpus_per_node > RANKS_MAX)
        return error_set(error, "--nodes: expected at most %d GPUs in all", RANKS_MAX);
    return 0;
}

static const char explanation[] =
    "The file is for `master --trace FILE --debug 1`, which carries it out on its workers and "
    "prints "
    "how long each start, group, stop and move took. Profile starts the job on 1, 2, 4 and so on "
    "GPUs, from scratch each time. Intranode scales it up to all GPUs of one node and down again, "
    "internode from one node to all and back. Migration moves it to as many other GPUs, of its "
    "node "
    "and of others. GPU counts for which the throughput table has no rate above 0 are left out.";

int verb_trace_overhead(int argc, char **argv)
{
    struct overhead_case wanted = {.name = "profile",
                                   .batch_size = 128,
                                   .nodes = 1,
                                   .gpus_per_node = 8,
                                   .iterations = 1000000,
                                   .addresses = "127.0.0.1",
                                   .port = 9000,
                                   .warm_up_s = 25,
                                   .train_s = 20,
                                   .pause_s = 5};
    struct sources sources = {.gpu_type = "A100"};
    const struct option_spec options[] = {
        OPTION_CHOICE("case", "NAME", &wanted.name, overhead_case_names, "what is timed"),
        OPTION_TEXT("model", "NAME", &wanted.model, "what is trained"),
        OPTION_WHOLE("batch-size", "SAMPLES", &wanted.batch_size, 1, BATCH_SIZE_MAX,
                     "global batch size"),
        OPTION_WHOLE("nodes", "COUNT", &wanted.nodes, 1, NODES_MAX, "how many workers there are"),
        OPTION_WHOLE("gpus-per-node", "COUNT", &wanted.gpus_per_node, 1, NODE_GPUS_MAX,
                     "how many GPUs each has"),
        OPTION_WHOLE("steps", "COUNT", &wanted.steps, 0, 1000000,
                     "at most so many starts of the job, 0 for all that the case has"),
        OPTION_WHOLE("min-gpus", "COUNT", &wanted.min_gpus, 0, THROUGHPUT_GPUS_MAX,
                     "leave out starts on fewer GPUs"),
        OPTION_WHOLE("iterations", "COUNT", &wanted.iterations, 1, 1000000000000,
                     "how many the job has: more than it can do meanwhile"),
        OPTION_TEXT("addresses", "LIST", &wanted.addresses,
                    "where workers reach each other, in the order in which they register, with "
                    "commas between them; the last one is that of all others"),
        OPTION_WHOLE("port", "PORT", &wanted.port, 1, 65535,
                     "first of the ports at which the ranks of a start meet"),
        OPTION_REAL("warm-up", "SECONDS", &wanted.warm_up_s, 0, 1e6, "wait before the first start"),
        OPTION_REAL("train", "SECONDS", &wanted.train_s, 0, 1e6, "wait after each start"),
        OPTION_REAL("pause", "SECONDS", &wanted.pause_s, 0, 1e6, "wait after each stop"),
        OPTION_TEXT("gpu-type", "TYPE", &sources.gpu_type, "which throughput table to use"),
        OPTION_TEXT("throughputs", "DIR", &sources.throughputs,
                    "folder of throughput tables (the one that came with the program without it)"),
        OPTION_TEXT("output", "FILE", &sources.path, "the file to write, - for standard output"),
        OPTION_SWITCH("force", &sources.forced, TRACE_FORCE_HELP),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace overhead",
        .summary = "Write commands that time starts, scaling and moves of a job",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int starts;

    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    if (check(&wanted, &sources, &error) < 0)
        return options_fail(&command, &error);
    starts = write_file(&wanted, &sources, &error);
    if (starts < 0)
        return options_fail(&command, &error);
    (void)fprintf(output_talk(sources.path), "wrote %s: %d starts\n", output_name(sources.path),
                  starts);
    return output_flush_stdout() == 0 ? 0 : 1;
}
