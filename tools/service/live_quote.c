/* live_quote.c - see live_quote.h. */
#include "tools/service/live_quote.h"

#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/table.h"

#include <stdio.h>
#include <string.h>

static const struct member quotes_listed[] = {
    {"GPUS AT MOST", "gpus", MEMBER_WHOLE},
    {"EARLIEST DEADLINE", "earliest", MEMBER_TIME},
    {"GPU HOURS", "gpu_hours", MEMBER_HOURS},
    {NULL, NULL, MEMBER_TEXT},
};

static int show(const struct request *request, const struct answer *answer, struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *quotes = fields_list(&fields, "quotes");
    const char *denied = fields_text_or_null(&fields, "denied");
    char shown[512];

    if (fields_close(&fields, error) < 0 || table_print(&page, quotes_listed, quotes, error) < 0)
        return -1;
    if (denied) {
        (void)input_printable(shown, sizeof(shown), denied, strlen(denied));
        printf("%s\n", shown);
    }
    return 0;
}

int live_quote_ask(const struct call *call, const struct command *command,
                   const struct live_quote *job)
{
    struct request request = {
        .verb = "quote",
        .show = show,
    };
    struct error error;
    json_t *model = call_text("--model", job->model, &error);

    if (!model)
        return options_fail(command, &error);
    request.document =
        json_pack("{s:o, s:I, s:I}", "model", model, "batch_size", (json_int_t)job->batch_size,
                  "iterations", (json_int_t)job->iterations);
    if (job->gpus_max > 0)
        json_object_set_new(request.document, "gpus_max", json_integer(job->gpus_max));
    return call_once(call, command, &request);
}
