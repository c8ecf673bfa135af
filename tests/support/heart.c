/* heart.c - see heart.h. */
#include "tests/support/heart.h"

#include "common/log.h"
#include "common/memory.h"
#include "scheduler/run/simulation.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define TURNS       4 /* in which all that came is heard, decided and answered */
#define WAITING_MAX 64
#define LOOK_MS     10
#define LOOKS_MAX   60000

static void wake(void *owner)
{
    ((struct heart *)owner)->wakes++;
}

static void hear_answer(void *owner, const struct msg_answer *answer)
{
    struct heart *self = owner;

    json_decref(self->answer);
    self->answer = json_loads(answer->document, 0, NULL);
    self->code = answer->code;
    self->answers++;
}

static void hear_beat(void *owner)
{
    (void)owner;
}

static void begin(struct heart *self)
{
    const struct service service = {.state = folder_file(self->folder, "state"),
                                    .limits = SERVICE_LIMITS_DEFAULT};
    const struct capacity_source port = fake_source_port(self->source);
    const struct client_line line = {hear_answer, hear_beat, self};
    struct simulation simulation = SIMULATION_DEFAULT;
    struct error error = {.text = ""};

    simulation.policy = SIMULATION_OWN_POLICY;
    simulation.slot_s = 0;
    simulation.restart_threshold = 0;
    simulation.described = self->cluster;
    simulation.throughputs = tables_folder();
    self->serving = serving_new(&service, "heart", 0, self->loop, wake, self);
    if (serving_open(self->serving, &simulation, &port, &error) < 0)
        fail_msg("%s", error.text);
    self->clients = clients_new(WAITING_MAX, 0, wake, self);
    self->alice = clients_join(self->clients, "alice", ROLE_SUBMIT, &line);
    self->bob = clients_join(self->clients, "bob", ROLE_SUBMIT, &line);
    self->root = clients_join(self->clients, "root", ROLE_OPERATE, &line);
    self->serving->clients = self->clients;
    self->shown = self->serving->clock;
    if (serving_begin(self->serving, &error) < 0)
        fail_msg("%s", error.text);
    heart_turn(self, TURNS);
}

static void end(struct heart *self)
{
    const struct error over = {.text = "the test ends it"};

    serving_destroy(&self->serving, &over);
    clients_destroy(&self->clients);
}

struct heart *heart_new(int nodes, int gpus)
{
    struct heart *self = xcalloc(1, sizeof(*self));

    (void)log_to_file("/dev/null");
    self->folder = folder_new();
    self->loop = zloop_new();
    self->cluster = (struct cluster_spec)CLUSTER_OF(1, nodes, gpus);
    self->source = fake_source_new(&self->shown);
    begin(self);
    return self;
}

void heart_destroy(struct heart **heart)
{
    struct heart *self = *heart;

    end(self);
    fake_source_destroy(&self->source);
    json_decref(self->answer);
    zloop_destroy(&self->loop);
    folder_destroy(&self->folder);
    free(self);
    *heart = NULL;
}

void heart_start_again(struct heart *self, bool with_snapshot)
{
    if (with_snapshot)
        snapshots_keep(self->serving);
    end(self);
    begin(self);
}

void heart_turn(struct heart *self, int turns)
{
    struct error error;

    for (int i = 0; i < turns; i++)
        if (serving_turn(self->serving, &error) < 0)
            fail_msg("%s", error.text);
}

void heart_go_to(struct heart *self, int64_t now_s)
{
    self->serving->clock.from_s = self->shown.from_s = now_s;
    fake_source_tell(self->source);
    heart_turn(self, TURNS);
}

static int on_look(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    (void)argument;
    return -1;
}

/* Copies of the process are heard, for a moment at most. */
static void hear_copies(struct heart *self)
{
    const int timer = zloop_timer(self->loop, LOOK_MS, 1, on_look, NULL);

    (void)zloop_start(self->loop);
    (void)zloop_timer_end(self->loop, timer);
}

json_t *heart_ask(struct heart *self, client_t *client, const char *verb, const char *format, ...)
{
    const int before = self->answers;
    char document[1024];
    va_list more;

    va_start(more, format);
    (void)vsnprintf(document, sizeof(document), format, more);
    va_end(more);
    clients_ask(client, &(struct msg_request){++self->asked, verb, document});
    heart_turn(self, TURNS);
    for (int i = 0; self->answers == before; i++) {
        if (i == LOOKS_MAX)
            fail_msg("%s was not answered", verb);
        hear_copies(self);
        heart_turn(self, TURNS);
    }
    return self->answer;
}

const char *heart_says(const struct heart *self, const char *key)
{
    const char *text = json_string_value(json_object_get(self->answer, key));

    return text ? text : "";
}

uint64_t heart_job(const struct heart *self, uint32_t row)
{
    return ledger_find(self->serving->ledger, row)->number;
}
