/* questions.c - see questions.h. A copy writes one line for each answer. When a copy dies, the
 * question that it was at fails, and the others wait again. */
#include "scheduler/service/questions.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/processes.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>

#define COPIES_MAX      2   /* processes at a time */
#define SHARE_MAX       8   /* questions of one copy: it knows no later news */
#define WORK_SECONDS    20  /* of processor time that a question may take */
#define ELAPSED_SECONDS 200 /* until a question is given up on a busy machine */
#define PIECE           4096

struct copy {
    questions_t *questions;
    pid_t pid; /* 0 if there is no such process */
    int from;  /* the reading end of its pipe */
    char *text;
    size_t used;
    size_t room;
    double asked_s; /* when the present question began, by clock_s */
};

struct question {
    const struct question_kind *kind;
    char *user;
    void *about;
    void *subject;
    struct copy *copy; /* the copy that answers the question; NULL while it waits */
    struct question *prev;
    struct question *next;
};

struct questions {
    zloop_t *loop;
    void *owner;
    struct question *all; /* in the order of arrival for each user */
    size_t count;
    struct copy copies[COPIES_MAX];
    double usual_s; /* usual time of a question */
};

static void start_copies(questions_t *self);

static struct question *first_of(const questions_t *self, const struct copy *copy)
{
    struct question *question;

    DL_FOREACH(self->all, question)
    {
        if (question->copy == copy)
            return question;
    }
    return NULL;
}

static void free_question(struct question *self)
{
    free(self->user);
    free(self->about);
    free(self);
}

/* ---- in the copy ---- */

static void answer_one(questions_t *self, const struct question *question, int to)
{
    struct error error = {.text = ""};
    json_t *answer = question->kind->ask(self->owner, question->about, &error);
    char *text;

    if (!answer)
        answer = json_pack("{s:s}", "error", error.text);
    text = json_dumps(answer, JSON_COMPACT);
    processes_write(to, text, strlen(text));
    processes_write(to, "\n", 1);
    json_decref(answer);
    free(text);
}

static void limit_time(void)
{
    const struct itimerval work = {.it_value = {.tv_sec = WORK_SECONDS}};

    (void)setitimer(ITIMER_PROF, &work, NULL);
    (void)alarm(ELAPSED_SECONDS);
}

static _Noreturn void answer_share(struct copy *copy, int to)
{
    struct question *question;

    DL_FOREACH(copy->questions->all, question)
    {
        if (question->copy != copy)
            continue;
        limit_time();
        answer_one(copy->questions, question, to);
    }
    _exit(0);
}

/* ---- answers ---- */

/* Ends `question` with its answer, or with the reason for having none. */
static void hand_over(questions_t *self, struct question *question, const json_t *answer,
                      const char *why)
{
    struct error error = {.text = ""};

    if (why)
        error_set(&error, "%s", why);
    DL_DELETE(self->all, question);
    self->count--;
    question->kind->answer(self->owner, question->subject, why ? NULL : answer, &error);
    free_question(question);
}

static void note_time(struct copy *copy)
{
    const double now_s = clock_s();

    copy->questions->usual_s += ((now_s - copy->asked_s) - copy->questions->usual_s) / 4;
    copy->asked_s = now_s;
}

static void take_line(struct copy *copy, const char *line, size_t length)
{
    struct question *question = first_of(copy->questions, copy);
    json_t *answer = json_loadb(line, length, 0, NULL);
    const char *why = answer ? json_string_value(json_object_get(answer, "error"))
                             : "the answer to the question cannot be read";

    note_time(copy);
    if (question)
        hand_over(copy->questions, question, answer, why);
    json_decref(answer);
}

static void take_lines(struct copy *copy)
{
    const char *line = copy->text;
    const char *end;
    size_t left = copy->used;

    while (left > 0 && (end = memchr(line, '\n', left))) {
        take_line(copy, line, (size_t)(end - line));
        left -= (size_t)(end - line) + 1;
        line = end + 1;
    }
    memmove(copy->text, line, left);
    copy->used = left;
}

/* ---- copies ---- */

/* The copy died at the first of its unanswered questions, which fails. The others wait again. */
static void leave_share(struct copy *copy, int status)
{
    const bool is_out = WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_OUT_STATUS;
    struct question *failed = first_of(copy->questions, copy);
    struct question *question;

    DL_FOREACH(copy->questions->all, question)
    {
        if (question->copy == copy)
            question->copy = NULL;
    }
    if (failed)
        hand_over(copy->questions, failed, NULL,
                  is_out ? "the question takes more memory than there is"
                         : "the question could not be answered in time");
}

