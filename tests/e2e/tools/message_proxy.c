/* clang-format off */
/* message_proxy.c - stands between DEALERs and their ROUTER and does to messages what a bad network
 * does.
 *
 *   message_proxy --listen=tcp://127.0.0.1:7000 --to=tcp://127.0.0.1:6888 --seed=1 --faults=loss=0.1,delay=30
 *
 * TCP hides most of this: a real network loses connections, not messages. What arrives twice or
 * late in the field comes from programs that say it twice or late, and this is the hardest case of
 * that. "up SPEC", "down SPEC" and "both SPEC" on standard input change the faults while it runs;
 * each is answered by a line. On SIGTERM it prints what it did. Peers keep their routing ids; each
 * has a connection of its own. */
/* clang-format on */
#include "common/memory.h"
#include "common/options.h"
#include "tests/e2e/tools/message_faults.h"

#include <czmq.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/signalfd.h>

#define FRAME_MAX ((size_t)1 << 20)

enum { UP, DOWN, DIRECTIONS };

struct config {
    const char *listen;
    const char *to;
    const char *faults;
    int64_t seed;
};

/* A DEALER that stands for one peer. */
struct stand_in {
    zframe_t *id; /* of the peer, on our ROUTER */
    zsock_t *dealer;
};

struct proxy {
    const struct config *config;
    zloop_t *loop;
    zsock_t *router;
    struct stand_in **peers;
    size_t peer_count;
    size_t peer_capacity;
    message_faults_t *faults[DIRECTIONS];
    int64_t last_due_ms[DIRECTIONS]; /* so that only who may overtakes */
    unsigned char *buffer;           /* of FRAME_MAX */
    struct letter *waiting;
    int signals;
};

/* A message that waits for its time. */
struct letter {
    struct proxy *proxy;
    struct letter *next;
    zsock_t *to;
    zmsg_t *message;
};

static void deliver(zsock_t *to, zmsg_t *message)
{
    if (zmsg_send(&message, to) < 0) /* the peer is gone, or its queue is full */
        zmsg_destroy(&message);
}

static int on_due(zloop_t *loop, int timer, void *arg)
{
    struct letter *letter = arg;
    struct letter **place = &letter->proxy->waiting;

    (void)loop;
    (void)timer;
    while (*place != letter)
        place = &(*place)->next;
    *place = letter->next;
    deliver(letter->to, letter->message);
    free(letter);
    return 0;
}

static void send_later(struct proxy *self, zsock_t *to, zmsg_t *message, int64_t delay_ms)
{
    struct letter *letter;

    if (delay_ms <= 0) {
        deliver(to, message);
        return;
    }
    letter = xcalloc(1, sizeof(*letter));
    *letter = (struct letter){self, self->waiting, to, message};
    self->waiting = letter;
    (void)zloop_timer(self->loop, (size_t)delay_ms, 1, on_due, letter);
}

/* When a copy is to arrive: never before one that was sent earlier, unless it may be overtaken. */
static int64_t delay_in_order(struct proxy *self, int direction, const struct fate *fate, int copy)
{
    const int64_t now_ms = zclock_mono();
    int64_t due_ms = now_ms + fate->delay_ms[copy];

    if (fate->overtaken)
        return fate->delay_ms[copy];
    if (due_ms < self->last_due_ms[direction])
        due_ms = self->last_due_ms[direction];
    self->last_due_ms[direction] = due_ms;
    return due_ms - now_ms;
}

/* Passes on the last frame of `message`, which is all that a message of ours has, behind `id` if
 * there is one. */
