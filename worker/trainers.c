/* trainers.c - see trainers.h. */
#include "worker/trainers.h"

#include "common/child.h"
#include "common/descendants.h"
#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time between the starts of a trainer that dies again and again. */
#define BACK_OFF_US_MIN 100000
#define BACK_OFF_US_MAX 30000000

/* A trainer that has lived this long did not die of its start. */
#define HEALTHY_US 30000000

/* How long the last messages of a trainer that ended may take. */
#define LAST_WORDS_US 1000000

/* Time between two looks at what a killed trainer left. */
#define SWEEP_US 5000

struct trainer {
    bool unwanted; /* the trainer is not started */
    pid_t pid;     /* 0 without a process */
    pid_t was;     /* the process that ended last */
    int pidfd;
    bool swept; /* false: the trainer ended, but what it left may not have */
    bool clean; /* the trainer ended by itself, which happens only when nothing is below the trainer
                 */
    bool heard; /* the trainer was heard of since its start */
    bool asked; /* the trainer was asked to end */
    bool speaks; /* in session: more of its messages may come, even after its end */
    bool spoke;  /* the trainer is, or was, in session since its start */
    int64_t ended_us;
    int64_t start_us; /* when the trainer is to start, or did */
    int64_t limit_us; /* when the trainer is killed, INT64_MAX for never */
    int64_t back_off_us;
    uint32_t mute; /* number of starts in a row without a session */
    char cause[160];
};

struct trainers {
    struct trainers_setting setting;
    struct trainer *items;
    pid_t *pids;  /* processes for the sweeper to spare: running trainers and `spared` */
    pid_t spared; /* the process that the sweeper leaves alone, 0 for none */
    int32_t node;
    int64_t sweep_us;
    bool closed;
    bool began; /* a trainer was started */
};

trainers_t *trainers_new(const struct trainers_setting *setting)
{
    trainers_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->items = xcalloc((size_t)setting->gpu_count, sizeof(*self->items));
    self->pids = xcalloc((size_t)setting->gpu_count + 1, sizeof(*self->pids));
    self->node = -1;
    self->sweep_us = INT64_MAX;
    for (int32_t gpu = 0; gpu < setting->gpu_count; gpu++) {
        self->items[gpu].pidfd = -1;
        self->items[gpu].swept = true;
        self->items[gpu].limit_us = INT64_MAX;
    }
    return self;
}

void trainers_destroy(trainers_t **self)
{
    if (!*self)
        return;
    free((*self)->items);
    free((*self)->pids);
    free(*self);
    *self = NULL;
}

void trainers_set_node(trainers_t *self, int32_t node)
{
    self->node = node;
}

void trainers_want(trainers_t *self, int32_t gpu, bool wanted)
{
    self->items[gpu].unwanted = !wanted;
}

void trainers_spare(trainers_t *self, pid_t pid)
{
    self->spared = pid;
}

static struct log_subject about(const trainers_t *self, int32_t gpu)
{
    return (struct log_subject){LOG_NONE, LOG_NONE, self->node, gpu};
}

/* ---- starting ---- */

static int start(trainers_t *self, int32_t gpu, int64_t now_us, struct error *error)
{
    struct trainer *trainer = &self->items[gpu];
    const struct child_setting child = {
        .argv = self->setting.arguments(self->setting.owner, gpu),
        .environment = self->setting.environment,
        .out = -1,
        .err = -1,
        .inherited = self->setting.lock,
        .no_new_privileges = true,
        .death_signal = SIGKILL,
    };
    const struct log_subject subject = about(self, gpu);
    const pid_t pid = child_start(&child, error);

    if (pid < 0)
        return -1;
    self->began = true;
    trainer->pidfd = child_pidfd(pid);
    trainer->pid = pid;
    trainer->swept = false;
    trainer->heard = false;
    trainer->asked = false;
    trainer->speaks = false;
    trainer->spoke = false;
    trainer->start_us = now_us;
    trainer->limit_us = now_us + TRAINER_START_US;
    trainer->cause[0] = '\0';
    log_event(&subject, "trainer-started", "pid=%ld", (long)pid);
    self->setting.calls->watch(self->setting.owner, gpu, trainer->pidfd);
    return 0;
}

