/* quote.c - `rubato quote`: the earliest deadline that a job would be promised, and what other
 * batch sizes and GPU limits would make of it; of a trace, or of the service that runs. */
#include "scheduler/run/quote.h"
#include "common/busy_line.h"
#include "common/json_text.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/run/promising_options.h"
#include "tools/service/live_quote.h"
#include "tools/slot_note.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

/* GPU limits that are asked for, powers of two. */
#define LIMIT_MAX 64

struct asked {
    struct simulation simulation;
    struct quoted_job job;
    int64_t batch_size;
    int64_t gpus_max;
    int64_t at_s;
    int64_t deadline_s; /* 0 for none */
    struct call call;   /* of the service, where there is no trace */
};

/* What is printed. */
struct offer {
    struct quoted_job job;
    struct quote quote;
    bool promised;           /* the deadline that was asked for, if one was */
    struct demand_seen seen; /* by what that was denied */
};

struct offers {
    struct offer *items;
    size_t count;
    int64_t iterations; /* that are promised with the deadline that was asked for, if one was */
    int gpus;           /* of the cluster */
};

/* The same samples in batches of another size. */
static int64_t iterations_at(const struct quoted_job *job, int batch_size)
{
    return (job->iterations * job->batch_size + batch_size - 1) / batch_size;
}

static int add_quote(quotes_t *quotes, const struct quoted_job *job, struct offers *offers,
                     struct error *error)
{
    struct offer *offer;

    offers->items = xrealloc(offers->items, (offers->count + 1) * sizeof(*offers->items));
    offer = &offers->items[offers->count++];
    offer->job = *job;
    return quotes_find(quotes, job, &offer->quote, error);
}

/* With which of these the deadline is promised, and how much of the job as it is. */
static int find_promised(quotes_t *quotes, const struct asked *asked, struct offers *offers,
                         struct error *error)
{
    for (size_t i = 0; i < offers->count; i++) {
        struct offer *offer = &offers->items[i];
        const int promised =
            quotes_is_promised(quotes, &offer->job, asked->deadline_s, &offer->seen, error);

        if (promised < 0)
            return -1;
        offer->promised = promised > 0;
    }
    offers->iterations = asked->job.iterations;
    return offers->items[0].promised
               ? 0
               : quotes_find_iterations(quotes, &asked->job, asked->deadline_s, &offers->iterations,
                                        error);
}

/* The job as it is, then in each other batch size, then on at most so many GPUs. */
static int find_offers(quotes_t *quotes, const struct asked *asked, struct offers *offers,
                       struct error *error)
{
    int batch_size;

    if (add_quote(quotes, &asked->job, offers, error) < 0)
        return -1;
    for (size_t i = 0; (batch_size = quotes_batch_size(quotes, asked->job.model, i)) > 0; i++) {
        struct quoted_job job = asked->job;

        job.iterations = iterations_at(&job, batch_size);
        job.batch_size = batch_size;
        if (batch_size != asked->job.batch_size && add_quote(quotes, &job, offers, error) < 0)
            return -1;
    }
    for (int gpus = 1; gpus <= LIMIT_MAX && gpus <= quotes_gpus(quotes); gpus *= 2) {
        struct quoted_job job = asked->job;

        job.gpus_max = gpus;
        if (gpus != asked->job.gpus_max && add_quote(quotes, &job, offers, error) < 0)
            return -1;
    }
    return asked->deadline_s > 0 ? find_promised(quotes, asked, offers, error) : 0;
}

/* ---- text ---- */

static void set_cell(struct libscols_line *line, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void set_cell(struct libscols_line *line, size_t column, const char *format, ...)
{
    char text[64];
    va_list words;

    va_start(words, format);
    (void)vsnprintf(text, sizeof(text), format, words);
    va_end(words);
    (void)scols_line_set_data(line, column, text);
}

static void add_line(struct libscols_table *table, const struct asked *asked,
                     const struct offer *offer)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);

    if (!line)
        return;
    set_cell(line, 0, "%d", offer->job.batch_size);
    set_cell(line, 1, "%" PRId64, offer->job.iterations);
    set_cell(line, 2, offer->job.gpus_max > 0 ? "%d" : "any", offer->job.gpus_max);
    if (!offer->quote.promised) {
        set_cell(line, 3, "none");
        return;
    }
    set_cell(line, 3, "%" PRId64, offer->quote.deadline_s);
    set_cell(line, 4, "%" PRId64 " s", offer->quote.deadline_s - asked->at_s);
    set_cell(line, 5, "%.2f", offer->quote.gpu_s / 3600);
}

