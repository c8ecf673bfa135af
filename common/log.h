/* log.h - what a daemon did, one line an event, for users and for programs that judge a run.
 *
 *   2026-01-31T12:00:00.123456Z 5123.456789 worker:a event=run job=7 incarnation=3 node=1 gpu=2 n=9
 *
 * Wall time in UTC, then the monotonic seconds of the machine (by which lines of several processes
 * on one machine are ordered), then program and name, then words `key=value`. `event`, `job`,
 * `incarnation`, `node` and `gpu` are always there, in this order, "-" where an event has none.
 * `job` is the row of the job in its run; the run's id follows in hexadecimal, `run=3fa2c1`, but
 * for 0. A value with blanks or control characters is quoted as in JSON. */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdint.h>

/* The things that an event is about. LOG_NONE for each that it does not concern. */
struct log_subject {
    int64_t job; /* the upper half is its run, which stands in `run`, the lower one its row */
    int64_t incarnation;
    int64_t node;
    int64_t gpu; /* of the node, from 0 */
};

#define LOG_NONE (-1)

/* About nothing in particular. */
#define LOG_ABOUT_NOTHING ((struct log_subject){LOG_NONE, LOG_NONE, LOG_NONE, LOG_NONE})

/* Names the program and, if that is not NULL, the one of its kind ("node-a"); both are copied.
 * Lines go to stderr until log_to_file. */
void log_open(const char *program, const char *name);

/* Lines go to the end of the file at `path` from here on, made if it is not there. -1 with
 * errno. */
int log_to_file(const char *path);

/* One line, written at once and whole. `format` makes the further words, NULL for none; texts that
 * come from outside go through log_text first. */
void log_event(const struct log_subject *about, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lines wait from log_hold on, and are written together by log_release: for an event that concerns
 * many things. Between the two no message may be sent: a process that is killed there has logged
 * none of them. */
void log_hold(void);
void log_release(void);

/* `text` as a value: itself if it is one plain word, else quoted. Lent until the fourth call from
 * here. */
const char *log_text(const char *text);

#endif
