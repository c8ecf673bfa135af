/* inquiries.c - the verbs that ask about jobs, one job after the other: show, wait, explain. */
#include "common/data_file.h"
#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/jobs.h"
#include "tools/service/moment.h"
#include "tools/show/show_run.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct inquiry {
    struct command command;
    const char *verb;
    bool endless; /* the service may answer late, so that the client waits without limit */
    call_show *show;
};

/* Prints the steps of a soft deadline. Other jobs have no steps. */
static void print_steps(const json_t *steps)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *text = json_string_value(json_array_get(steps, i));
        const char *colon = text ? strchr(text, ':') : NULL;
        char moment[MOMENT_BYTES];
        char value[32];

        if (!colon)
            continue;
        (void)input_printable(value, sizeof(value), colon + 1, strlen(colon + 1));
        printf("step %zu: worth %s until %s\n", i + 1, value,
               moment_print(strtoll(text, NULL, 10), moment));
    }
}

static int show_job(const struct call_request *request, const struct answer *answer,
                    struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *events = fields_has(&fields, "events") ? fields_list(&fields, "events") : NULL;

    if (fields_close(&fields, error) < 0 ||
        table_print_object(&page, jobs_shown, answer->object, error) < 0)
        return -1;
    print_steps(json_object_get(answer->object, "deadlines"));
    return json_array_size(events) > 0 ? table_print(&page, jobs_events, events, error) : 0;
}

/* Prints "job 17: TEXT" with the text of `member`. */
static int show_member(const struct call_request *request, const struct answer *answer,
                       const char *member, struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const char *text = fields_text(&fields, member);
    char shown[1024];

    if (fields_close(&fields, error) < 0)
        return -1;
    (void)input_printable(shown, sizeof(shown), text, strlen(text));
    printf("job %s: %s\n", request->operand, shown);
    return 0;
}

static int show_state(const struct call_request *request, const struct answer *answer,
                      struct error *error)
{
    return show_member(request, answer, "state", error);
}

static int show_sentence(const struct call_request *request, const struct answer *answer,
                         struct error *error)
{
    return show_member(request, answer, "sentence", error);
}

static const struct inquiry shown = {
    {"rubato show", "Show all about jobs, or about a run", "JOB...|DIR",
     "A folder of results shows the run: its figures, how the cluster was used over time, and a "
     "line "
     "for each job with the GPUs that it held. It is drawn in Unicode where the locale is one of "
     "UTF-8, else in ASCII; in colours on a terminal, unless NO_COLOR is set. The other options "
     "are "
     "for jobs of the service.",
     NULL},
    "show",
    false,
    show_job};

static const struct inquiry awaited = {
    {"rubato wait", "Wait until jobs are over", "JOB...",
     "The exit status is 0 if all of them are done, 1 if one failed or was cancelled. It waits on "
     "while the service is away.",
     NULL},
    "wait",
    true,
    show_state,
};

static const struct inquiry explained = {
    {"rubato explain", "Say why jobs wait or run", "JOB...", NULL, NULL},
    "explain",
    false,
    show_sentence,
};

static int ask_each(struct call *call, const struct command *command, const struct inquiry *inquiry,
                    const struct operands *operands)
{
    struct call_request request = {
        .verb = inquiry->verb, .document = json_object(), .show = inquiry->show};

    call->client.endless = inquiry->endless;
    return call_each(call, command, &request, operands, "job", true);
}

static int inquire(const struct inquiry *inquiry, int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {OPTIONS_OF_CALL(&call), OPTION_END};
    struct command command = inquiry->command;
    struct operands operands = {NULL, 0};
    int status;

    command.options = options;
    if (call_parse(&call, &command, argc, argv, &operands, &status) == 0)
        status = ask_each(&call, &command, inquiry, &operands);
    free(operands.items);
    return status;
}

/* Whether the operand is a job's number. A folder whose name is a number must be written as
 * ./NUMBER. */
static bool is_job(const char *operand)
{
    struct error error;
    int64_t job;

    return call_job_number(operand, &job, &error) == 0;
}

static bool is_folder(const char *operand)
{
    struct stat status;

    return stat(operand, &status) == 0 && S_ISDIR(status.st_mode);
}

static int show_folder(const struct command *command, const struct operands *operands,
                       const char *trace, int64_t rows, bool json)
{
    struct error error;
    int status;

    if (operands->count > 1)
        status = error_set(&error, "expected one folder or jobs, found %zu words", operands->count);
    else if (!is_folder(operands->items[0]))
        status =
            error_set(&error, "expected the number of a job, or a folder of results, found \"%s\"",
                      operands->items[0]);
    else
        status = show_run(operands->items[0], data_file(DATA_TRACES, trace), rows, json, &error);
    return status < 0 ? options_fail(command, &error) : 0;
}

int verb_show(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    int64_t rows = 40;
    const char *trace = NULL;
    const struct option_spec options[] = {
        OPTION_WHOLE("rows", "COUNT", &rows, 0, 1000000, "of a run: draw so many jobs at most"),
        OPTION_TEXT("trace", "FILE", &trace,
                    "of a run: its trace, if it is not any more where summary.json says"),
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    struct command command = shown.command;
    struct operands operands = {NULL, 0};
    int status;

    command.options = options;
    if (call_parse(&call, &command, argc, argv, &operands, &status) == 0)
        status = operands.count > 0 && !is_job(operands.items[0])
                     ? show_folder(&command, &operands, trace, rows, call.json)
                     : ask_each(&call, &command, &shown, &operands);
    free(operands.items);
    return status;
}

int verb_wait(int argc, char **argv)
{
    return inquire(&awaited, argc, argv);
}

int verb_explain(int argc, char **argv)
{
    return inquire(&explained, argc, argv);
}
