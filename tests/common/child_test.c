/* child_test.c - a program is started as it was asked for, or there is a sentence why not. */
#include "common/child.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct error error;
static char *no_environment[] = {NULL};

/* Runs `argv` to its end; what it printed goes to `out`. Its status, as waitpid has it. */
static int run(char *const argv[], char *const environment[], char *out, size_t size)
{
    struct child_setting setting = {
        .argv = argv,
        .environment = environment,
        .err = -1,
        .death_signal = SIGKILL,
    };
    int pipes[2];
    int status = -1;
    size_t length = 0;
    ssize_t more;
    pid_t pid;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    setting.out = pipes[1];
    pid = child_start(&setting, &error);
    (void)close(pipes[1]);
    assert_true(pid > 0);
    while ((more = read(pipes[0], out + length, size - length - 1)) > 0)
        length += (size_t)more;
    out[length] = '\0';
    (void)close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

TEST(a_program_gets_its_arguments_and_nothing_of_our_environment)
{
    static char *const echo[] = {"/bin/echo", "a b", "$HOME;`x`", NULL};
    static char *const env[] = {"/usr/bin/env", NULL};
    static char *const environment[] = {"ONE=1", "TWO=a b", NULL};
    char out[4096];

    assert_int_equal(run(echo, no_environment, out, sizeof(out)), 0);
    assert_string_equal(out, "a b $HOME;`x`\n");
    assert_int_equal(run(env, environment, out, sizeof(out)), 0);
    assert_string_equal(out, "ONE=1\nTWO=a b\n");
}

TEST(a_program_has_no_descriptor_but_the_three)
{
    static char *const list[] = {"/bin/ls", "/proc/self/fd", NULL};
    const int open_here = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */
    char out[4096];

    assert_true(open_here >= 0);
    assert_int_equal(run(list, no_environment, out, sizeof(out)), 0);
    assert_string_equal(out, "0\n1\n2\n3\n"); /* the last is that of the list itself */
    (void)close(open_here);
}

/* Signals 32 and 33 are the C library's own: what becomes of them cannot be changed. */
#define OF_LIBC (3ull << 31)

TEST(blocked_and_ignored_signals_are_not_inherited)
{
    static char *const show[] = {"/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL};
    sigset_t all;
    sigset_t before;
    unsigned long long blocked;
    unsigned long long ignored;
    char out[4096];

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    (void)signal(SIGTERM, SIG_IGN);
    assert_int_equal(run(show, no_environment, out, sizeof(out)), 0);
    (void)signal(SIGTERM, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(sscanf(out, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & ~OF_LIBC, 0);
}

TEST(what_cannot_be_run_is_named)
{
    static char *const argv[] = {"/nowhere/program", NULL};
    struct child_setting setting = {
        .argv = argv, .environment = no_environment, .out = -1, .err = -1};

    assert_int_equal(child_start(&setting, &error), -1);
    assert_string_equal(error.text,
                        "/nowhere/program cannot be started: No such file or directory");
    setting.folder = "/nowhere";
    assert_int_equal(child_start(&setting, &error), -1);
    assert_non_null(strstr(error.text, "/nowhere: No such file or directory"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left of either */
}

/* execvp would have a shell read it. */
TEST(what_is_no_program_is_not_handed_to_a_shell)
{
    folder_t *folder = folder_new();
    const char *path = folder_write(folder, "text", "echo I am no program\n");
    char *const argv[] = {(char *)(uintptr_t)path, NULL};
    const struct child_setting setting = {
        .argv = argv, .environment = no_environment, .out = -1, .err = -1};

    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(child_start(&setting, &error), -1);
    assert_non_null(strstr(error.text, "text cannot be started: Exec format error"));
    folder_destroy(&folder);
}

TEST(a_pidfd_tells_of_the_end)
{
    static char *const argv[] = {"/bin/sleep", "100", NULL};
    const struct child_setting setting = {
        .argv = argv, .environment = no_environment, .out = -1, .err = -1, .death_signal = SIGKILL};
    const pid_t pid = child_start(&setting, &error);
    struct pollfd ready = {.fd = child_pidfd(pid), .events = POLLIN};
    int status;

    assert_true(ready.fd >= 0);
    assert_int_equal(poll(&ready, 1, 0), 0);
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(poll(&ready, 1, 600000), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_string_equal(child_status_text(status), "signal 15");
    assert_string_equal(child_status_text(3 << 8), "exit status 3");
    (void)close(ready.fd);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
