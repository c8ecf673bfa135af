/* status.c - `rubato status` and `rubato nodes`: the service and its cluster. */
#include "tools/service/status.h"

#include "common/plural.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/moment.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>

const struct member status_members[] = {
    {"service", "service", MEMBER_TEXT},
    {"version", "version", MEMBER_TEXT},
    {"policy", "policy", MEMBER_TEXT},
    {"slot", "slot_s", MEMBER_SECONDS},
    {"you are", "user", MEMBER_TEXT},
    {"you may", "role", MEMBER_TEXT},
    {"started", "started", MEMBER_TIME},
    {"now", "now", MEMBER_TIME},
    {"master", "master", MEMBER_TEXT},
    {"GPUs", "gpus", MEMBER_WHOLE},
    {"GPUs up", "gpus_up", MEMBER_WHOLE},
    {"GPUs used", "gpus_used", MEMBER_WHOLE},
    {"jobs", "jobs", MEMBER_WHOLE},
    {"live", "live", MEMBER_WHOLE},
    {"running", "running", MEMBER_WHOLE},
    {"waiting", "waiting", MEMBER_WHOLE},
    {"promised", "promised", MEMBER_WHOLE},
    {"promises kept", "promises_kept", MEMBER_WHOLE},
    {"promises broken", "promises_broken", MEMBER_WHOLE},
    {"promises withdrawn", "promises_withdrawn", MEMBER_WHOLE},
    {"withdrawals", "promise_withdrawals", MEMBER_WHOLE},
    {"ended early", "ended_early", MEMBER_WHOLE},
    {"node failures", "node_failures", MEMBER_WHOLE},
    {"node hours", "node_hours", MEMBER_HOURS},
    {"a node fails each", "node_mtbf_s", MEMBER_SECONDS},
    {"steps", "steps", MEMBER_WHOLE},
    {"state hash", "state_hash", MEMBER_TEXT},
    {NULL, NULL, MEMBER_TEXT},
};

const struct member status_nodes[] = {
    {"NODE", "node", MEMBER_WHOLE},   {"NAME", "name", MEMBER_TEXT},
    {"STATE", "state", MEMBER_STATE}, {"TYPE", "gpu_type", MEMBER_TEXT},
    {"GPUS", "gpus", MEMBER_WHOLE},   {"USED", "used", MEMBER_WHOLE},
    {"UNTIL", "until", MEMBER_UNTIL}, {"JOBS", "jobs", MEMBER_WORDS},
    {"CAUSE", "cause", MEMBER_TEXT},  {NULL, NULL, MEMBER_TEXT},
};

static int show_status(const struct call_request *request, const struct answer *answer,
                       struct error *error)
{
    const struct page page = page_on_stdout(request->verb);

    return table_print_object(&page, status_members, answer->object, error);
}

/* A service of an older version has no such members. */
static int print_failures(const char *verb, const json_t *answer, struct error *error)
{
    struct fields fields = fields_of(verb, answer);
    char duration[DURATION_BYTES];
    int64_t count;
    double hours;

    if (!fields_has(&fields, "node_failures"))
        return 0;
    count = fields_whole(&fields, "node_failures");
    hours = fields_real(&fields, "node_hours");
    if (!fields_failed(&fields))
        printf("%" PRId64 " node failure%s seen in %.2f node-hours%s%s\n", count, PLURAL(count),
               hours, fields_has(&fields, "node_mtbf_s") ? "; a node fails each " : "",
               fields_has(&fields, "node_mtbf_s")
                   ? duration_print(fields_whole(&fields, "node_mtbf_s"), duration)
                   : "");
    return fields_close(&fields, error);
}

static int show_nodes(const struct call_request *request, const struct answer *answer,
                      struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *nodes = fields_list(&fields, "nodes");

    if (fields_close(&fields, error) < 0 || table_print(&page, status_nodes, nodes, error) < 0)
        return -1;
    return print_failures(request->verb, answer->object, error);
}

static int ask(const char *name, const char *summary, struct call_request request, int argc,
               char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {OPTIONS_OF_CALL(&call), OPTION_END};
    const struct command command = {.name = name, .summary = summary, .options = options};
    int status;

    if (call_parse(&call, &command, argc, argv, NULL, &status) < 0)
        return status;
    request.document = json_object();
    return call_once(&call, &command, &request);
}

int verb_status(int argc, char **argv)
{
    return ask("rubato status", "Show how the service stands",
               (struct call_request){.verb = "status", .show = show_status}, argc, argv);
}

int verb_nodes(int argc, char **argv)
{
    return ask("rubato nodes", "List the nodes of the cluster",
               (struct call_request){.verb = "nodes", .show = show_nodes}, argc, argv);
}