static void pass_on(struct proxy *self, int direction, zframe_t *id, zmsg_t *message, zsock_t *to)
{
    zframe_t *frame = zmsg_last(message);
    size_t size = frame ? zframe_size(frame) : 0;
    struct fate fate;

    if (size > FRAME_MAX) {
        zmsg_destroy(&message);
        return;
    }
    if (frame && size > 0)
        memcpy(self->buffer, zframe_data(frame), size);
    fate = message_faults_next(self->faults[direction], self->buffer, &size, FRAME_MAX);
    for (int i = 0; i < fate.copies; i++) {
        zmsg_t *copy = zmsg_new();

        if (id) {
            zframe_t *address = zframe_dup(id);

            (void)zmsg_append(copy, &address);
        }
        (void)zmsg_addmem(copy, self->buffer, size);
        send_later(self, to, copy, delay_in_order(self, direction, &fate, i));
    }
    zmsg_destroy(&message);
}

static struct stand_in *find_by_dealer(const struct proxy *self, const zsock_t *dealer)
{
    for (size_t i = 0; i < self->peer_count; i++)
        if (self->peers[i]->dealer == dealer)
            return self->peers[i];
    return NULL;
}

static int on_answer(zloop_t *loop, zsock_t *dealer, void *arg)
{
    struct proxy *self = arg;
    const struct stand_in *peer = find_by_dealer(self, dealer);
    zmsg_t *message = zmsg_recv(dealer);

    (void)loop;
    if (message && peer)
        pass_on(self, DOWN, peer->id, message, self->router);
    return 0;
}

static struct stand_in *stand_in_new(struct proxy *self, zframe_t *id)
{
    struct stand_in *peer = xcalloc(1, sizeof(*peer));
    const size_t size = zframe_size(id);

    peer->id = zframe_dup(id);
    peer->dealer = zsock_new(ZMQ_DEALER);
    if (size > 0 && zframe_data(id)[0] != 0) /* those that begin with 0 ZeroMQ has made up */
        (void)zmq_setsockopt(zsock_resolve(peer->dealer), ZMQ_ROUTING_ID, zframe_data(id), size);
    zsock_set_linger(peer->dealer, 0);
    if (zsock_connect(peer->dealer, "%s", self->config->to) < 0 ||
        zloop_reader(self->loop, peer->dealer, on_answer, self) < 0)
        abort();
    self->peers =
        grow_array(self->peers, self->peer_count, &self->peer_capacity, sizeof(struct stand_in *));
    self->peers[self->peer_count++] = peer;
    return peer;
}

static struct stand_in *stand_in_of(struct proxy *self, zframe_t *id)
{
    for (size_t i = 0; i < self->peer_count; i++)
        if (zframe_eq(self->peers[i]->id, id))
            return self->peers[i];
    return stand_in_new(self, id);
}

static int on_request(zloop_t *loop, zsock_t *router, void *arg)
{
    struct proxy *self = arg;
    zmsg_t *message = zmsg_recv(router);
    zframe_t *id = message ? zmsg_pop(message) : NULL;

    (void)loop;
    if (id)
        pass_on(self, UP, NULL, message, stand_in_of(self, id)->dealer);
    zframe_destroy(&id);
    return 0;
}

static int set_faults(struct proxy *self, const char *which, const char *text, struct error *error)
{
    const bool both = strcmp(which, "both") == 0;
    struct fault_rates rates;

    if (!both && strcmp(which, "up") != 0 && strcmp(which, "down") != 0)
        return error_set(error, "\"%s\": expected up, down or both", which);
    if (fault_rates_parse(text, &rates, error) < 0)
        return -1;
    if (both || strcmp(which, "up") == 0)
        message_faults_set(self->faults[UP], &rates);
    if (both || strcmp(which, "down") == 0)
        message_faults_set(self->faults[DOWN], &rates);
    return 0;
}

static int on_input(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    char line[512];
    const ssize_t length = read(item->fd, line, sizeof(line) - 1);
    char *rest = line;
    char *one;

    if (length <= 0) {
        zloop_poller_end(loop, item);
        return 0;
    }
    line[length] = '\0';
    while ((one = strsep(&rest, "\n")) && *one) {
        struct error error;
        char *text = one;
        const char *which = strsep(&text, " ");

        if (set_faults(arg, which, text ? text : "", &error) < 0)
            puts(error.text);
        else
            puts("ok");
    }
    (void)fflush(stdout);
    return 0;
}

