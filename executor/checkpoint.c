/* checkpoint.c - see checkpoint.h. */
#include "executor/checkpoint.h"

#include "common/number.h"
#include "executor/run_folder.h"
#include "protocol/job_number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME       "checkpoint"
#define ASIDE_TAIL ".tmp"
#define PAUSES     19 /* pause after a checkpoint, in times that the checkpoint took */

static int open_folder(const char *run_dir, uint64_t job, bool make, struct error *error)
{
    return run_folder_open(run_dir, "jobs", job_number_name(job).text, make, error);
}

static int complain(const char *run_dir, uint64_t job, const char *what, struct error *error)
{
    return error_set(error, "%s/jobs/%s/" NAME ": cannot be %s: %s", run_dir,
                     job_number_name(job).text, what, strerror(errno));
}

int checkpoint_folder(const char *run_dir, uint64_t job, char *path, size_t size,
                      struct error *error)
{
    const int length = snprintf(path, size, "%s/jobs/%s", run_dir, job_number_name(job).text);
    int fd;

    if (length <= 0 || (size_t)length >= size)
        return error_set(error, "%s: too long", run_dir);
    fd = open_folder(run_dir, job, true, error);
    if (fd >= 0)
        (void)close(fd);
    return fd < 0 ? -1 : 0;
}

bool checkpoint_folder_is_empty(const char *run_dir, uint64_t job)
{
    struct error error;
    const int fd = open_folder(run_dir, job, false, &error);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    int entries = 0;

    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    while (entries <= 2 && readdir(folder))
        entries++;
    (void)closedir(folder);
    return entries == 2; /* the folder itself, and the one above */
}

int checkpoint_folder_give(const char *run_dir, uint64_t job, uid_t user, struct error *error)
{
    const int fd = open_folder(run_dir, job, false, error);
    int status;

    if (fd < 0)
        return -1;
    status = run_folder_give(fd, user);
    if (status < 0)
        (void)error_set(error, "%s/jobs/%s: cannot be given to its user: %s", run_dir,
                        job_number_name(job).text, strerror(errno));
    (void)close(fd);
    return status;
}

int64_t checkpoint_pause_us(int64_t every_us, int64_t cost_us)
{
    const int64_t least_us = PAUSES * cost_us;

    return every_us > least_us ? every_us : least_us;
}

static bool is_aside(const char *name)
{
    const size_t length = strlen(name);

    return length > strlen(NAME "." ASIDE_TAIL) && !strncmp(name, NAME ".", strlen(NAME ".")) &&
           !strcmp(name + length - strlen(ASIDE_TAIL), ASIDE_TAIL);
}

void checkpoint_clean(const char *run_dir, uint64_t job)
{
    struct error error;
    const int fd = open_folder(run_dir, job, false, &error);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    while ((entry = readdir(folder)))
        if (is_aside(entry->d_name))
            (void)unlinkat(fd, entry->d_name, 0);
    (void)closedir(folder);
}

static void name_aside(pid_t writer, char *name, size_t size)
{
    (void)snprintf(name, size, NAME ".%ld" ASIDE_TAIL, (long)writer);
}

void checkpoint_clean_after(const char *run_dir, uint64_t job, pid_t writer)
{
    struct error error;
    const int fd = open_folder(run_dir, job, false, &error);
    char aside[48];

    if (fd < 0)
        return;
    name_aside(writer, aside, sizeof(aside));
    (void)unlinkat(fd, aside, 0);
    (void)close(fd);
}

/* The bytes of the file `aside`, on disk if `durable`; -1 with errno. */
static int fill(int folder, const char *aside, int64_t step, bool durable)
{
    const int fd =
        openat(folder, aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    char line[32];
    const int length = snprintf(line, sizeof(line), "step %" PRId64 "\n", step);
    bool good;
    int number;

    if (fd < 0)
        return -1;
    errno = ENOSPC; /* reason for a short write, which sets no errno */
    good = write(fd, line, (size_t)length) == length && (!durable || fsync(fd) == 0);
    number = errno;
    good &= close(fd) == 0;
    errno = number;
    return good ? 0 : -1;
}

/* Replaces the checkpoint in `folder`. The new name is durable when the folder is. */
static int replace(int folder, int64_t step, bool durable)
{
    char aside[48];
    int number;

    name_aside(getpid(), aside, sizeof(aside));
    if (fill(folder, aside, step, durable) == 0 && renameat(folder, aside, folder, NAME) == 0 &&
        (!durable || fsync(folder) == 0))
        return 0;
    number = errno;
    (void)unlinkat(folder, aside, 0);
    errno = number;
    return -1;
}

int checkpoint_write(const char *run_dir, uint64_t job, int64_t step, bool durable,
                     struct error *error)
{
    const int folder = open_folder(run_dir, job, true, error);
    int status;

    if (folder < 0)
        return -1;
    status = replace(folder, step, durable);
    if (status < 0)
        (void)complain(run_dir, job, "written", error);
    (void)close(folder);
    return status;
}

/* The bytes of the checkpoint in `line`; -1 with errno. */
static ssize_t read_line(const char *run_dir, uint64_t job, char *line, size_t size,
                         struct error *error)
{
    const int folder = open_folder(run_dir, job, false, error);
    ssize_t length;
    int number;
    int fd;

    if (folder < 0)
        return -1;
    fd = openat(folder, NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    length = fd >= 0 ? read(fd, line, size) : -1;
    number = errno;
    if (length < 0)
        (void)complain(run_dir, job, "read", error);
    if (fd >= 0)
        (void)close(fd);
    (void)close(folder);
    errno = number;
    return length;
}

int checkpoint_read(const char *run_dir, uint64_t job, int64_t *step, struct error *error)
{
    char line[64];
    const ssize_t length = read_line(run_dir, job, line, sizeof(line), error);

    *step = 0;
    if (length < 0)
        return errno == ENOENT ? 0 : -1;
    if (length > 6 && !memcmp(line, "step ", 5) && line[length - 1] == '\n' &&
        number_parse_whole(line + 5, (size_t)length - 6, 0, INT64_MAX, step) == NUMBER_OK)
        return 0;
    return error_set(error, "%s/jobs/%s/" NAME ":1: expected \"step N\"", run_dir,
                     job_number_name(job).text);
}
