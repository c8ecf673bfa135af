/* terminal.c - see terminal.h. */
#include "tools/service/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define ROWS_USUAL 24
#define ESCAPE     '\033'

static const char enter[] =
    "\033[?1049h\033[?25l"; /* switches to the alternate screen and hides the cursor */
static const char leave[] = "\033[?25h\033[?1049l";

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

/* Globals, because a signal handler has no argument for them. */
static struct termios before;
static volatile sig_atomic_t is_open;

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void put(const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(STDOUT_FILENO, text, length);

        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* Restores the terminal. Called by a signal handler, it calls only functions that are safe
 * there. */
static void restore(void)
{
    if (!is_open)
        return;
    is_open = 0;
    put(leave, sizeof(leave) - 1);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void on_signal(int signal)
{
    restore();
    (void)raise(signal); /* SA_RESETHAND has restored the default action, which ends the process */
}

void terminal_close(void)
{
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        (void)signal(deadly[i], SIG_DFL);
    restore();
}

int terminal_open(struct error *error)
{
    const struct sigaction action = {.sa_handler = on_signal,
                                     .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    struct termios keys;

    if (tcgetattr(STDIN_FILENO, &before) < 0)
        return error_set(error, "the terminal cannot be set: %s", strerror(errno));
    keys = before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    keys.c_cc[VSUSP] =
        _POSIX_VDISABLE; /* a suspended process would leave the alternate screen on the terminal */
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        (void)sigaction(deadly[i], &action, NULL);
    is_open = 1;
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    put(enter, sizeof(enter) - 1);
    return 0;
}

int terminal_rows(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row
                                                                           : ROWS_USUAL;
}

/* Overwrites each line in place instead of clearing the screen, which would flicker. */
void terminal_show(const char *text)
{
    static const char home[] = "\033[H";
    static const char end_of_line[] = "\033[K";
    static const char rest[] = "\033[J";
    const int rows = terminal_rows();

    put(home, sizeof(home) - 1);
    for (int row = 0; row < rows && *text; row++) {
        const size_t length = strcspn(text, "\n");

        if (row > 0)
            put("\r\n", 2);
        put(text, length);
        put(end_of_line, sizeof(end_of_line) - 1);
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    put(rest, sizeof(rest) - 1);
}

bool terminal_wait(int wait_ms)
{
    struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
    char letter;

    if (poll(&key, 1, wait_ms) <= 0)
        return true;
    if (read(STDIN_FILENO, &letter, 1) != 1)
        return false;
    return letter != 'q' && letter != 'Q' && letter != ESCAPE;
}
