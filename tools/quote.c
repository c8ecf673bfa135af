/* quote.c - `rubato quote`: the earliest deadline that a job would be promised, also with other
 * batch sizes and GPU limits. The answer comes from a trace or from the running service. */
#include "scheduler/run/quote.h"
#include "common/busy_line.h"
#include "common/json_text.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/options.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/service/rates.h"
#include "scheduler/state/steps.h"
#include "tools/service/live_quote.h"
#include "tools/slot_note.h"
#include "tools/verbs.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

/* Largest GPU limit that is tried. Limits are powers of two. */
#define LIMIT_MAX 64

/* Room for the job as it is, and with each limit and each batch size. */
#define OFFERS_MAX 256

/* The earliest deadline with one confidence of quotes_confidence. */
struct sure {
    double confidence; /* per cent */
    struct quote quote;
};

struct asked {
    struct simulation simulation;
    policy_values_t *values;
    struct job_options job;
    struct operands command; /* command of the job, behind -- */
    int64_t within_s;
    int64_t hold_s;
    int64_t at_s;
    int64_t deadline_s; /* deadline by the trace's clock, of a soft deadline the last step; 0 for
                           none */
    struct job_level steps[LEVELS_MAX];
    size_t step_count; /* number of steps of a soft deadline, else 0 */
    int64_t node_mtbf_s;
    struct call call; /* how to reach the service, if there is no trace */
};

/* The earliest deadline with one batch size and GPU limit, as a line of the table shows it. */
struct offer {
    struct throughput_row row; /* rates of the job */
    struct job_level level;
    struct submission job;
    int64_t gpus_max; /* 0 for no limit */
    struct quote quote;
    bool promised;      /* whether the deadline of --deadline is promised */
    struct denial seen; /* why the deadline of --deadline is denied */
};

struct offers {
    struct offer items[OFFERS_MAX];
    size_t count;
    struct sure sure[QUOTES_CONFIDENCES]; /* quotes of the first offer, by confidence */
    size_t sure_count;
    int64_t iterations; /* the most iterations with which the deadline of --deadline is promised */
    int gpus;           /* GPUs of the cluster */
};

/* The iterations with which batches of another size have the same samples. */
static int64_t iterations_at(const struct job_options *job, int batch_size)
{
    return (job->said.iterations * job->said.batch_size + batch_size - 1) / batch_size;
}

/* The rates of the job: its own rates if it states any, else those of the table. */
static int find_row(const quotes_t *quotes, const struct job_options *job, int batch_size,
                    struct throughput_row *row, struct error *error)
{
    const throughput_table_t *table = quotes_table(quotes);
    const struct words rates = {job->rates.count, (const char **)(uintptr_t)job->rates.items};
    const struct throughput_row *known;

    if (rates.count > 0)
        return rates_read(&rates, job->said.model, batch_size, row, error);
    known = throughput_find(table, job->said.model, batch_size);
    if (!known)
        return error_set(error, "%s: no throughputs of model %s at batch size %d",
                         throughput_source(table), job->said.model, batch_size);
    *row = *known;
    return 0;
}

static int64_t value_of(const struct asked *asked)
{
    if (asked->step_count > 0)
        return asked->steps[0].value;
    return (asked->job.said.value > 0 ? asked->job.said.value : 1) * LEVEL_VALUE_FULL;
}

static int add_quote(quotes_t *quotes, const struct asked *asked, int batch_size, int64_t gpus_max,
                     struct offers *offers, struct error *error)
{
    const struct job_options *job = &asked->job;
    struct offer *offer = &offers->items[offers->count++];

    assert(offers->count <= OFFERS_MAX);
    if (find_row(quotes, job, batch_size, &offer->row, error) < 0)
        return -1;
    throughput_limit(&offer->row, (int)job->said.gpus_min, (int)gpus_max);
    offer->level.value = value_of(asked);
    offer->job =
        (struct submission){.id = "quoted",
                            .throughput = &offer->row,
                            .model = offer->row.model,
                            .iterations = iterations_at(job, batch_size),
                            .batch_size = batch_size,
                            .gpus_requested = offer->row.gpus[0],
                            .duration_s = job->said.duration_s > 0 ? job->said.duration_s : -1,
                            .promise_or_decline = job->said.promise_or_decline,
                            .levels = &offer->level,
                            .level_count = 1};
    offer->gpus_max = gpus_max;
    if (offer->row.level_count == 0) /* the job trains on no number of GPUs within the limits */
        return 0;
    return quotes_find(quotes, &offer->job, 0, &offer->quote, error);
}