static int print_table(const struct asked *asked, const struct offers *offers)
{
    static const char *const titles[] = {"BATCH SIZE",        "ITERATIONS", "GPUS AT MOST",
                                         "EARLIEST DEADLINE", "WINDOW",     "GPU HOURS"};
    struct libscols_table *table = scols_new_table();
    int failed;

    if (!table)
        return 1;
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        (void)scols_table_new_column(table, titles[i], 0, SCOLS_FL_RIGHT);
    for (size_t i = 0; i < offers->count; i++)
        add_line(table, asked, &offers->items[i]);
    failed = scols_print_table(table) != 0;
    scols_unref_table(table);
    return failed;
}

/* Other batch sizes, or other limits, with which the deadline is promised. */
static void list_ways(const struct asked *asked, const struct offers *offers, const char *what,
                      bool is_limit)
{
    bool any = false;

    for (size_t i = 1; i < offers->count; i++) {
        const struct offer *offer = &offers->items[i];

        if (!offer->promised || (offer->job.gpus_max != asked->job.gpus_max) != is_limit)
            continue;
        printf("%s%d", any ? ", " : what, is_limit ? offer->job.gpus_max : offer->job.batch_size);
        any = true;
    }
    printf("%s", any ? ".\n" : "");
}

/* What would have to change for the deadline to be promised. */
static void print_advice(const struct asked *asked, const struct offers *offers)
{
    const struct offer *own = &offers->items[0];

    if (own->promised) {
        printf("A deadline of %" PRId64 " s is promised.\n", asked->deadline_s);
        return;
    }
    printf("A deadline of %" PRId64 " s is not promised.\n", asked->deadline_s);
    if (own->quote.promised)
        printf("One of %" PRId64 " s is.\n", own->quote.deadline_s);
    if (offers->iterations > 0)
        printf("It is with %" PRId64 " iterations.\n", offers->iterations);
    list_ways(asked, offers, "It is with a batch size of ", false);
    list_ways(asked, offers, "It is on so many GPUs at most: ", true);
}

/* Why an earlier deadline than the one quoted is denied, if that is for jobs to come. */
static void print_denial(const struct demand_seen *seen, const char *what, int gpus)
{
    char text[SEEN_BYTES];

    if (seen->over_s == 0)
        return;
    demand_seen_text(seen, gpus, text, sizeof(text));
    printf("%s fits beside all promises, and is denied for jobs that are likely to come: %s.\n",
           what, text);
}

static int print_text(const struct asked *asked, const struct offers *offers)
{
    int failed;

    if (asked->deadline_s > 0) {
        print_advice(asked, offers);
        print_denial(&offers->items[0].seen, "It", offers->gpus);
    }
    failed = print_table(asked, offers);
    if (asked->deadline_s == 0)
        print_denial(&offers->items[0].quote.seen, "A deadline a second before the first of these",
                     offers->gpus);
    return failed;
}

/* ---- JSON ---- */

static json_t *json_of_seen(const struct demand_seen *seen)
{
    return seen->over_s > 0
               ? json_pack("{s:f, s:I}", "gpus", seen->gpus, "over_s", (json_int_t)seen->over_s)
               : json_null();
}

static json_t *json_of(const struct asked *asked, const struct offer *offer)
{
    const struct quote *quote = &offer->quote;
    json_t *item =
        json_pack("{s:i, s:I, s:o}", "batch_size", offer->job.batch_size, "iterations",
                  (json_int_t)offer->job.iterations, "max_gpus",
                  offer->job.gpus_max > 0 ? json_integer(offer->job.gpus_max) : json_null());

    json_object_set_new(item, "deadline",
                        quote->promised ? json_integer(quote->deadline_s) : json_null());
    json_object_set_new(item, "window_s",
                        quote->promised ? json_integer(quote->deadline_s - asked->at_s)
                                        : json_null());
    json_object_set_new(item, "gpu_hours",
                        quote->promised ? json_real(quote->gpu_s / 3600) : json_null());
    json_object_set_new(item, "seen", json_of_seen(&quote->seen));
    if (asked->deadline_s > 0) {
        json_object_set_new(item, "promised", json_boolean(offer->promised));
        json_object_set_new(item, "deadline_seen", json_of_seen(&offer->seen));
    }
    return item;
}

static int print_json(const struct asked *asked, const struct offers *offers)
{
    json_t *root = json_pack("{s:i, s:s, s:I, s:s, s:[]}", "schema_version", SCHEMA_VERSION,
                             "trace", asked->simulation.trace, "at", (json_int_t)asked->at_s,
                             "model", asked->job.model, "quotes");
    int failed;

    if (!root)
        return 1;
    for (size_t i = 0; i < offers->count; i++)
        json_array_append_new(json_object_get(root, "quotes"), json_of(asked, &offers->items[i]));
    if (asked->deadline_s > 0) {
        json_object_set_new(root, "promised", json_boolean(offers->items[0].promised));
        json_object_set_new(root, "iterations_promised", json_integer(offers->iterations));
    }
    failed = json_print(root);
    json_decref(root);
    return failed;
}

/* ---- the verb ---- */