static void finish(struct copy *copy)
{
    int status = 0;

    (void)close(copy->from);
    while (waitpid(copy->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    free(copy->text);
    *copy = (struct copy){.questions = copy->questions};
    leave_share(copy, status);
    start_copies(copy->questions);
}

static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *argument)
{
    struct copy *copy = argument;
    char piece[PIECE];
    const ssize_t got = read(item->fd, piece, sizeof(piece));

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (got <= 0) {
        zloop_poller_end(loop, item);
        finish(copy);
        return -1; /* ends this pass of the loop: the answers may call for more */
    }
    if (copy->used + (size_t)got > copy->room) {
        copy->room = 2 * (copy->used + (size_t)got);
        copy->text = xrealloc(copy->text, copy->room);
    }
    memcpy(copy->text + copy->used, piece, (size_t)got);
    copy->used += (size_t)got;
    take_lines(copy);
    return -1;
}

static int fork_copy(struct copy *copy, struct error *error)
{
    const pid_t pid = processes_copy(&copy->from, error);

    if (pid == 0)
        answer_share(copy, copy->from);
    copy->pid = pid > 0 ? pid : 0;
    return pid > 0 ? 0 : -1;
}

/* Questions that no client waits for any more are not asked. */
static void drop_unwanted(questions_t *self)
{
    struct question *question;
    struct question *next;

    DL_FOREACH_SAFE(self->all, question, next)
    {
        if (!question->copy && question->kind->is_wanted &&
            !question->kind->is_wanted(question->subject))
            hand_over(self, question, NULL, "nothing waits for the answer");
    }
}

static bool has_copy(const questions_t *self, const char *user)
{
    const struct question *question;

    DL_FOREACH(self->all, question)
    {
        if (question->copy && !strcmp(question->user, user))
            return true;
    }
    return false;
}

/* The first waiting question of a user without a copy; NULL if there is none. */
static struct question *next_of_all(const questions_t *self)
{
    struct question *question;

    DL_FOREACH(self->all, question)
    {
        /* The analyser believes that the macro reads a removed question. NOLINTNEXTLINE */
        if (!question->copy && !has_copy(self, question->user))
            return question;
    }
    return NULL;
}

/* Gives `copy` the first questions of a user. The rest of that user's questions goes behind those
 * of others. Returns how many were given. */
static size_t share_out(questions_t *self, struct copy *copy)
{
    struct question *question = next_of_all(self);
    const char *user = question ? question->user : NULL;
    struct question *const last = self->all ? self->all->prev : NULL;
    bool is_full = false;
    size_t count = 0;

    for (struct question *next; question; question = next) {
        next = question == last ? NULL : question->next;
        if (question->copy || strcmp(question->user, user) != 0)
            continue;
        if (is_full) {
            DL_DELETE(self->all, question);
            DL_APPEND(self->all, question);
            continue;
        }
        question->copy = copy;
        is_full = ++count == SHARE_MAX || question->kind->changes_copy;
    }
    return count;
}

static void start(questions_t *self, struct copy *copy)
{
    struct error error;
    zmq_pollitem_t item = {.events = ZMQ_POLLIN};

    copy->asked_s = clock_s();
    if (fork_copy(copy, &error) < 0) {
        struct question *question;

        while ((question = first_of(self, copy)))
            hand_over(self, question, NULL, error.text);
        return;
    }
    item.fd = copy->from;
    (void)zloop_poller(self->loop, &item, on_readable, copy);
    /* The loop takes the end of a pipe for an error, and would forget the pipe. */
    zloop_poller_set_tolerant(self->loop, &item);
}

static void start_copies(questions_t *self)
{
    drop_unwanted(self);
    for (size_t i = 0; i < COPIES_MAX; i++)
        if (self->copies[i].pid == 0 && share_out(self, &self->copies[i]) > 0)
            start(self, &self->copies[i]);
}

/* ---- in the process ---- */

static size_t count_of(const questions_t *self, const char *user)
{
    const struct question *question;
    size_t count = 0;

    DL_FOREACH(self->all, question)
    {
        count += !strcmp(question->user, user);
    }
    return count;
}

int questions_retry_s(const questions_t *self, const char *user)
{
    if (self->count < QUESTIONS_MAX && count_of(self, user) < QUESTIONS_OF_USER_MAX)
        return 0;
    return (int)ceil(fmax(1, (double)self->count * self->usual_s / COPIES_MAX));
}

void questions_put(questions_t *self, const char *user, const struct question_kind *kind,
                   const void *question, size_t size, void *subject)
{
    struct question *put = xcalloc(1, sizeof(*put));

    assert(self->count < QUESTIONS_MAX);
    *put = (struct question){
        .kind = kind, .user = xstrdup(user), .about = xmalloc(size), .subject = subject};
    memcpy(put->about, question, size);
    DL_APPEND(self->all, put);
    self->count++;
    start_copies(self);
}

questions_t *questions_new(zloop_t *loop, void *owner)
{
    questions_t *self = xcalloc(1, sizeof(*self));

    self->loop = loop;
    self->owner = owner;
    for (size_t i = 0; i < COPIES_MAX; i++)
        self->copies[i].questions = self;
    return self;
}

static void end_copy(questions_t *self, struct copy *copy)
{
    zmq_pollitem_t item = {.fd = copy->from, .events = ZMQ_POLLIN};

    if (copy->pid == 0)
        return;
    zloop_poller_end(self->loop, &item);
    (void)kill(copy->pid, SIGKILL);
    (void)waitpid(copy->pid, NULL, 0);
    (void)close(copy->from);
    free(copy->text);
}

void questions_destroy(questions_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < COPIES_MAX; i++)
        end_copy(*self, &(*self)->copies[i]);
    while ((*self)->all)
        hand_over(*self, (*self)->all, NULL, "the service ends: ask again once it is back");
    free(*self);
    *self = NULL;
}
