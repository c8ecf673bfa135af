/* call.c - see call.h. */
#include "tools/service/call.h"

#include "common/json_text.h"
#include "common/number.h"
#include "common/output.h"
#include "tools/service/answer.h"

#include <stdlib.h>
#include <string.h>

#define JOB_MAX INT64_C(4294967295)

int call_check(const struct call *self, struct error *error)
{
    if (self->client.service && !self->client.keys)
        return error_set(error, "--service: a service over TCP needs --keys");
    if (!self->client.service && self->client.keys)
        return error_set(error,
                         "--keys: the keys are for a service over TCP, and --service is missing");
    return 0;
}

int call_parse(const struct call *self, const struct command *command, int argc, char **argv,
               struct operands *operands, int *status)
{
    struct error error;
    int parsed = options_parse(command, argc, argv, operands, &error);

    if (parsed == 0)
        parsed = call_check(self, &error);
    *status = parsed < 0 ? options_fail(command, &error) : 0;
    return parsed == 0 ? 0 : -1;
}

json_t *call_text(const char *option, const char *text, struct error *error)
{
    json_t *value = json_string(text);

    if (!value)
        (void)error_set(error, "%s: \"%s\" is not UTF-8", option, text);
    return value;
}

int call_job_number(const char *text, int64_t *job, struct error *error)
{
    return number_parse_whole(text, strlen(text), 1, JOB_MAX, job) == NUMBER_OK
               ? 0
               : error_set(error, "expected the number of a job, found \"%s\"", text);
}

static int tell(const struct call *self, const struct command *command, const struct error *error,
                int status)
{
    if (self->before_error)
        self->before_error();
    (void)options_fail(command, error);
    return status;
}

service_client_t *call_open(const struct call *self, const struct command *command)
{
    struct error error;
    service_client_t *client = client_new(&self->client, &error);

    if (!client)
        (void)tell(self, command, &error, ANSWER_FAILED);
    return client;
}

/* Prints the sentence of an answer with "error". Returns the exit status. */
static int complain(const struct call *self, const struct command *command, const char *verb,
                    const struct answer *answer)
{
    struct fields fields = fields_of(verb, answer->object);
    struct error error;

    (void)error_set(&error, "%s", fields_text(&fields, "error"));
    return tell(self, command, &error,
                fields_close(&fields, &error) < 0 ? ANSWER_FAILED : (int)answer->code);
}

/* Tells on stderr that an order was carried out, if its answer cannot be printed. The end of the
 * program reports the full standard output itself and sets the exit status. */
static void tell_unshown(const struct command *command, const struct answer *answer)
{
    static const char done[] = "the service has done what was asked; its answer cannot be printed";
    const json_t *job = json_object_get(answer->object, "job");

    if (output_flush_stdout() == 0 || json_is_null(job))
        return;
    if (job)
        (void)fprintf(stderr, "%s: job %" JSON_INTEGER_FORMAT ": %s\n", command->name,
                      json_integer_value(job), done);
    else
        (void)fprintf(stderr, "%s: %s\n", command->name, done);
}

static int show(const struct call *self, const struct command *command,
                const struct call_request *request, const struct answer *answer)
{
    const bool is_error = json_object_get(answer->object, "error") != NULL;
    struct error error;

    if (self->json)
        (void)json_print(answer->object);
    else if (!is_error && request->show(request, answer, &error) < 0)
        return tell(self, command, &error, ANSWER_FAILED);
    if (request->is_order && !is_error)
        tell_unshown(command, answer);
    return !is_error ? (int)answer->code : complain(self, command, request->verb, answer);
}

int call_ask(const struct call *self, const struct command *command, service_client_t *client,
             struct call_request *request)
{
    struct answer answer;
    struct error error;
    int status;

    if (client_ask(client, request->verb, request->document, &answer, &error) < 0) {
        status = tell(self, command, &error, ANSWER_FAILED);
    } else {
        status = show(self, command, request, &answer);
        json_decref(answer.object);
    }
    json_decref(request->document);
    request->document = NULL;
    return status;
}

int call_once(const struct call *self, const struct command *command, struct call_request *request)
{
    service_client_t *client = call_open(self, command);
    int status = ANSWER_FAILED;

    if (client)
        status = call_ask(self, command, client, request);
    else
        json_decref(request->document);
    client_destroy(&client);
    return status;
}

/* ---- one request for each operand ---- */

static json_t *operand_value(const char *member, const char *text, bool is_job, struct error *error)
{
    int64_t job;

    if (!is_job)
        return call_text(member, text, error);
    return call_job_number(text, &job, error) < 0 ? NULL : json_integer(job);
}

/* Reads all operands before the first request, so that a mistake in one of them prevents all
 * requests. */
static json_t *read_operands(const struct command *command, const struct operands *operands,
                             const char *member, bool is_job)
{
    json_t *values = json_array();
    struct error error;

    (void)error_set(&error, "expected %s", command->operands);
    for (size_t i = 0; i < operands->count; i++) {
        json_t *value = operand_value(member, operands->items[i], is_job, &error);

        if (json_array_append_new(values, value) < 0)
            break;
    }
    if (operands->count > 0 && json_array_size(values) == operands->count)
        return values;
    (void)options_fail(command, &error);
    json_decref(values);
    return NULL;
}

int call_each(const struct call *self, const struct command *command, struct call_request *request,
              const struct operands *operands, const char *member, bool is_job)
{
    json_t *values = read_operands(command, operands, member, is_job);
    service_client_t *client = values ? call_open(self, command) : NULL;
    int result = values && !client ? ANSWER_FAILED : 0;
    json_t *value;
    size_t i;

    json_array_foreach(values, i, value)
    {
        struct call_request one = *request;
        int status;

        if (!client)
            break;
        one.document = json_copy(request->document);
        one.operand = operands->items[i];
        json_object_set(one.document, member, value);
        status = call_ask(self, command, client, &one);
        if (result == 0)
            result = status;
    }
    client_destroy(&client);
    json_decref(request->document);
    if (!values)
        return ANSWER_BAD;
    json_decref(values);
    return result;
}
