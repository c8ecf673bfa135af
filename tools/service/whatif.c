/* whatif.c - `rubato whatif`: which promises would stand with other nodes, or with another deadline
 * of a job. */
#include "tools/service/answer.h"

#include "common/input.h"
#include "common/plural.h"
#include "tools/service/call.h"
#include "tools/service/job_options.h"
#include "tools/service/moment.h"
#include "tools/verbs.h"

#include <string.h>
#include <time.h>

#define SENTENCE_BYTES 512

struct asked {
    struct call call;
    int64_t add_nodes;
    const char *remove_node;
    int64_t job;
    const char *deadline;
};

/* Prints "2 promises would be withdrawn: jobs 4 7". */
static void print_jobs(const json_t *jobs, const char *what)
{
    const size_t count = json_array_size(jobs);
    const json_t *job;
    size_t i;

    printf("%zu promise%s would %s%s", count, PLURAL(count), what, count > 0 ? ":" : "");
    json_array_foreach(jobs, i, job)
    {
        printf(" %lld", (long long)json_integer_value(job));
    }
    printf("\n");
}

/* Prints whether the job of the question would get its deadline promised, and why not. */
static void print_sentence(const char *sentence)
{
    char text[SENTENCE_BYTES];

    (void)input_printable(text, sizeof(text), sentence, strlen(sentence));
    printf("the job: %s\n", text);
}

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *kept = fields_list(&fields, "kept");
    const json_t *lost = fields_list(&fields, "lost");
    const json_t *gained = fields_list(&fields, "gained");
    const char *sentence =
        fields_has(&fields, "sentence") ? fields_text_or_null(&fields, "sentence") : NULL;

    if (fields_close(&fields, error) < 0)
        return -1;
    print_jobs(kept, "stand");
    print_jobs(lost, "be withdrawn");
    print_jobs(gained, "be made");
    if (sentence)
        print_sentence(sentence);
    return 0;
}

static int add_deadline(json_t *document, const char *text, struct error *error)
{
    struct deadline deadline;

    if (deadline_parse(text, &deadline, error) < 0)
        return error_prefix(error, "--deadline");
    if (deadline.kind == DEADLINE_NONE)
        return error_set(error, "--deadline: expected a time");
    if (deadline.kind == DEADLINE_IN)
        deadline.s += (int64_t)time(NULL);
    json_object_set_new(document, "deadline", json_integer(deadline.s));
    return 0;
}

static int add_question(json_t *document, const struct asked *asked, struct error *error)
{
    if (asked->add_nodes > 0)
        return json_object_set_new(document, "add_nodes", json_integer(asked->add_nodes));
    if (asked->remove_node)
        return json_object_set_new(document, "remove_node",
                                   call_text("--remove-node", asked->remove_node, error));
    return json_object_set_new(document, "job", json_integer(asked->job));
}

static json_t *make_document(const struct asked *asked, struct error *error)
{
    const bool of_job = asked->job > 0 || asked->deadline;
    const int questions = (asked->add_nodes > 0) + (asked->remove_node != NULL) + of_job;
    json_t *document;

    if (questions != 1 || (of_job && (asked->job == 0 || !asked->deadline))) {
        (void)error_set(error, "expected --add-nodes, --remove-node, or --job with --deadline");
        return NULL;
    }
    document = json_object();
    if (add_question(document, asked, error) == 0 &&
        (!of_job || add_deadline(document, asked->deadline, error) == 0))
        return document;
    json_decref(document);
    return NULL;
}

static int ask(const struct command *command, const struct asked *asked)
{
    struct error error;
    struct call_request request = {
        .verb = "whatif", .document = make_document(asked, &error), .show = show};

    return request.document ? call_once(&asked->call, command, &request)
                            : options_fail(command, &error);
}

int verb_whatif(int argc, char **argv)
{
    struct asked asked = {.call = CALL_DEFAULT};
    const struct option_spec options[] = {
        OPTION_WHOLE("add-nodes", "COUNT", &asked.add_nodes, 0, 4096,
                     "if there were so many nodes more"),
        OPTION_TEXT("remove-node", "NODE", &asked.remove_node, "if this node were gone"),
        OPTION_WHOLE("job", "JOB", &asked.job, 0, UINT32_MAX,
                     "if this job had the deadline of --deadline"),
        OPTION_TEXT("deadline", "TIME", &asked.deadline, DEADLINE_HELP),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato whatif",
        .summary = "Say which promises would stand if something were different",
        .text = "Asks the service's own planner, on a copy of its state; nothing is changed.",
        .options = options,
    };
    int status;

    if (call_parse(&asked.call, &command, argc, argv, NULL, &status) == 0)
        status = ask(&command, &asked);
    return status;
}
