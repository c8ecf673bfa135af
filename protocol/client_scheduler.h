/* client_scheduler.h - the link between a client of the service and the scheduler that serves it.
 *
 *   client                                   scheduler
 *   HELLO role, name                     ->
 *                                        <-  WELCOME: the client's role and name
 *   REQUEST number, verb, document       ->
 *                                        <-  ANSWER number, code, document
 *   HEARTBEAT                           <->  HEARTBEAT
 *   GOODBYE                              ->
 *
 * Documents are JSON objects; docs/service.md says what they hold. A client numbers its requests;
 * answers come in any order. */
#ifndef PROTOCOL_CLIENT_SCHEDULER_H
#define PROTOCOL_CLIENT_SCHEDULER_H

#include "protocol/wire.h"

/* Bytes of a document: the rest of a frame. */
#define DOCUMENT_MAX (WIRE_FRAME_MAX - 4096)
#define VERB_MAX     32

enum client_scheduler_type {
    MSG_REQUEST = 64, /* client to scheduler */
    MSG_ANSWER,       /* scheduler to client */
};

/* The outcome of a request; the client's program ends with it as its exit status. */
enum answer_code {
    ANSWER_DONE = 0,
    ANSWER_FAILED = 1,      /* the document's "error" says why */
    ANSWER_BAD = 2,         /* the request makes no sense */
    ANSWER_DECLINED = 3,    /* the service did not promise the job its deadline */
    ANSWER_NOT_ALLOWED = 4, /* this user may not do this */
    ANSWER_BUSY = 5,        /* again after the document's "retry_after_s" */
    ANSWER_UNKNOWN = 6,     /* unknown job or node */
};

/* WELCOME, scheduler to client. */
struct msg_client_welcome {
    int64_t heartbeat_ms;
    const char *user;
    const char *role; /* "operate", "submit" or "read" */
};

struct msg_request {
    uint64_t number;
    const char *verb;
    const char *document;
};

struct msg_answer {
    uint64_t number; /* number of the request */
    enum answer_code code;
    const char *document;
};

/* Unpacked texts live as long as the reader. Unpacking returns -1, with `error`, if the message is
 * invalid. */
void msg_client_welcome_pack(const struct msg_client_welcome *welcome, struct writer *out);
int msg_client_welcome_unpack(reader_t *in, struct msg_client_welcome *welcome,
                              struct error *error);
void msg_request_pack(const struct msg_request *request, struct writer *out);
int msg_request_unpack(reader_t *in, struct msg_request *request, struct error *error);
void msg_answer_pack(const struct msg_answer *answer, struct writer *out);
int msg_answer_unpack(reader_t *in, struct msg_answer *answer, struct error *error);

#endif
