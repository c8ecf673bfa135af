/* hostile_client.c - a client with one key that does all it can against the other clients of a
 * service: floods the service, asks for costly answers, sends documents of a megabyte and
 * nonsense, and reads none of the answers. When the service ends a session, the client begins a
 * new one. The client goes on until SIGTERM, and prints what it did. */
#include "common/memory.h"
#include "common/options.h"
#include "protocol/client_scheduler.h"
#include "protocol/link.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEARTBEAT_MS 1000
#define HUGE_BYTES   ((size_t)900 * 1024)
#define DEEP         100000
#define DEAF_TURNS   1000 /* turns between two reads of a deaf client */

struct hostile;

struct side {
    const char *way;
    void (*attack)(struct side *side);
    struct hostile *hostile;
    link_client_t *link;
    zloop_t *loop; /* the client's own loop: a loop that does not run reads nothing */
    uint64_t number;
    uint64_t answers;
    uint64_t lost; /* number of lost sessions */
    bool welcome;
};

struct hostile {
    const char *service;
    const char *socket;
    const char *keys;
    const char *as;
    char endpoint[512];
    char *huge;
    char *deep;
};

static volatile sig_atomic_t is_over;

static void on_term(int signal)
{
    (void)signal;
    is_over = 1;
}

/* ---- what it sends ---- */

static void ask(struct side *self, const char *verb, const char *document)
{
    struct writer out;

    msg_request_pack(&(struct msg_request){self->number++, verb, document}, &out);
    link_client_send(self->link, &out);
}

static void flood(struct side *self)
{
    for (int i = 0; i < 50; i++)
        ask(self, "status", "{}");
}

static void ask_much(struct side *self)
{
    static const char job[] = "\"model\": \"resnet50\", \"batch_size\": 128, "
                              "\"iterations\": 1000000";
    char text[256];

    (void)snprintf(text, sizeof(text), "{%s, \"deadline_in\": 60}", job);
    ask(self, "submit", text);
    (void)snprintf(text, sizeof(text), "{%s}", job);
    ask(self, "quote", text);
    ask(self, "whatif", "{\"add_nodes\": 1}");
    ask(self, "list", "{\"limit\": 1000}");
}

static void send_nonsense(struct side *self)
{
    struct writer out;

    ask(self, "no such verb", "{}");
    ask(self, "submit", "{\"model\": 1, \"model\": [");
    ask(self, "submit", self->hostile->deep);
    if (self->number % 100 == 0) {
        msg_answer_pack(&(struct msg_answer){0, ANSWER_DONE, "{}"}, &out);
        link_client_send(self->link, &out);
    }
}

static void send_huge(struct side *self)
{
    if (self->number % 20 == 0)
        ask(self, "submit", self->hostile->huge);
    self->number++;
}

/* ---- sessions ---- */

static void say_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct side *self = owner;

    msg_hello_pack(&(struct msg_hello){.version = version,
                                       .role = self->hostile->keys ? "submit" : "client",
                                       .name = self->hostile->as},
                   0, out);
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct side *self = owner;

    (void)in;
    (void)error;
    self->welcome = self->welcome || type == MSG_WELCOME;
    self->answers += type == MSG_ANSWER;
    return 0;
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct side *self = owner;

    (void)refused;
    if (self->welcome && self->lost++ == 0) {
        printf("way=%s lost=\"%s\"\n", self->way, cause);
        (void)fflush(stdout);
    }
    self->welcome = false;
    return true;
}

static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

static void run_loop(const struct side *self, size_t ms)
{
    const int timer = zloop_timer(self->loop, ms, 1, leave, NULL);

    (void)zloop_start(self->loop);
    zloop_timer_end(self->loop, timer);
}

static int connect_side(struct hostile *self, struct side *side, const keys_t *keys,
                        struct error *error)
{
    static const struct link_client_calls calls = {say_hello, on_message, on_gone};
    const struct link_client_setting setting = {.endpoint = self->endpoint,
                                                .heartbeat_ms = HEARTBEAT_MS,
                                                .keys = keys,
                                                .server = "scheduler",
                                                .peers = LINK_PEERS_ANY_USER};

    side->hostile = self;
    side->loop = zloop_new();
    side->link = link_client_new(side->loop, &setting, &calls, side, error);
    return side->link ? 0 : -1;
}

/* A turn takes a few milliseconds; the last side reads only now and then. */
static void take_turns(struct side sides[], size_t count)
{
    for (uint64_t turn = 0; !is_over; turn++)
        for (size_t i = 0; i < count; i++) {
            struct side *side = &sides[i];
            const bool is_deaf = i + 1 == count;

            if (!is_deaf || !side->welcome || turn % DEAF_TURNS == 0)
                run_loop(side, 1);
            if (side->welcome)
                side->attack(side);
        }
}

static char *fill(const char *head, char what, size_t count, const char *tail)
{
    const size_t size = strlen(head) + count + strlen(tail) + 1;
    char *text = xmalloc(size);

    (void)snprintf(text, size, "%s%*s%s", head, (int)count, "", tail);
    memset(text + strlen(head), what, count);
    return text;
}

static int run(struct hostile *self, struct error *error)
{
    struct side sides[] = {{.way = "flood", .attack = flood},
                           {.way = "much", .attack = ask_much},
                           {.way = "nonsense", .attack = send_nonsense},
                           {.way = "huge", .attack = send_huge},
                           {.way = "deaf", .attack = ask_much}};
    const size_t count = sizeof(sides) / sizeof(sides[0]);
    keys_t *keys = self->keys ? keys_read(self->keys, self->as, error) : NULL;
    int status = self->keys && !keys ? -1 : 0;

    (void)snprintf(self->endpoint, sizeof(self->endpoint), "%s%s",
                   self->socket ? "ipc://" : "tcp://", self->socket ? self->socket : self->service);
    self->huge = fill("{\"model\": \"", 'x', HUGE_BYTES, "\"}");
    self->deep = fill("", '[', DEEP, "");
    for (size_t i = 0; i < count && status == 0; i++)
        status = connect_side(self, &sides[i], keys, error);
    if (status == 0)
        take_turns(sides, count);
    for (size_t i = 0; i < count; i++) {
        if (sides[i].link)
            printf("way=%s requests=%" PRIu64 " answers=%" PRIu64 " sessions_lost=%" PRIu64 "\n",
                   sides[i].way, sides[i].number, sides[i].answers, sides[i].lost);
        link_client_destroy(&sides[i].link);
        zloop_destroy(&sides[i].loop);
    }
    keys_destroy(&keys);
    free(self->huge);
    free(self->deep);
    return status;
}

int main(int argc, char **argv)
{
    struct hostile self = {.service = "127.0.0.1:7000", .as = "mallory"};
    const struct option_spec options[] = {
        OPTION_TEXT("service", "ADDRESS:PORT", &self.service, "where it listens for clients"),
        OPTION_TEXT("socket", "PATH", &self.socket, "its local socket, in the place of that"),
        OPTION_TEXT("keys", "DIR", &self.keys, "folder with the key"),
        OPTION_TEXT("as", "USER", &self.as, "whose key, one of role submit"),
        OPTION_END,
    };
    const struct command command = {
        .name = "hostile_client",
        .summary = "Do all that one key can against the other clients of a service",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int status = options_parse(&command, argc, argv, &operands, &error);

    free(operands.items);
    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    (void)zsys_init();
    zsys_handler_set(NULL);
    (void)signal(SIGTERM, on_term);
    return run(&self, &error) < 0 ? options_fail(&command, &error) : 0;
}
