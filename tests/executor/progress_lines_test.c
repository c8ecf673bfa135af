/* progress_lines_test.c - what programs say of themselves is read, and nothing else is. */
#include "executor/progress.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct progress_line read_line(const char *line)
{
    struct progress_line progress;

    if (!progress_parse(line, strlen(line), &progress))
        fail_msg("\"%s\" was not taken", line);
    return progress;
}

TEST(every_kind_of_line_is_read)
{
    assert_int_equal(read_line("ready").kind, PROGRESS_READY);
    assert_int_equal(read_line("step 12").kind, PROGRESS_STEP);
    assert_int_equal(read_line("step 12\n").step, 12);
    assert_int_equal(read_line("checkpoint 7").kind, PROGRESS_CHECKPOINT);
    assert_int_equal(read_line("checkpoint 7").step, 7);
    assert_int_equal(read_line("stable 3 rate 2.5").kind, PROGRESS_STABLE);
    assert_int_equal(read_line("stable 3 rate 2.5").step, 3);
    assert_true(read_line("stable 3 rate 2.5").value == 2.5);
    assert_int_equal(read_line("loss 0.01").kind, PROGRESS_LOSS);
    assert_int_equal(read_line("checkpoints-on-signal").kind, PROGRESS_SAVES);
}

/* The master judges them. */
TEST(rates_are_passed_on_as_they_are)
{
    assert_true(isnan(read_line("stable 3 rate nan").value));
    assert_true(read_line("stable 3 rate -1").value == -1);
    assert_true(read_line("stable 3 rate 1e308").value == 1e308);
    assert_true(read_line("stable 3 rate 0").value == 0);
}

TEST(other_lines_are_not)
{
    static const char *const lines[] = {
        "",
        "\n",
        "step",
        "step ",
        "step -1",
        "step x",
        "step 1 2",
        "step  1",
        " step 1",
        "step 1 ",
        "steps 1",
        "ready now",
        "stable 1",
        "stable 1 rate",
        "stable 1 speed 2",
        "checkpoint",
        "stable rate 2",
        "loss",
        "loss x",
        "step 1\nstep 2",
        "step 99999999999999999999",
    };
    struct progress_line progress;
    char longest[PROGRESS_LINE_MAX + 2] = "loss ";

    for (size_t i = 0; i < COUNT(lines); i++)
        if (progress_parse(lines[i], strlen(lines[i]), &progress))
            fail_msg("\"%s\" was taken", lines[i]);
    memset(longest + 5, '1', PROGRESS_LINE_MAX + 1 - 5);
    assert_false(progress_parse(longest, PROGRESS_LINE_MAX + 1, &progress));
    assert_false(progress_parse("step\0001", 6, &progress));
}

static void say(const progress_socket_t *to, const char *line)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = progress_socket_address(to);
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    memcpy(address.sun_path, name, strlen(name));
    address.sun_path[0] = '\0';
    assert_int_equal(sendto(fd, line, strlen(line), 0, (struct sockaddr *)&address,
                            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
                     (ssize_t)strlen(line));
    (void)close(fd);
}

TEST(messages_come_in_order_and_bad_ones_are_counted)
{
    struct error error;
    progress_socket_t *socket = progress_socket_new(&error);
    struct progress_line progress;

    assert_non_null(socket);
    assert_int_equal(progress_socket_address(socket)[0], '@');
    assert_false(progress_socket_next(socket, &progress));
    say(socket, "step 1");
    say(socket, "garbage");
    say(socket, "step 2\n");
    assert_true(progress_socket_next(socket, &progress));
    assert_int_equal(progress.step, 1);
    assert_true(progress_socket_next(socket, &progress));
    assert_int_equal(progress.step, 2);
    assert_false(progress_socket_next(socket, &progress));
    assert_int_equal(progress_socket_bad(socket), 1);
    progress_socket_destroy(&socket);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
