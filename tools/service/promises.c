/* promises.c - `rubato promises`: the outcomes of promises, of the running service or of a result
 * folder. */
#include "tools/service/promises.h"

#include "common/json_text.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/table.h"
#include "tools/verbs.h"

#include <stdlib.h>

#define SCHEMA_VERSION 1

/* clang-format off */
#define MEMBERS_OF_ENDS                                                                            \
    {"KEPT", "kept", MEMBER_WHOLE}, {"LATE", "late", MEMBER_WHOLE},                                \
    {"FAILED", "failed", MEMBER_WHOLE}, {"CANCELLED", "cancelled", MEMBER_WHOLE},                  \
    {"ENDED EARLY", "ended_early", MEMBER_WHOLE}, {"OPEN", "open", MEMBER_WHOLE}
#define MEMBERS_OF_GROUP                                                                           \
    {"PROMISED", "promised", MEMBER_WHOLE}, MEMBERS_OF_ENDS,                                       \
    {"WITHDRAWN", "withdrawn", MEMBER_WHOLE}, {"WITHDRAWALS", "withdrawals", MEMBER_WHOLE},        \
    {"FELL", "fell", MEMBER_WHOLE}, {"FALLS", "falls", MEMBER_WHOLE},                              \
    {"AT RISK", "at_risk", MEMBER_WHOLE}, {"AND KEPT", "at_risk_kept", MEMBER_WHOLE},              \
    {"LEAST SLACK", "slack_least_s", MEMBER_SECONDS},                                              \
    {"MEDIAN SLACK", "slack_median_s", MEMBER_SECONDS}, {NULL, NULL, MEMBER_TEXT}
/* clang-format on */

static const struct member all_listed[] = {MEMBERS_OF_GROUP};
static const struct member weeks_listed[] = {{"WEEK", "week", MEMBER_TEXT}, MEMBERS_OF_GROUP};
static const struct member users_listed[] = {{"USER", "user", MEMBER_TEXT}, MEMBERS_OF_GROUP};
static const struct member causes_listed[] = {
    {"WITHDRAWN FOR", "cause", MEMBER_TEXT},
    {"WITHDRAWALS", "withdrawals", MEMBER_WHOLE},
    {"JOBS", "withdrawn", MEMBER_WHOLE},
    MEMBERS_OF_ENDS,
    {NULL, NULL, MEMBER_TEXT},
};

/* Prints an empty line and a table, or nothing if the list is empty. */
static int print_part(const struct page *page, const struct member members[], const json_t *list,
                      struct error *error)
{
    if (json_array_size(list) == 0)
        return 0;
    (void)fputc('\n', page->out);
    return table_print(page, members, list, error);
}

static int print(const struct page *page, const json_t *told, struct error *error)
{
    struct fields fields = fields_of(page->verb, told);
    const json_t *weeks = fields_list(&fields, "weeks");
    const json_t *users = fields_list(&fields, "users");
    const json_t *causes = fields_list(&fields, "causes");
    json_t *all = json_pack("[O?]", json_object_get(told, "all"));
    int status = fields_close(&fields, error);

    if (status == 0 && (table_print(page, all_listed, all, error) < 0 ||
                        print_part(page, weeks_listed, weeks, error) < 0 ||
                        print_part(page, users_listed, users, error) < 0 ||
                        print_part(page, causes_listed, causes, error) < 0))
        status = -1;
    json_decref(all);
    return status;
}

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    const struct page page = page_on_stdout(request->verb);

    return print(&page, answer->object, error);
}

static int show_folder(const struct command *command, const struct operands *folders, bool json)
{
    const struct page page = page_on_stdout("promises");
    struct error error;
    json_t *told = NULL;
    int status;

    if (folders->count > 1)
        (void)error_set(&error, "expected one folder of results, found %zu words", folders->count);
    else
        told = promises_of_folder(folders->items[0], &error);
    if (!told)
        return options_fail(command, &error);
    json_object_set_new(told, "schema_version", json_integer(SCHEMA_VERSION));
    status = json ? json_print(told) : print(&page, told, &error);
    json_decref(told);
    return status < 0 ? options_fail(command, &error) : status;
}

int verb_promises(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato promises",
        .summary = "Count promises that were kept, late or withdrawn",
        .operands = "[DIR]",
        .text = "Of the service that runs, or of the run whose results are in DIR: of all, by the "
                "week in which they are due, by user, and by the cause of withdrawals; and how "
                "often promises fell to a later step of a soft deadline. Slack is the time from "
                "the end of a job to its deadline.",
        .options = options,
    };
    struct call_request request = {.verb = "promises", .document = NULL, .show = show};
    struct operands folders = {NULL, 0};
    int status;

    if (call_parse(&call, &command, argc, argv, &folders, &status) == 0) {
        request.document = folders.count == 0 ? json_object() : NULL;
        status = folders.count == 0 ? call_once(&call, &command, &request)
                                    : show_folder(&command, &folders, call.json);
    }
    free(folders.items);
    return status;
}
