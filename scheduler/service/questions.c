/* questions.c - see questions.h. */
#include "scheduler/service/questions.h"

#include "common/memory.h"
#include "common/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>

#define COPIES_MAX  2  /* at a time */
#define SECONDS_MAX 20 /* that a copy may take */
#define PIECE       4096

struct question {
    questions_t *questions;
    question_ask *ask;
    void *about;
    question_answer *answer;
    void *subject;
    pid_t pid; /* 0 before it is put */
    int from;  /* the end of the pipe that is read */
    char *text;
    size_t used;
    size_t room;
    struct question *prev;
    struct question *next;
};

struct questions {
    zloop_t *loop;
    void *owner;
    struct question *all; /* those that are put first */
    size_t put;
};

static void start_next(questions_t *self);

/* ---- in the copy ---- */

static void write_all(int to, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(to, text, length);

        if (written < 0 && errno != EINTR)
            _exit(1);
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

static void answer_in_copy(const struct question *question, int to)
{
    struct error error = {""};
    json_t *answer = question->ask(question->questions->owner, question->about, &error);
    char *text;

    if (!answer)
        answer = json_pack("{s:s}", "error", error.text);
    text = json_dumps(answer, JSON_COMPACT);
    write_all(to, text, strlen(text));
    _exit(0);
}

/* ---- in the process ---- */

static void free_question(struct question *question)
{
    free(question->about);
    free(question->text);
    free(question);
}

static void hand_over(struct question *question)
{
    struct error error = {"the question could not be answered in time"};
    json_t *answer =
        question->used > 0 ? json_loadb(question->text, question->used, 0, NULL) : NULL;
    const char *why = json_string_value(json_object_get(answer, "error"));

    if (why)
        error_set(&error, "%s", why);
    question->answer(question->questions->owner, question->subject, why ? NULL : answer, &error);
    json_decref(answer);
}

static void finish(struct question *question)
{
    questions_t *self = question->questions;

    (void)close(question->from);
    while (waitpid(question->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    DL_DELETE(self->all, question);
    self->put--;
    hand_over(question);
    free_question(question);
    start_next(self);
}

static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *argument)
{
    struct question *question = argument;
    char piece[PIECE];
    const ssize_t got = read(item->fd, piece, sizeof(piece));

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (got <= 0) {
        zloop_poller_end(loop, item);
        finish(question);
        return -1; /* what was answered may lead on */
    }
    if (question->used + (size_t)got > question->room) {
        question->room = 2 * (question->used + (size_t)got);
        question->text = xrealloc(question->text, question->room);
    }
    memcpy(question->text + question->used, piece, (size_t)got);
    question->used += (size_t)got;
    return 0;
}

static int fork_copy(struct question *question, struct error *error)
{
    const pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(error, "no pipe: %s", strerror(errno));
    question->pid = fork();
    if (question->pid == 0) {
        (void)close(ends[0]);
        processes_begin(parent);
        (void)alarm(SECONDS_MAX);
        answer_in_copy(question, ends[1]);
    }
    (void)close(ends[1]);
    if (question->pid < 0) {
        (void)close(ends[0]);
        return error_set(error, "no process: %s", strerror(errno));
    }
    question->from = ends[0];
    return 0;
}

static void start(struct question *question)
{
    questions_t *self = question->questions;
    struct error error;
    zmq_pollitem_t item = {.events = ZMQ_POLLIN};

    if (fork_copy(question, &error) < 0) {
        DL_DELETE(self->all, question);
        question->answer(self->owner, question->subject, NULL, &error);
        free_question(question);
        return;
    }
    self->put++;
    item.fd = question->from;
    (void)zloop_poller(self->loop, &item, on_readable, question);
    /* The end of a pipe counts as an error, after which the loop would forget it. */
    zloop_poller_set_tolerant(self->loop, &item);
}

static void start_next(questions_t *self)
{
    struct question *question;
    struct question *next;

    DL_FOREACH_SAFE(self->all, question, next)
    {
        if (self->put >= COPIES_MAX)
            return;
        if (question->pid == 0)
            start(question);
    }
}

bool questions_at_once(const questions_t *self)
{
    return self->put < COPIES_MAX;
}

void questions_put(questions_t *self, question_ask *ask, const void *question, size_t size,
                   question_answer *answer, void *subject)
{
    struct question *put = xcalloc(1, sizeof(*put));

    *put = (struct question){.questions = self,
                             .ask = ask,
                             .about = xmalloc(size),
                             .answer = answer,
                             .subject = subject};
    memcpy(put->about, question, size);
    DL_APPEND(self->all, put);
    start_next(self);
}

questions_t *questions_new(zloop_t *loop, void *owner)
{
    questions_t *self = xcalloc(1, sizeof(*self));

    self->loop = loop;
    self->owner = owner;
    return self;
}

void questions_destroy(questions_t **self)
{
    struct question *question;
    struct question *next;

    if (!*self)
        return;
    DL_FOREACH_SAFE((*self)->all, question, next)
    {
        if (question->pid > 0) {
            zmq_pollitem_t item = {.fd = question->from, .events = ZMQ_POLLIN};

            zloop_poller_end((*self)->loop, &item);
            (void)kill(question->pid, SIGKILL);
            (void)waitpid(question->pid, NULL, 0);
            (void)close(question->from);
        }
        free_question(question);
    }
    free(*self);
    *self = NULL;
}
