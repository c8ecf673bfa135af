/* await_line.c - waits until a file has a line that matches, and prints it.
 *
 * The kernel says when the file grows; nothing is read twice. Exit status 0:
 * there is such a line, 1: there is none and the deadline has passed, or the process that would
 * write it is gone. */
#include "common/memory.h"
#include "common/options.h"

#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct config {
    const char *path;
    regex_t pattern;
    int64_t lines_before; /* so many lines of the file do not count */
    int64_t matches;      /* that are waited for */
    int64_t deadline_s;
    int64_t pid; /* of the process that writes, 0 if that is not known */
};

/* The file as far as it was read. */
struct tail {
    FILE *in; /* NULL while there is no file */
    char *line;
    size_t used;
    size_t capacity;
    int64_t number; /* of lines that are complete */
    int64_t matched;
};

static bool is_match(const struct config *config, struct tail *tail)
{
    if (++tail->number <= config->lines_before ||
        regexec(&config->pattern, tail->line, 0, NULL, 0) != 0)
        return false;
    return ++tail->matched >= config->matches;
}

/* Reads what has come; whether the line that was waited for is among it. */
static bool read_more(const struct config *config, struct tail *tail)
{
    int c;

    if (!tail->in)
        tail->in = fopen(config->path, "re");
    if (!tail->in)
        return false;
    clearerr(tail->in);
    while ((c = getc_unlocked(tail->in)) != EOF) {
        tail->line = grow_array(tail->line, tail->used, &tail->capacity, 1);
        if (c != '\n') {
            tail->line[tail->used++] = (char)c;
            continue;
        }
        tail->line[tail->used] = '\0';
        tail->used = 0;
        if (is_match(config, tail))
            return true;
    }
    return false;
}

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void drain(int watch)
{
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));

    (void)!read(watch, events, sizeof(events));
}

/* Whether the line came. The folder is watched, so that the file may come later. */
static bool wait_for_it(const struct config *config, struct tail *tail, int watch, int process)
{
    const int64_t end_ms = now_ms() + 1000 * config->deadline_s;
    struct pollfd fds[2] = {{watch, POLLIN, 0}, {process, POLLIN, 0}};
    bool gone = false;

    while (!read_more(config, tail)) {
        const int64_t left_ms = end_ms - now_ms();

        if (gone || left_ms <= 0 || poll(fds, process >= 0 ? 2 : 1, (int)left_ms) < 0)
            return false;
        if (fds[0].revents)
            drain(watch);
        gone = process >= 0 && fds[1].revents; /* what it wrote last is still looked at */
    }
    return true;
}

static int watch_folder_of(const char *path, struct error *error)
{
    char *copy = xstrdup(path);
    const char *folder = dirname(copy);
    int watch = inotify_init1(IN_CLOEXEC);

    if (watch >= 0 && inotify_add_watch(watch, folder, IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
        (void)close(watch);
        watch = -1;
    }
    if (watch < 0)
        (void)error_set(error, "%s: cannot be watched: %s", folder, strerror(errno));
    free(copy);
    return watch;
}

static int await(const struct config *config, struct error *error)
{
    struct tail tail = {0};
    const int watch = watch_folder_of(config->path, error);
    int process = -1;
    bool found = false;

    if (watch < 0)
        return -1;
    if (config->pid > 0) {
        process = (int)syscall(SYS_pidfd_open, (pid_t)config->pid, 0);
        found = process < 0 && read_more(config, &tail);
    }
    if (config->pid == 0 || process >= 0)
        found = wait_for_it(config, &tail, watch, process);
    if (found)
        puts(tail.line);
    if (process >= 0)
        (void)close(process);
    (void)close(watch);
    if (tail.in)
        (void)fclose(tail.in);
    free(tail.line);
    return found ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct config config = {.matches = 1, .deadline_s = 600};
    const struct option_spec options[] = {
        OPTION_WHOLE("after", "LINES", &config.lines_before, 0, 1e15, "so many do not count"),
        OPTION_WHOLE("matches", "N", &config.matches, 1, 1e15, "wait for the Nth that matches"),
        OPTION_WHOLE("deadline", "SECONDS", &config.deadline_s, 0, 86400, "then it is given up"),
        OPTION_WHOLE("pid", "PID", &config.pid, 0, 1e9, "give it up when this process is gone"),
        OPTION_END,
    };
    const struct command command = {
        .name = "await_line",
        .summary = "Wait until a file has a line that matches, and print it",
        .operands = "FILE PATTERN",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count != 2)
        status = error_set(&error, "expected a file and a pattern");
    if (status == 0 && regcomp(&config.pattern, operands.items[1], REG_EXTENDED | REG_NOSUB) != 0)
        status = error_set(&error, "\"%s\" is no pattern", operands.items[1]);
    if (status != 0) {
        free(operands.items);
        return status < 0 ? options_fail(&command, &error) : 0;
    }
    config.path = operands.items[0];
    status = await(&config, &error);
    regfree(&config.pattern);
    free(operands.items);
    return status < 0 ? options_fail(&command, &error) : status;
}
