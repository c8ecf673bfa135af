/* client_scheduler.c - see client_scheduler.h. */
#include "protocol/client_scheduler.h"

#include "protocol/pieces.h"

/* ---- WELCOME ---- */

void msg_client_welcome_pack(const struct msg_client_welcome *welcome, struct writer *out)
{
    writer_open(out, MSG_WELCOME, 3);
    writer_whole(out, welcome->heartbeat_ms);
    write_name(welcome->user, out);
    write_name(welcome->role, out);
}

int msg_client_welcome_unpack(reader_t *in, struct msg_client_welcome *welcome, struct error *error)
{
    reader_expect(in, MSG_WELCOME);
    welcome->heartbeat_ms = reader_whole(in, 1, INT32_MAX);
    welcome->user = reader_text(in, WIRE_NAME_MAX);
    welcome->role = reader_text(in, WIRE_NAME_MAX);
    return reader_close(in, error);
}

/* ---- REQUEST ---- */

void msg_request_pack(const struct msg_request *request, struct writer *out)
{
    writer_open(out, MSG_REQUEST, 3);
    writer_number(out, request->number);
    write_name(request->verb, out);
    writer_document(out, request->document);
}

int msg_request_unpack(reader_t *in, struct msg_request *request, struct error *error)
{
    reader_expect(in, MSG_REQUEST);
    request->number = reader_number(in);
    request->verb = reader_text(in, VERB_MAX);
    request->document = reader_text(in, DOCUMENT_MAX);
    return reader_close(in, error);
}

/* ---- ANSWER ---- */

void msg_answer_pack(const struct msg_answer *answer, struct writer *out)
{
    writer_open(out, MSG_ANSWER, 3);
    writer_number(out, answer->number);
    writer_whole(out, answer->code);
    writer_document(out, answer->document);
}

int msg_answer_unpack(reader_t *in, struct msg_answer *answer, struct error *error)
{
    reader_expect(in, MSG_ANSWER);
    answer->number = reader_number(in);
    answer->code = (enum answer_code)reader_whole(in, 0, ANSWER_UNKNOWN);
    answer->document = reader_text(in, DOCUMENT_MAX);
    return reader_close(in, error);
}