/* Sets the time of the next start after a start that failed or a trainer that died. */
static void back_off(struct trainer *trainer, int64_t now_us)
{
    const bool healthy = now_us - trainer->start_us >= HEALTHY_US || trainer->asked;

    trainer->back_off_us = healthy ? 0 : trainer->back_off_us * 2;
    if (!healthy && trainer->back_off_us < BACK_OFF_US_MIN)
        trainer->back_off_us = BACK_OFF_US_MIN;
    if (trainer->back_off_us > BACK_OFF_US_MAX)
        trainer->back_off_us = BACK_OFF_US_MAX;
    trainer->start_us = now_us + trainer->back_off_us;
}

/* Counts a trainer that ended without ever being in session. */
static void count_mute(trainers_t *self, int32_t gpu, const char *cause)
{
    struct trainer *trainer = &self->items[gpu];

    trainer->mute++;
    if (trainer->mute >= TRAINER_TRIES)
        self->setting.calls->in_vain(self->setting.owner, gpu, cause);
}

static void log_not_started(const trainers_t *self, int32_t gpu, const struct error *error)
{
    const struct log_subject subject = about(self, gpu);

    log_event(&subject, "trainer-not-started", "cause=%s", log_text(error->text));
}

/* ---- ending ---- */

static size_t list_running(trainers_t *self)
{
    size_t count = 0;

    for (int32_t gpu = 0; gpu < self->setting.gpu_count; gpu++)
        if (self->items[gpu].pid > 0)
            self->pids[count++] = self->items[gpu].pid;
    if (self->spared > 0)
        self->pids[count++] = self->spared;
    return count;
}

/* Kills and reaps what trainers left; true if nothing is left. */
static bool sweep(trainers_t *self)
{
    const size_t running = list_running(self);
    size_t left = descendants_kill(getpid(), self->pids, running);

    descendants_reap(self->pids, running);
    if (left > 0)
        left = descendants_kill(getpid(), self->pids, running);
    return left == 0;
}

/* Whether a trainer may have left something. Looking costs a walk over all processes of the
 * machine. */
static bool wants_sweep(const trainers_t *self)
{
    for (int32_t gpu = 0; gpu < self->setting.gpu_count; gpu++)
        if (self->items[gpu].pid == 0 && !self->items[gpu].swept && !self->items[gpu].clean)
            return true;
    return false;
}

static void sweep_by(trainers_t *self, int64_t at_us)
{
    if (at_us < self->sweep_us)
        self->sweep_us = at_us;
}

static void finish(trainers_t *self, int64_t now_us)
{
    self->sweep_us = INT64_MAX;
    if (wants_sweep(self) && !sweep(self)) {
        sweep_by(self, now_us + SWEEP_US);
        return;
    }
    for (int32_t gpu = 0; gpu < self->setting.gpu_count; gpu++) {
        struct trainer *trainer = &self->items[gpu];

        if (trainer->pid > 0 || trainer->swept)
            continue;
        if (trainer->speaks && now_us < trainer->ended_us + LAST_WORDS_US) {
            sweep_by(self, trainer->ended_us + LAST_WORDS_US);
            continue;
        }
        trainer->swept = true;
        self->setting.calls->gone(self->setting.owner, gpu, trainer->was, trainer->cause);
        if (!trainer->spoke)
            count_mute(self, gpu, trainer->cause);
    }
}

void trainers_ended(trainers_t *self, int32_t gpu, int64_t now_us)
{
    struct trainer *trainer = &self->items[gpu];
    const struct log_subject subject = about(self, gpu);
    int status;

    if (trainer->pid <= 0 || waitpid(trainer->pid, &status, WNOHANG) != trainer->pid)
        return;
    log_event(&subject, "trainer-exited", "pid=%ld status=%s", (long)trainer->pid,
              log_text(child_status_text(status)));
    self->setting.calls->unwatch(self->setting.owner, gpu, trainer->pidfd);
    (void)close(trainer->pidfd);
    if (!trainer->cause[0])
        (void)snprintf(trainer->cause, sizeof(trainer->cause),
                       WIFSIGNALED(status) ? "trainer of GPU %" PRId32 " was ended by %s"
                                           : "trainer of GPU %" PRId32 " ended with %s",
                       gpu, child_status_text(status));
    trainer->was = trainer->pid;
    trainer->pid = 0;
    trainer->pidfd = -1;
    trainer->limit_us = INT64_MAX;
    trainer->clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    trainer->ended_us = now_us;
    back_off(trainer, now_us);
    self->sweep_us = now_us; /* with the next tick, for all processes that have ended by then */
}

