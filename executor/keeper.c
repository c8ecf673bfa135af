/* keeper.c - see keeper.h. The keeper is a fork of the trainer that runs nothing else: it waits for
 * signals and for output, and lives as long as anything below it. */
#include "executor/keeper.h"

#include "common/child.h"
#include "common/descendants.h"
#include "common/memory.h"
#include "executor/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWEEP_MS 5

struct keeper {
    pid_t pid; /* process of the keeper, 0 once the keeper ended */
    int status;
};

/* The keeper's message about the start of the program. */
struct start {
    pid_t program; /* -1: `error` says why not */
    int number;    /* errno of the failure, 0 if there is none */
    struct error error;
};

/* Whether a start that failed with errno `number` fails every time: the cause is the program,
 * not the machine. */
static bool is_lasting(int number)
{
    static const int lasting[] = {ENOENT, EACCES, ENOEXEC, ENOTDIR,      EISDIR,
                                  ELOOP,  EPERM,  E2BIG,   ENAMETOOLONG, EINVAL};

    for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++)
        if (lasting[i] == number)
            return true;
    return false;
}

/* ---- the keeper's own process ---- */

struct keeping {
    pid_t program;
    int signals;
    int output; /* read end of the program's output, -1 when the output has no writer any more */
    int log;
    int64_t log_bytes_left;
    bool over; /* nothing below the keeper shall live on */
    bool ended;
    int status; /* status of the program, once the program ended */
};

static const char cut[] = "\n[the limit of this log is reached]\n";

static void write_log(struct keeping *self, const char *bytes, size_t length)
{
    if (self->log < 0 || self->log_bytes_left <= 0)
        return;
    if ((int64_t)length > self->log_bytes_left)
        length = (size_t)self->log_bytes_left;
    self->log_bytes_left -= (int64_t)length;
    while (length > 0) {
        const ssize_t written = write(self->log, bytes, length);

        if (written <= 0)
            return; /* a full disk costs output, not the run */
        bytes += written;
        length -= (size_t)written;
    }
    if (self->log_bytes_left == 0 && write(self->log, cut, sizeof(cut) - 1) < 0)
        return;
}

/* Copies the output in the pipe; a pipe without a writer is closed. */
static void copy_output(struct keeping *self)
{
    char bytes[65536];
    ssize_t length;

    while (self->output >= 0 && (length = read(self->output, bytes, sizeof(bytes))) != 0) {
        if (length < 0)
            return;
        write_log(self, bytes, (size_t)length);
    }
    if (self->output >= 0)
        (void)close(self->output);
    self->output = -1;
}

static void reap(struct keeping *self)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != self->program)
            continue;
        self->ended = true;
        self->status = status;
        self->over = true;
    }
}

static void wait_for_news(const struct keeping *self)
{
    struct pollfd news[2] = {{.fd = self->signals, .events = POLLIN},
                             {.fd = self->output, .events = POLLIN}};

    (void)poll(news, 2, self->over ? SWEEP_MS : -1);
}

/* Ends the keeper as the program ended, so that the process that waits for the keeper sees the
 * program's status. */
static _Noreturn void end_like(int status)
{
    sigset_t all;

    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    (void)signal(WTERMSIG(status), SIG_DFL);
    (void)sigfillset(&all);
    (void)raise(WTERMSIG(status));
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    _exit(128 + WTERMSIG(status));
}

/* SIGUSR1 and SIGUSR2 are the trainer's ways to have the program asked to end, or to save its
 * state. The signals pass through the keeper because only here, where the program is reaped, can
 * the program's number not belong to another process yet. */
static void heed(struct keeping *self, int number)
{
    if (number == SIGUSR1 && !self->ended)
        (void)kill(-self->program, SIGTERM);
    else if (number == SIGUSR2 && !self->ended)
        (void)kill(self->program, SIGUSR1);
    else if (number != SIGUSR1 && number != SIGUSR2 && number != SIGCHLD)
        self->over = true;
}

static _Noreturn void keep(struct keeping *self)
{
    int number;

    for (;;) {
        reap(self);
        while ((number = signals_next(self->signals)) != 0)
            heed(self, number);
        reap(self);
        copy_output(self);
        if (self->over && descendants_kill(getpid(), NULL, 0) == 0) {
            reap(self);
            copy_output(self);
            end_like(self->ended ? self->status : SIGKILL);
        }
        wait_for_news(self);
    }
}

