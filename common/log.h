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

/* The subject of an event. A field is LOG_NONE where the event does not concern it. */
struct log_subject {
    int64_t job; /* the upper half is the number of the run, printed as `run`; the lower half is the
                    job's row */
    int64_t incarnation;
    int64_t node;
    int64_t gpu; /* index on the node, from 0 */
};

#define LOG_NONE (-1)

/* An event about no job, node or GPU. */
#define LOG_ABOUT_NOTHING ((struct log_subject){LOG_NONE, LOG_NONE, LOG_NONE, LOG_NONE})

/* Names the program and, if that is not NULL, the name of this process ("node-a"); both are copied.
 * Lines go to stderr until log_to_file. */
void log_open(const char *program, const char *name);

/* Lines go to the end of the file at `path` from here on; a missing file is created. -1 with
 * errno. */
int log_to_file(const char *path);

/* One line, written at once and whole. `format` makes the further words, NULL for none; texts that
 * come from outside go through log_text first. */
void log_event(const struct log_subject *about, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Lines wait from log_hold on, and are written together by log_release: for an event that concerns
 * many things. No message may be sent between the two calls: a process that is killed in between
 * has logged no line of the event. */
void log_hold(void);
void log_release(void);

/* `text` as a value: itself if it is one plain word, else quoted. Lent until the fourth call from
 * here. */
const char *log_text(const char *text);

#endif
