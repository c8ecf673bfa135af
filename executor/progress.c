/* progress.c - see progress.h. */
#include "executor/progress.h"

#include "common/memory.h"
#include "common/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct progress_socket {
    int fd;
    uid_t user; /* the user whose processes are heard */
    int64_t bad;
    char address[64];
};

/* ---- lines ---- */

/* Cuts the next word off `line`, NULL if there is none. Words have one blank between them. */
static const char *next_word(char **line)
{
    char *word = *line;
    char *end;

    if (!word || !*word)
        return NULL;
    end = strchr(word, ' ');
    *line = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return *word ? word : NULL;
}

static bool read_step(const char *word, int64_t *step)
{
    return word && number_parse_whole(word, strlen(word), 0, INT64_MAX, step) == NUMBER_OK;
}

/* Reads any number that strtod takes, "nan" and "-1" too: whether to believe the number is
 * decided elsewhere. */
static bool read_value(const char *word, double *value)
{
    char *end;

    if (!word || *word == ' ')
        return false;
    *value = strtod(word, &end);
    return end != word && *end == '\0';
}

static bool parse_words(char *line, struct progress_line *progress)
{
    const char *kind = next_word(&line);
    const char *rate;

    if (!kind)
        return false;
    if (!strcmp(kind, "ready")) {
        progress->kind = PROGRESS_READY;
    } else if (!strcmp(kind, "checkpoints-on-signal")) {
        progress->kind = PROGRESS_SAVES;
    } else if (!strcmp(kind, "step")) {
        progress->kind = PROGRESS_STEP;
        if (!read_step(next_word(&line), &progress->step))
            return false;
    } else if (!strcmp(kind, "checkpoint")) {
        progress->kind = PROGRESS_CHECKPOINT;
        if (!read_step(next_word(&line), &progress->step))
            return false;
    } else if (!strcmp(kind, "loss")) {
        progress->kind = PROGRESS_LOSS;
        if (!read_value(next_word(&line), &progress->value))
            return false;
    } else if (!strcmp(kind, "stable")) {
        progress->kind = PROGRESS_STABLE;
        if (!read_step(next_word(&line), &progress->step) || !(rate = next_word(&line)) ||
            strcmp(rate, "rate") != 0 || !read_value(next_word(&line), &progress->value))
            return false;
    } else {
        return false;
    }
    return line == NULL;
}

bool progress_parse(const char *line, size_t length, struct progress_line *progress)
{
    char copy[PROGRESS_LINE_MAX + 1];

    if (length > 0 && line[length - 1] == '\n')
        length--;
    if (length > PROGRESS_LINE_MAX || memchr(line, '\0', length) || memchr(line, '\n', length))
        return false;
    memcpy(copy, line, length);
    copy[length] = '\0';
    *progress = (struct progress_line){0};
    return parse_words(copy, progress);
}

/* ---- the socket ---- */

progress_socket_t *progress_socket_new(struct error *error)
{
    progress_socket_t *self = xcalloc(1, sizeof(*self));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int yes = 1;
    uint64_t number = 0;
    size_t length;

    (void)!getrandom(&number, sizeof(number), 0);
    (void)snprintf(self->address, sizeof(self->address), "@rubato-progress-%ld-%016" PRIx64,
                   (long)getpid(), number);
    length = strlen(self->address);
    memcpy(address.sun_path, self->address, length);
    address.sun_path[0] = '\0';
    self->user = getuid();
    self->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (self->fd >= 0 && setsockopt(self->fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) == 0 &&
        bind(self->fd, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) == 0)
        return self;
    (void)error_set(error, "no socket for progress: %s", strerror(errno));
    progress_socket_destroy(&self);
    return NULL;
}

void progress_socket_destroy(progress_socket_t **self)
{
    if (!*self)
        return;
    if ((*self)->fd >= 0)
        (void)close((*self)->fd);
    free(*self);
    *self = NULL;
}

const char *progress_socket_address(const progress_socket_t *self)
{
    return self->address;
}

void progress_socket_hear(progress_socket_t *self, uid_t user)
{
    self->user = user;
}

int progress_socket_descriptor(const progress_socket_t *self)
{
    return self->fd;
}

int64_t progress_socket_bad(const progress_socket_t *self)
{
    return self->bad;
}

/* Whether a message that came with `header` was sent by a process of the program's user. */
static bool is_from_program(const progress_socket_t *self, struct msghdr *header)
{
    const struct cmsghdr *part = CMSG_FIRSTHDR(header);
    struct ucred sender;

    if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS)
        return false;
    memcpy(&sender, CMSG_DATA(part), sizeof(sender));
    return sender.uid == self->user;
}

bool progress_socket_next(progress_socket_t *self, struct progress_line *progress)
{
    char line[PROGRESS_LINE_MAX + 2];
    char control[CMSG_SPACE(sizeof(struct ucred))];
    ssize_t length;

    for (;;) {
        struct iovec piece = {line, sizeof(line)};
        struct msghdr header = {
            .msg_iov = &piece,
            .msg_iovlen = 1,
            .msg_control = control,
            .msg_controllen = sizeof(control),
        };

        length = recvmsg(self->fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (length < 0)
            return false;
        if (is_from_program(self, &header) && progress_parse(line, (size_t)length, progress))
            return true;
        self->bad++;
    }
}
