/* reserve.c - `rubato reserve` and `rubato reservations`: nodes that jobs do not use for a time. */
#include "tools/service/answer.h"

#include "common/input.h"
#include "tools/service/call.h"
#include "tools/service/moment.h"
#include "tools/service/table.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const periods[] = {"day", "week", NULL};

static const struct member reservations_listed[] = {
    {"RESERVATION", "reservation", MEMBER_WHOLE},
    {"STATE", "state", MEMBER_STATE},
    {"FROM", "from", MEMBER_TIME},
    {"TO", "to", MEMBER_TIME},
    {"EVERY", "every", MEMBER_TEXT},
    {"NODES", "nodes", MEMBER_WORDS},
    {"BY", "by", MEMBER_TEXT},
    {NULL, NULL, MEMBER_TEXT},
};

struct reserving {
    struct call call;
    const char *nodes;
    int64_t gpus;
    const char *from;
    const char *to;
    const char *every;
    bool force;
    int64_t cancel;
};

/* ---- the request ---- */

/* Adds the names between commas as "nodes". -1 with `error`. */
static int add_nodes(json_t *document, const char *list, struct error *error)
{
    json_t *nodes = json_array();

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        json_t *node = json_stringn(at, size);

        if (size == 0 || !node) {
            json_decref(node);
            json_decref(nodes);
            return error_set(error, size == 0 ? "--nodes: expected names with commas between them"
                                              : "--nodes: a name is not UTF-8");
        }
        json_array_append_new(nodes, node);
    }
    return json_object_set_new(document, "nodes", nodes);
}

/* Adds a time as the member `at`, or as `in` if it counts from now on. -1, with `error`, if `text`
 * is no time. */
static int add_time(json_t *document, const char *option, const char *text, const char *at,
                    const char *in, struct error *error)
{
    struct deadline time;

    if (!text)
        return error_set(error, "%s is missing", option);
    if (deadline_parse(text, &time, error) < 0)
        return error_prefix(error, option);
    if (time.kind == DEADLINE_NONE)
        return error_set(error, "%s: expected a time", option);
    return json_object_set_new(document, time.kind == DEADLINE_IN ? in : at, json_integer(time.s));
}

static int fill_document(json_t *document, const struct reserving *asked, struct error *error)
{
    if ((asked->nodes != NULL) == (asked->gpus > 0))
        return error_set(error, "expected --nodes or --gpus, or --cancel");
    if (add_time(document, "--from", asked->from, "from", "from_in", error) < 0 ||
        add_time(document, "--to", asked->to, "to", "to_in", error) < 0)
        return -1;
    if (asked->every)
        json_object_set_new(document, "every", json_string(asked->every));
    if (asked->force)
        json_object_set_new(document, "force", json_true());
    if (asked->nodes)
        return add_nodes(document, asked->nodes, error);
    return json_object_set_new(document, "gpus", json_integer(asked->gpus));
}

static json_t *make_document(const struct reserving *asked, struct error *error)
{
    json_t *document = json_object();

    if (fill_document(document, asked, error) == 0)
        return document;
    json_decref(document);
    return NULL;
}

/* ---- the answer ---- */

/* Prints "reservation 3 of a b, from 2026-12-01 06:00:00 to 2026-12-01 08:00:00, every day". */
static int show_made(const struct call_request *request, const struct answer *answer,
                     struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const int64_t number = fields_whole(&fields, "reservation");
    const json_t *nodes = fields_list(&fields, "nodes");
    const int64_t from = fields_time(&fields, "from");
    const int64_t to = fields_time(&fields, "to");
    const char *every = fields_text_or_null(&fields, "every");
    char begins[MOMENT_BYTES];
    char ends[MOMENT_BYTES];
    char shown[300];

    if (fields_close(&fields, error) < 0)
        return -1;
    printf("reservation %" PRId64 " of", number);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const char *name = json_string_value(json_array_get(nodes, i));

        name = name ? name : "";
        (void)input_printable(shown, sizeof(shown), name, strlen(name));
        printf(" %s", shown);
    }
    printf(", from %s to %s", moment_print(from, begins), moment_print(to, ends));
    if (every) {
        (void)input_printable(shown, sizeof(shown), every, strlen(every));
        printf(", every %s", shown);
    }
    printf("\n");
    return 0;
}

static int show_cancelled(const struct call_request *request, const struct answer *answer,
                          struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);

    (void)fields_list(&fields, "reservations");
    if (fields_close(&fields, error) < 0)
        return -1;
    printf("reservation %" PRId64 " is cancelled\n", *(const int64_t *)request->argument);
    return 0;
}

static int show_list(const struct call_request *request, const struct answer *answer,
                     struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *reservations = fields_list(&fields, "reservations");

    return fields_close(&fields, error) < 0
               ? -1
               : table_print(&page, reservations_listed, reservations, error);
}

/* ---- the verbs ---- */

static int cancel(const struct command *command, const struct reserving *asked)
{
    struct call_request request = {
        .verb = "unreserve",
        .document = json_pack("{s:I}", "reservation", (json_int_t)asked->cancel),
        .show = show_cancelled,
        .is_order = true,
        .argument = &asked->cancel,
    };

    return call_once(&asked->call, command, &request);
}

static int reserve(const struct command *command, const struct reserving *asked)
{
    struct error error;
    struct call_request request = {
        .verb = "reserve",
        .document = make_document(asked, &error),
        .show = show_made,
        .is_order = true,
    };

    return request.document ? call_once(&asked->call, command, &request)
                            : options_fail(command, &error);
}

int verb_reserve(int argc, char **argv)
{
    struct reserving asked = {.call = CALL_DEFAULT};
    const struct option_spec options[] = {
        OPTION_TEXT("nodes", "LIST", &asked.nodes, "these nodes: names with commas between them"),
        OPTION_WHOLE("gpus", "GPUS", &asked.gpus, 0, INT32_MAX,
                     "nodes with so many GPUs, those with the fewest in use now"),
        OPTION_TEXT("from", "TIME", &asked.from, "when it begins, written as a deadline is"),
        OPTION_TEXT("to", "TIME", &asked.to, "when it ends, likewise"),
        OPTION_CHOICE("every", "PERIOD", &asked.every, periods,
                      "again at this time of each day or week"),
        OPTION_SWITCH("force", &asked.force, "reserve whatever promises that breaks"),
        OPTION_WHOLE("cancel", "RESERVATION", &asked.cancel, 0, UINT32_MAX,
                     "give the nodes of this reservation back to jobs"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato reserve",
        .summary = "Keep jobs off nodes for a time",
        .text = "Jobs use the nodes up to the beginning, leave then with their state saved, and "
                "may come back after the end. What is promised is planned around it: where a "
                "promise would be broken nothing is done, unless --force says so.",
        .options = options,
    };
    int status;

    if (call_parse(&asked.call, &command, argc, argv, NULL, &status) == 0)
        status = asked.cancel > 0 ? cancel(&command, &asked) : reserve(&command, &asked);
    return status;
}

int verb_reservations(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {OPTIONS_OF_CALL(&call), OPTION_END};
    const struct command command = {.name = "rubato reservations",
                                    .summary = "List the reservations of nodes",
                                    .options = options};
    struct call_request request = {
        .verb = "reservations", .document = json_object(), .show = show_list};
    int status;

    if (call_parse(&call, &command, argc, argv, NULL, &status) == 0)
        return call_once(&call, &command, &request);
    json_decref(request.document);
    return status;
}
