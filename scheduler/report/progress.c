/* progress.c - see progress.h. */
#include "scheduler/report/progress.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/output.h"
#include "scheduler/report/kept_inputs.h"
#include "scheduler/report/result_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_BETWEEN_LOOKS  64 /* rounds until the clock is read again */
#define SECONDS_BETWEEN_LINES 0.5
#define SECONDS_BEFORE_FIRST  1.0
#define BAR_CELLS             24

/* Global, because a signal handler can reach nothing else. */
static volatile sig_atomic_t stop_asked;
static volatile sig_atomic_t line_asked;
static volatile sig_atomic_t ends_at_second;
static struct timespec stop_asked_at;

/* Signals within this time count as one: timeout(1) sends one to the process and one to its
 * group. */
#define SAME_SIGNAL_MS 50

struct progress_line {
    const char *label;
    bool terminal;
    bool shown;
    int rounds_left;
    double started_s;
    double next_s;
};

static int64_t ms_since(const struct timespec *past)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - past->tv_sec) * 1000 + (now.tv_nsec - past->tv_nsec) / 1000000;
}

/* Calls only functions that a signal handler may call. */
static _Noreturn void end_now(void)
{
    static const char sentence[] = "\nstopped at once by a second signal\n";

    output_abandon();
    kept_inputs_abandon();
    result_folder_abandon();
    if (write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0)
        _exit(130);
    _exit(130);
}

static void on_signal(int signal)
{
    const int number = errno;

    if (signal == SIGUSR1) {
        line_asked = 1;
    } else if (!stop_asked) {
        (void)clock_gettime(CLOCK_MONOTONIC, &stop_asked_at);
        stop_asked = 1;
    } else if (ends_at_second && ms_since(&stop_asked_at) >= SAME_SIGNAL_MS) {
        end_now();
    }
    errno = number;
}

void progress_end_at_second(void)
{
    ends_at_second = 1;
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
    (void)signal(SIGXFSZ, SIG_IGN); /* so that writing beyond a file size limit fails as a write */
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

/* Prints the time left if the run goes on at its pace, as "5 s" or "1 h 20 min". */
static void put_time_left(double elapsed_s, double share, char *text, size_t size)
{
    const double left_s = share > 0 ? elapsed_s / share - elapsed_s : 0;

    if (share <= 0)
        (void)snprintf(text, size, "unknown");
    else if (left_s < 100)
        (void)snprintf(text, size, "%.0f s", left_s);
    else if (left_s < 6000)
        (void)snprintf(text, size, "%.0f min", left_s / 60);
    else
        (void)snprintf(text, size, "%.0f h %.0f min", floor(left_s / 3600),
                       floor(fmod(left_s, 3600) / 60));
}

/* Shows a line. On a terminal it replaces the line before. */
static void show(progress_line_t *self, double now_s, const char *text)
{
    (void)fprintf(stderr, "%s%s: %s%s", self->terminal ? "\r\033[K" : "", self->label, text,
                  self->terminal ? "" : "\n");
    (void)fflush(stderr);
    line_asked = 0;
    self->shown = true;
    self->next_s = now_s + SECONDS_BETWEEN_LINES;
}

void progress_show(progress_line_t *self, const struct progress_status *status)
{
    const double now_s = clock_s();
    const double elapsed_s = now_s - self->started_s;
    const double share = status->jobs > 0 ? (double)status->settled / (double)status->jobs : 0;
    char left[32];
    char text[256];

    put_time_left(elapsed_s, share, left, sizeof(left));
    (void)snprintf(text, sizeof(text),
                   "simulated %" PRId64 " s, %" PRId64 " of %" PRId64
                   " jobs settled, %.0f events/s, time left %s",
                   status->now_s, status->settled, status->jobs,
                   elapsed_s > 0 ? (double)status->rounds / elapsed_s : 0, left);
    show(self, now_s, text);
}

void progress_count(progress_line_t *self, int64_t done, int64_t count, const char *what)
{
    const double now_s = clock_s();
    const double share = count > 0 ? (double)done / (double)count : 0;
    char bar[BAR_CELLS + 1];
    char left[32];
    char text[256];

    if (!line_asked && !(self->terminal && now_s >= self->next_s))
        return;
    memset(bar, '.', BAR_CELLS);
    memset(bar, '#', (size_t)(share * BAR_CELLS));
    bar[BAR_CELLS] = '\0';
    put_time_left(now_s - self->started_s, share, left, sizeof(left));
    (void)snprintf(text, sizeof(text), "[%s] %" PRId64 " of %" PRId64 " %s, time left %s", bar,
                   done, count, what, left);
    show(self, now_s, text);
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
