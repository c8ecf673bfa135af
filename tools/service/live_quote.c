/* live_quote.c - see live_quote.h. */
#include "tools/service/live_quote.h"

#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/moment.h"
#include "tools/service/table.h"
#include "tools/service/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SENTENCE_BYTES 512

static const struct member quotes_listed[] = {
    {"GPUS AT MOST", "gpus", MEMBER_WHOLE},
    {"EARLIEST DEADLINE", "earliest", MEMBER_TIME},
    {"GPU HOURS", "gpu_hours", MEMBER_HOURS},
    {NULL, NULL, MEMBER_TEXT},
};

static void print_none(int64_t later)
{
    char moment[MOMENT_BYTES];

    if (later == TIME_NONE)
        printf("No deadline would be promised, however late.\n");
    else
        printf("No deadline would be promised before %s: ask again then.\n",
               moment_print(later, moment));
}

static void print_earliest(int64_t earliest, int64_t until, int64_t decided)
{
    char moment[MOMENT_BYTES];
    char duration[DURATION_BYTES];

    printf("The earliest deadline that is promised is %s (in %s)", moment_print(earliest, moment),
           duration_print(earliest - (int64_t)time(NULL), duration));
    printf(", if the job is submitted by %s", moment_print(until, moment));
    if (decided > until)
        printf("; the round of %s decides", moment_print(decided, moment));
    printf(".\n");
}

/* Prints why there is no deadline within a limit of GPUs, once for limits with the same reason. */
static void print_sentences(const json_t *quotes)
{
    const char *last = "";

    for (size_t i = 0; i < json_array_size(quotes); i++) {
        const json_t *quote = json_array_get(quotes, i);
        const char *sentence = json_string_value(json_object_get(quote, "sentence"));
        char text[SENTENCE_BYTES];

        if (!sentence || !strcmp(sentence, last))
            continue;
        last = sentence;
        (void)input_printable(text, sizeof(text), sentence, strlen(sentence));
        printf("On at most %" JSON_INTEGER_FORMAT " GPUs: %s\n",
               json_integer_value(json_object_get(quote, "gpus")), text);
    }
}

/* Prints why no deadline at all can be promised, unless `denied` is NULL. */
static void print_denied(const char *denied)
{
    char text[SENTENCE_BYTES];

    if (!denied)
        return;
    (void)input_printable(text, sizeof(text), denied, strlen(denied));
    printf("%s\n", text);
}

/* Prints the sentence on node failures that the earliest deadline survives. The member is null if
 * no nodes are in reserve, and missing if the service is older than it. */
static void print_survival(const json_t *survival)
{
    const char *sentence = json_string_value(json_object_get(survival, "sentence"));
    char text[SENTENCE_BYTES];

    if (!sentence)
        return;
    (void)input_printable(text, sizeof(text), sentence, strlen(sentence));
    printf("With the earliest deadline, %s.\n", text);
}

/* Prints whether the deadline is promised, or until when if the deadline is soft. */
static void print_promised(bool promised, const json_t *until)
{
    char moment[MOMENT_BYTES];

    if (json_is_integer(until))
        printf("The deadline is promised until %s.\n",
               moment_print(json_integer_value(until), moment));
    else
        printf("The deadline is %spromised.\n", promised ? "" : "not ");
}

/* Prints the earliest deadline for each confidence. The list is empty under policies that promise
 * without confidence, and missing if the service is older than it. */
static void print_confidences(const json_t *confidences)
{
    char moment[MOMENT_BYTES];

    for (size_t i = 0; i < json_array_size(confidences); i++) {
        const json_t *sure = json_array_get(confidences, i);
        const json_t *earliest = json_object_get(sure, "earliest");

        printf("With a confidence of %g %% the earliest deadline is %s.\n",
               json_number_value(json_object_get(sure, "confidence")),
               json_is_integer(earliest) ? moment_print(json_integer_value(earliest), moment)
                                         : "none");
    }
}

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *quotes = fields_list(&fields, "quotes");
    const int64_t earliest = fields_time(&fields, "earliest");
    const int64_t until = fields_time(&fields, "until");
    const int64_t later = fields_time(&fields, "later");
    const int64_t decided = fields_time(&fields, "decided");
    const bool is_asked = fields_has(&fields, "promised");
    const bool promised = is_asked && fields_switch(&fields, "promised");
    const char *denied = fields_text_or_null(&fields, "denied");

    if (fields_close(&fields, error) < 0)
        return -1;
    if (is_asked)
        print_promised(promised, json_object_get(answer->object, "promised_until"));
    if (earliest != TIME_NONE)
        print_earliest(earliest, until, decided);
    else if (!denied) /* print_denied says that there is none, and why */
        print_none(later);
    print_confidences(json_object_get(answer->object, "confidences"));
    print_sentences(quotes);
    if (table_print(&page, quotes_listed, quotes, error) < 0)
        return -1;
    print_denied(denied);
    print_survival(json_object_get(answer->object, "survival"));
    return 0;
}

/* Removes the members that only an order has, and asks for the earliest deadline if the job states
 * none. */
static void make_question(json_t *document, int64_t within_s)
{
    const struct job_field *field;

    for (size_t i = 0; (field = job_field_at(i)); i++)
        if (field->uses & JOB_FIELD_ORDER)
            json_object_del(document, field->form.name);
    if (!json_object_get(document, "deadline") && !json_object_get(document, "deadline_in") &&
        !json_object_get(document, "deadlines"))
        json_object_set_new(document, "earliest", json_true());
    if (within_s > 0)
        json_object_set_new(document, "within_s", json_integer(within_s));
}

/* Prints a held quote. Its number becomes the number of the job that takes the quote. */
static int show_hold(const struct call_request *request, const struct answer *answer,
                     struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    char moment[MOMENT_BYTES];
    int64_t quote;
    int64_t deadline;
    int64_t until;

    if (!fields_has(&fields, "held_until"))
        return verdict_show(request, answer, error);
    quote = fields_whole(&fields, "job");
    deadline = fields_time(&fields, "promised_until");
    until = fields_time(&fields, "held_until");
    if (fields_close(&fields, error) < 0)
        return -1;
    printf("quote %" PRId64 ": the deadline %s", quote, moment_print(deadline, moment));
    printf(" is held until %s; `rubato submit --hold %" PRId64 "` takes it, `rubato cancel %" PRId64
           "` gives it back\n",
           moment_print(until, moment), quote, quote);
    return 0;
}

static int hold(const struct call *call, const struct command *command, json_t *document,
                int64_t hold_s)
{
    struct call_request request = {
        .verb = "quote", .document = document, .show = show_hold, .is_order = true};

    json_object_set_new(document, "hold_s", json_integer(hold_s));
    return call_once(call, command, &request);
}

int live_quote_ask(const struct call *call, const struct command *command,
                   const struct job_options *job, const struct operands *words, int64_t within_s,
                   int64_t hold_s)
{
    struct error error;
    struct call_request request = {
        .verb = "quote",
        .document = job_options_document(job, words->items, words->count, &error),
        .show = show,
    };

    if (!request.document)
        return options_fail(command, &error);
    if (hold_s > 0)
        return hold(call, command, request.document, hold_s);
    make_question(request.document, within_s);
    return call_once(call, command, &request);
}
