/* household.c - see household.h. */
#include "tools/service/household.h"

#include "common/child.h"
#include "common/folder_lock.h"
#include "common/input.h"
#include "tools/local/start.h"
#include "tools/local/story.h"
#include "tools/service/process_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES  2048
#define LISTEN_MS   30000 /* limit until the master listens */
#define LOOK_MS     10
#define FILE_BYTES  (PATH_MAX + 64)
#define ADDRESS     "127.0.0.1"
#define NODE        "local"
#define MASTER_WORD "master=" ADDRESS

const char *const household_names[HOUSEHOLD_MEMBERS] = {"master", "worker", "scheduler"};

static void put_file(char path[FILE_BYTES], const char *state, const char *name)
{
    (void)snprintf(path, FILE_BYTES, "%s/%s", state, name);
}

static void put_log(char path[FILE_BYTES], const char *state, enum household_member member)
{
    (void)snprintf(path, FILE_BYTES, "%s/logs/%s.log", state, household_names[member]);
}

int household_lock(const char *state, struct error *error)
{
    char path[FILE_BYTES];
    int file;

    put_file(path, state, "up.lock");
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    return flock(file, LOCK_EX) < 0 ? error_set(error, "%s: %s", path, strerror(errno)) : 0;
}

/* ---- the port of the master, which the state folder keeps ---- */

static int read_port(const char *state)
{
    char path[FILE_BYTES];
    FILE *file;
    int port = 0;

    put_file(path, state, "master.port");
    file = fopen(path, "re");
    if (file && (fscanf(file, "%d", &port) != 1 || port < 1 || port > 65535))
        port = 0;
    if (file)
        (void)fclose(file);
    return port;
}

static int write_port(const char *state, int port, struct error *error)
{
    char path[FILE_BYTES];
    FILE *file;

    put_file(path, state, "master.port");
    file = fopen(path, "we");
    if (!file || fprintf(file, "%d\n", port) < 0 || fclose(file) != 0)
        return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    return 0;
}

/* ---- command lines ---- */

static void say_master(const struct household *self, struct command_words *words)
{
    words_add(words, "--port=%d", self->port);
    words_add(words, "--workers=1");
}

static void say_worker(const struct household *self, struct command_words *words)
{
    words_add(words, "--name=" NODE);
    words_add(words, "--master-ip=" ADDRESS);
    words_add(words, "--master-port=%d", self->port);
    words_add(words, "--address=" ADDRESS);
    words_add(words, "--gpus=%" PRId64, self->gpus);
    words_add(words, self->emulated ? "--emulate" : "--real-gpus");
    words_add(words, "--run-dir=%s/runs", self->state);
    words_add(words, "--grace=%g", self->grace_s);
    words_add_text(words, "gpu-type", self->gpu_type);
    words_add_text(words, "throughputs", self->throughputs);
    words_add_text(words, "pass-env", self->pass_env);
}

static void say_scheduler(const struct household *self, struct command_words *words)
{
    words_add(words, "--serve");
    words_add(words, "--state=%s", self->state);
    words_add(words, "--socket=%s", self->socket);
    words_add(words, "--" MASTER_WORD ":%d", self->port);
    words_add(words, "--runs=%s/runs", self->state);
    words_add(words, "--cluster_spec=%s/cluster.csv", self->state);
    words_add(words, "--scheduling_slot=%" PRId64, self->slot_s);
    words_add_text(words, "operators", self->operators);
    words_add_text(words, "schedule", self->policy);
    words_add_text(words, "gpu_type", self->gpu_type);
    words_add_text(words, "throughputs", self->throughputs);
    if (self->time_scale > 0)
        words_add(words, "--time_scale=%.17g", self->time_scale);
}

static void (*const say[HOUSEHOLD_MEMBERS])(const struct household *self,
                                            struct command_words *words) = {say_master, say_worker,
                                                                            say_scheduler};

/* ---- logs ---- */

