/* clients.c - see clients.h. */
#include "scheduler/service/clients.h"

#include "common/input.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define SCHEMA_VERSION 1
#define BUSY_RETRY_S   1
#define ANSWER_MAX     512

const char *const role_names[] = {"read", "submit", "operate"};

struct client {
    clients_t *clients;
    struct client_line line;
    bool is_here;
    enum role role;
    char user[CLIENT_USER_BYTES];
    size_t open;         /* requests that are not answered */
    uint64_t turn;       /* when a request of the same user was last taken */
    struct client *prev; /* among the clients that are connected */
    struct client *next;
};

struct clients {
    size_t waiting_max;   /* requests of all clients, before clients are told to ask again */
    int64_t requests_max; /* unanswered requests of one session, 0 for no limit */
    client_t *all;
    struct request *waiting;
    size_t waiting_count;
    uint64_t turns;
    void (*wake)(void *owner);
    void *owner;
};

const char *client_user(const client_t *self)
{
    return self->user;
}

enum role client_role(const client_t *self)
{
    return self->role;
}

/* ---- who is there ---- */

client_t *clients_join(clients_t *self, const char *user, enum role role,
                       const struct client_line *line)
{
    client_t *client = xcalloc(1, sizeof(*client));

    *client = (struct client){.clients = self, .line = *line, .is_here = true, .role = role};
    (void)snprintf(client->user, sizeof(client->user), "%s", user);
    DL_APPEND(self->all, client);
    return client;
}

static void drop_if_done(client_t *client)
{
    if (!client->is_here && client->open == 0)
        free(client);
}

void clients_leave(client_t *client)
{
    DL_DELETE(client->clients->all, client);
    client->is_here = false;
    drop_if_done(client);
}

/* ---- requests ---- */

static void free_request(struct request *request)
{
    client_t *client = request->client;

    client->open--;
    free(request->verb);
    free(request->document);
    free(request);
    drop_if_done(client);
}

static void tell_busy(client_t *client, uint64_t number, const char *why)
{
    char document[ANSWER_MAX];

    (void)snprintf(document, sizeof(document),
                   "{\"schema_version\": %d, \"error\": \"%s\", \"retry_after_s\": %d}",
                   SCHEMA_VERSION, why, BUSY_RETRY_S);
    client->line.answer(client->line.self, &(struct msg_answer){number, ANSWER_BUSY, document});
}

static void tell_full(client_t *client, uint64_t number, int64_t most)
{
    char why[ANSWER_MAX / 2];

    (void)snprintf(why, sizeof(why),
                   "%" PRId64 " requests of this session are not answered yet, and it may have no "
                   "more: wait for answers, or ask again in %d s",
                   most, BUSY_RETRY_S);
    tell_busy(client, number, why);
}

void clients_ask(client_t *client, const struct msg_request *asked)
{
    clients_t *self = client->clients;
    struct request *request;

    if (self->requests_max > 0 && (int64_t)client->open >= self->requests_max) {
        tell_full(client, asked->number, self->requests_max);
        return;
    }
    /* A client without another open request is heard even if others ask too much. */
    if (self->waiting_count >= self->waiting_max && client->open > 0) {
        tell_busy(client, asked->number, "the service is busy: ask again in 1 s");
        return;
    }
    request = xcalloc(1, sizeof(*request));
    *request = (struct request){.client = client,
                                .number = asked->number,
                                .verb = xstrdup(asked->verb),
                                .document = xstrdup(asked->document)};
    client->open++;
    DL_APPEND(self->waiting, request);
    self->waiting_count++;
    self->wake(self->owner);
}

/* Users take turns: a user's request does not wait for all earlier requests of another user. */
static struct request *first_of_next_user(const clients_t *self)
{
    struct request *next = self->waiting;
    struct request *request;

    DL_FOREACH(self->waiting, request)
    {
        if (request->client->turn < next->client->turn)
            next = request;
    }
    return next;
}

