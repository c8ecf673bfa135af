/* call.h - common parts of the verbs that ask the service: options, one request, and the display of
 * its answer. */
#ifndef SERVICE_CALL_H
#define SERVICE_CALL_H

#include "common/options.h"
#include "tools/service/client.h"

#include <stdio.h>

struct call {
    struct client_setting client;
    bool json;
    void (*before_error)(void); /* called before a sentence on standard error; may be NULL */
};

#define CALL_DEFAULT                                                                               \
    {                                                                                              \
        .client = {.timeout_s = 10 }                                                               \
    }

/* clang-format off */
#define OPTIONS_OF_CALL(call)                                                                      \
    OPTION_TEXT("socket", "PATH", &(call)->client.socket,                                          \
                "socket of the service; without it RUBATO_SOCKET, that of this user's own "        \
                "service, or that of the machine"),                                                \
    OPTION_TEXT("service", "ADDRESS:PORT", &(call)->client.service,                                \
                "where the service listens on another machine, with --keys"),                      \
    OPTION_TEXT("keys", "DIR", &(call)->client.keys, "folder with the key of this user"),          \
    OPTION_TEXT("as", "NAME", &(call)->client.as,                                                  \
                "which key of --keys, if there are several; NAME or ROLE:NAME"),                   \
    OPTION_REAL("timeout", "SECONDS", &(call)->client.timeout_s, 0, 1000000,                       \
                "how long to wait for a service that does not answer, or is busy"),                \
    OPTION_SWITCH("json", &(call)->json, "print the answer as JSON")
/* clang-format on */

struct call_request;

/* Prints an answer without "error". The caller prints the sentence of an answer with "error". -1,
 * with `error`, if the answer is invalid. */
typedef int call_show(const struct call_request *request, const struct answer *answer,
                      struct error *error);

/* A request. Sending it consumes `document`. */
struct call_request {
    const char *verb;
    json_t *document;
    call_show *show;
    bool is_order; /* the request changes the service's state, so that the user must hear of it even
                      if its answer cannot be shown */
    const void *argument; /* argument for `show` */
    const char *operand;  /* operand of call_each for which the request is sent */
};

/* Parses the command line of a verb, with the options of `self` among them. Returns 0 to go on,
 * else -1 with the exit status in `*status`. */
int call_parse(const struct call *self, const struct command *command, int argc, char **argv,
               struct operands *operands, int *status);

/* Returns -1, with `error`, if the options contradict each other. */
int call_check(const struct call *self, struct error *error);

/* Opens a session. NULL, with the reason on standard error, if the link cannot be opened. */
service_client_t *call_open(const struct call *self, const struct command *command);

/* Sends the request and shows its answer. Returns the exit status. */
int call_ask(const struct call *self, const struct command *command, service_client_t *client,
             struct call_request *request);

/* Opens a session for one request, sends the request and shows its answer. Returns the exit
 * status. */
int call_once(const struct call *self, const struct command *command, struct call_request *request);

/* Sends the request once for each operand. The operand becomes `member`: a job's number if
 * `is_job`, else a text. Returns the first exit status that is not 0. */
int call_each(const struct call *self, const struct command *command, struct call_request *request,
              const struct operands *operands, const char *member, bool is_job);

/* A text of the command line as JSON. NULL, with `error` that names `option`, if the text is not
 * UTF-8. */
json_t *call_text(const char *option, const char *text, struct error *error);

/* Reads the number of a job from the command line; -1 with `error`. */
int call_job_number(const char *text, int64_t *job, struct error *error);

#endif
