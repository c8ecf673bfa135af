/* busy_line_test.c - the line of work that cannot count is drawn on a terminal, and taken away. */
#include "common/busy_line.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Draws a line, and takes it away, with standard error on `end`, of which what comes is read. */
static void draw(int end, int from, double most_s, char *said, size_t size)
{
    const int kept = dup(STDERR_FILENO);
    size_t used = 0;
    ssize_t got;

    assert_true(dup2(end, STDERR_FILENO) >= 0);
    busy_line_begin("tester", most_s);
    (void)raise(SIGALRM);
    busy_line_end();
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    said[0] = '\0';
    do { /* a terminal may give it in pieces: the line, and what takes it away */
        got = read(from, said + used, size - 1 - used);
        used += got > 0 ? (size_t)got : 0;
        said[used] = '\0';
    } while (got > 0 && strcmp(said + (used < 4 ? used : used - 4), "\r\033[K") != 0);
}

TEST(a_line_on_a_terminal_says_how_long)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    char said[256];
    long seconds;
    long most;
    int terminal;

    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    draw(terminal, master, 90, said, sizeof(said));
    assert_int_equal(
        sscanf(said, "\r\033[Ktester: at work for %ld s of at most %ld s", &seconds, &most), 2);
    assert_int_equal(most, 90);
    assert_string_equal(said + strlen(said) - 4, "\r\033[K");
    draw(terminal, master, 0, said, sizeof(said));
    assert_null(strstr(said, "at most"));
    assert_int_equal(sscanf(said, "\r\033[Ktester: at work for %ld s", &seconds), 1);
    (void)close(terminal);
    (void)close(master);
}

TEST(there_is_none_elsewhere)
{
    int ends[2];
    char said[16];

    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    (void)signal(SIGALRM, SIG_IGN);
    draw(ends[1], ends[0], 5, said, sizeof(said));
    assert_string_equal(said, "");
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
