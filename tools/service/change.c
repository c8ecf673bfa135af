/* change.c - `rubato change`: another deadline for jobs, if it can be promised. */
#include "tools/service/job_options.h"
#include "tools/service/verdict.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>

struct asked {
    struct call call;
    const char *deadline;
    const char *promise_or_decline;
};

static json_t *make_document(const struct asked *asked, struct error *error)
{
    json_t *document = json_object();

    if (asked->promise_or_decline)
        json_object_set_new(document, "promise_or_decline",
                            json_boolean(!strcmp(asked->promise_or_decline, "true")));
    if (asked->deadline && job_options_add_deadline(document, asked->deadline, error) < 0) {
        (void)error_prefix(error, "--deadline");
        json_decref(document);
        return NULL;
    }
    if (json_object_size(document) > 0)
        return document;
    (void)error_set(error, "expected --deadline, --promise-or-decline or both");
    json_decref(document);
    return NULL;
}

static int change(const struct command *command, const struct asked *asked,
                  const struct operands *jobs)
{
    struct error error;
    struct request request = {
        .verb = "change", .document = make_document(asked, &error), .show = verdict_show};

    return request.document ? call_each(&asked->call, command, &request, jobs, "job", true)
                            : options_fail(command, &error);
}

int verb_change(int argc, char **argv)
{
    static const char *const answers[] = {"true", "false", NULL};
    struct asked asked = {.call = CALL_DEFAULT};
    const struct option_spec options[] = {
        OPTION_TEXT("deadline", "TIME", &asked.deadline, DEADLINE_HELP),
        OPTION_CHOICE("promise-or-decline", "BOOL", &asked.promise_or_decline, answers,
                      "whether it is to be declined should its promise be withdrawn"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato change",
        .summary = "Change the deadline of jobs",
        .operands = "JOB...",
        .text = "A deadline that would not be promised changes nothing: what was promised stays.",
        .options = options,
    };
    struct operands jobs = {NULL, 0};
    int status;

    if (call_parse(&command, argc, argv, &jobs, &status) == 0)
        status = change(&command, &asked, &jobs);
    free(jobs.items);
    return status;
}
