/* daemon.h - one of the programs of the testbed, as `rubato local` runs it: its output is handed on
 * line by line, and its log is kept in a file. */
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
    char name[32]; /* "node-0" */
    pid_t pid;     /* 0 once it has ended and `status` is known */
    int status;
    int pidfd;
    int log_fd; /* file of its log, -1 for none */
    struct lines err;
    struct lines out;
    char last[DAEMON_LINE_BYTES]; /* last line of its log; "" before the first */
};

/* Takes one line, which is ended with a NUL and has no newline; `is_log` if the line came from
 * standard error. */
typedef void daemon_line(void *owner, struct daemon *daemon, const char *line, bool is_log);

/* Starts `argv`, to be killed with this process; its log goes to `folder`/`name`.log unless that is
 * NULL. -1 with `error`, and no process is left. */
int daemon_start(struct daemon *self, const char *name, char *const argv[], const char *folder,
                 struct error *error);

/* Fills in DAEMON_POLLS entries for poll(); unused entries have a descriptor of -1. */
void daemon_watch(const struct daemon *self, struct pollfd polls[]);

/* Handles the events in `polls`. Returns true when the daemon has ended and all its output was
 * handed on. */
bool daemon_attend(struct daemon *self, const struct pollfd polls[], daemon_line *handle,
                   void *owner);

void daemon_signal(const struct daemon *self, int signal);

/* daemons_run: whether any of the daemons runs. daemons_signal: signals all that run. */
bool daemons_run(const struct daemon daemons[], int count);
void daemons_signal(const struct daemon daemons[], int count, int signal);

/* Waits for events of the daemons or of the descriptor `fd`: polls[0] is for `fd`, and DAEMON_POLLS
 * entries for each daemon follow. Returns as poll does. */
int daemons_wait(const struct daemon daemons[], int count, int fd, int timeout_ms,
                 struct pollfd polls[]);

/* "the master ended with exit status 2: SENTENCE", with the last line of its log. */
int daemon_explain(const struct daemon *self, struct error *error);

/* Only the sentence, if a user's mistake ended the daemon. */
int daemon_repeat(const struct daemon *self, struct error *error);

/* Closes its descriptors; for a copy of the process that does not own the daemon. */
void daemon_clear(struct daemon *self);

#endif
