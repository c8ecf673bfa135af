/* orders.c - the verbs that order the service to do one thing with each job or node. */
#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/moment.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>

struct order {
    struct command command;
    const char *verb;
    const char *member; /* member of the request for the operand */
    const char *done;   /* words after the operand if the service has carried out the order */
};

static const struct order cancel = {
    {"rubato cancel", "Cancel jobs", "JOB...",
     "Jobs that run are stopped, and are not begun again. What they wrote stays.", NULL},
    "cancel",
    "job",
    "is cancelled",
};

static const struct order hold = {
    {"rubato hold", "Keep jobs from running", "JOB...",
     "A job that runs is stopped with its state saved. Its deadline stays, but is no longer "
     "promised.",
     NULL},
    "hold",
    "job",
    "is held",
};

static const struct order release = {
    {"rubato release", "Let held jobs run", "JOB...",
     "A job that is released gets its verdict as if it were submitted then.", NULL},
    "release",
    "job",
    "is released",
};

static const struct order drain = {
    {"rubato drain", "Take nodes out of use", "NODE...",
     "Jobs leave the node with their state saved, and no other begins there until `rubato "
     "resume`. With --at the node is in use up to that time, and what is promised is planned "
     "around its end: where a promise would be broken nothing is done, unless --force says so.",
     NULL},
    "drain",
    "node",
    "is taken out of use",
};

static const struct order drain_later = {
    {NULL, NULL, NULL, NULL, NULL},
    "drain",
    "node",
    "is in use until then",
};

static const struct order resume = {
    {"rubato resume", "Take nodes into use again", "NODE...", NULL, NULL},
    "resume",
    "node",
    "is in use",
};

/* Prints the sentence of the answer, or the words of the order if the answer has none. */
static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    const struct order *order = request->argument;
    struct fields fields = fields_of(order->verb, answer->object);
    const char *sentence =
        fields_has(&fields, "sentence") ? fields_text(&fields, "sentence") : NULL;
    char shown[1024];

    if (fields_close(&fields, error) < 0)
        return -1;
    if (sentence) {
        (void)input_printable(shown, sizeof(shown), sentence, strlen(sentence));
        printf("%s %s: %s\n", order->member, request->operand, shown);
    } else {
        printf("%s %s %s\n", order->member, request->operand, order->done);
    }
    return 0;
}

/* Gives the order for each operand. Consumes `document`, the other members of the request. */
static int give_each(const struct order *order, const struct call *call,
                     const struct command *command, json_t *document,
                     const struct operands *operands)
{
    struct call_request request = {
        .verb = order->verb,
        .document = document,
        .show = show,
        .is_order = true,
        .argument = order,
    };

    return call_each(call, command, &request, operands, order->member,
                     !strcmp(order->member, "job"));
}

static int give(const struct order *order, int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {OPTIONS_OF_CALL(&call), OPTION_END};
    struct command command = order->command;
    struct operands operands = {NULL, 0};
    int status;

    command.options = options;
    if (call_parse(&call, &command, argc, argv, &operands, &status) == 0)
        status = give_each(order, &call, &command, json_object(), &operands);
    free(operands.items);
    return status;
}

/* The document of an order to drain, without the nodes. `at` is a time in the form of --deadline.
 * NULL with `error`. */
static json_t *make_drain(const char *at, bool force, struct error *error)
{
    json_t *document = json_object();
    struct deadline time = {DEADLINE_NONE, 0};
    int status = at ? deadline_parse(at, &time, error) : 0;

    if (status == 0 && at && time.kind == DEADLINE_NONE)
        status = error_set(error, "expected a time");
    if (status < 0)
        (void)error_prefix(error, "--at");
    else if (force && !at)
        status = error_set(error, "--force needs --at");
    if (at)
        json_object_set_new(document, time.kind == DEADLINE_IN ? "in" : "at", json_integer(time.s));
    if (force)
        json_object_set_new(document, "force", json_true());
    if (status == 0)
        return document;
    json_decref(document);
    return NULL;
}

int verb_cancel(int argc, char **argv)
{
    return give(&cancel, argc, argv);
}

int verb_hold(int argc, char **argv)
{
    return give(&hold, argc, argv);
}

int verb_release(int argc, char **argv)
{
    return give(&release, argc, argv);
}

int verb_drain(int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const char *at = NULL;
    bool force = false;
    const struct option_spec options[] = {
        OPTION_TEXT("at", "TIME", &at, "drain at a time to come, written as a deadline is"),
        OPTION_SWITCH("force", &force, "drain at that time whatever promises it breaks"),
        OPTIONS_OF_CALL(&call),
        OPTION_END,
    };
    struct command command = drain.command;
    struct operands operands = {NULL, 0};
    struct error error;
    json_t *document;
    int status;

    command.options = options;
    if (call_parse(&call, &command, argc, argv, &operands, &status) == 0) {
        document = make_drain(at, force, &error);
        status = document
                     ? give_each(at ? &drain_later : &drain, &call, &command, document, &operands)
                     : options_fail(&command, &error);
    }
    free(operands.items);
    return status;
}

int verb_resume(int argc, char **argv)
{
    return give(&resume, argc, argv);
}