static int find(const struct asked *asked, struct offers *offers, struct error *error)
{
    quotes_t *quotes = quotes_new(&asked->simulation, asked->at_s, error);
    const int result = quotes ? find_offers(quotes, asked, offers, error) : -1;

    if (quotes)
        offers->gpus = quotes_gpus(quotes);
    quotes_destroy(&quotes);
    return result;
}

/* Returns the exit status, or -1 with `error`. */
static int run(const struct asked *asked, struct error *error)
{
    struct offers offers = {NULL, 0, 0, 0};
    int status;

    busy_line_begin("rubato quote", 0);
    status = find(asked, &offers, error);
    busy_line_end();
    if (status == 0)
        status = asked->call.json ? print_json(asked, &offers) : print_text(asked, &offers);
    free(offers.items);
    return status;
}

/* The service knows its cluster and what time it is. */
static int check_live(const struct asked *asked, struct error *error)
{
    if (asked->at_s > 0 || asked->deadline_s > 0)
        return error_set(error, "--%s: it is for a trace, and there is none",
                         asked->at_s > 0 ? "at" : "deadline");
    if (asked->simulation.cluster)
        return error_set(error, "--cluster: it is for a trace, and there is none");
    return call_check(&asked->call, error);
}

static int quote_live(const struct command *command, const struct asked *asked)
{
    return live_quote_ask(&asked->call, command,
                          &(struct live_quote){.model = asked->job.model,
                                               .batch_size = asked->batch_size,
                                               .iterations = asked->job.iterations,
                                               .gpus_max = asked->gpus_max});
}

static int check(struct asked *asked, const struct operands *operands, struct error *error)
{
    if (operands->count > 1)
        return error_set(error, "expected one trace, found %zu", operands->count);
    asked->simulation.trace = operands->count > 0 ? operands->items[0] : NULL;
    simulation_find_inputs(&asked->simulation);
    if (!asked->job.model)
        return error_set(error, "--model: expected the model of the job");
    if (!asked->simulation.trace)
        return check_live(asked, error);
    asked->job.batch_size = (int)asked->batch_size;
    asked->job.gpus_max = (int)asked->gpus_max;
    if (asked->deadline_s > 0 && asked->deadline_s < asked->at_s)
        return error_set(error, "--deadline: expected a time that is not before --at");
    return 0;
}

static const char explanation[] =
    "Without TRACE the service that runs is asked. "
    "Runs the trace up to a time and prints the earliest deadline that a job submitted then would "
    "be promised, for the job as it is, for each other batch size of its model with as many "
    "samples, and on at most so many GPUs. What is quoted is promised, and a second less is not, "
    "if no other job arrives before the round that decides. GPU hours are the least that end the "
    "job by then.";

int verb_quote(int argc, char **argv)
{
    struct asked asked = {.simulation = SIMULATION_DEFAULT, .batch_size = 64, .call = CALL_DEFAULT};
    struct simulation *simulation = &asked.simulation;
    const struct option_spec options[] = {
        OPTION_TEXT("model", "MODEL", &asked.job.model, "model of the job"),
        OPTION_WHOLE("batch-size", "SAMPLES", &asked.batch_size, 1, 100000000,
                     "global batch size of the job"),
        OPTION_WHOLE("iterations", "N", &asked.job.iterations, 1, 1000000000000,
                     "iterations that the job is to do"),
        OPTION_WHOLE("max-gpus", "GPUS", &asked.gpus_max, 0, 65536,
                     "the most that the job may use, 0 for no limit"),
        OPTION_WHOLE("at", "SECONDS", &asked.at_s, 0, 1000000000000,
                     "when the job is submitted, by the clock of the trace"),
        OPTION_WHOLE("deadline", "SECONDS", &asked.deadline_s, 0, 1000000000000,
                     "also say whether this deadline is promised, 0 for none"),
        OPTION_TEXT("cluster", "FILE", &simulation->cluster,
                    "cluster to schedule on, CSV or the name of one that came with Rubato, such as "
                    "n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_WHOLE("slot", "SECONDS", &simulation->slot_s, 0, 1000000,
                     "length of a scheduling slot" SLOT_NOTE_HELP),
        OPTION_WHOLE("restart-threshold", "ROUNDS", &simulation->restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none"),
        OPTION_TEXT("gpu-type", "TYPE", &simulation->gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTIONS_OF_PROMISES(simulation, "-"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato quote",
        .summary = "Quote the earliest deadline that a job would be promised",
        .operands = "[TRACE]",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status;

    simulation->policy = SIMULATION_OWN_POLICY;
    asked.job.iterations = 1;
    status = options_parse(&command, argc, argv, &operands, &error);
    if (status == 0)
        status = check(&asked, &operands, &error) < 0 ? -1
                 : asked.simulation.trace             ? run(&asked, &error)
                                                      : quote_live(&command, &asked);
    else if (status > 0)
        status = 0;
    free(operands.items);
    return status < 0 ? options_fail(&command, &error) : status;
}