static struct promise_terms terms_of(const struct asked *asked)
{
    const struct policy *policy = policy_find(asked->simulation.policy);
    void *values = policy_values_copy(asked->values, policy);
    const struct promise_terms terms = policy->terms(values);

    free(values);
    return terms;
}

/* Finds a quote for each confidence. The quote of the policy's own confidence is the first
 * offer's. */
static int find_sure(quotes_t *quotes, const struct asked *asked, struct offers *offers,
                     struct error *error)
{
    const struct offer *own = &offers->items[0];

    for (size_t i = 0; i < QUOTES_CONFIDENCES && own->row.level_count > 0; i++) {
        struct sure *sure = &offers->sure[offers->sure_count++];
        struct submission job = own->job;

        job.confidence = sure->confidence = quotes_confidence(i);
        sure->quote = own->quote;
        if (job.confidence != terms_of(asked).confidence &&
            quotes_find(quotes, &job, 0, &sure->quote, error) < 0)
            return -1;
    }
    return 0;
}

/* Finds out which offers have the deadline of --deadline promised, and with how many iterations the
 * job as it is would have it. */
static int find_promised(quotes_t *quotes, const struct asked *asked, struct offers *offers,
                         struct error *error)
{
    for (size_t i = 0; i < offers->count; i++) {
        struct offer *offer = &offers->items[i];
        const int promised =
            offer->row.level_count > 0
                ? quotes_is_promised(quotes, &offer->job, asked->deadline_s, &offer->seen, error)
                : 0;

        if (promised < 0)
            return -1;
        offer->promised = promised > 0;
    }
    offers->iterations = asked->job.said.iterations;
    return offers->items[0].promised || offers->items[0].row.level_count == 0
               ? 0
               : quotes_find_iterations(quotes, &offers->items[0].job, asked->deadline_s,
                                        &offers->iterations, error);
}

/* Finds an offer for the job as it is, then for each other batch size, then for each GPU limit. */
static int find_offers(quotes_t *quotes, const struct asked *asked, struct offers *offers,
                       struct error *error)
{
    const struct job_options *job = &asked->job;
    int batch_size;

