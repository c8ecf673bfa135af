/* gpu_watch.c - see gpu_watch.h. */
#include "worker/gpu_watch.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIST_BYTES_MAX ((size_t)1 << 16) /* capacity of a pipe */
#define ANSWER_MS      30000             /* after this time the driver is taken to hang */
#define SHARE          20                /* looks may take 1/SHARE of all time */

struct gpu_watch {
    struct gpu_watch_setting setting;
    char **environment; /* environment of the looks: all GPUs are visible */
    int64_t period_ms;
    int64_t took_ms; /* time that the last look took */
    int timer;       /* the loop's timer for the next look, or for the end of patience; -1: none */
    int64_t began_us;
    pid_t pid; /* the process that looks, 0 for none */
    int pidfd;
    int out;   /* pipe with the output of the look */
    bool vain; /* the last look failed, and the log says so */
};

static void start(gpu_watch_t *self);

/* ---- timers ---- */

static int on_timer(zloop_t *loop, int timer, void *owner)
{
    gpu_watch_t *self = owner;

    (void)loop;
    if (timer != self->timer)
        return 0;
    self->timer = -1;
    if (self->pid > 0)
        (void)kill(self->pid,
                   SIGKILL); /* a process held in the driver ends when the driver lets go */
    else
        start(self);
    return 0;
}

static void set_timer(gpu_watch_t *self, int64_t after_ms)
{
    if (self->timer >= 0)
        (void)zloop_timer_end(self->setting.loop, self->timer);
    self->timer = zloop_timer(self->setting.loop, (size_t)after_ms, 1, on_timer, self);
}

static void look_later(gpu_watch_t *self)
{
    const int64_t least_ms = self->took_ms * (SHARE - 1);

    if (self->period_ms > 0)
        set_timer(self, self->period_ms > least_ms ? self->period_ms : least_ms);
}

/* ---- a look ---- */

static void look_in_vain(gpu_watch_t *self, const char *cause)
{
    const struct log_subject subject = self->setting.about(self->setting.owner);

    if (!self->vain)
        log_event(&subject, "gpus-unknown", "cause=%s", log_text(cause));
    self->vain = true;
}

/* The output of the program that looks for GPUs; NULL if the output is too long. */
static char *read_list(const gpu_watch_t *self)
{
    char *text = xcalloc(LIST_BYTES_MAX + 1, 1);
    size_t length = 0;
    ssize_t more;

    do {
        more = read(self->out, text + length, LIST_BYTES_MAX - length);
        length += more > 0 ? (size_t)more : 0;
    } while (more > 0 || (more < 0 && errno == EINTR));
    return text;
}

static void take_list(gpu_watch_t *self, int status)
{
    struct gpus gpus;
    struct error error;
    char *text;

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        look_in_vain(self, WIFSIGNALED(status) ? "the driver does not answer"
                                               : "the driver cannot say which GPUs there are");
        return;
    }
    text = read_list(self);
    if (gpus_read_list(text, &gpus, &error) == 0) {
        self->vain = false;
        self->setting.seen(self->setting.owner, &gpus);
        gpus_clear(&gpus);
    } else {
        look_in_vain(self, error.text);
    }
    free(text);
}

static void end_look(gpu_watch_t *self)
{
    zmq_pollitem_t item = {.fd = self->pidfd, .events = ZMQ_POLLIN};

    zloop_poller_end(self->setting.loop, &item);
    (void)close(self->pidfd);
    self->pid = 0;
    self->took_ms = (clock_boot_us() - self->began_us) / 1000;
    self->setting.looks(self->setting.owner, 0);
}

static int on_ended(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    gpu_watch_t *self = owner;
    int status = -1;

    (void)loop;
    (void)item;
    if (waitpid(self->pid, &status, WNOHANG) == 0)
        return 0;
    end_look(self);
    take_list(self, status);
    (void)close(self->out);
    look_later(self);
    return 0;
}

static pid_t start_process(gpu_watch_t *self, int out, struct error *error)
{
    static char *const arguments[] = {"/proc/self/exe", "--list-gpus", NULL};
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const struct child_setting child = {
        .argv = arguments,
        .environment = self->environment,
        .out = out,
        .err = nothing,
        .no_new_privileges = true,
        .death_signal = SIGKILL,
    };
    const pid_t pid = child_start(&child, error);

    if (nothing >= 0)
        (void)close(nothing);
    return pid;
}

static void start(gpu_watch_t *self)
{
    zmq_pollitem_t item = {.events = ZMQ_POLLIN};
    struct error error;
    int pipes[2];

    if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0) {
        look_in_vain(self, strerror(errno));
        look_later(self);
        return;
    }
    self->began_us = clock_boot_us();
    self->pid = start_process(self, pipes[1], &error);
    (void)close(pipes[1]);
    if (self->pid < 0) {
        self->pid = 0;
        (void)close(pipes[0]);
        look_in_vain(self, error.text);
        look_later(self);
        return;
    }
    self->out = pipes[0];
    self->pidfd = child_pidfd(self->pid);
    item.fd = self->pidfd;
    (void)zloop_poller(self->setting.loop, &item, on_ended, self);
    self->setting.looks(self->setting.owner, self->pid);
    set_timer(self, ANSWER_MS);
}

/* ---- beginning and end ---- */

/* The environment of looks, without CUDA_VISIBLE_DEVICES: the numbers of GPUs change when a GPU
 * is gone, and the worker knows its GPUs by their UUIDs. */
static char **environment_of_looks(void)
{
    static const char hidden[] = "CUDA_VISIBLE_DEVICES=";
    size_t count = 0;
    char **kept;

    while (environ[count])
        count++;
    kept = xcalloc(count + 1, sizeof(*kept));
    count = 0;
    for (char **word = environ; *word; word++)
        if (strncmp(*word, hidden, sizeof(hidden) - 1) != 0)
            kept[count++] = *word;
    return kept;
}

gpu_watch_t *gpu_watch_new(const struct gpu_watch_setting *setting)
{
    gpu_watch_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->environment = environment_of_looks();
    self->timer = -1;
    return self;
}

void gpu_watch_destroy(gpu_watch_t **self)
{
    if (!*self)
        return;
    if ((*self)->pid > 0) {
        (void)kill((*self)->pid, SIGKILL);
        (void)waitpid((*self)->pid, NULL,
                      WNOHANG); /* no wait for a process that hangs in the driver */
        (void)close((*self)->pidfd);
        (void)close((*self)->out);
    }
    free((*self)->environment);
    free(*self);
    *self = NULL;
}

void gpu_watch_every(gpu_watch_t *self, int64_t period_ms)
{
    const bool is_new = self->period_ms != period_ms;

    self->period_ms = period_ms;
    if (is_new && self->pid == 0)
        look_later(self);
}

void gpu_watch_now(gpu_watch_t *self)
{
    if (self->pid == 0 && self->period_ms > 0)
        set_timer(self, 0);
}
