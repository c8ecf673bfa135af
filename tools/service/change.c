/* change.c - `rubato change`: asks for another deadline of jobs, which the service grants if it can
 * promise it. */
#include "tools/service/job_options.h"
#include "tools/service/verdict.h"
#include "tools/verbs.h"

#include <stdlib.h>

static json_t *make_document(const char *deadline, struct error *error)
{
    json_t *document = json_object();

    if (!deadline)
        (void)error_set(error, "--deadline is missing");
    else if (job_options_add_deadline(document, deadline, error) == 0)
        return document;
    else
        (void)error_prefix(error, "--deadline");
    json_decref(document);
    return NULL;
}

static int change(const struct call *call, const struct command *command, const char *deadline,
                  const struct operands *jobs)
{
    struct error error;
    struct call_request request = {
        .verb = "change",
        .document = make_document(deadline, &error),
        .show = verdict_show,
        .is_order = true,
    };

    return request.document ? call_each(call, command, &request, jobs, "job", true)
                            : options_fail(command, &error);
}

int verb_change(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const char *deadline = NULL;
    const struct option_spec options[] = {
        OPTION_TEXT("deadline", "TIME", &deadline, DEADLINE_HELP "; " STEPS_HELP),
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato change",
        .summary = "Change the deadline of jobs",
        .operands = "JOB...",
        .text =
            "A deadline that would not be promised changes nothing: what was promised stays, and "
            "the earliest deadline that can be promised is named. Of steps the best one that "
            "holds is promised.",
        .options = options,
    };
    struct operands jobs = {NULL, 0};
    int status;

    if (call_parse(&call, &command, argc, argv, &jobs, &status) == 0)
        status = change(&call, &command, deadline, &jobs);
    free(jobs.items);
    return status;
}
