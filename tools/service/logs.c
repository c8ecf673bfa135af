/* logs.c - `rubato logs`: the output of a job. */
#include "common/input.h"
#include "common/output.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_S 1 /* between looks at a log that does not grow */

struct asked {
    struct call call;
    int64_t job;
    int64_t rank;
    int64_t offset;
    bool follow;
    bool raw;
};

/* How far the log was read. */
struct reading {
    int64_t offset;
    bool raw;
    bool grew;
    bool over;
    bool broken; /* standard output cannot be written, which the end of the program reports */
};

static int read_piece(const struct call_request *request, const struct answer *answer,
                      struct error *error)
{
    struct reading *reading = (struct reading *)(uintptr_t)request->argument;
    struct fields fields = fields_of(request->verb, answer->object);
    const char *text = fields_text(&fields, "text");
    const int64_t offset = fields_whole(&fields, "offset");

    reading->over = fields_switch(&fields, "over");
    reading->grew = offset > reading->offset;
    reading->offset = offset;
    if (fields_close(&fields, error) < 0)
        return -1;
    if (reading->raw)
        (void)fputs(text, stdout);
    else
        input_show(text, strlen(text), stdout);
    reading->broken = output_flush_stdout() < 0;
    return 0;
}

static int read_on(const struct command *command, const struct asked *asked,
                   service_client_t *client, struct reading *reading)
{
    struct call_request request = {
        .verb = "logs",
        .document = json_pack("{s:I, s:I, s:I}", "job", (json_int_t)asked->job, "rank",
                              (json_int_t)asked->rank, "offset", (json_int_t)reading->offset),
        .show = read_piece,
        .argument = reading,
    };

    reading->grew = false;
    return call_ask(&asked->call, command, client, &request);
}

/* Prints the log. With --json prints one answer only, because a program that reads the answer asks
 * for the next one itself. */
static int read_all(const struct command *command, const struct asked *asked,
                    service_client_t *client)
{
    struct reading reading = {.offset = asked->offset, .raw = asked->raw};
    int status;

    for (;;) {
        status = read_on(command, asked, client, &reading);
        if (status != 0 || asked->call.json || reading.broken)
            return status;
        if (reading.grew)
            continue;
        if (reading.over || !asked->follow)
            return 0;
        (void)sleep(POLL_S);
    }
}

static int find_job(const struct operands *operands, struct asked *asked, struct error *error)
{
    if (operands->count != 1)
        return error_set(error, "expected one job, found %zu", operands->count);
    return call_job_number(operands->items[0], &asked->job, error);
}

static int show_log(const struct command *command, struct asked *asked,
                    const struct operands *operands)
{
    struct error error;
    service_client_t *client;
    int status;

    if (find_job(operands, asked, &error) < 0)
        return options_fail(command, &error);
    asked->call.client.endless = asked->follow;
    client = call_open(&asked->call, command);
    status = client ? read_all(command, asked, client) : ANSWER_FAILED;
    client_destroy(&client);
    return status;
}

int verb_logs(int argc, char **argv)
{
    struct asked asked = {.call = CALL_DEFAULT};
    const struct option_spec options[] = {
        OPTION_LETTER_SWITCH('f', "follow", &asked.follow, "go on until the job is over"),
        OPTION_WHOLE("rank", "RANK", &asked.rank, 0, 65535, "rank whose log is printed"),
        OPTION_WHOLE("offset", "BYTES", &asked.offset, 0, INT64_C(1000000000000),
                     "first byte of the log to print"),
        OPTION_SWITCH("raw", &asked.raw,
                      "print control characters and marks that turn the direction of writing as "
                      "they are, which a terminal obeys"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {.name = "rubato logs",
                                    .summary = "Print what a job wrote",
                                    .operands = "JOB",
                                    .options = options};
    struct operands operands = {NULL, 0};
    int status;

    if (call_parse(&asked.call, &command, argc, argv, &operands, &status) == 0)
        status = show_log(&command, &asked, &operands);
    free(operands.items);
    return status;
}
