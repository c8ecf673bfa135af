/* client.c - see client.h. The link works only while a request waits. Between two requests the
 * session may time out, and the next request opens a new one. */
#include "tools/service/client.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/object.h"
#include "protocol/local_link.h"
#include "tools/service/answer.h"
#include "tools/service/place.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define CAUSE_BYTES 512
#define ROLE        "client"
#define REMOTE      "remote_link" /* object file of links over TCP, and its constant */

/* The interval of heartbeats until the service states its own. */
#define HEARTBEAT_MS 1000

struct client {
    struct client_setting setting;
    char place[PATH_MAX]; /* address as the user knows it: a socket or ADDRESS:PORT */
    struct client_name name;
    const struct client_link_kind *kind;
    void *link;
    int64_t heartbeat_ms;
    int64_t heartbeat_due_ms;
    char cause[CAUSE_BYTES]; /* why there is no session, "" if the reason is unknown */
    bool was_there;

    /* the request at hand */
    uint64_t number;
    const char *verb;
    char *document;
    int64_t busy_until_ms; /* when to repeat the request to a busy service; 0 while the request is
                              with the service */
    int64_t alone_ms; /* when the session ended or the service became busy; 0 while neither is the
                         case */
    bool done;
    bool gave_up;
    struct answer *answer;
    struct error *error;
};

static int64_t now_ms(void)
{
    return (int64_t)(clock_s() * 1000);
}

/* ---- messages to the service ---- */

static void say_hello(void *owner, uint32_t version, struct writer *out)
{
    const service_client_t *self = owner;

    msg_hello_pack(
        &(struct msg_hello){.version = version, .role = self->name.role, .name = self->name.name},
        0, out);
}

static void send_request(service_client_t *self)
{
    struct writer message;

    if (!self->document || self->done || !self->kind->in_session(self->link))
        return;
    self->busy_until_ms = 0;
    msg_request_pack(&(struct msg_request){self->number, self->verb, self->document}, &message);
    self->kind->send(self->link, &message);
}

static void send_heartbeat(service_client_t *self)
{
    struct writer message;

    self->heartbeat_due_ms = now_ms() + self->heartbeat_ms;
    if (!self->kind->in_session(self->link))
        return;
    msg_bare_pack(MSG_HEARTBEAT, &message);
    self->kind->send(self->link, &message);
}

static void set_heartbeat(service_client_t *self, int64_t heartbeat_ms)
{
    if (heartbeat_ms == self->heartbeat_ms)
        return;
    self->heartbeat_ms = heartbeat_ms;
    self->heartbeat_due_ms = now_ms() + heartbeat_ms;
    self->kind->set_heartbeat(self->link, heartbeat_ms);
}

/* ---- messages from the service ---- */

