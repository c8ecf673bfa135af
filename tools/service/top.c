/* top.c - `rubato top`: the cluster and its live jobs, drawn again every second. */
#include "common/memory.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/jobs.h"
#include "tools/service/moment.h"
#include "tools/service/states.h"
#include "tools/service/status.h"
#include "tools/service/terminal.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdlib.h>

#define REDRAW_MS 1000

struct top {
    struct call call;
    const struct command *command;
    service_client_t *client;
    FILE *out; /* stream into which the next picture is drawn */
    bool colours;
    size_t jobs_max;
};

static struct page page_of(const struct top *self, const char *verb)
{
    return (struct page){self->out, self->colours, verb};
}

/* ---- parts of the picture, one for each answer ---- */

static int show_status(const struct call_request *request, const struct answer *answer,
                       struct error *error)
{
    const struct top *self = request->argument;
    struct fields fields = fields_of(request->verb, answer->object);
    const int64_t now = fields_time(&fields, "now");
    const int64_t used = fields_whole(&fields, "gpus_used");
    const int64_t up = fields_whole(&fields, "gpus_up");
    const int64_t running = fields_whole(&fields, "running");
    const int64_t waiting = fields_whole(&fields, "waiting");
    const int64_t promised = fields_whole(&fields, "promised");
    char moment[MOMENT_BYTES];

    if (fields_close(&fields, error) < 0)
        return -1;
    (void)fprintf(self->out,
                  "%s  %" PRId64 " of %" PRId64 " GPUs used, %" PRId64 " jobs run, %" PRId64
                  " wait, %" PRId64 " promised\n\n",
                  moment_print(now, moment), used, up, running, waiting, promised);
    return 0;
}

static int show_nodes(const struct call_request *request, const struct answer *answer,
                      struct error *error)
{
    const struct top *self = request->argument;
    const struct page page = page_of(self, request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *nodes = fields_list(&fields, "nodes");

    if (fields_close(&fields, error) < 0 || table_print(&page, status_nodes, nodes, error) < 0)
        return -1;
    (void)fputc('\n', self->out);
    return 0;
}

static int show_jobs(const struct call_request *request, const struct answer *answer,
                     struct error *error)
{
    const struct top *self = request->argument;
    const struct page page = page_of(self, request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *jobs = fields_list(&fields, "jobs");

    return fields_close(&fields, error) < 0 ? -1 : table_print(&page, jobs_listed, jobs, error);
}

/* ---- the picture ---- */

static const struct {
    const char *verb;
    call_show *show;
} parts[] = {
    {"status", show_status},
    {"nodes", show_nodes},
    {"list", show_jobs},
};

static json_t *document_of(const struct top *self, call_show *show)
{
    json_t *document = json_object();
    struct error error;

    if (show == show_jobs) {
        (void)states_add(document, STATES_DEFAULT, &error);
        json_object_set_new(document, "limit", json_integer((json_int_t)self->jobs_max));
    }
    return document;
}

/* Draws the picture. Returns the first exit status that is not 0. */
static int draw(struct top *self)
{
    int status = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && status == 0; i++) {
        struct call_request request = {.verb = parts[i].verb,
                                       .document = document_of(self, parts[i].show),
                                       .show = parts[i].show,
                                       .argument = self};

        status = call_ask(&self->call, self->command, self->client, &request);
    }
    return status;
}

static int redraw(struct top *self)
{
    char *text = NULL;
    size_t size = 0;
    int status;

    self->out = open_memstream(&text, &size);
    if (!self->out)
        memory_out();
    status = draw(self);
    (void)fclose(self->out);
    if (status == 0)
        terminal_show(text);
    free(text);
    return status;
}

/* ---- the verb ---- */

static int watch(struct top *self)
{
    struct error error;
    int status;

    if (terminal_open(&error) < 0)
        return options_fail(self->command, &error);
    self->call.before_error = terminal_close;
    do
        status = redraw(self);
    while (status == 0 && terminal_wait(REDRAW_MS));
    terminal_close();
    return status;
}

static int run(struct top *self)
{
    const bool is_terminal = terminal_is_there() && !self->call.json;
    int status;

    self->client = call_open(&self->call, self->command);
    if (!self->client)
        return ANSWER_FAILED;
    self->out = stdout;
    self->colours = page_on_stdout("").colours;
    status = is_terminal ? watch(self) : draw(self);
    client_destroy(&self->client);
    return status;
}

int verb_top(int argc, char **argv)
{
    struct top top = {.call = CALL_DEFAULT, .jobs_max = 100};
    const struct option_spec options[] = {OPTIONS_OF_CALL(&top.call), OPTION_END};
    const struct command command = {
        .name = "rubato top",
        .summary = "Watch the cluster and its jobs",
        .text = "Draws them anew every second until q is pressed; once, if standard output is no "
                "terminal.",
        .options = options,
    };
    int status;

    top.command = &command;
    if (call_parse(&top.call, &command, argc, argv, NULL, &status) == 0)
        status = run(&top);
    return status;
}
