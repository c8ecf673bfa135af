/* orders.c - verbs that have the service do one thing with jobs or nodes, and hear that it is
 * done. */
#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/verbs.h"

#include <stdlib.h>
#include <string.h>

struct order {
    struct command command;
    const char *verb;
    const char *member; /* of the request: whom it concerns */
    const char *done;   /* what is said of it */
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
     "resume`.",
     NULL},
    "drain",
    "node",
    "is taken out of use",
};

static const struct order resume = {
    {"rubato resume", "Take nodes into use again", "NODE...", NULL, NULL},
    "resume",
    "node",
    "is in use",
};

/* The service's own sentence, if it has one. */
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

static int give(const struct order *order, int argc, char **argv)
{
    struct call call = CALL_DEFAULT;
    const struct option_spec options[] = {OPTIONS_OF_CALL(&call), OPTION_END};
    struct command command = order->command;
    struct operands operands = {NULL, 0};
    int status;

    command.options = options;
    if (call_parse(&call, &command, argc, argv, &operands, &status) == 0) {
        struct call_request request = {
            .verb = order->verb,
            .document = json_object(),
            .show = show,
            .is_order = true,
            .argument = order,
        };

        status = call_each(&call, &command, &request, &operands, order->member,
                           !strcmp(order->member, "job"));
    }
    free(operands.items);
    return status;
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
    return give(&drain, argc, argv);
}

int verb_resume(int argc, char **argv)
{
    return give(&resume, argc, argv);
}
