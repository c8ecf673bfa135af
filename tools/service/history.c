/* history.c - `rubato history`: the events of the service, one on each line. */
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/table.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct member events_listed[] = {
    {"NUMBER", "number", MEMBER_WHOLE}, {"AT", "at", MEMBER_TIME},     {"JOB", "job", MEMBER_WHOLE},
    {"EVENT", "event", MEMBER_TEXT},    {"TEXT", "text", MEMBER_TEXT}, {NULL, NULL, MEMBER_TEXT},
};

struct asked {
    struct call call;
    int64_t after;
    int64_t limit;
};

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *events = fields_list(&fields, "events");
    const int64_t next = fields_has(&fields, "next") ? fields_whole(&fields, "next") : 0;

    if (fields_close(&fields, error) < 0 || table_print(&page, events_listed, events, error) < 0)
        return -1;
    if (next > 0)
        (void)fprintf(stderr, "there are more; --after=%" PRId64 " goes on\n", next);
    return 0;
}

static int tell(const struct command *command, const struct asked *asked,
                const struct operands *jobs)
{
    struct call_request request = {
        .verb = "history",
        .document = json_pack("{s:I, s:I}", "after", (json_int_t)asked->after, "limit",
                              (json_int_t)asked->limit),
        .show = show,
    };

    return jobs->count == 0 ? call_once(&asked->call, command, &request)
                            : call_each(&asked->call, command, &request, jobs, "job", true);
}

int verb_history(int argc, char **argv)
{
    struct asked asked = {.call = CALL_DEFAULT, .limit = 1000};
    const struct option_spec options[] = {
        OPTION_WHOLE("after", "NUMBER", &asked.after, 0, INT64_C(1000000000000),
                     "only events with larger numbers"),
        OPTION_WHOLE("limit", "COUNT", &asked.limit, 1, 1000, "at most so many"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {.name = "rubato history",
                                    .summary = "Tell what happened to all jobs, or to some",
                                    .operands = "[JOB...]",
                                    .options = options};
    struct operands jobs = {NULL, 0};
    int status;

    if (call_parse(&asked.call, &command, argc, argv, &jobs, &status) == 0)
        status = tell(&command, &asked, &jobs);
    free(jobs.items);
    return status;
}
