/* program.c - see program.h. */
#include "tests/support/program.h"

#include "common/memory.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 32

/* Milliseconds that an answer to a signal is waited for before the next is sent. */
#define ANSWER_MS 20

static _Noreturn void exec_program(const char *name, const char *const arguments[])
{
    const char *folder = getenv("RUBATO_BIN");
    char path[4096];
    char *argv[ARGUMENTS_MAX + 2] = {path};
    size_t count = 0;

    (void)snprintf(path, sizeof(path), "%s/%s", folder ? folder : "build/bin", name);
    while (arguments[count])
        count++;
    assert_true(count <= ARGUMENTS_MAX);
    memcpy(&argv[1], arguments, count * sizeof(*argv)); /* execv's argv is const in all but name */
    execv(path, argv);
    perror(path);
    _exit(127);
}

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
}

static int wait_for(pid_t pid)
{
    int status = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct program_result program_run(const char *name, const char *const arguments[])
{
    folder_t *folder = folder_new();
    const char *out = folder_file(folder, "out");
    const char *err = folder_file(folder, "err");
    struct program_result result;
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        redirect(out, STDOUT_FILENO);
        redirect(err, STDERR_FILENO);
        exec_program(name, arguments);
    }
    result.status = wait_for(pid);
    result.out = folder_read(folder, "out");
    result.err = folder_read(folder, "err");
    folder_destroy(&folder);
    return result;
}

void program_result_clear(struct program_result *result)
{
    free(result->out);
    free(result->err);
    *result = (struct program_result){0};
}

struct program program_start(const char *name, const char *const arguments[])
{
    static const int early[] = {SIGINT, SIGUSR1};
    void (*handlers[COUNT(early)])(int);
    struct program program;
    int pipes[2];

    assert_int_equal(pipe(pipes), 0);
    for (size_t i = 0; i < COUNT(early); i++)
        handlers[i] = signal(early[i], SIG_IGN); /* which a child inherits */
    program.pid = fork();
    assert_true(program.pid >= 0);
    if (program.pid == 0) {
        redirect("/dev/null", STDOUT_FILENO);
        (void)dup2(pipes[1], STDERR_FILENO);
        (void)close(pipes[0]);
        (void)close(pipes[1]);
        exec_program(name, arguments);
    }
    for (size_t i = 0; i < COUNT(early); i++)
        (void)signal(early[i], handlers[i]);
    (void)close(pipes[1]);
    program.err = pipes[0];
    return program;
}

int program_await(const struct program *program, const char *text, int signal, char *read_so_far,
                  size_t size)
{
    size_t length = strlen(read_so_far);
    int sent = 0;

    while (!strstr(read_so_far, text)) {
        struct pollfd ready = {.fd = program->err, .events = POLLIN};
        ssize_t more;

        if (signal != 0)
            sent += kill(program->pid, signal) == 0;
        if (poll(&ready, 1, signal != 0 ? ANSWER_MS : -1) == 0)
            continue;
        more = read(program->err, read_so_far + length, size - length - 1);
        if (more <= 0)
            fail_msg("stderr ended without \"%s\": %s", text, read_so_far);
        length += (size_t)more;
        read_so_far[length] = '\0';
    }
    return sent;
}

int program_wait(struct program *program)
{
    (void)close(program->err);
    return wait_for(program->pid);
}