static int on_welcome(service_client_t *self, reader_t *in, struct error *error)
{
    struct msg_client_welcome welcome;

    if (msg_client_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    set_heartbeat(self, welcome.heartbeat_ms);
    self->was_there = true;
    self->alone_ms = 0;
    self->cause[0] = '\0';
    send_request(self);
    return 0;
}

static int64_t timeout_ms(const service_client_t *self)
{
    return (int64_t)(self->setting.timeout_s * 1000);
}

static void finish(service_client_t *self, bool is_answered)
{
    self->gave_up = !is_answered;
    self->done = true;
}

/* Whether the service is busy and the request can be repeated before the client gives up. */
static bool is_to_wait(service_client_t *self, const struct answer *answer)
{
    const int64_t now = now_ms();
    int64_t after_s;

    if (answer->code != ANSWER_BUSY || !answer_retry_after(answer->object, &after_s))
        return false;
    if (self->alone_ms == 0)
        self->alone_ms = now;
    self->busy_until_ms = now + after_s * 1000;
    return self->busy_until_ms - self->alone_ms < timeout_ms(self);
}

static int on_answer(service_client_t *self, reader_t *in, struct error *error)
{
    struct msg_answer message;
    struct answer answer;

    if (msg_answer_unpack(in, &message, error) < 0)
        return -1;
    if (message.number != self->number || self->done)
        return 0; /* answer to a request that was given up */
    answer.code = message.code;
    answer.object = answer_read(self->verb, message.document, self->error);
    if (answer.object && is_to_wait(self, &answer)) {
        json_decref(answer.object);
        return 0;
    }
    *self->answer = answer;
    finish(self, answer.object != NULL);
    return 0;
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    service_client_t *self = owner;

    switch (type) {
    case MSG_WELCOME:
        return on_welcome(self, in, error);
    case MSG_ANSWER:
        return on_answer(self, in, error);
    case MSG_HEARTBEAT:
        return msg_bare_unpack(in, error);
    default:
        return error_set(error, "a service sends no %s", msg_type_name(type));
    }
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    service_client_t *self = owner;

    (void)refused;
    (void)snprintf(self->cause, sizeof(self->cause), "%s", cause);
    if (self->alone_ms == 0)
        self->alone_ms = now_ms();
    return true;
}

/* ---- giving up ---- */

static void give_up(service_client_t *self)
{
    if (!self->cause[0])
        (void)error_set(self->error, "no service answers at %s; `rubato up` starts one",
                        self->place);
    else
        (void)error_set(self->error, "the service at %s cannot be reached: %s", self->place,
                        self->cause);
    finish(self, false);
}

static bool is_patient(const service_client_t *self)
{
    return self->kind->in_session(self->link) || (self->setting.endless && self->was_there);
}

/* The next time at which the client must act, even if no message comes. */
static int64_t due_ms(const service_client_t *self)
{
    int64_t due = self->heartbeat_due_ms;

    if (self->busy_until_ms > 0 && self->busy_until_ms < due)
        due = self->busy_until_ms;
    if (!is_patient(self) && self->alone_ms + timeout_ms(self) < due)
        due = self->alone_ms + timeout_ms(self);
    return due;
}

static void on_time(service_client_t *self)
{
    const int64_t now = now_ms();

    if (now >= self->heartbeat_due_ms)
        send_heartbeat(self);
    if (self->busy_until_ms > 0 && now >= self->busy_until_ms)
        send_request(self);
    if (!is_patient(self) && now - self->alone_ms >= timeout_ms(self))
        give_up(self);
}

/* ---- the link ---- */

static int find_socket(service_client_t *self, struct error *error)
{
    if (place_socket(self->setting.socket, self->place, sizeof(self->place), error) < 0)
        return -1;
    self->kind = &local_link;
    return place_check_socket(self->place, error);
}

static int find_service(service_client_t *self, struct error *error)
{
    char *const path = object_path(REMOTE);

    (void)snprintf(self->place, sizeof(self->place), "%s", self->setting.service);
    if (path)
        self->kind = object_load(path, REMOTE, error);
    else
        error_set(error, "no " OBJECT_FOLDER "/" REMOTE ".so above the program");
    free(path);
    return self->kind ? 0 : error_prefix(error, "--service");
}

static uint64_t random_number(void)
{
    uint64_t number = 0;

    (void)!getrandom(&number, sizeof(number), 0);
    return number;
}

static int open_link(service_client_t *self, struct error *error)
{
    static const struct link_client_calls calls = {say_hello, on_message, on_gone};
    const struct client_place place = {self->place, self->setting.keys, self->setting.as};

    if ((self->setting.service ? find_service : find_socket)(self, error) < 0)
        return -1;
    self->link = self->kind->open(&place, self->heartbeat_ms, &self->name, &calls, self, error);
    return self->link ? 0 : -1;
}

service_client_t *client_new(const struct client_setting *setting, struct error *error)
{
    service_client_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->heartbeat_ms = HEARTBEAT_MS;
    (void)snprintf(self->name.role, sizeof(self->name.role), "%s", ROLE);
    (void)snprintf(self->name.name, sizeof(self->name.name), "c-%d-%" PRIx64, (int)getpid(),
                   random_number());
    if (open_link(self, error) < 0)
        client_destroy(&self);
    return self;
}

/* ---- a request ---- */

/* Closes the connection, by which the service knows that the client is gone. */
void client_destroy(service_client_t **self)
{
    service_client_t *client = *self;

    if (!client)
        return;
    if (client->link)
        client->kind->close(client->link);
    free(client);
    *self = NULL;
}

static int run_loop(service_client_t *self)
{
    self->heartbeat_due_ms = now_ms() + self->heartbeat_ms;
    self->alone_ms = self->kind->in_session(self->link) ? 0 : now_ms();
    send_request(self);
    while (!self->done) {
        const int64_t left_ms = due_ms(self) - now_ms();

        self->kind->turn(self->link, left_ms > 0 ? left_ms : 0);
        if (!self->done)
            on_time(self);
    }
    return self->gave_up ? -1 : 0;
}

int client_ask(service_client_t *self, const char *verb, const json_t *request,
               struct answer *answer, struct error *error)
{
    int result;

    self->document = json_dumps(request, JSON_COMPACT);
    if (!self->document || strlen(self->document) > DOCUMENT_MAX) {
        free(self->document);
        self->document = NULL;
        return error_set(error, "a request has at most %zu bytes", DOCUMENT_MAX);
    }
    self->number++;
    self->verb = verb;
    self->answer = answer;
    self->error = error;
    self->done = self->gave_up = false;
    self->busy_until_ms = 0;
    result = run_loop(self);
    free(self->document);
    self->document = NULL;
    return result;
}
