/* busy_line.c - see busy_line.h. */
#include "common/busy_line.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 256

/* The state for the signal handler, which can reach nothing else. The state does not change
 * while a signal may come. */
static const char *shown_label;
static long limit_s;
static struct timespec begun;
static volatile sig_atomic_t is_shown;

/* The functions below call nothing that is forbidden to a handler of signals. */

static void put_text(char line[LINE_BYTES], size_t *used, const char *text)
{
    while (*text && *used < LINE_BYTES)
        line[(*used)++] = *text++;
}

static void put_number(char line[LINE_BYTES], size_t *used, long number)
{
    char digits[24];
    size_t at = sizeof(digits) - 1;

    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put_text(line, used, digits + at);
}

static void on_alarm(int signal)
{
    const int kept = errno;
    struct timespec now;
    char line[LINE_BYTES];
    size_t used = 0;

    (void)signal;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    put_text(line, &used, "\r\033[K");
    put_text(line, &used, shown_label);
    put_text(line, &used, ": at work for ");
    put_number(line, &used, (long)(now.tv_sec - begun.tv_sec));
    put_text(line, &used, " s");
    if (limit_s > 0) {
        put_text(line, &used, " of at most ");
        put_number(line, &used, limit_s);
        put_text(line, &used, " s");
    }
    if (write(STDERR_FILENO, line, used) > 0)
        is_shown = 1;
    errno = kept;
}

static void set_timer(long seconds)
{
    const struct itimerval timer = {.it_interval = {.tv_sec = seconds},
                                    .it_value = {.tv_sec = seconds}};

    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void busy_line_begin(const char *label, double most_s)
{
    struct sigaction action;

    if (isatty(STDERR_FILENO) != 1)
        return;
    shown_label = label;
    limit_s = (long)most_s;
    is_shown = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGALRM, &action, NULL);
    set_timer(1);
}

void busy_line_end(void)
{
    static const char away[] = "\r\033[K";

    if (!shown_label)
        return;
    set_timer(0);
    (void)signal(SIGALRM, SIG_IGN);
    shown_label = NULL;
    if (is_shown)
        (void)!write(STDERR_FILENO, away, sizeof(away) - 1);
}
