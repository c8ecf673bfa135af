/* progress.h - one line on stderr that says how far long work is: when stderr is a terminal and the
 * work takes longer than a second, and whenever the process gets SIGUSR1. SIGINT asks it to stop.
 */
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

/* From now on a second signal that asks to stop ends the process at once with status 130, whatever
 * it does, and takes away what is half written (result_folder.h, output.h). For work that can be
 * done again. */
void progress_end_at_second(void);

/* A line for a run that `label` (lent) names; catches the signals. */
progress_line_t *progress_new(const char *label);
void progress_destroy(progress_line_t **self);

/* Whether it is time to call progress_show: cheap, for once a round. */
bool progress_is_due(progress_line_t *self);
void progress_show(progress_line_t *self, const struct progress_status *status);

/* The line of work that is counted, "LABEL: [####....] DONE of COUNT WHAT, time left 5 s", if it is
 * time for it; for several times a second. */
void progress_count(progress_line_t *self, int64_t done, int64_t count, const char *what);

/* Whether a signal asked to stop; whether one asked for a line since the last call. */
bool progress_stop_asked(void);
bool progress_line_asked(void);

#endif
