/* inquiries.c - verbs that ask about jobs, one after the other: show, wait, explain. */
#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/jobs.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>

struct inquiry {
    struct command command;
    const char *verb;
    bool endless; /* it is answered when it is */
    call_show *show;
};

static int show_job(const struct request *request, const struct answer *answer, struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *events = fields_has(&fields, "events") ? fields_list(&fields, "events") : NULL;

    if (fields_close(&fields, error) < 0 ||
        table_print_object(&page, jobs_shown, answer->object, error) < 0)
        return -1;
    return json_array_size(events) > 0 ? table_print(&page, jobs_events, events, error) : 0;
}

/* "job 17: WORD" of a member. */
static int show_member(const struct request *request, const struct answer *answer,
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

static int show_state(const struct request *request, const struct answer *answer,
                      struct error *error)
{
    return show_member(request, answer, "state", error);
}

static int show_sentence(const struct request *request, const struct answer *answer,
                         struct error *error)
{
    return show_member(request, answer, "sentence", error);
}

static const struct inquiry shown = {
    {"rubato show", "Show all about jobs", "JOB...", NULL, NULL}, "show", false, show_job};

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

static int inquire(const struct inquiry *inquiry, int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {OPTIONS_OF_CALL(&call), OPTION_END};
    struct command command = inquiry->command;
    struct operands operands = {NULL, 0};
    int status;

    command.options = options;
    if (call_parse(&call, &command, argc, argv, &operands, &status) == 0) {
        struct request request = {
            .verb = inquiry->verb, .document = json_object(), .show = inquiry->show};

        call.client.endless = inquiry->endless;
        status = call_each(&call, &command, &request, &operands, "job", true);
    }
    free(operands.items);
    return status;
}

int verb_show(int argc, char **argv)
{
    return inquire(&shown, argc, argv);
}

int verb_wait(int argc, char **argv)
{
    return inquire(&awaited, argc, argv);
}

int verb_explain(int argc, char **argv)
{
    return inquire(&explained, argc, argv);
}
