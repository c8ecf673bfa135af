/* trainer_link.c - see trainer_link.h. */
#include "worker/trainer_link.h"

#include "common/clock.h"
#include "common/memory.h"
#include "protocol/link.h"
#include "protocol/worker_trainer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define HEARTBEAT_MS 1000

struct trainer_link {
    const struct loop_turn *turn;
    holdings_t *holdings;
    parts_t *parts;
    trainers_t *trainers;
    trainer_sessions_t *sessions;
    link_server_t *server;
};

void trainer_link_name(char *endpoint, size_t size)
{
    uint64_t number = 0;

    (void)!getrandom(&number, sizeof(number), 0);
    (void)snprintf(endpoint, size, "ipc://@rubato-worker-%ld-%016" PRIx64, (long)getpid(), number);
}

static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    const trainer_link_t *self = owner;
    struct msg_trainer_hello trainer;

    turn_wake(self->turn);
    if (msg_trainer_hello_unpack(in, &trainer, error) < 0)
        return -1;
    if (strcmp(hello->role, "trainer") != 0 ||
        !trainers_is(self->trainers, trainer.gpu, (pid_t)trainer.pid))
        return error_set(error, "process %" PRId64 " is no trainer of this worker", trainer.pid);
    trainer_sessions_open(self->sessions, trainer.gpu, peer);
    trainer_sessions_send_welcome(self->sessions, trainer.gpu, HEARTBEAT_MS);
    holdings_trainer_up(self->holdings, trainer.gpu, clock_boot_us());
    turn_settle(self->turn);
    return 0;
}

static int on_heartbeat(const trainer_link_t *self, int32_t gpu, reader_t *in, struct error *error)
{
    struct msg_trainer_heartbeat heartbeat;
    struct msg_rank_report report;

    if (msg_trainer_heartbeat_unpack(in, &heartbeat, error) < 0)
        return -1;
    report = (struct msg_rank_report){.part = heartbeat.part, .state = heartbeat.state};
    if (heartbeat.active)
        parts_rank(self->parts, gpu, &report);
    return 0;
}

static int on_rank_report(const trainer_link_t *self, int32_t gpu, reader_t *in,
                          struct error *error)
{
    struct msg_rank_report report;

    if (msg_rank_report_unpack(in, &report, error) < 0)
        return -1;
    parts_rank(self->parts, gpu, &report);
    return 0;
}

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    const trainer_link_t *self = owner;
    const int32_t gpu = trainer_sessions_gpu(self->sessions, peer);
    int result;

    turn_wake(self->turn);
    trainers_heard(self->trainers, gpu);
    if (type == MSG_HEARTBEAT)
        result = on_heartbeat(self, gpu, in, error);
    else if (type == MSG_RANK_REPORT)
        result = on_rank_report(self, gpu, in, error);
    else
        result = error_set(error, "a message of type %d is not for a worker", type);
    if (result == 0)
        turn_settle(self->turn);
    return result;
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    const trainer_link_t *self = owner;
    const int32_t gpu = trainer_sessions_gpu(self->sessions, peer);

    (void)cause;
    turn_wake(self->turn);
    if (gpu >= 0) {
        trainer_sessions_close(self->sessions, gpu);
        holdings_trainer_lost(self->holdings, gpu, clock_boot_us());
    }
    turn_settle(self->turn);
}

static int on_timer(zloop_t *loop, int timer, void *owner)
{
    const trainer_link_t *self = owner;

    (void)loop;
    (void)timer;
    turn_wake(self->turn);
    holdings_send_lease(self->holdings);
    turn_settle(self->turn);
    return 0;
}

trainer_link_t *trainer_link_new(const struct trainer_link_setting *setting, struct error *error)
{
    static const struct link_server_calls calls = {
        .hello = on_hello,
        .message = on_message,
        .gone = on_gone,
    };
    const struct link_server_setting server = {
        .endpoint = setting->endpoint,
        .heartbeat_ms = HEARTBEAT_MS,
    };
    trainer_link_t *self = xcalloc(1, sizeof(*self));

    self->turn = setting->turn;
    self->holdings = setting->holdings;
    self->parts = holdings_parts(setting->holdings);
    self->trainers = holdings_trainers(setting->holdings);
    self->sessions = holdings_sessions(setting->holdings);
    self->server = link_server_new(setting->loop, &server, &calls, self, error);
    if (!self->server) {
        trainer_link_destroy(&self);
        return NULL;
    }
    (void)zloop_timer(setting->loop, HEARTBEAT_MS, 0, on_timer, self);
    return self;
}

void trainer_link_destroy(trainer_link_t **self)
{
    if (!*self)
        return;
    link_server_destroy(&(*self)->server);
    free(*self);
    *self = NULL;
}
