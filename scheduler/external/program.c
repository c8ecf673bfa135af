/* program.c - see program.h. */
#include "scheduler/external/program.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/memory.h"
#include "scheduler/external/remarks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX   64
#define FIRST_BYTES ((size_t)64 * 1024)

/* Time between two looks at signals and at the program, whose end may close no pipe. */
#define LOOK_MS 200

/* Time that the program has to end after it closed its output. */
#define ENDING_S 5

struct program {
    const char *command;
    const struct stop *stop;
    pid_t pid; /* 0 before the first question */
    int to;    /* standard input of the program; a socket, whose end raises no signal */
    int from;  /* standard output of the program */
    struct remarks remarks;
    int64_t asked; /* number of questions */
    char *said;    /* the answer, as far as it has arrived */
    size_t length;
    size_t capacity;
};

program_t *program_new(const char *command, const struct stop *stop)
{
    program_t *self = xcalloc(1, sizeof(*self));

    self->command = command;
    self->stop = stop;
    self->to = self->from = self->remarks.from = -1;
    return self;
}

static void pass_remarks(program_t *self)
{
    remarks_pass(&self->remarks, self->command, self->asked);
}

static void end(program_t *self)
{
    if (self->to >= 0)
        (void)close(self->to);
    if (self->from >= 0)
        (void)close(self->from);
    if (self->pid > 0) {
        (void)kill(-self->pid, SIGKILL);
        (void)waitpid(self->pid, NULL, 0);
        pass_remarks(self);
    }
    remarks_end(&self->remarks);
    self->to = self->from = -1;
    self->pid = 0;
}

void program_destroy(program_t **self)
{
    if (!*self)
        return;
    end(*self);
    free((*self)->said);
    free(*self);
    *self = NULL;
}

static int complain(const program_t *self, struct error *error, const char *what)
{
    return error_set(error, "policy exec:%s: question %" PRId64 ": %s", self->command, self->asked,
                     what);
}

int program_complain(const program_t *self, const struct error *cause, struct error *error)
{
    return complain(self, error, cause->text);
}

/* Splits the command into `words`, which end with NULL. The words lie in the returned memory, which
 * the caller frees. */
static char *split_words(const char *command, char *words[WORDS_MAX + 1])
{
    char *copy = xstrdup(command);
    char *rest = NULL;
    size_t count = 0;

    for (char *word = strtok_r(copy, " ", &rest); word && count < WORDS_MAX;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    return copy;
}

/* Opens the pipes to the program's standard input, output and error. `its` gets the program's
 * ends. */
static int open_pipes(program_t *self, int its[3])
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    self->to = pair[0];
    its[0] = pair[1];
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -1;
    self->from = pair[0];
    its[1] = pair[1];
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -1;
    self->remarks.from = pair[0];
    its[2] = pair[1];
    return fcntl(self->remarks.from, F_SETFL, O_NONBLOCK);
}

static int run(program_t *self, const int its[3], struct error *error)
{
    char *words[WORDS_MAX + 1];
    char *copy = split_words(self->command, words);

    self->pid = child_start(&(struct child_setting){.argv = words,
                                                    .environment = environ,
                                                    .in = its[0],
                                                    .out = its[1],
                                                    .err = its[2],
                                                    .death_signal = SIGKILL},
                            error);
    free(copy);
    return self->pid > 0 ? 0 : error_prefix(error, "policy exec");
}

static int start(program_t *self, struct error *error)
{
    int its[3] = {-1, -1, -1};
    const int result =
        open_pipes(self, its) < 0 ? complain(self, error, strerror(errno)) : run(self, its, error);

    for (int i = 0; i < 3; i++)
        if (its[i] >= 0)
            (void)close(its[i]);
    return result;
}

