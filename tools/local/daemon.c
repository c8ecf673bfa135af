/* daemon.c - see daemon.h. */
#include "tools/local/daemon.h"

#include "common/child.h"
#include "common/options.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* ---- start ---- */

static int open_log(const char *folder, const char *name, struct error *error)
{
    char path[4096];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/%s.log", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return fd >= 0 ? fd : error_set(error, "%s: cannot be written: %s", path, strerror(errno));
}

static int open_pipe(struct lines *lines, int *end, struct error *error)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(error, "no pipe can be made: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    lines->fd = ends[0];
    *end = ends[1];
    return 0;
}

static int start(struct daemon *self, char *const argv[], int out, int err, struct error *error)
{
    const struct child_setting setting = {
        .argv = argv, .environment = environ, .out = out, .err = err, .death_signal = SIGKILL};

    self->pid = child_start(&setting, error);
    if (self->pid < 0)
        return -1;
    self->pidfd = child_pidfd(self->pid);
    return 0;
}

int daemon_start(struct daemon *self, const char *name, char *const argv[], const char *folder,
                 struct error *error)
{
    int out = -1;
    int err = -1;
    int result = 0;

    *self = (struct daemon){.pidfd = -1, .log_fd = -1, .err.fd = -1, .out.fd = -1};
    (void)snprintf(self->name, sizeof(self->name), "%s", name);
    if (folder)
        result = self->log_fd = open_log(folder, name, error);
    if (result < 0 || open_pipe(&self->out, &out, error) < 0 ||
        open_pipe(&self->err, &err, error) < 0 || start(self, argv, out, err, error) < 0)
        result = -1;
    close_fd(&out);
    close_fd(&err);
    if (result < 0) {
        self->pid = 0;
        daemon_clear(self);
    }
    return result < 0 ? -1 : 0;
}

/* ---- lines ---- */

/* Gives up the log of the daemon, on a full disk for example, and tells the user. The run goes
 * on. */
static void give_log_up(struct daemon *self)
{
    const struct command command = {.name = "rubato local"};
    struct error error;

    error_set(&error, "%s.log: cannot be written any further: %s", self->name, strerror(errno));
    (void)options_fail(&command, &error);
    close_fd(&self->log_fd);
}

static void keep_line(struct daemon *self, const char *line, size_t length)
{
    (void)snprintf(self->last, sizeof(self->last), "%.*s", (int)length, line);
    if (self->log_fd >= 0 && dprintf(self->log_fd, "%s\n", self->last) < 0)
        give_log_up(self);
}

static void hand_on(struct daemon *self, struct lines *lines, daemon_line *handle, void *owner)
{
    lines->text[lines->used] = '\0';
    lines->used = 0;
    if (lines == &self->err)
        keep_line(self, lines->text, strlen(lines->text));
    handle(owner, self, lines->text, lines == &self->err);
}

/* Splits bytes into lines. A line that is too long is cut into several. */
static void take(struct daemon *self, struct lines *lines, const char *bytes, size_t count,
                 daemon_line *handle, void *owner)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n')
            lines->text[lines->used++] = bytes[i];
        if (bytes[i] == '\n' || lines->used + 1 == sizeof(lines->text))
            hand_on(self, lines, handle, owner);
    }
}

/* Reads the available output. With `is_last`, the daemon has ended, and the pipe is closed even if
 * a process that the daemon started keeps its other end open. */
static void read_lines(struct daemon *self, struct lines *lines, bool is_last, daemon_line *handle,
                       void *owner)
{
    char bytes[4096];
    ssize_t got;

    if (lines->fd < 0)
        return;
    while ((got = read(lines->fd, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR))
        take(self, lines, bytes, got > 0 ? (size_t)got : 0, handle, owner);
    if (got < 0 && errno == EAGAIN && !is_last)
        return;
    if (lines->used > 0)
        hand_on(self, lines, handle, owner);
    close_fd(&lines->fd);
}

/* ---- events ---- */

void daemon_watch(const struct daemon *self, struct pollfd polls[])
{
    const int fds[DAEMON_POLLS] = {self->pidfd, self->err.fd, self->out.fd};

    for (int i = 0; i < DAEMON_POLLS; i++)
        polls[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
}

bool daemon_attend(struct daemon *self, const struct pollfd polls[], daemon_line *handle,
                   void *owner)
{
    const bool ended = polls[0].fd >= 0 && polls[0].revents != 0;

    if (ended || polls[1].revents)
        read_lines(self, &self->err, ended, handle, owner);
    if (ended || polls[2].revents)
        read_lines(self, &self->out, ended, handle, owner);
    if (!ended || waitpid(self->pid, &self->status, WNOHANG) != self->pid)
        return false;
    self->pid = 0;
    daemon_clear(self);
    return true;
}

void daemon_signal(const struct daemon *self, int signal)
{
    if (self->pid > 0)
        (void)kill(self->pid, signal);
}

bool daemons_run(const struct daemon daemons[], int count)
{
    for (int i = 0; i < count; i++)
        if (daemons[i].pid > 0)
            return true;
    return false;
}

void daemons_signal(const struct daemon daemons[], int count, int signal)
{
    for (int i = 0; i < count; i++)
        daemon_signal(&daemons[i], signal);
}

int daemons_wait(const struct daemon daemons[], int count, int fd, int timeout_ms,
                 struct pollfd polls[])
{
    polls[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    for (int i = 0; i < count; i++)
        daemon_watch(&daemons[i], &polls[1 + i * DAEMON_POLLS]);
    return poll(polls, 1 + (nfds_t)count * DAEMON_POLLS, timeout_ms);
}

/* The last line of the daemon's log without the daemon's name before the sentence. */
static const char *sentence_of(const struct daemon *self)
{
    const size_t length = strcspn(self->last, ":");
    const bool named = !strncmp(self->last + length, ": ", 2) && !memchr(self->last, ' ', length);

    return self->last + (named ? length + 2 : 0); /* skips "scheduler: " */
}

int daemon_repeat(const struct daemon *self, struct error *error)
{
    const char *said = sentence_of(self);

    if (!WIFEXITED(self->status) || WEXITSTATUS(self->status) > 2 || !*said)
        return daemon_explain(self, error);
    return error_set(error, "%s", said);
}

int daemon_explain(const struct daemon *self, struct error *error)
{
    const char *said = sentence_of(self);

    assert(self->pid == 0);
    return error_set(error, "%s ended with %s%s%s", self->name, child_status_text(self->status),
                     *said ? ": " : "", said);
}

void daemon_clear(struct daemon *self)
{
    close_fd(&self->pidfd);
    close_fd(&self->log_fd);
    close_fd(&self->err.fd);
    close_fd(&self->out.fd);
}