    if (add_quote(quotes, asked, (int)job->said.batch_size, job->said.gpus_max, offers, error) < 0)
        return -1;
    for (size_t i = 0; job->rates.count == 0 && i < OFFERS_MAX / 2 &&
                       (batch_size = quotes_batch_size(quotes, job->said.model, i)) > 0;
         i++)
        if (batch_size != job->said.batch_size &&
            add_quote(quotes, asked, batch_size, job->said.gpus_max, offers, error) < 0)
            return -1;
    for (int gpus = 1; gpus <= LIMIT_MAX && gpus <= quotes_gpus(quotes); gpus *= 2)
        if (gpus != job->said.gpus_max && gpus >= job->said.gpus_min &&
            add_quote(quotes, asked, (int)job->said.batch_size, gpus, offers, error) < 0)
            return -1;
    if (find_sure(quotes, asked, offers, error) < 0)
        return -1;
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
    set_cell(line, 2, offer->gpus_max > 0 ? "%" PRId64 : "any", offer->gpus_max);
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

/* Prints the other batch sizes, or the other limits, with which the deadline is promised. */
static void list_ways(const struct asked *asked, const struct offers *offers, const char *what,
                      bool is_limit)
{
    bool any = false;

    for (size_t i = 1; i < offers->count; i++) {
        const struct offer *offer = &offers->items[i];

        if (!offer->promised || (offer->gpus_max != asked->job.said.gpus_max) != is_limit)
            continue;
        printf("%s%" PRId64, any ? ", " : what,
               is_limit ? offer->gpus_max : (int64_t)offer->job.batch_size);
        any = true;
    }
    printf("%s", any ? ".\n" : "");
}

/* The first step that is not earlier than the earliest deadline, which is promised, or else the
 * last step. */
static size_t promised_step(const struct asked *asked, const struct offer *offer)
{
    size_t i = 0;

    while (i + 1 < asked->step_count && asked->steps[i].deadline_s < offer->quote.deadline_s)
        i++;
    return i;
}

static void print_promised(const struct asked *asked, const struct offer *own)
{
    const size_t i = promised_step(asked, own);
    char value[STEP_VALUE_BYTES];

    if (asked->step_count > 0)
        printf("A deadline of %" PRId64 " s, step %zu, worth %s, is promised.\n",
               asked->steps[i].deadline_s, i + 1, steps_print_value(asked->steps[i].value, value));
    else
        printf("A deadline of %" PRId64 " s is promised.\n", asked->deadline_s);
}

/* Prints whether the deadline of --deadline is promised, or else with which changes it would be. */
static void print_advice(const struct asked *asked, const struct offers *offers)
{
    const struct offer *own = &offers->items[0];

    if (own->promised) {
        print_promised(asked, own);
        return;
    }
    printf("A deadline of %" PRId64 " s%s is not promised.\n", asked->deadline_s,
           asked->step_count > 0 ? ", the last step," : "");
    if (own->quote.promised)
        printf("A deadline of %" PRId64 " s is promised.\n", own->quote.deadline_s);
    if (offers->iterations > 0)
        printf("The deadline is promised with %" PRId64 " iterations.\n", offers->iterations);
    list_ways(asked, offers, "The deadline is promised with a batch size of ", false);
    list_ways(asked, offers, "The deadline is promised on at most so many GPUs: ", true);
}

static void print_sure(const struct offers *offers)
{
    for (size_t i = 0; i < offers->sure_count; i++) {
        const struct sure *sure = &offers->sure[i];
        char text[32] = "none";

        if (sure->quote.promised)
            (void)snprintf(text, sizeof(text), "%" PRId64 " s", sure->quote.deadline_s);
        printf("With a confidence of %g %% the deadline in the first line is %s.\n",
               sure->confidence, text);
    }
}

/* Prints why an earlier deadline than the quoted one is denied, if the reason is jobs to come or
 * the limit on promises ahead. */
static void print_denial(const struct denial *denial, const char *what, int gpus)
{
    char text[SHARE_BYTES];

    if (denial->share.of) {
        share_seen_text(&denial->share, text, sizeof(text));
        printf("%s is denied, as no more may be promised ahead: %s.\n", what, text);
    }
    if (denial->rate.over_s == 0)
        return;
    demand_seen_text(&denial->rate, gpus, text, sizeof(text));
    printf("%s fits beside all promises, and is denied for jobs that are likely to come: %s.\n",
           what, text);
}

/* The chance that the job loses no more nodes than its promise survives. NaN if no nodes are in
 * reserve or --node-mtbf is not given. */
static double survival_of(const struct asked *asked, const struct offer *offer)
{
    const struct failure_rate rate = failure_rate_certain((double)asked->node_mtbf_s);
    const struct exposure *exposure = &offer->quote.exposure;

    return exposure->node_s > 0 ? survival_chance(&rate, exposure->node_s, exposure->losses) : NAN;
}

static void print_survival(const struct asked *asked, const struct offer *offer)
{
    const double chance = survival_of(asked, offer);
    char sentence[SURVIVAL_BYTES];

    if (!isnan(chance))
        printf("With the deadline in the first line, %s.\n",
               survival_sentence(chance, offer->quote.exposure.losses, sentence));
}

static int print_text(const struct asked *asked, const struct offers *offers)
{
    int failed;

    if (asked->deadline_s > 0) {
        print_advice(asked, offers);
        print_denial(&offers->items[0].seen, "The deadline", offers->gpus);
    }
    failed = print_table(asked, offers);
    print_sure(offers);
    if (asked->deadline_s == 0)
        print_denial(&offers->items[0].quote.seen,
                     "A deadline a second before that in the first line", offers->gpus);
    print_survival(asked, &offers->items[0]);
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
    json_t *item = json_pack("{s:i, s:I, s:o}", "batch_size", offer->job.batch_size, "iterations",
                             (json_int_t)offer->job.iterations, "max_gpus",
                             offer->gpus_max > 0 ? json_integer(offer->gpus_max) : json_null());

    json_object_set_new(item, "deadline",
                        quote->promised ? json_integer(quote->deadline_s) : json_null());
    json_object_set_new(item, "window_s",
                        quote->promised ? json_integer(quote->deadline_s - asked->at_s)
                                        : json_null());
    json_object_set_new(item, "gpu_hours",
                        quote->promised ? json_real(quote->gpu_s / 3600) : json_null());
    json_object_set_new(item, "decided",
                        quote->promised ? json_integer(quote->decided_s) : json_null());
    json_object_set_new(item, "seen", json_of_seen(&quote->seen.rate));
    if (!isnan(survival_of(asked, offer)))
        json_object_set_new(item, "survival",
                            json_pack("{s:i, s:f, s:f}", "losses", quote->exposure.losses,
                                      "node_hours", quote->exposure.node_s / 3600, "chance",
                                      survival_of(asked, offer)));
    if (asked->deadline_s > 0) {
        json_object_set_new(item, "promised", json_boolean(offer->promised));
        if (asked->step_count > 0)
            json_object_set_new(
                item, "promised_until",
                offer->promised ? json_integer(asked->steps[promised_step(asked, offer)].deadline_s)
                                : json_null());
        json_object_set_new(item, "deadline_seen", json_of_seen(&offer->seen.rate));
    }
    return item;
}

static json_t *json_of_sure(const struct offers *offers)
{
    json_t *list = json_array();

    for (size_t i = 0; i < offers->sure_count; i++) {
        const struct quote *quote = &offers->sure[i].quote;

        json_array_append_new(
            list, json_pack("{s:f, s:o}", "confidence", offers->sure[i].confidence, "deadline",
                            quote->promised ? json_integer(quote->deadline_s) : json_null()));
    }
    return list;
}

static int print_json(const struct asked *asked, const struct offers *offers)
{
    json_t *root = json_pack("{s:i, s:s, s:I, s:s, s:[]}", "schema_version", SCHEMA_VERSION,
                             "trace", asked->simulation.trace, "at", (json_int_t)asked->at_s,
                             "model", asked->job.said.model, "quotes");
    int failed;

    if (!root)
        return 1;
    for (size_t i = 0; i < offers->count; i++)
        json_array_append_new(json_object_get(root, "quotes"), json_of(asked, &offers->items[i]));
    json_object_set_new(root, "confidence", json_real(terms_of(asked).confidence));
    json_object_set_new(root, "confidences", json_of_sure(offers));
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
    struct offers *offers = xcalloc(1, sizeof(*offers));
    int status;

    busy_line_begin("rubato quote", 0);
    status = find(asked, offers, error);
    busy_line_end();
    if (status == 0)
        status = asked->call.json ? print_json(asked, offers) : print_text(asked, offers);
    free(offers);
    return status;
}

/* Refuses options that only a trace needs, because the service knows its cluster and the time. */
static int check_live(const struct asked *asked, struct error *error)
{
    if (asked->at_s > 0 || asked->node_mtbf_s > 0 || asked->simulation.cluster)
        return error_set(error, "--%s: the option is for a trace, and no TRACE is given",
                         asked->at_s > 0          ? "at"
                         : asked->node_mtbf_s > 0 ? "node-mtbf"
                                                  : "cluster");
    return call_check(&asked->call, error);
}

static int quote_live(const struct command *command, const struct asked *asked)
{
    return live_quote_ask(&asked->call, command, &asked->job, &asked->command, asked->within_s,
                          asked->hold_s);
}

/* Sets the policy's confidence to that of the job. All jobs of the run then have it. */
static int take_confidence(struct asked *asked, struct error *error)
{
    char text[NUMBER_TEXT_BYTES];
    double confidence;

    if (!asked->job.confidence)
        return 0;
    if (job_options_confidence(asked->job.confidence, &confidence, error) < 0)
        return error_prefix(error, "--confidence");
    policy_values_set(asked->values, "confidence", number_print_real(confidence, text));
    return 0;
}

static int read_steps(struct asked *asked, struct error *error)
{
    const char *text = asked->job.deadline;

    asked->step_count = steps_parse(text, strlen(text), asked->at_s, asked->steps, error);
    if (asked->step_count == 0)
        return error_prefix(error, "--deadline");
    if (asked->job.said.value > 0)
        return error_set(error, "--value: the steps of --deadline have values");
    asked->deadline_s = asked->steps[asked->step_count - 1].deadline_s;
    return 0;
}

/* Reads --deadline in seconds of the trace's clock. */
static int read_deadline(struct asked *asked, struct error *error)
{
    const char *text = asked->job.deadline;

    if (steps_are(text, strlen(text)))
        return read_steps(asked, error);
    if (number_parse_whole(text, strlen(text), 0, TIME_MAX_S, &asked->deadline_s) == NUMBER_OK)
        return 0;
    return error_set(error,
                     "--deadline: expected seconds of the trace's clock, a whole number from 0 to "
                     "%" PRId64 ", or %s, found \"%.40s\"",
                     TIME_MAX_S, STEPS_EXPECTED, text);
}

/* An option that only the service heeds, NULL if none is given. */
static const char *option_of_service(const struct asked *asked)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"job", asked->job.file != NULL}, {"within", asked->within_s > 0},
        {"hold", asked->hold_s > 0},      {"after", asked->job.after != NULL},
        {"held", asked->job.said.held},
    };

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

