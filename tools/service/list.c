/* list.c - `rubato list`: the jobs of the service, one on each line. */
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/jobs.h"
#include "tools/service/states.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdlib.h>

struct asked {
    struct call call;
    const char *states;
    const char *user;
    int64_t after;
    int64_t limit;
};

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *jobs = fields_list(&fields, "jobs");
    const int64_t total = fields_whole(&fields, "total");
    const int64_t next = fields_has(&fields, "next") ? fields_whole(&fields, "next") : 0;

    if (fields_close(&fields, error) < 0 || table_print(&page, jobs_listed, jobs, error) < 0)
        return -1;
    if (next > 0)
        (void)fprintf(stderr, "%zu of %" PRId64 " jobs; --after=%" PRId64 " goes on\n",
                      json_array_size(jobs), total, next);
    return 0;
}

static int add_user(json_t *document, const char *user, struct error *error)
{
    return user ? json_object_set_new(document, "user", call_text("--user", user, error)) : 0;
}

static json_t *make_document(const struct asked *asked, struct error *error)
{
    json_t *document = json_pack("{s:I}", "limit", (json_int_t)asked->limit);

    if (asked->after > 0)
        json_object_set_new(document, "after", json_integer(asked->after));
    if (add_user(document, asked->user, error) == 0 &&
        states_add(document, asked->states, error) == 0)
        return document;
    json_decref(document);
    return NULL;
}

static int list(const struct command *command, const struct asked *asked)
{
    struct error error;
    struct call_request request = {
        .verb = "list", .document = make_document(asked, &error), .show = show};

    return request.document ? call_once(&asked->call, command, &request)
                            : options_fail(command, &error);
}

int verb_list(int argc, char **argv)
{
    struct asked asked = {.call = CALL_DEFAULT, .states = STATES_DEFAULT, .limit = 100};
    const struct option_spec options[] = {
        OPTION_WORDS("state", "STATES", &asked.states, states_words, STATES_HELP),
        OPTION_TEXT("user", "USER", &asked.user, "only jobs of this user"),
        OPTION_WHOLE("after", "JOB", &asked.after, 0, INT32_MAX,
                     "only jobs with larger numbers, 0 for all"),
        OPTION_WHOLE("limit", "COUNT", &asked.limit, 1, 1000, "at most so many"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato list", .summary = "List the jobs of the service", .options = options};
    int status;

    if (call_parse(&asked.call, &command, argc, argv, NULL, &status) == 0)
        status = list(&command, &asked);
    return status;
}
