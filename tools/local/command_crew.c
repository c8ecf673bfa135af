/* command_crew.c - see command_crew.h. */
#include "tools/local/command_crew.h"

#include "common/memory.h"
#include "common/output.h"
#include "tools/local/daemon.h"
#include "tools/local/keeper.h"
#include "tools/local/start.h"
#include "tools/local/story.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDING_MS 10000 /* time from SIGTERM until the remaining daemons are killed */
#define MASTER    0

/* The memory that the keeper shares with the process of the work. */
struct shared {
    const struct command_crew_setting *setting;
    char programs[PATH_MAX];
    char folder[PATH_MAX]; /* folder of checkpoints, removed at the end */
    struct error error;
};

struct crew {
    struct shared *shared;
    struct daemon *daemons;
    int count; /* number of daemons that were started */
    output_t *table;
    int signals;
    int stopped_by; /* signal that stopped the work, 0 for none */
    bool failed;
};

/* ---- start ---- */

static void say_master(const struct shared *shared, struct command_words *words)
{
    words_add(words, "%s/master", shared->programs);
    words_add(words, "--port=0");
    words_add(words, "--workers=%" PRId64, shared->setting->nodes);
    words_add(words, "--trace=%s", shared->setting->commands);
    words_add(words, "--debug=1");
    words_add(words, "--time-scale=%.17g", shared->setting->time_scale);
}

static void say_worker(const struct shared *shared, int node, const char *port,
                       struct command_words *words)
{
    words_add(words, "%s/worker", shared->programs);
    words_add(words, "--name=node-%d", node);
    words_add(words, "--master-port=%s", port);
    words_add(words, "--address=127.0.0.1");
    words_add(words, "--port=%d", start_first_port(node));
    words_add(words, "--gpus=%" PRId64, shared->setting->gpus_per_node);
    words_add(words, "--gpu-type=%s", shared->setting->gpu_type);
    words_add(words, "--run-dir=%s", shared->folder);
    words_add(words, "--checkpoint-interval=0");
    words_add(words, "--emulate");
}

static void fail(struct crew *self)
{
    self->failed = true;
    daemons_signal(self->daemons, self->count, SIGTERM);
}

/* Starts a worker for the master at `port`, or the master if `port` is NULL. */
static void start(struct crew *self, const char *port)
{
    struct command_words words = {.memory = arena_new()};
    const int node = self->count - 1;
    char name[32] = "the master";

    if (port) {
        (void)snprintf(name, sizeof(name), "worker node-%d", node);
        say_worker(self->shared, node, port, &words);
    } else {
        say_master(self->shared, &words);
    }
    if (daemon_start(&self->daemons[self->count], name, words.items, NULL, &self->shared->error) <
        0)
        fail(self);
    else
        self->count++;
    arena_destroy(&words.memory);
}

/* ---- output of the daemons ---- */

static void heard(void *owner, struct daemon *daemon, const char *line, bool is_log)
{
    struct crew *self = owner;
    char endpoint[128];
    const char *port;

    if (daemon != &self->daemons[MASTER])
        return;
    if (!is_log) {
        output_format(self->table, "%s\n", line);
        return;
    }
    if (self->count > 1 || !story_is(line, "up") ||
        !story_value(line, "endpoint", endpoint, sizeof(endpoint)))
        return;
    port = strrchr(endpoint, ':');
    for (int64_t i = 0; port && i < self->shared->setting->nodes && !self->failed; i++)
        start(self, port + 1);
}

static void ended(struct crew *self, const struct daemon *daemon)
{
    if (self->failed || self->stopped_by ||
        (WIFEXITED(daemon->status) && WEXITSTATUS(daemon->status) == 0))
        return;
    daemon_explain(daemon, &self->shared->error);
    fail(self);
}

/* ---- the loop ---- */

/* The first signal ends the daemons. A second signal kills them. */
static void read_signal(struct crew *self)
{
    struct signalfd_siginfo info;

    while (read(self->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (self->stopped_by)
            daemons_signal(self->daemons, self->count, SIGKILL);
        self->stopped_by = (int)info.ssi_signo;
        fail(self);
    }
}

static void attend(struct crew *self, struct pollfd *polls)
{
    const int count =
        self->count; /* `heard` may start workers meanwhile, which have no entry in `polls` */
    const int ready =
        daemons_wait(self->daemons, count, self->signals, self->failed ? ENDING_MS : -1, polls);

    if (ready == 0)
        daemons_signal(self->daemons, self->count, SIGKILL);
    if (ready <= 0)
        return;
    if (polls[0].revents)
        read_signal(self);
    for (int i = 0; i < count; i++)
        if (daemon_attend(&self->daemons[i], &polls[1 + i * DAEMON_POLLS], heard, self))
            ended(self, &self->daemons[i]);
}

/* Runs the daemons to their end. Returns the exit status, as keeper_run wants it. */
static int carry_out(void *argument)
{
    struct shared *shared = argument;
    const size_t most = (size_t)shared->setting->nodes + 1;
    struct crew self = {.shared = shared,
                        .daemons = xcalloc(most, sizeof(struct daemon)),
                        .table = output_new(shared->setting->table, &shared->error),
                        .signals = keeper_signals()};
    struct pollfd *polls = xcalloc(1 + most * DAEMON_POLLS, sizeof(*polls));
    bool done;

    assert(self.signals >= 0);
    if (self.table)
        start(&self, NULL);
    while (daemons_run(self.daemons, self.count))
        attend(&self, polls);
    done = self.table && !self.failed && output_commit(&self.table, &shared->error) == 0;
    output_destroy(&self.table);
    free(polls);
    free(self.daemons);
    (void)close(self.signals);
    return self.stopped_by ? 128 + self.stopped_by : done ? 0 : 2;
}

/* Runs the work under a keeper. Restores the signal mask, because keeper_run blocks signals. */
static int keep(struct shared *shared, struct error *error)
{
    sigset_t before;
    int status;

    if (start_find_programs(shared->programs, sizeof(shared->programs), error) < 0 ||
        start_make_temporary(shared->folder, sizeof(shared->folder), error) < 0)
        return -1;
    (void)sigprocmask(SIG_SETMASK, NULL, &before);
    status = keeper_run(carry_out, shared, shared->folder, error);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (status > 0 && status <= 128)
        return error_set(error, "%s", shared->error.text);
    return status;
}

int command_crew_run(const struct command_crew_setting *setting, struct error *error)
{
    struct shared *shared = memory_share(sizeof(*shared));
    int status;

    shared->setting = setting;
    status = keep(shared, error);
    (void)munmap(shared, sizeof(*shared));
    return status;
}
