/* master_source.c - see master_source.h. */
#include "scheduler/capacity/master_source.h"

#include "common/clock.h"
#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/privileges.h"
#include "protocol/peer_clock.h"
#include "protocol/process_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MAX     65535
#define TELL_AGAIN_S 60.0

struct master_source {
    struct master_setting setting;
    char endpoint[300];
    keys_t *keys;
    zloop_t *loop;
    capacity_t *capacity;
    link_client_t *link; /* NULL while it is not attached */
    int beat;            /* timer of the heartbeat, -1 for none */
    double beat_s;       /* when the last heartbeat was sent, by clock_s */
    bool in_session;
    struct peer_clock clock_there; /* clock of the master in this session */
    bool was_of_use; /* after its end a new session is awaited: the master may sleep or restart */
    bool refuses;    /* since the last session */
    bool broken;     /* no new session is tried */
    double told_s;   /* when the absence of the master was last logged, by clock_s */
    char why_broken[300];
};

/* ---- heartbeats ---- */

static void tell_away(master_source_t *self)
{
    log_event(&LOG_ABOUT_NOTHING, "master-gone", "peer=%s cause=%s",
              log_text(self->setting.address), log_text(self->why_broken));
    self->told_s = clock_s();
}

static bool is_told_again(const master_source_t *self)
{
    return self->was_of_use && !self->in_session && *self->why_broken &&
           clock_s() >= self->told_s + TELL_AGAIN_S;
}

static void send_beat(master_source_t *self)
{
    struct writer beat;

    if (!self->in_session)
        return;
    writer_open(&beat, MSG_HEARTBEAT, 0);
    link_client_send(self->link, &beat);
    self->beat_s = clock_s();
}

static int on_beat(zloop_t *loop, int timer, void *argument)
{
    master_source_t *self = argument;

    (void)loop;
    (void)timer;
    send_beat(self);
    if (is_told_again(self))
        tell_away(self);
    return 0;
}

static void attend(void *owner)
{
    master_source_t *self = owner;

    if ((clock_s() - self->beat_s) * 1000 >= (double)self->setting.heartbeat_ms)
        send_beat(self);
}

/* Beats as often as the master wants: a slower scheduler is gone for the master. */
static void beat_every(master_source_t *self, int64_t heartbeat_ms)
{
    if (self->beat >= 0 && heartbeat_ms == self->setting.heartbeat_ms)
        return;
    if (self->beat >= 0)
        (void)zloop_timer_end(self->loop, self->beat);
    self->setting.heartbeat_ms = heartbeat_ms;
    self->beat = zloop_timer(self->loop, (size_t)heartbeat_ms, 0, on_beat, self);
}

/* ---- what the master says ---- */

static int on_welcome(master_source_t *self, reader_t *in, struct error *error)
{
    struct msg_scheduler_welcome welcome;

    if (msg_scheduler_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    self->in_session = self->was_of_use = true;
    self->refuses = false;
    self->clock_there.known = false;
    if (welcome.workers_expected > capacity_node_count(self->capacity)) {
        (void)snprintf(self->why_broken, sizeof(self->why_broken),
                       "it waits for %" PRId64 " nodes, --cluster_spec has only %d",
                       welcome.workers_expected, capacity_node_count(self->capacity));
        self->broken = true;
    }
    link_client_set_heartbeat(self->link, welcome.heartbeat_ms);
    beat_every(self, welcome.heartbeat_ms);
    capacity_hear_welcome(self->capacity, &welcome);
    (void)FAILPOINT("master-welcomed");
    return 0;
}

static int on_nodes(master_source_t *self, reader_t *in, struct error *error)
{
    struct msg_nodes nodes;

    if (msg_nodes_unpack(in, &nodes, error) < 0 ||
        capacity_hear_nodes(self->capacity, &nodes, error) < 0)
        return -1;
    (void)FAILPOINT("nodes-heard");
    return 0;
}

/* Seconds since the job of the report was done. */
static double ended_ago_s(const master_source_t *self, const struct msg_job_report *report)
{
    const int64_t now_us = clock_boot_us();

    return report->ended_us == 0
               ? 0
               : 1e-6 * (double)(now_us -
                                 peer_clock_here(&self->clock_there, report->ended_us, now_us));
}

static int on_report(master_source_t *self, reader_t *in, struct error *error)
{
    struct msg_job_report report;

    if (msg_job_report_unpack(in, &report, error) < 0)
        return -1;
    capacity_hear_report(self->capacity, &report, ended_ago_s(self, &report));
    (void)FAILPOINT("report-heard");
    return 0;
}

static int on_heartbeat(master_source_t *self, reader_t *in, struct error *error)
{
    struct msg_master_heartbeat heartbeat;

    if (msg_master_heartbeat_unpack(in, &heartbeat, error) < 0)
        return -1;
    peer_clock_hear(&self->clock_there, heartbeat.stamp_us, clock_boot_us());
    capacity_hear_heartbeat(self->capacity, &heartbeat);
    return 0;
}

static int on_settled(master_source_t *self, reader_t *in, struct error *error)
{
    struct msg_settled settled;

    if (msg_settled_unpack(in, &settled, error) < 0)
        return -1;
    capacity_hear_settled(self->capacity, settled.round);
    (void)FAILPOINT("settled-heard");
    return 0;
}

static const struct {
    int type;
    int (*handle)(master_source_t *self, reader_t *in, struct error *error);
} handlers[] = {
    {MSG_WELCOME, on_welcome},     {MSG_NODES, on_nodes},     {MSG_JOB_REPORT, on_report},
    {MSG_HEARTBEAT, on_heartbeat}, {MSG_SETTLED, on_settled},
};

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
        if (handlers[i].type == type)
            return handlers[i].handle(owner, in, error);
    return error_set(error, "the master sent a message of type %d, which is none of its own", type);
}