static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    (void)loop;
    (void)item;
    (void)arg;
    return -1; /* ends the loop */
}

static int open_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static void print_counts(const struct proxy *self)
{
    static const char *const names[] = {"up", "down"};

    for (int i = 0; i < DIRECTIONS; i++) {
        const struct fault_counts *counts = message_faults_counts(self->faults[i]);

        (void)printf("{\"direction\": \"%s\", \"messages\": %" PRIu64 ", \"lost\": %" PRIu64
                     ", \"duplicated\": %" PRIu64 ", \"overtaken\": %" PRIu64
                     ", \"damaged\": %" PRIu64 "}\n",
                     names[i], counts->messages, counts->lost, counts->duplicated,
                     counts->overtaken, counts->damaged);
    }
}

static int start(struct proxy *self, struct error *error)
{
    zmq_pollitem_t signals = {NULL, self->signals, ZMQ_POLLIN, 0};
    zmq_pollitem_t input = {NULL, STDIN_FILENO, ZMQ_POLLIN, 0};

    if (set_faults(self, "both", self->config->faults, error) < 0)
        return -1;
    self->router = zsock_new(ZMQ_ROUTER);
    zsock_set_router_handover(self->router, 1);
    zsock_set_linger(self->router, 0);
    if (zsock_bind(self->router, "%s", self->config->listen) < 0)
        return error_set(error, "%s: %s", self->config->listen, strerror(errno));
    (void)zloop_reader(self->loop, self->router, on_request, self);
    (void)zloop_poller(self->loop, &signals, on_signal, self);
    (void)zloop_poller(self->loop, &input, on_input, self);
    zloop_poller_set_tolerant(self->loop, &input);
    (void)printf("listening at %s\n", zsock_endpoint(self->router));
    (void)fflush(stdout);
    return 0;
}

static void end(struct proxy *self)
{
    zloop_destroy(&self->loop);
    while (self->waiting) {
        struct letter *letter = self->waiting;

        self->waiting = letter->next;
        zmsg_destroy(&letter->message);
        free(letter);
    }
    for (size_t i = 0; i < self->peer_count; i++) {
        zframe_destroy(&self->peers[i]->id);
        zsock_destroy(&self->peers[i]->dealer);
        free(self->peers[i]);
    }
    free(self->peers);
    zsock_destroy(&self->router);
    for (int i = 0; i < DIRECTIONS; i++)
        message_faults_destroy(&self->faults[i]);
    free(self->buffer);
    (void)close(self->signals);
}

static int run(const struct config *config, struct error *error)
{
    struct proxy self = {
        .config = config,
        .loop = zloop_new(),
        .faults = {message_faults_new((uint64_t)config->seed, "up"),
                   message_faults_new((uint64_t)config->seed, "down")},
        .buffer = xmalloc(FRAME_MAX),
        .signals = open_signals(),
    };
    const int status = start(&self, error);

    if (status == 0) {
        (void)zloop_start(self.loop);
        print_counts(&self);
    }
    end(&self);
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {.faults = "none", .seed = 1};
    const struct option_spec options[] = {
        OPTION_TEXT("listen", "ENDPOINT", &config.listen, "where the DEALERs connect"),
        OPTION_TEXT("to", "ENDPOINT", &config.to, "where the ROUTER is"),
        OPTION_TEXT("faults", "SPEC", &config.faults,
                    "loss, duplicate, reorder, flip, truncate, splice = 0 to 1, delay = mean ms"),
        OPTION_WHOLE("seed", "N", &config.seed, 0, 9e15, "of what happens to whom"),
        OPTION_END,
    };
    const struct command command = {
        .name = "message_proxy",
        .summary = "Pass messages on as a bad network would",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && (operands.count > 0 || !config.listen || !config.to))
        status = error_set(&error, "expected --listen and --to");
    free(operands.items);
    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    (void)zsys_init();
    zsys_handler_set(NULL);
    status = run(&config, &error);
    zsys_shutdown();
    return status < 0 ? options_fail(&command, &error) : 0;
}