static int check_trace(struct asked *asked, struct error *error)
{
    const char *const option = option_of_service(asked);

    if (option)
        return error_set(error, "--%s: the option is for the service, and a TRACE is given",
                         option);
    if (asked->job.deadline && read_deadline(asked, error) < 0)
        return -1;
    if (take_confidence(asked, error) < 0)
        return -1;
    if (asked->node_mtbf_s > 0 && terms_of(asked).losses == 0)
        return error_set(error, "--node-mtbf: it is for --spare-nodes");
    if (asked->deadline_s > 0 &&
        (asked->step_count > 0 ? asked->steps->deadline_s : asked->deadline_s) < asked->at_s)
        return error_set(error, "--deadline: expected a time that is not before --at");
    return 0;
}

static int check(struct asked *asked, const struct operands *operands, struct error *error)
{
    if (operands->count > 1)
        return error_set(error, "expected one trace, found %zu", operands->count);
    asked->simulation.trace = operands->count > 0 ? operands->items[0] : NULL;
    simulation_find_inputs(&asked->simulation);
    if (!asked->job.said.model && !asked->job.file)
        return error_set(error, "--model: expected the model of the job");
    if (!asked->job.file) {
        asked->job.said.batch_size =
            asked->job.said.batch_size > 0 ? asked->job.said.batch_size : 64;
        asked->job.said.iterations =
            asked->job.said.iterations > 0 ? asked->job.said.iterations : 1;
    }
    return asked->simulation.trace ? check_trace(asked, error) : check_live(asked, error);
}