/* ---- the session ---- */

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const master_source_t *self = owner;
    const struct msg_hello hello = {
        .version = version, .role = "scheduler", .name = self->setting.name};

    msg_hello_pack(&hello, 0, out);
}

/* The end of a session, or a refusal. A master refuses again and again: the same cause is logged
 * once. */
static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    master_source_t *self = owner;
    const bool is_new = !refused || !self->refuses || strcmp(cause, self->why_broken) != 0;

    (void)snprintf(self->why_broken, sizeof(self->why_broken), "%s", cause);
    self->in_session = false;
    self->refuses = refused != REFUSAL_NONE;
    self->broken = self->broken || refused == REFUSAL_VERSION;
    capacity_hear_away(self->capacity);
    if (is_new)
        tell_away(self);
    return true;
}

static int attach(void *owner, capacity_t *capacity, struct error *error)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    master_source_t *self = owner;
    const struct link_client_setting setting = {
        .endpoint = self->endpoint,
        .heartbeat_ms = self->setting.heartbeat_ms,
        .keys = self->keys,
        .server = "master",
    };

    if (privileges_are_root())
        log_event(&LOG_ABOUT_NOTHING, "as-root", "cause=%s", log_text(PRIVILEGES_WARNING));
    self->capacity = capacity;
    self->was_of_use = capacity_is_resumed(capacity);
    self->link = link_client_new(self->loop, &setting, &calls, self, error);
    if (!self->link)
        return -1;
    beat_every(self, self->setting.heartbeat_ms);
    return 0;
}

static int check(const void *owner, struct error *error)
{
    const master_source_t *self = owner;

    if (!self->broken && (!self->refuses || self->was_of_use))
        return 0;
    return error_set(error, "the master at %s cannot be used: %s", self->setting.address,
                     self->why_broken);
}

static void send_program(void *owner, const struct msg_program *program)
{
    const master_source_t *self = owner;
    struct writer out;

    msg_program_pack(program, &out);
    link_client_send(self->link, &out);
}

static void order(void *owner, const struct writer *plan)
{
    const master_source_t *self = owner;
    struct writer copy;

    writer_copy(plan, &copy);
    link_client_send(self->link, &copy);
}

static void detach(void *owner, const char *why, bool over)
{
    master_source_t *self = owner;
    struct writer goodbye;

    if (!self->link)
        return;
    if (self->in_session && over) {
        msg_goodbye_pack(why, &goodbye);
        link_client_send(self->link, &goodbye);
    }
    log_event(&LOG_ABOUT_NOTHING, "down", "why=%s distrusted=%" PRIu64, log_text(why),
              capacity_distrusted(self->capacity));
    link_client_destroy(&self->link);
    if (self->beat >= 0)
        (void)zloop_timer_end(self->loop, self->beat);
    self->beat = -1;
    self->in_session = false;
}

/* ---- life ---- */

static int check_address(const char *address, struct error *error)
{
    const char *colon = strrchr(address, ':');
    int64_t port;

    if (colon && colon > address &&
        number_parse_whole(colon + 1, strlen(colon + 1), 1, PORT_MAX, &port) == NUMBER_OK)
        return 0;
    return error_set(error, "--master: expected ADDRESS:PORT, found \"%s\"", address);
}

static int check_name(const char *name, struct error *error)
{
    return process_name_check(name, error) < 0 ? error_prefix(error, "--name") : 0;
}

/* Reads the scheduler's keys, and checks that the master's is there. Whether the endpoint needs
 * keys is checked, too. */
static int find_keys(master_source_t *self, struct error *error)
{
    const char *folder = self->setting.keys;

    if (folder && !(self->keys = keys_read(folder, self->setting.name, error)))
        return -1;
    if (self->keys && !keys_public_of(self->keys, "master", error))
        return -1;
    return endpoint_check(self->endpoint, self->keys, error);
}

master_source_t *master_source_new(zloop_t *loop, const struct master_setting *setting,
                                   struct error *error)
{
    master_source_t *self;

    if (check_address(setting->address, error) < 0 || check_name(setting->name, error) < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->setting = *setting;
    self->loop = loop;
    self->beat = -1;
    (void)snprintf(self->endpoint, sizeof(self->endpoint), "tcp://%s", setting->address);
    if (find_keys(self, error) < 0)
        master_source_destroy(&self);
    return self;
}

void master_source_destroy(master_source_t **self)
{
    if (!*self)
        return;
    link_client_destroy(&(*self)->link);
    keys_destroy(&(*self)->keys);
    free(*self);
    *self = NULL;
}

struct capacity_source master_source_port(master_source_t *self)
{
    return (struct capacity_source){.self = self,
                                    .attach = attach,
                                    .check = check,
                                    .program = send_program,
                                    .order = order,
                                    .attend = attend,
                                    .detach = detach};
}

const keys_t *master_source_keys(const master_source_t *self)
{
    return self->keys;
}

void master_source_set_endpoint(master_source_t *self, const char *endpoint)
{
    (void)snprintf(self->endpoint, sizeof(self->endpoint), "%s", endpoint);
}
