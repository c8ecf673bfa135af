/* submit.c - `rubato submit`: submits a job and prints the verdict on its deadline. */
#include "tools/service/job_options.h"
#include "tools/service/verdict.h"
#include "tools/verbs.h"

#include <stdlib.h>

static int submit(const struct call *call, const struct command *command,
                  const struct job_options *job, const struct operands *words)
{
    struct error error;
    struct call_request request = {
        .verb = "submit",
        .document = job_options_document(job, words->items, words->count, &error),
        .show = verdict_show,
        .is_order = true,
    };

    return request.document ? call_once(call, command, &request) : options_fail(command, &error);
}

int verb_submit(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    struct job_options job = {0};
    const struct option_spec options[] = {
        OPTION_TABLE(job_options_table(&job)),
        OPTION_WHOLE("hold", "QUOTE", &job.said.hold, 0, UINT32_MAX,
                     "take the quote that `rubato quote --hold` named: the job has its options, "
                     "those that are given otherwise aside, and its deadline is promised; 0: none"),
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato submit",
        .summary = "Submit a job to the service",
        .operands = "[-- COMMAND...]",
        .text = "Says whether the deadline is promised; if it is not, why, and which is the "
                "earliest one that would be. Each GPU of the job runs COMMAND, as "
                "rubato-launch(7) has it; without one the worker runs its own program or emulates "
                "training.",
        .options = options,
    };
    struct operands words = {NULL, 0};
    int status;

    if (call_parse(&call, &command, argc, argv, &words, &status) == 0)
        status = submit(&call, &command, &job, &words);
    free(words.items);
    return status;
}