/* Takes the words behind -- as the program of the job, as `rubato submit` does. Returns the number
 * of words before --. */
static int cut_command(int argc, char **argv, struct operands *command)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--")) {
            *command = (struct operands){argv + i + 1, (size_t)(argc - i - 1)};
            return i;
        }
    return argc;
}

static const char explanation[] =
    "Without TRACE the service that runs is asked: what it names is promised if the job is "
    "submitted "
    "with the same options by the time that it states, unless another job comes first. --deadline "
    "asks whether that one would be promised, too. --hold has the deadline kept for a while. "
    "With TRACE runs the trace up to a time and prints the earliest deadline that a job submitted "
    "then would be promised, for the job as it is, for each other batch size of its model with as "
    "many samples, and on at most so many GPUs. What is quoted is promised, and a second less is "
    "not, if no other job arrives before the round that decides. --deadline is in seconds of the "
    "trace's clock then, or steps with such dates, as 3600:10,+7200:6, of which one with a plus "
    "counts from --at. GPU hours are the least that end the job by then. Options that change no "
    "promise, such as --name and --held, are taken as by `rubato submit`.";

int verb_quote(int argc, char **argv)
{
    struct asked asked = {.simulation = SIMULATION_DEFAULT, .call = CALL_DEFAULT};
    struct simulation *simulation = &asked.simulation;
    policy_values_t *values = asked.values = policy_values_new('-');
    const struct policy *policy = policy_find(SIMULATION_OWN_POLICY);
    const struct option_spec options[] = {
        OPTION_TABLE(job_options_table(&asked.job)),
        OPTION_WHOLE("hold", "SECONDS", &asked.hold_s, 0, 1000000,
                     "hold the deadline for so long: whatever others submit meanwhile, it is "
                     "promised to `rubato submit --hold`; 0: do not"),
        OPTION_WHOLE(
            "within", "SECONDS", &asked.within_s, 0, 3600,
            "what is named is promised if it is submitted within so many seconds, 0 for 3"),
        OPTION_WHOLE("at", "SECONDS", &asked.at_s, 0, 1000000000000,
                     "when the job is submitted, by the clock of the trace"),
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
        OPTION_TABLE(policy_values_table_of(values, policy)),
        OPTION_WHOLE("node-mtbf", "SECONDS", &asked.node_mtbf_s, 0, 1000000000000,
                     "with --spare-nodes: mean time between the failures of a node, for the chance "
                     "that the job loses no more"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato quote",
        .summary = "Quote the earliest deadline that a job would be promised",
        .operands = "[TRACE] [-- COMMAND...]",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status;

    simulation->values = values;
    simulation->policy = SIMULATION_OWN_POLICY;
    argc = cut_command(argc, argv, &asked.command);
    status = options_parse(&command, argc, argv, &operands, &error);
    if (status == 0)
        status = check(&asked, &operands, &error) < 0 ? -1
                 : asked.simulation.trace             ? run(&asked, &error)
                                                      : quote_live(&command, &asked);
    else if (status > 0)
        status = 0;
    free(operands.items);
    status = status < 0 ? options_fail(&command, &error) : status;
    policy_values_destroy(&values);
    return status;
}
