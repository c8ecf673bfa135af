/* client.c - see client.h. The loop runs only while a request waits: between two requests the
 * session may fall silent, and begins anew with the next. */
#include "tools/service/client.h"

#include "common/memory.h"
#include "protocol/link.h"
#include "tools/service/answer.h"
#include "tools/service/key_choice.h"
#include "tools/service/place.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CAUSE_BYTES 512
#define ROLE        "client"
#define SERVER      "scheduler" /* whose public key a service has */

/* Until the service says how often it wants to hear. */
#define HEARTBEAT_MS 1000

struct client {
    struct client_setting setting;
    char place[PATH_MAX]; /* as users know it: a socket or ADDRESS:PORT */
    char role[PROCESS_NAME_MAX + 1];
    char name[PROCESS_NAME_MAX + 1];
    keys_t *keys;
    zloop_t *loop;
    link_client_t *link;
    int heartbeat_timer;
    int64_t heartbeat_ms;
    char cause[CAUSE_BYTES]; /* why there is no session, "" for no reason known */
    bool was_there;

    /* the request at hand */
    uint64_t number;
    const char *verb;
    char *document;
    int64_t busy_until_ms; /* when to ask again, 0: it is asked */
    int64_t alone_ms;      /* since when there is no session, or the service is busy */
    bool done;
    bool gave_up;
    struct answer *answer;
    struct error *error;
};

/* ---- what goes out ---- */

static void say_hello(void *owner, struct writer *out)
{
    const client_t *self = owner;

    msg_hello_pack(&(struct msg_hello){WIRE_VERSION, self->role, self->name}, 0, out);
}

static void send_request(client_t *self)
{
    struct writer message;

    if (!self->document || self->done || !link_client_in_session(self->link))
        return;
    self->busy_until_ms = 0;
    msg_request_pack(&(struct msg_request){self->number, self->verb, self->document}, &message);
    link_client_send(self->link, &message);
}

static int on_heartbeat(zloop_t *loop, int timer, void *owner)
{
    client_t *self = owner;
    struct writer message;

    (void)loop;
    (void)timer;
    msg_bare_pack(MSG_HEARTBEAT, &message);
    link_client_send(self->link, &message);
    return 0;
}

static void set_heartbeat(client_t *self, int64_t heartbeat_ms)
{
    if (heartbeat_ms == self->heartbeat_ms)
        return;
    self->heartbeat_ms = heartbeat_ms;
    link_client_set_heartbeat(self->link, heartbeat_ms);
    (void)zloop_timer_end(self->loop, self->heartbeat_timer);
    self->heartbeat_timer = zloop_timer(self->loop, (size_t)heartbeat_ms, 0, on_heartbeat, self);
}

/* ---- what comes in ---- */

static int on_welcome(client_t *self, reader_t *in, struct error *error)
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

static int64_t timeout_ms(const client_t *self)
{
    return (int64_t)(self->setting.timeout_s * 1000);
}

static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

/* The loop ends when this turn is over. */
static void finish(client_t *self, bool is_answered)
{
    self->gave_up = !is_answered;
    self->done = true;
    (void)zloop_timer(self->loop, 0, 1, leave, self);
}

/* Whether it is busy, and may be asked again before the time is over. */
static bool is_to_wait(client_t *self, const struct answer *answer)
{
    const int64_t now_ms = zclock_mono();
    int64_t after_s;

    if (answer->code != ANSWER_BUSY || !answer_retry_after(answer->object, &after_s))
        return false;
    if (self->alone_ms == 0)
        self->alone_ms = now_ms;
    self->busy_until_ms = now_ms + after_s * 1000;
    return self->busy_until_ms - self->alone_ms < timeout_ms(self);
}

