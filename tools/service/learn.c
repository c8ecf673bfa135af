/* learn.c - `rubato learn`: how fast a model trains, for jobs that come later. */
#include "tools/service/answer.h"

#include "common/plural.h"
#include "tools/service/call.h"
#include "tools/service/job_options.h"
#include "tools/verbs.h"

#include <inttypes.h>

static int show(const struct request *request, const struct answer *answer, struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const int64_t levels = fields_whole(&fields, "levels");

    if (fields_close(&fields, error) < 0)
        return -1;
    printf("the model is known now, with %" PRId64 " number%s of GPUs\n", levels, PLURAL(levels));
    return 0;
}

static int learn(const struct call *call, const struct command *command,
                 const struct job_options *job)
{
    struct error error = {.text = "--model and --rate: both are needed"};
    struct request request = {.verb = "learn", .show = show};

    if (job->model && job->rates.count > 0)
        request.document =
            json_pack("{s:s, s:I}", "model", job->model, "batch_size", (json_int_t)job->batch_size);
    if (!request.document || job_options_add_list(request.document, "rates", job->rates.items,
                                                  job->rates.count, &error) < 0) {
        json_decref(request.document);
        return options_fail(command, &error);
    }
    return call_once(call, command, &request);
}

int verb_learn(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    struct job_options job = {.batch_size = 64};
    const struct option_spec options[] = {
        OPTION_TEXT("model", "MODEL", &job.model, "what to call it"),
        OPTION_WHOLE("batch-size", "SAMPLES", &job.batch_size, 1, 100000000,
                     "global batch size at which it is so fast"),
        OPTION_LIST("rate", "GPUS:RATE", &job.rates, RATE_HELP),
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato learn",
        .summary = "Tell the service how fast a model trains",
        .text = "Jobs of that model and batch size that come later are planned by it, where no "
                "table knows them.",
        .options = options,
    };
    int status;

    if (call_parse(&call, &command, argc, argv, NULL, &status) == 0)
        status = learn(&call, &command, &job);
    return status;
}
