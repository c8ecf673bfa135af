/* daemon.h - one of the programs of the testbed, as `rubato local` runs it: lines of its output
 * come one by one, and its log is kept in a file. */
#ifndef LOCAL_DAEMON_H
#define LOCAL_DAEMON_H

#include "common/error.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DAEMON_LINE_BYTES 8192
#define DAEMON_POLLS      3 /* descriptors that it is waited for by */

/* The output of a program, cut into lines. */
struct lines {
    int fd; /* -1 when there is nothing more to come */
    size_t used;
    char text[DAEMON_LINE_BYTES];
};

struct daemon {
    char name[32]; /* "node-0" */
    pid_t pid;     /* 0 when it has ended and `status` is known */
    int status;
    int pidfd;
    int log_fd; /* where its log goes, -1 for nowhere */
    struct lines err;
    struct lines out;
    char last[DAEMON_LINE_BYTES]; /* line of its log; "" before there is one */
};

/* Takes one line, which is ended with a NUL and has no newline; `is_log` if the line came from
 * standard error. */
typedef void daemon_line(void *owner, struct daemon *daemon, const char *line, bool is_log);

/* Starts `argv`, to be killed with this process; its log goes to `folder`/`name`.log unless that is
 * NULL. -1 with `error`, and nothing is left. */
int daemon_start(struct daemon *self, const char *name, char *const argv[], const char *folder,
                 struct error *error);

/* Fills in what to wait for; DAEMON_POLLS entries, those that are not needed with a descriptor of
 * -1. */
void daemon_watch(const struct daemon *self, struct pollfd polls[]);

/* Takes in what these say. Returns true when it has ended and all that it wrote was handed on. */
bool daemon_attend(struct daemon *self, const struct pollfd polls[], daemon_line *handle,
                   void *owner);

void daemon_signal(const struct daemon *self, int signal);

/* Of several: whether any of them runs; a signal to all that do. */
bool daemons_run(const struct daemon daemons[], int count);
void daemons_signal(const struct daemon daemons[], int count, int signal);

/* Waits for word of them or of the descriptor `fd`: polls[0] is that one, and DAEMON_POLLS entries
 * for each of them follow. Returns as poll does. */
int daemons_wait(const struct daemon daemons[], int count, int fd, int timeout_ms,
                 struct pollfd polls[]);

/* "the master ended with exit status 2: SENTENCE", with what it said last. */
int daemon_explain(const struct daemon *self, struct error *error);

/* Only the sentence, if it ended because of a mistake of its user's. */
int daemon_repeat(const struct daemon *self, struct error *error);

/* Closes what is open; the process belongs to another one by now. */
void daemon_clear(struct daemon *self);

#endif