/* Reads the last line of the log in printable characters. */
static void read_last_line(const struct household *self, enum household_member member,
                           char line[LINE_BYTES])
{
    char path[FILE_BYTES];
    char text[LINE_BYTES];
    FILE *file;

    put_log(path, self->state, member);
    line[0] = '\0';
    file = fopen(path, "re");
    while (file && fgets(text, sizeof(text), file))
        (void)input_printable(line, LINE_BYTES, text, strcspn(text, "\n"));
    if (file)
        (void)fclose(file);
}

int household_check(const struct household *self, enum household_member member, struct error *error)
{
    char line[LINE_BYTES];

    if (household_runs(self->state, member))
        return 0;
    read_last_line(self, member, line);
    return error_set(error, "the %s has ended; it said last: %.600s", household_names[member],
                     line);
}

/* The port in the first line "up" of the log after offset `from`, 0 if there is no such line
 * yet. */
static int find_port(const char *log, long from)
{
    FILE *file = fopen(log, "re");
    char line[LINE_BYTES];
    char endpoint[128];
    int port = 0;

    if (!file)
        return 0;
    (void)fseek(file, from, SEEK_SET);
    while (port == 0 && fgets(line, sizeof(line), file))
        if (strchr(line, '\n') && story_is(line, "up") &&
            story_value(line, "endpoint", endpoint, sizeof(endpoint)) && strrchr(endpoint, ':'))
            port = (int)strtol(strrchr(endpoint, ':') + 1, NULL, 10);
    (void)fclose(file);
    return port;
}

static int await_port(struct household *self, long from, struct error *error)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    char path[FILE_BYTES];

    put_log(path, self->state, HOUSEHOLD_MASTER);
    for (int waited_ms = 0; waited_ms < LISTEN_MS; waited_ms += LOOK_MS) {
        const int runs = household_check(self, HOUSEHOLD_MASTER, error);

        self->port = find_port(path, from);
        if (self->port > 0)
            return write_port(self->state, self->port, error);
        if (runs < 0)
            return -1;
        (void)nanosleep(&pause, NULL);
    }
    return error_set(error, "the master does not begin to listen");
}

/* ---- start and end ---- */

bool household_runs(const char *state, enum household_member member)
{
    const int process = process_file_open(state, household_names[member]);

    if (process >= 0)
        (void)close(process);
    return process >= 0;
}

pid_t household_stranger(const char *state)
{
    return household_runs(state, HOUSEHOLD_SCHEDULER) ? 0 : folder_lock_holder(state);
}

static int open_log(const struct household *self, enum household_member member, struct error *error)
{
    char path[FILE_BYTES];
    int file;

    put_log(path, self->state, member);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return file >= 0 ? file : error_set(error, "%s: cannot be written: %s", path, strerror(errno));
}

static int run(const struct household *self, enum household_member member, int log,
               struct error *error)
{
    struct command_words words = {.memory = arena_new()};
    struct child_setting setting = {
        .argv = words.items, .environment = environ, .out = log, .err = log, .session = true};
    pid_t pid;

    words_add(&words, "%s/%s", self->programs, household_names[member]);
    say[member](self, &words);
    setting.argv = words.items;
    pid = child_start(&setting, error);
    arena_destroy(&words.memory);
    return pid < 0 ? -1 : process_file_write(self->state, household_names[member], pid, error);
}

int household_start(struct household *self, enum household_member member, struct error *error)
{
    int result;
    long from;
    int log;

    self->port = read_port(self->state);
    if (household_runs(self->state, member))
        return 0;
    log = open_log(self, member, error);
    if (log < 0)
        return -1;
    from = (long)lseek(log, 0, SEEK_END);
    result = run(self, member, log, error);
    (void)close(log);
    return result == 0 && member == HOUSEHOLD_MASTER ? await_port(self, from, error) : result;
}

int household_end(const char *state, enum household_member member, int timeout_ms,
                  struct error *error)
{
    const int process = process_file_open(state, household_names[member]);
    int result;

    if (process < 0)
        return 1;
    result = process_end(process, timeout_ms);
    (void)close(process);
    if (result < 0)
        return error_set(error, "the %s does not end", household_names[member]);
    process_file_remove(state, household_names[member]);
    return 0;
}
