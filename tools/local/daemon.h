/* daemon.h - a program of the testbed as `rubato local` runs it: the output is passed on line by
 * line, and the log is kept in a file. */
#ifndef LOCAL_DAEMON_H
#define LOCAL_DAEMON_H

#include "common/error.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DAEMON_LINE_BYTES 8192
#define DAEMON_POLLS      3 /* number of descriptors to poll for a daemon */

/* The output of a program, cut into lines. */
struct lines {
    int fd; /* -1 at the end of the stream */
    size_t used;
    char text[DAEMON_LINE_BYTES];
};

struct daemon {
    char name[32]; /* such as "node-0" */
    pid_t pid;     /* 0 once the daemon has ended and `status` is known */
    int status;
    int pidfd;
    int log_fd; /* file of the log, -1 for none */
    struct lines err;
    struct lines out;
    char last[DAEMON_LINE_BYTES]; /* last line of the log; "" before the first */
};

/* Called with each line, which ends with a NUL in the place of the newline. `is_log` is true if the
 * line came from standard error. */
typedef void daemon_line(void *owner, struct daemon *daemon, const char *line, bool is_log);

/* Starts `argv` as a process that is killed if this process ends. The log goes to
 * `folder`/`name`.log, or nowhere if `folder` is NULL. -1 with `error`, and then no process is
 * left. */
int daemon_start(struct daemon *self, const char *name, char *const argv[], const char *folder,
                 struct error *error);

/* Fills in DAEMON_POLLS entries for poll(); unused entries have a descriptor of -1. */
void daemon_watch(const struct daemon *self, struct pollfd polls[]);

/* Handles the events in `polls`. Returns true when the daemon has ended and all its output was
 * handed on. */
bool daemon_attend(struct daemon *self, const struct pollfd polls[], daemon_line *handle,
                   void *owner);

void daemon_signal(const struct daemon *self, int signal);

/* Whether any of the daemons runs; and sends `signal` to those that run. */
bool daemons_run(const struct daemon daemons[], int count);
void daemons_signal(const struct daemon daemons[], int count, int signal);

/* Waits for events of the daemons and of the descriptor `fd`. polls[0] is for `fd`. DAEMON_POLLS
 * entries follow for each daemon. Returns as poll does. */
int daemons_wait(const struct daemon daemons[], int count, int fd, int timeout_ms,
                 struct pollfd polls[]);

/* Sets `error` to "the master ended with exit status 2: SENTENCE", with the last line of the log.
 * Returns -1. */
int daemon_explain(const struct daemon *self, struct error *error);

/* Sets `error` to the sentence alone if the exit status is that of a user's mistake, else as
 * daemon_explain does. Returns -1. */
int daemon_repeat(const struct daemon *self, struct error *error);

/* Closes the descriptors of the daemon, also in a copy of this process that does not own it. */
void daemon_clear(struct daemon *self);

#endif
