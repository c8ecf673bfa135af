/* message_ceiling.c - how many messages a bare ROUTER takes from a bare DEALER over loopback TCP,
 * plain or with CURVE: the measure for the decoding, checking and dispatching of Rubato.
 *
 * Sender and receiver are processes of their own, as a worker and its master are; the time is that
 * from the moment at which the sender may connect to the last message at the receiver. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"

#include <czmq.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pair of CURVE keys, as text. */
struct pair {
    char public_key[41];
    char secret_key[41];
};

struct config {
    bool curve;
    int64_t messages;
    int64_t size;
    int64_t runs;
};

static void send_all(const struct config *config, int port, const struct pair *server)
{
    zsock_t *dealer = zsock_new(ZMQ_DEALER);
    char *bytes = xcalloc(1, (size_t)config->size);

    zsock_set_sndhwm(dealer, 0);
    zsock_set_linger(dealer, -1);
    if (config->curve) {
        struct pair own;

        (void)zmq_curve_keypair(own.public_key, own.secret_key);
        zsock_set_curve_publickey(dealer, own.public_key);
        zsock_set_curve_secretkey(dealer, own.secret_key);
        zsock_set_curve_serverkey(dealer, server->public_key);
    }
    if (zsock_connect(dealer, "tcp://127.0.0.1:%d", port) < 0)
        _exit(1);
    for (int64_t i = 0; i < config->messages; i++)
        if (zmq_send(zsock_resolve(dealer), bytes, (size_t)config->size, 0) < 0)
            _exit(1);
    zsock_destroy(&dealer); /* waits until all is sent */
    free(bytes);
    zsys_shutdown();
    _exit(0);
}

static double receive_all(const struct config *config, zsock_t *router)
{
    void *handle = zsock_resolve(router);
    const double started_s = clock_now_s();
    zmq_msg_t frame;

    (void)zmq_msg_init(&frame);
    for (int64_t i = 0; i < config->messages; i++)
        for (int part = 0; part < 2; part++) /* the sender's routing id, then the message */
            if (zmq_msg_recv(&frame, handle, 0) < 0)
                abort();
    (void)zmq_msg_close(&frame);
    return (double)config->messages / (clock_now_s() - started_s);
}

/* Messages a second. The sender is forked before this process has a socket: a context does not
 * survive that. */
static double measure_once(const struct config *config)
{
    struct pair server;
    int ports[2];
    int port = 0;
    int status;
    double rate;
    zsock_t *router;
    pid_t sender;

    if (zmq_curve_keypair(server.public_key, server.secret_key) < 0 || pipe(ports) < 0 ||
        (sender = fork()) < 0)
        abort();
    if (sender == 0) {
        if (read(ports[0], &port, sizeof(port)) != sizeof(port))
            _exit(1);
        send_all(config, port, &server);
    }
    router = zsock_new(ZMQ_ROUTER);
    zsock_set_rcvhwm(router, 0);
    if (config->curve) {
        zsock_set_curve_secretkey(router, server.secret_key);
        zsock_set_curve_server(router, 1);
    }
    port = zsock_bind(router, "tcp://127.0.0.1:*");
    if (port < 0 || write(ports[1], &port, sizeof(port)) != sizeof(port))
        abort();
    rate = receive_all(config, router);
    (void)waitpid(sender, &status, 0);
    zsock_destroy(&router);
    (void)close(ports[0]);
    (void)close(ports[1]);
    zsys_shutdown();
    return rate;
}

/* In a process of its own, for the same reason. */
static int measure(const struct config *config, double *rate)
{
    int ends[2];
    int status = -1;
    pid_t child;
    bool came;

    if (pipe(ends) < 0 || (child = fork()) < 0)
        return -1;
    if (child == 0) {
        const double measured = measure_once(config);

        _exit(write(ends[1], &measured, sizeof(measured)) == sizeof(measured) ? 0 : 1);
    }
    (void)close(ends[1]);
    came = read(ends[0], rate, sizeof(*rate)) == sizeof(*rate);
    (void)close(ends[0]);
    (void)waitpid(child, &status, 0);
    return came && status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct config config = {.messages = 500000, .size = 200, .runs = 3};
    const struct option_spec options[] = {
        OPTION_SWITCH("curve", &config.curve, "encrypt and authenticate"),
        OPTION_WHOLE("messages", "N", &config.messages, 2, 1e9, "in each run"),
        OPTION_WHOLE("size", "BYTES", &config.size, 1, 1e6, "of a message"),
        OPTION_WHOLE("runs", "N", &config.runs, 1, 1000, "the median of which counts"),
        OPTION_END,
    };
    const struct command command = {
        .name = "message_ceiling",
        .summary = "Measure how many messages a second bare sockets take",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int status = options_parse(&command, argc, argv, &operands, &error);
    double *rates;

    free(operands.items);
    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    rates = xcalloc((size_t)config.runs, sizeof(*rates));
    for (int64_t i = 0; i < config.runs; i++)
        if (measure(&config, &rates[i]) < 0) {
            (void)error_set(&error, "a run came to nothing");
            free(rates);
            return options_fail(&command, &error);
        }
    printf("{\"testbed\": \"bare sockets, %s\", \"messages\": %" PRId64 ", \"bytes\": %" PRId64
           ", \"per_s\": %.0f}\n",
           config.curve ? "CURVE" : "plain", config.messages, config.size,
           samples_median(rates, (size_t)config.runs));
    free(rates);
    return 0;
}
