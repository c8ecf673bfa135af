/* progress.h - a progress line on stderr for long work: shown when stderr is a terminal and the
 * work takes longer than a second, and whenever the process gets SIGUSR1. SIGINT asks the process
 * to stop. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress_status {
    int64_t now_s;   /* simulated time */
    int64_t rounds;  /* events handled */
    int64_t settled; /* jobs done or declined */
    int64_t jobs;
};

typedef struct progress_line progress_line_t;

/* From now on SIGINT, SIGTERM and SIGHUP ask to stop and SIGUSR1 asks for a line, and a file that
 * may not grow is an error, not a signal. */
void progress_catch_signals(void);

/* From now on a second signal that asks to stop ends the process at once with status 130, and
 * removes incomplete output (result_folder.h, output.h). For work that can be done again. */
void progress_end_at_second(void);

/* A line for the run `label` (lent); catches the signals. */
progress_line_t *progress_new(const char *label);
void progress_destroy(progress_line_t **self);

/* progress_is_due: whether to call progress_show; cheap enough for every round. */
bool progress_is_due(progress_line_t *self);
void progress_show(progress_line_t *self, const struct progress_status *status);

/* The line of work that is counted, "LABEL: [####....] DONE of COUNT WHAT, time left 5 s", if it is
 * due; to be called several times a second. */
void progress_count(progress_line_t *self, int64_t done, int64_t count, const char *what);

/* progress_stop_asked: whether a signal asked to stop. progress_line_asked: whether a signal asked
 * for a line since the last call. */
bool progress_stop_asked(void);
bool progress_line_asked(void);

#endif