static void note_turn(clients_t *self, client_t *taken)
{
    client_t *client;

    taken->turn = ++self->turns;
    DL_FOREACH(self->all, client)
    {
        if (!strcmp(client->user, taken->user))
            client->turn = taken->turn;
    }
}

struct request *clients_next(clients_t *self)
{
    struct request *request = first_of_next_user(self);

    if (!request)
        return NULL;
    note_turn(self, request->client);
    DL_DELETE(self->waiting, request);
    self->waiting_count--;
    return request;
}

void clients_drop(struct request **request)
{
    free_request(*request);
    *request = NULL;
}

void clients_put_back(clients_t *self, struct request **request)
{
    DL_PREPEND(self->waiting, *request);
    self->waiting_count++;
    *request = NULL;
}

/* ---- answers ---- */

bool clients_listens(const struct request *request)
{
    return request->client->is_here && !request->told;
}

static void send_answer(const struct request *request, enum answer_code code, const char *document)
{
    const struct client_line *line = &request->client->line;

    if (clients_listens(request))
        line->answer(line->self, &(struct msg_answer){request->number, code, document});
}

void clients_answer_text(clients_t *self, struct request **request, enum answer_code code,
                         const char *document)
{
    (void)self;
    send_answer(*request, code, document);
    free_request(*request);
    *request = NULL;
}

/* The text of a document, owned by the caller. The document is released. */
static char *document_text(json_t *document)
{
    char *text;

    json_object_set_new(document, "schema_version", json_integer(SCHEMA_VERSION));
    text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(document);
    return text;
}

void clients_answer(clients_t *self, struct request **request, enum answer_code code,
                    json_t *document)
{
    char *text = document_text(document);

    if (text && strlen(text) <= DOCUMENT_MAX)
        clients_answer_text(self, request, code, text);
    else
        clients_fail(self, request, ANSWER_FAILED, "the answer is too long for a message");
    free(text);
}

static json_t *error_document(const char *format, va_list more)
{
    char sentence[ANSWER_MAX];

    (void)vsnprintf(sentence, sizeof(sentence), format, more);
    input_mend_utf8(sentence, strlen(sentence)); /* the end of the buffer may cut a name in two */
    return json_pack("{s:s}", "error", sentence);
}

void clients_fail(clients_t *self, struct request **request, enum answer_code code,
                  const char *format, ...)
{
    json_t *document;
    va_list more;

    va_start(more, format);
    document = error_document(format, more);
    va_end(more);
    clients_answer(self, request, code, document);
}

void clients_fail_early(struct request *request, const char *format, ...)
{
    json_t *document;
    va_list more;
    char *text;

    va_start(more, format);
    document = error_document(format, more);
    va_end(more);
    text = document_text(document);
    send_answer(request, ANSWER_FAILED, text);
    free(text);
    request->told = true;
}

void clients_fail_busy(clients_t *self, struct request **request, int retry_s, const char *format,
                       ...)
{
    json_t *document;
    va_list more;

    va_start(more, format);
    document = error_document(format, more);
    va_end(more);
    json_object_set_new(document, "retry_after_s", json_integer(retry_s));
    clients_answer(self, request, ANSWER_BUSY, document);
}

/* ---- life ---- */

void clients_limit(clients_t *self, int64_t requests_max)
{
    self->requests_max = requests_max;
}

void clients_beat(clients_t *self)
{
    client_t *client;

    DL_FOREACH(self->all, client)
    {
        client->line.beat(client->line.self);
    }
}

clients_t *clients_new(size_t waiting_max, int64_t requests_max, void (*wake)(void *owner),
                       void *owner)
{
    clients_t *self = xcalloc(1, sizeof(*self));

    *self = (struct clients){
        .waiting_max = waiting_max, .requests_max = requests_max, .wake = wake, .owner = owner};
    return self;
}

void clients_destroy(clients_t **self)
{
    struct request *request;
    client_t *client;
    client_t *next;

    if (!*self)
        return;
    while ((request = clients_next(*self)))
        free_request(request);
    DL_FOREACH_SAFE((*self)->all, client, next)
    {
        free(client);
    }
    free(*self);
    *self = NULL;
}
