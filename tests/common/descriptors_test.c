/* descriptors_test.c - a program whose caller closed the standard files does not take others for
 * them. */
#include "common/descriptors.h"

#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool can_be_read_only(int fd)
{
    char byte;

    return read(fd, &byte, 1) == 0 && write(fd, "", 1) < 0 && errno == EBADF;
}

/* Closes those named, and has all opened again. */
static _Noreturn void play_program(bool in, bool out, bool err)
{
    const bool closed[] = {in, out, err};
    bool good = true;

    for (int fd = 0; fd < 3; fd++)
        if (closed[fd])
            (void)close(fd);
    descriptors_open_standard();
    for (int fd = 0; fd < 3; fd++)
        if (closed[fd])
            good = good && can_be_read_only(fd);
    _exit(good && open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1);
}

TEST(what_is_closed_is_opened)
{
    for (unsigned closed = 0; closed < 8; closed++) {
        const pid_t pid = fork();
        int status;

        assert_true(pid >= 0);
        if (pid == 0)
            play_program(closed & 1, closed & 2, closed & 4);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

TEST(as_many_as_may_be_are_allowed)
{
    struct rlimit limit = {20, 30};
    struct error error;

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(descriptors_allow(10, &error), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(limit.rlim_cur, 30);
    assert_int_equal(descriptors_allow(30, &error), 0);
    assert_int_equal(descriptors_allow(31, &error), -1);
    assert_non_null(strstr(error.text, "31 files are to be open at once, and at most 30 may be"));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(limit.rlim_cur, 30);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
