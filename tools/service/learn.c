/* learn.c - `rubato learn`: tells the service how fast a model trains, for later jobs. */
#include "tools/service/answer.h"

#include "common/plural.h"
#include "tools/service/call.h"
#include "tools/service/job_options.h"
#include "tools/verbs.h"

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const size_t levels = json_array_size(fields_list(&fields, "rates"));
    const bool of_all = !fields_has(&fields, "owner");
    const bool used = fields_switch(&fields, "used");

    if (fields_close(&fields, error) < 0)
        return -1;
    printf("the model is known now, with %zu number%s of GPUs, for %s\n", levels, PLURAL(levels),
           of_all ? "jobs of all users" : "jobs of this user");
    if (!used)
        (void)fprintf(stderr, "jobs of this user are planned by a table or a profile that comes "
                              "before this one: see `rubato profiles`\n");
    return 0;
}

/* The numbers of the jobs; NULL with `error`. */
static json_t *read_jobs(const struct option_list *jobs, struct error *error)
{
    json_t *numbers = json_array();

    for (size_t i = 0; i < jobs->count; i++) {
        int64_t job;

        if (call_job_number(jobs->items[i], &job, error) < 0) {
            json_decref(numbers);
            return NULL;
        }
        json_array_append_new(numbers, json_integer(job));
    }
    return numbers;
}

/* The document of the request. NULL with `error`. */
static json_t *make_document(const struct job_options *job, const struct option_list *jobs,
                             struct error *error)
{
    json_t *document = json_pack("{s:I}", "batch_size", (json_int_t)job->said.batch_size);
    int result =
        json_object_set_new(document, "model", call_text("--model", job->said.model, error));

    if (result == 0 && jobs->count > 0)
        result = json_object_set_new(document, "jobs", read_jobs(jobs, error));
    if (result == 0)
        result = job_options_add_list(document, "rates", job->rates.items, job->rates.count, error);
    if (result == 0)
        return document;
    json_decref(document);
    return NULL;
}

static int learn(const struct call *call, const struct command *command,
                 const struct job_options *job, const struct option_list *jobs)
{
    struct error error = {.text = "--model and --rate, or --model and --job: both are needed"};
    struct call_request request = {.verb = "learn", .show = show, .is_order = true};

    if (job->said.model && (job->rates.count > 0) != (jobs->count > 0))
        request.document = make_document(job, jobs, &error);
    return request.document ? call_once(call, command, &request) : options_fail(command, &error);
}

int verb_learn(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    struct job_options job = {.said = {.batch_size = 64}};
    struct option_list jobs = {.count = 0};
    const struct option_spec options[] = {
        OPTION_TEXT("model", "MODEL", &job.said.model, "what to call it"),
        OPTION_WHOLE("batch-size", "SAMPLES", &job.said.batch_size, 1, 100000000,
                     "global batch size at which it is so fast"),
        OPTION_LIST("rate", "GPUS:RATE", &job.rates, RATE_HELP),
        OPTION_LIST("job", "JOB", &jobs,
                    "a job of that model and batch size whose trainers said how fast they are, in "
                    "the place of --rate; once for each job"),
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato learn",
        .summary = "Tell the service how fast a model trains",
        .text = "Jobs of that model and batch size that come later are planned by it, where no "
                "table knows them: those of this user, or, where an operator says so, those of "
                "all. Rates of --rate are claimed, those of --job are measured and come before "
                "claimed ones.",
        .options = options,
    };
    int status;

    if (call_parse(&call, &command, argc, argv, NULL, &status) == 0)
        status = learn(&call, &command, &job, &jobs);
    return status;
}