void trainers_kill(trainers_t *self, int32_t gpu, const char *cause)
{
    struct trainer *trainer = &self->items[gpu];

    if (trainer->pid <= 0)
        return;
    (void)snprintf(trainer->cause, sizeof(trainer->cause), "%s", cause);
    (void)kill(trainer->pid, SIGKILL);
}

void trainers_kill_below(trainers_t *self)
{
    (void)descendants_kill_below(self->pids, list_running(self));
}

static void limit(struct trainer *trainer, int64_t limit_us)
{
    if (limit_us < trainer->limit_us)
        trainer->limit_us = limit_us;
}

void trainers_asked(trainers_t *self, int32_t gpu, int64_t limit_us)
{
    struct trainer *trainer = &self->items[gpu];

    trainer->asked = true;
    if (!trainer->heard)
        trainer->limit_us =
            INT64_MAX; /* a program that the trainer may have begun has its grace, however long */
    limit(trainer, limit_us);
}

void trainers_doubt(trainers_t *self, int32_t gpu, int64_t limit_us)
{
    if (self->items[gpu].heard)
        limit(&self->items[gpu], limit_us);
}

bool trainers_is(const trainers_t *self, int32_t gpu, pid_t pid)
{
    return gpu >= 0 && gpu < self->setting.gpu_count && self->items[gpu].pid == pid;
}

void trainers_speaks(trainers_t *self, int32_t gpu)
{
    struct trainer *trainer = &self->items[gpu];

    trainer->speaks = trainer->spoke = true;
    trainer->mute = 0;
}

void trainers_spoke(trainers_t *self, int32_t gpu)
{
    struct trainer *trainer = &self->items[gpu];

    trainer->speaks = false;
    if (trainer->pid == 0 && !trainer->swept)
        self->sweep_us = 0;
}

void trainers_heard(trainers_t *self, int32_t gpu)
{
    self->items[gpu].heard = true;
    if (!self->items[gpu].asked)
        self->items[gpu].limit_us = INT64_MAX;
}

static void kill_overdue(trainers_t *self, int32_t gpu, int64_t now_us)
{
    struct trainer *trainer = &self->items[gpu];
    const char *what = trainer->asked   ? "did not end when asked to"
                       : trainer->heard ? "is silent"
                                        : "is silent since its start";
    char cause[160];

    if (trainer->pid <= 0 || now_us < trainer->limit_us)
        return;
    (void)snprintf(cause, sizeof(cause), "trainer of GPU %" PRId32 " %s", gpu, what);
    trainer->limit_us = INT64_MAX;
    trainers_kill(self, gpu, cause);
}

int trainers_tick(trainers_t *self, int64_t now_us, struct error *error)
{
    for (int32_t gpu = 0; gpu < self->setting.gpu_count; gpu++) {
        struct trainer *trainer = &self->items[gpu];

        kill_overdue(self, gpu, now_us);
        if (self->closed || trainer->unwanted || trainer->pid > 0 || !trainer->swept ||
            now_us < trainer->start_us)
            continue;
        if (start(self, gpu, now_us, error) < 0) {
            if (!self->began)
                return -1;
            back_off(trainer, now_us);
            log_not_started(self, gpu, error);
            count_mute(self, gpu, error->text);
        }
    }
    if (now_us >= self->sweep_us)
        finish(self, now_us);
    return 0;
}

int64_t trainers_due_us(const trainers_t *self)
{
    int64_t due_us = self->sweep_us;

    for (int32_t gpu = 0; gpu < self->setting.gpu_count; gpu++) {
        const struct trainer *trainer = &self->items[gpu];
        const bool waits =
            trainer->pid == 0 && trainer->swept && !trainer->unwanted && !self->closed;

        if (waits && trainer->start_us < due_us)
            due_us = trainer->start_us;
        if (trainer->pid > 0 && trainer->limit_us < due_us)
            due_us = trainer->limit_us;
    }
    return due_us;
}

void trainers_close(trainers_t *self)
{
    self->closed = true;
}

bool trainers_all_gone(const trainers_t *self)
{
    for (int32_t gpu = 0; gpu < self->setting.gpu_count; gpu++)
        if (self->items[gpu].pid > 0 || !self->items[gpu].swept)
            return false;
    return true;
}
