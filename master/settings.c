/* settings.c - see settings.h. */
#include "master/settings.h"

#include "common/options.h"
#include "protocol/keys.h"
#include "protocol/scheduler_master.h"
#include "protocol/timing.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define PORT_MAX 65535

static const struct command described = {.name = "master"};

int master_settings_fail(const struct error *error)
{
    return options_fail(&described, error);
}

static int check_listen(const struct master_settings *self, struct error *error)
{
    unsigned char address[sizeof(struct in6_addr)];
    char endpoint[128];

    if (inet_pton(AF_INET, self->listen, address) != 1)
        return error_set(error, "--listen: expected an IPv4 address, found \"%s\"", self->listen);
    (void)snprintf(endpoint, sizeof(endpoint), "tcp://%s:1", self->listen);
    if (!self->keys && !endpoint_is_local(endpoint))
        return error_set(
            error,
            "--listen: any process that reaches %s could command this cluster: it needs --keys",
            self->listen);
    return 0;
}

static int check(const struct master_settings *self, struct error *error)
{
    if (self->lease_s < self->heartbeat_s * HEARTBEATS_MISSED)
        return error_set(error, "--lease: expected at least %d times --heartbeat, found %g and %g",
                         HEARTBEATS_MISSED, self->lease_s, self->heartbeat_s);
    if (self->debug && !self->trace)
        return error_set(error, "--debug=1 carries out a file of commands: name it with --trace");
    if (self->trace && !self->debug)
        return error_set(error, "--trace: a file of commands is carried out with --debug=1");
    return check_listen(self, error);
}

int master_settings_parse(struct master_settings *self, int argc, char **argv, int *status)
{
    const struct option_spec options[] = {
        OPTION_LETTER_WHOLE(
            'p', "port", "PORT", &self->port, 0, PORT_MAX,
            "where workers and the scheduler come in; 0: any that is free, the log says which"),
        OPTION_LETTER_WHOLE(
            'n', "workers", "COUNT", &self->workers, 1, NODES_MAX,
            "how many workers there will be: nothing is planned before so many have registered"),
        OPTION_LETTER_TEXT('t', "trace", "FILE", &self->trace,
                           "file of commands to carry out instead of a scheduler's plans"),
        OPTION_LETTER_WHOLE('d', "debug", "0|1", &self->debug, 0, 1,
                            "1: carry out the commands of --trace, and print how long each took"),
        OPTION_TEXT("listen", "ADDRESS", &self->listen,
                    "the address to listen at; one that other machines reach needs --keys"),
        OPTION_TEXT("keys", "DIR", &self->keys,
                    "folder with the keys of the master and the list of those that are allowed"),
        OPTION_TEXT("user", "NAME", &self->user,
                    "become this user for good, where root starts it: before anything of a peer is "
                    "read"),
        OPTION_REAL("heartbeat", "SECONDS", &self->heartbeat_s, 0.01, 3600,
                    "interval of signs of life, for all workers and the scheduler"),
        OPTION_REAL("lease", "SECONDS", &self->lease_s, 0.03, 86400,
                    "how long what runs on a worker runs on without word from here"),
        OPTION_REAL("stable-within", "SECONDS", &self->stable_within_s, 0, 86400,
                    "how long a program of a plan may run until it is stable, before it counts as "
                    "failed; 0: for ever"),
        OPTION_WHOLE("exclude-after", "COUNT", &self->exclude_after, 0, 1000000,
                     "how often in a row what runs on a GPU may fail before nothing is started on "
                     "the GPU, or on its node where no single GPU is to blame; 0: any number of "
                     "times"),
        OPTION_REAL("time-scale", "RATIO", &self->time_scale, 0, 1e6,
                    "with --debug: emulated seconds per real second, 0: as fast as possible"),
        OPTION_SWITCH("once", &self->once,
                      "end, with all workers, when the first scheduler has gone"),
        OPTION_END,
    };
    const struct command command = {
        .name = described.name,
        .summary = "Carry the plans of a scheduler out on workers",
        .text =
            "Registers workers in the order in which they come, takes plans from one scheduler at "
            "a "
            "time, and sees to it that no GPU has two holders. Jobs run on when the scheduler goes "
            "away. SIGTERM ends all workers, with checkpoints, and then the master; a second one "
            "ends it at once.",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    *status = 0;
    if (parsed > 0)
        return 1;
    if (parsed == 0 && check(self, &error) == 0)
        return 0;
    *status = options_fail(&command, &error);
    return 2;
}