static int on_answer(client_t *self, reader_t *in, struct error *error)
{
    struct msg_answer message;
    struct answer answer;

    if (msg_answer_unpack(in, &message, error) < 0)
        return -1;
    if (message.number != self->number || self->done)
        return 0; /* of a request that was given up */
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
    client_t *self = owner;

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

static bool on_gone(void *owner, const char *cause, bool refused)
{
    client_t *self = owner;

    (void)refused;
    (void)snprintf(self->cause, sizeof(self->cause), "%s", cause);
    if (self->alone_ms == 0)
        self->alone_ms = zclock_mono();
    return true;
}

/* ---- patience ---- */

static void give_up(client_t *self)
{
    if (!self->cause[0])
        (void)error_set(self->error, "no service answers at %s; `rubato up` starts one",
                        self->place);
    else
        (void)error_set(self->error, "the service at %s cannot be reached: %s", self->place,
                        self->cause);
    finish(self, false);
}

static int on_tick(zloop_t *loop, int timer, void *owner)
{
    client_t *self = owner;
    const int64_t now_ms = zclock_mono();
    const bool waits = self->setting.endless && self->was_there;

    (void)loop;
    (void)timer;
    if (!self->done && self->busy_until_ms > 0 && now_ms >= self->busy_until_ms)
        send_request(self);
    if (!self->done && !waits && !link_client_in_session(self->link) &&
        now_ms - self->alone_ms >= timeout_ms(self))
        give_up(self);
    return 0;
}

/* ---- where it is ---- */

/* A socket that is not there, or not for this user, will not be in ten seconds: that is said at
 * once. One that refuses may belong to a service that begins anew. */
static int try_socket(const char *path, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failure = 0;

    memcpy(address.sun_path, path, strlen(path)); /* place_check_socket said that it fits */
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        failure = errno;
    if (fd >= 0)
        (void)close(fd);
    if (failure == ENOENT || failure == ENOTDIR)
        return error_set(error, "no service answers at %s; `rubato up` starts one", path);
    if (failure == EACCES)
        return error_set(error, "%s: this user may not reach the service", path);
    return 0;
}

static int find_socket(client_t *self, char *endpoint, size_t size, struct error *error)
{
    if (place_socket(self->setting.socket, self->place, sizeof(self->place), error) < 0 ||
        place_check_socket(self->place, error) < 0 || try_socket(self->place, error) < 0)
        return -1;
    (void)snprintf(endpoint, size, "ipc://%s", self->place);
    return 0;
}

static int find_service(client_t *self, char *endpoint, size_t size, struct error *error)
{
    const struct client_setting *setting = &self->setting;
    struct key_choice choice = {0};

    (void)snprintf(self->place, sizeof(self->place), "%s", setting->service);
    (void)snprintf(endpoint, size, "tcp://%s", setting->service);
    self->keys = key_choice_read(setting->keys, setting->as, &choice, error);
    memcpy(self->name, choice.name, sizeof(self->name));
    memcpy(self->role, choice.role, sizeof(self->role));
    return self->keys ? 0 : -1;
}

static uint64_t random_number(void)
{
    uint64_t number = 0;

    (void)!getrandom(&number, sizeof(number), 0);
    return number;
}

static int open_link(client_t *self, struct error *error)
{
    static const struct link_client_calls calls = {say_hello, on_message, on_gone};
    char endpoint[PATH_MAX + 16];
    const int found = (self->setting.service ? find_service : find_socket)(self, endpoint,
                                                                           sizeof(endpoint), error);

    if (found < 0)
        return -1;
    self->loop = zloop_new();
    self->link = link_client_new(self->loop,
                                 &(struct link_client_setting){.endpoint = endpoint,
                                                               .heartbeat_ms = self->heartbeat_ms,
                                                               .keys = self->keys,
                                                               .server = SERVER,
                                                               .peers = LINK_PEERS_ANY_USER},
                                 &calls, self, error);
    if (!self->link)
        return error_prefix(error, self->setting.service ? "--service" : "--socket");
    self->heartbeat_timer =
        zloop_timer(self->loop, (size_t)self->heartbeat_ms, 0, on_heartbeat, self);
    return 0;
}

client_t *client_new(const struct client_setting *setting, struct error *error)
{
    client_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->heartbeat_ms = HEARTBEAT_MS;
    (void)snprintf(self->role, sizeof(self->role), "%s", ROLE);
    (void)snprintf(self->name, sizeof(self->name), "c-%d-%" PRIx64, (int)getpid(), random_number());
    zsys_init();
    zsys_handler_set(NULL);
    if (open_link(self, error) < 0)
        client_destroy(&self);
    return self;
}

/* ---- a request ---- */

/* The end of the process says goodbye for it: the connection is closed. */
void client_destroy(client_t **self)
{
    client_t *client = *self;

    if (!client)
        return;
    link_client_destroy(&client->link);
    zloop_destroy(&client->loop);
    keys_destroy(&client->keys);
    free(client);
    *self = NULL;
}

static int run_loop(client_t *self)
{
    const int timer = zloop_timer(self->loop, 20, 0, on_tick, self);

    self->alone_ms = link_client_in_session(self->link) ? 0 : zclock_mono();
    send_request(self);
    while (!self->done)
        (void)zloop_start(self->loop);
    (void)zloop_timer_end(self->loop, timer);
    return self->gave_up ? -1 : 0;
}

int client_ask(client_t *self, const char *verb, const json_t *request, struct answer *answer,
               struct error *error)
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
