/* checkpoint.c - see checkpoint.h. */
#include "executor/checkpoint.h"

#include "common/number.h"
#include "common/output.h"
#include "protocol/job_number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_path(const char *run_dir, uint64_t job, const char *file, char *path, size_t size,
                      struct error *error)
{
    const int length =
        snprintf(path, size, "%s/jobs/%s%s", run_dir, job_number_name(job).text, file);

    return length > 0 && (size_t)length < size ? 0 : error_set(error, "%s: too long", run_dir);
}

int checkpoint_folder(const char *run_dir, uint64_t job, char *path, size_t size,
                      struct error *error)
{
    struct stat status;

    if (write_path(run_dir, job, "", path, size, error) < 0)
        return -1;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    return output_make_folder(path, error) < 0 ? -1 : 0;
}

int checkpoint_folder_give(const char *run_dir, uint64_t job, uid_t user, gid_t group,
                           struct error *error)
{
    char path[PATH_MAX];
    int status;
    int fd;

    if (write_path(run_dir, job, "", path, sizeof(path), error) < 0)
        return -1;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    status = fd >= 0 ? fchown(fd, user, group) : -1;
    if (status < 0)
        (void)error_set(error, "%s: cannot be given to its user: %s", path, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return status;
}

/* The bytes of the file `aside`, on disk if `durable`; -1 with errno. */
static int fill(const char *aside, int64_t step, bool durable)
{
    const int fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    char line[32];
    const int length = snprintf(line, sizeof(line), "step %" PRId64 "\n", step);
    bool good;
    int number;

    if (fd < 0)
        return -1;
    errno = ENOSPC; /* what a short write means */
    good = write(fd, line, (size_t)length) == length && (!durable || fsync(fd) == 0);
    number = errno;
    good &= close(fd) == 0;
    errno = number;
    return good ? 0 : -1;
}

/* Makes the name of what was renamed in `folder` durable. */
static int sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result;

    if (fd < 0)
        return -1;
    result = fsync(fd);
    (void)close(fd);
    return result;
}

int checkpoint_write(const char *run_dir, uint64_t job, int64_t step, bool durable,
                     struct error *error)
{
    char folder[PATH_MAX];
    char path[PATH_MAX + 16];
    char aside[PATH_MAX + 40];

    if (checkpoint_folder(run_dir, job, folder, sizeof(folder), error) < 0)
        return -1;
    (void)snprintf(path, sizeof(path), "%s/checkpoint", folder);
    (void)snprintf(aside, sizeof(aside), "%s/checkpoint.%ld.tmp", folder, (long)getpid());
    if (fill(aside, step, durable) < 0 || rename(aside, path) < 0 ||
        (durable && sync_folder(folder) < 0)) {
        (void)error_set(error, "%s: cannot be written: %s", path, strerror(errno));
        (void)unlink(aside);
        return -1;
    }
    return 0;
}

int checkpoint_read(const char *run_dir, uint64_t job, int64_t *step, struct error *error)
{
    char path[PATH_MAX];
    char line[64];
    ssize_t length;
    int fd;

    *step = 0;
    if (write_path(run_dir, job, "/checkpoint", path, sizeof(path), error) < 0)
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    length = read(fd, line, sizeof(line));
    (void)close(fd);
    if (length > 6 && !memcmp(line, "step ", 5) && line[length - 1] == '\n' &&
        number_parse_whole(line + 5, (size_t)length - 6, 0, INT64_MAX, step) == NUMBER_OK)
        return 0;
    return error_set(error, "%s:1: expected \"step N\"", path);
}
