/* progress.c - see progress.h. */
#include "scheduler/report/progress.h"

#include "common/clock.h"
#include "common/memory.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_BETWEEN_LOOKS  64 /* at the clock */
#define SECONDS_BETWEEN_LINES 0.5
#define SECONDS_BEFORE_FIRST  1.0

/* A signal handler can reach nothing but these. */
static volatile sig_atomic_t stop_asked;
static volatile sig_atomic_t line_asked;

struct progress_line {
    const char *label;
    bool terminal;
    bool shown;
    int rounds_left;
    double started_s;
    double next_s;
};

static void on_signal(int signal)
{
    if (signal == SIGUSR1)
        line_asked = 1;
    else
        stop_asked = 1;
}

void progress_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &action, NULL);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
}

progress_line_t *progress_new(const char *label)
{
    progress_line_t *self = xcalloc(1, sizeof(*self));

    progress_catch_signals();
    self->label = label;
    self->terminal = isatty(STDERR_FILENO) == 1;
    self->started_s = clock_s();
    self->next_s = self->started_s + SECONDS_BEFORE_FIRST;
    return self;
}

void progress_destroy(progress_line_t **self)
{
    if (!*self)
        return;
    if ((*self)->terminal && (*self)->shown)
        (void)fputs("\r\033[K", stderr);
    free(*self);
    *self = NULL;
}

bool progress_is_due(progress_line_t *self)
{
    if (line_asked)
        return true;
    if (!self->terminal || self->rounds_left-- > 0)
        return false;
    self->rounds_left = ROUNDS_BETWEEN_LOOKS;
    return clock_s() >= self->next_s;
}

void progress_show(progress_line_t *self, const struct progress_status *status)
{
    const double now_s = clock_s();
    const double elapsed_s = now_s - self->started_s;
    const double share = status->jobs > 0 ? (double)status->settled / (double)status->jobs : 0;
    char left[32] = "unknown";

    if (share > 0)
        (void)snprintf(left, sizeof(left), "%.0f s", elapsed_s / share - elapsed_s);
    (void)fprintf(stderr,
                  "%s%s: simulated %" PRId64 " s, %" PRId64 " of %" PRId64
                  " jobs settled, %.0f events/s, time left %s%s",
                  self->terminal ? "\r\033[K" : "", self->label, status->now_s, status->settled,
                  status->jobs, elapsed_s > 0 ? (double)status->rounds / elapsed_s : 0, left,
                  self->terminal ? "" : "\n");
    (void)fflush(stderr);
    line_asked = 0;
    self->shown = true;
    self->next_s = now_s + SECONDS_BETWEEN_LINES;
}

bool progress_line_asked(void)
{
    const bool asked = line_asked != 0;

    line_asked = 0;
    return asked;
}

bool progress_stop_asked(void)
{
    return stop_asked != 0;
}