static bool has_ended(const program_t *self)
{
    siginfo_t end = {.si_pid = 0};

    return waitid(P_PID, (id_t)self->pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid > 0;
}

/* Complains that the program ended without an answer. Processes that the program started are
 * killed. */
static int complain_ended(program_t *self, struct error *error)
{
    const double limit_s = clock_s() + ENDING_S;
    char what[64];
    int status = 0;

    while (!has_ended(self) && clock_s() < limit_s) {
        (void)poll(NULL, 0, 1);
        pass_remarks(self); /* a program with a full pipe would wait */
    }
    if (!has_ended(self))
        return complain(self, error, "the program closed its output before it answered");
    (void)kill(-self->pid, SIGKILL);
    if (waitpid(self->pid, &status, 0) != self->pid)
        status = 0;
    self->pid = 0;
    pass_remarks(self);
    (void)snprintf(what, sizeof(what), "the program ended with %s before it answered",
                   child_status_text(status));
    return complain(self, error, what);
}

/* Reads available output: 1 once a line is complete, 0 before, -1 with `error`. */
static int receive(program_t *self, struct error *error)
{
    ssize_t got;

    if (self->length == self->capacity) {
        if (self->capacity >= PROGRAM_ANSWER_BYTES_MAX)
            return complain(self, error, "the answer is longer than 64 MiB");
        self->capacity = self->capacity > 0 ? 2 * self->capacity : FIRST_BYTES;
        self->said = xrealloc(self->said, self->capacity);
    }
    got = read(self->from, self->said + self->length, self->capacity - self->length);
    if (got < 0)
        return errno == EINTR ? 0 : complain(self, error, strerror(errno));
    if (got == 0)
        return complain_ended(self, error);
    self->length += (size_t)got;
    return memchr(self->said + self->length - (size_t)got, '\n', (size_t)got) != NULL;
}

/* Sends as much of the question as fits. The end of a program shows in its output, not here. */
static void send_some(program_t *self, const char **line, size_t *left)
{
    const ssize_t sent = send(self->to, *line, *left, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent > 0) {
        *line += sent;
        *left -= (size_t)sent;
    } else if (sent < 0 && errno != EINTR && errno != EAGAIN) {
        *left = 0;
    }
}

static int check_patience(const program_t *self, double limit_s, struct error *error)
{
    if (stop_is_asked(self->stop))
        return complain(self, error, "stopped before there was an answer");
    return clock_s() > limit_s ? complain(self, error, "no answer within 60 s") : 0;
}

/* Waits a moment for output, and sends what fits. Returns as receive does. */
static int talk_on(program_t *self, const char **line, size_t *left, struct error *error)
{
    struct pollfd ready[] = {{.fd = self->from, .events = POLLIN},
                             {.fd = *left > 0 ? self->to : -1, .events = POLLOUT},
                             {.fd = self->remarks.from, .events = POLLIN}};

    if (poll(ready, 3, LOOK_MS) < 0)
        return errno == EINTR ? 0 : complain(self, error, strerror(errno));
    if (ready[2].revents)
        pass_remarks(self);
    if (ready[1].revents)
        send_some(self, line, left);
    if (ready[0].revents)
        return receive(self, error);
    if (!ready[1].revents && has_ended(self) && poll(ready, 1, 0) == 0)
        return complain_ended(self, error);
    return 0;
}

/* Sends the question and reads the answer. Both go on together, as pipes can be full. */
static int talk(program_t *self, const char *line, struct error *error)
{
    const double limit_s = clock_s() + PROGRAM_ANSWER_S;
    size_t left = strlen(line);
    int whole = 0;

    self->length = 0;
    while (whole == 0) {
        if (check_patience(self, limit_s, error) < 0)
            return -1;
        whole = talk_on(self, &line, &left, error);
    }
    return whole < 0 ? -1 : 0;
}

static json_t *parse(const program_t *self, struct error *error)
{
    const char *end_of_line = memchr(self->said, '\n', self->length);
    const size_t length = (size_t)(end_of_line - self->said);
    char what[160];
    char shown[64];
    json_error_t cause;
    json_t *answer = json_loadb(self->said, length, JSON_REJECT_DUPLICATES, &cause);

    if (json_is_object(answer) && length + 1 == self->length)
        return answer;
    (void)input_printable(shown, sizeof(shown), self->said, length);
    (void)snprintf(what, sizeof(what), "expected one line with a JSON object, found \"%s\"%s",
                   shown, length + 1 == self->length ? "" : " and more");
    complain(self, error, what);
    json_decref(answer);
    return NULL;
}

json_t *program_ask(program_t *self, const char *line, struct error *error)
{
    self->asked++;
    remarks_allow(&self->remarks);
    if (self->pid == 0 && self->asked == 1 && start(self, error) < 0)
        return NULL;
    if (talk(self, line, error) < 0)
        return NULL;
    return parse(self, error);
}