/* Closes all descriptors from 3 on but those in `kept`. */
static void close_others(const int kept[], int count)
{
    const int limit = (int)sysconf(_SC_OPEN_MAX);
    int from = STDERR_FILENO + 1;

    for (;;) {
        int next = limit > 0 ? limit : 65536;

        for (int i = 0; i < count; i++)
            if (kept[i] >= from && kept[i] < next)
                next = kept[i];
        if (next > from)
            (void)syscall(SYS_close_range, (unsigned)from, (unsigned)next - 1, 0);
        if (next >= limit)
            return;
        from = next + 1;
    }
}

static _Noreturn void become_keeper(const struct keeper_setting *setting, pid_t parent, int report)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, 0};
    struct keeping self = {.log = setting->log, .log_bytes_left = setting->log_bytes_max};
    struct start start = {.program = -1};
    int output[2] = {-1, -1};
    int kept[16] = {report, setting->log};
    int count = 2;
    struct child_setting child = {
        .argv = setting->argv,
        .environment = setting->environment,
        .folder = setting->folder,
        .user = setting->user,
        .writes_to = setting->writes_to,
        .unprivileged = true,
        .session = true,
        .no_new_privileges = true,
        .death_signal = SIGKILL,
    };

    for (int i = 0; i < setting->kept_count && count < 16; i++)
        kept[count++] = setting->kept[i];
    close_others(kept, count);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_NAME, "keeper");
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    self.signals = signals_open(numbers);
    descendants_adopt();
    if (getppid() != parent)
        _exit(1);
    if (pipe2(output, O_CLOEXEC) < 0)
        (void)error_set(&start.error, "%s cannot be started: %s", setting->argv[0],
                        strerror(errno));
    (void)fcntl(output[0], F_SETFL, O_NONBLOCK);
    child.out = output[1];
    child.err = output[1];
    if (output[0] >= 0)
        start.program = child_start(&child, &start.error);
    start.number = start.program < 0 ? errno : 0;
    (void)close(output[1]);
    if (write(report, &start, sizeof(start)) < 0 || start.program < 0)
        _exit(1);
    (void)close(report);
    self.program = start.program;
    self.output = output[0];
    keep(&self);
}

/* ---- the trainer's side ---- */

keeper_t *keeper_new(const struct keeper_setting *setting, bool *again, struct error *error)
{
    const pid_t parent = getpid();
    struct start start = {.program = -1};
    keeper_t *self;
    int report[2];
    ssize_t got;
    pid_t pid;

    *again = true;
    if (pipe2(report, O_CLOEXEC) < 0) {
        (void)error_set(error, "%s cannot be started: %s", setting->argv[0], strerror(errno));
        return NULL;
    }
    pid = fork();
    if (pid == 0)
        become_keeper(setting, parent, report[1]);
    (void)close(report[1]);
    if (pid < 0)
        (void)error_set(&start.error, "%s cannot be started: %s", setting->argv[0],
                        strerror(errno));
    do
        got = pid > 0 ? read(report[0], &start, sizeof(start)) : 0;
    while (got < 0 && errno == EINTR);
    (void)close(report[0]);
    if (got != sizeof(start) && pid > 0)
        (void)error_set(&start.error, "%s cannot be started: its keeper died", setting->argv[0]);
    if (start.program < 0) {
        if (pid > 0)
            (void)waitpid(pid, NULL, 0);
        *again = !is_lasting(start.number);
        *error = start.error;
        return NULL;
    }
    self = xcalloc(1, sizeof(*self));
    self->pid = pid;
    return self;
}

void keeper_destroy(keeper_t **self)
{
    free(*self);
    *self = NULL;
}

void keeper_terminate(const keeper_t *self)
{
    if (self->pid != 0)
        (void)kill(self->pid, SIGUSR1);
}

void keeper_signal_save(const keeper_t *self)
{
    if (self->pid != 0)
        (void)kill(self->pid, SIGUSR2);
}

void keeper_kill(const keeper_t *self)
{
    (void)self;
    (void)descendants_kill(getpid(), NULL, 0);
}

void keeper_child_ended(keeper_t *self, pid_t pid, int status)
{
    if (pid != self->pid)
        return;
    self->pid = 0;
    self->status = status;
}

bool keeper_has_ended(const keeper_t *self)
{
    return self->pid == 0;
}

bool keeper_is_gone(const keeper_t *self)
{
    return self->pid == 0 && descendants_kill(getpid(), NULL, 0) == 0;
}

int keeper_status(const keeper_t *self)
{
    return self->status;
}
