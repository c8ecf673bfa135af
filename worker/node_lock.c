/* node_lock.c - see node_lock.h. */
#include "worker/node_lock.h"

#include "common/child.h"
#include "common/clock.h"
#include "executor/run_folder.h"
#include "protocol/job_number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Looks at the processes that are left, and the time between two looks: the limit for them to
 * end. */
#define END_LOOKS   200
#define END_LOOK_NS 10000000

/* Looks between two rounds of asking: finding the processes to ask is a walk over all processes. */
#define ASK_LOOKS 20

/* ---- processes of an earlier worker ---- */

/* Whether a descriptor in the folder `descriptors` of a process is of the file `locked`. */
static bool has_open(int descriptors, const struct stat *locked)
{
    DIR *const list = fdopendir(descriptors);
    bool found = false;
    const struct dirent *at;
    struct stat file;

    if (!list)
        return false;
    while (!found && (at = readdir(list)))
        found = fstatat(dirfd(list), at->d_name, &file, 0) == 0 && file.st_ino == locked->st_ino &&
                file.st_dev == locked->st_dev;
    (void)closedir(list);
    return found;
}

/* Asks process `pid` to end if the process has the file open. A pidfd is held meanwhile, so that
 * the number cannot pass to another process. */
static void ask_holder(pid_t pid, const struct stat *locked)
{
    const int process = child_pidfd(pid);
    char path[64];
    int descriptors;

    if (process < 0)
        return;
    (void)snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
    descriptors = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptors >= 0 && has_open(descriptors, locked)) {
        (void)syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
        (void)syscall(SYS_pidfd_send_signal, process, SIGCONT, NULL, 0);
    }
    (void)close(process);
}

/* Asks the keepers to end, which alone still have the file open: the kernel kills trainers when
 * their worker ends. A keeper is not killed, because a keeper kills all processes below itself. */
static void ask_holders(int fd)
{
    DIR *const processes = opendir("/proc");
    const struct dirent *at;
    struct stat locked;

    if (!processes || fstat(fd, &locked) < 0) {
        if (processes)
            (void)closedir(processes);
        return;
    }
    while ((at = readdir(processes))) {
        const pid_t pid = (pid_t)strtol(at->d_name, NULL, 10);

        if (pid > 0 && pid != getpid())
            ask_holder(pid, &locked);
    }
    (void)closedir(processes);
}

static bool lock_at_once(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static bool lock_from_predecessor(int fd)
{
    const struct timespec look = {0, END_LOOK_NS};

    for (int i = 0; i < END_LOOKS && !lock_at_once(fd); i++) {
        if (i % ASK_LOOKS == 0)
            ask_holders(fd);
        (void)nanosleep(&look, NULL);
    }
    return lock_at_once(fd);
}

/* ---- the number ---- */

static void read_text(int fd, char *text, size_t size)
{
    const ssize_t length = pread(fd, text, size - 1, 0);

    text[length > 0 ? length : 0] = '\0';
}

/* The number in the file if it was drawn since this machine booted; else a new number, which is
 * written there. 0 if the write fails. */
static uint32_t number_of(int fd)
{
    char boot[CLOCK_BOOT_BYTES];
    char text[128];
    char now[128];
    uint32_t number;
    int length;

    clock_boot_name(boot);
    read_text(fd, text, sizeof(text));
    length = (int)strlen(boot);
    if (length > 0 && !strncmp(text, boot, (size_t)length) &&
        sscanf(text + length, " %" SCNu32, &number) == 1 && number > 0 && number <= RUN_ID_MAX)
        return number;
    number = job_number_draw_run();
    length = snprintf(now, sizeof(now), "%s %" PRIu32 "\n", boot, number);
    if (boot[0] == '\0' || ftruncate(fd, 0) < 0 || pwrite(fd, now, (size_t)length, 0) != length)
        return 0;
    return number;
}

/* ---- the lock ---- */

/* Opens a file of this user's own; -1 with errno. */
static int open_own(int folder, const char *name, const char *what)
{
    char file[NAME_MAX];
    struct stat status;
    int fd;

    (void)snprintf(file, sizeof(file), "%s.%s", name, what);
    fd = openat(folder, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0 || (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
                   S_ISREG(status.st_mode) && status.st_nlink == 1))
        return fd;
    (void)close(fd);
    errno = EPERM;
    return -1;
}

static int take(int folder, const char *name, struct node_lock *self, struct error *error)
{
    self->worker_fd = open_own(folder, name, "worker");
    if (self->worker_fd < 0)
        return error_set(error, "the lock of worker %s cannot be opened: %s", name,
                         strerror(errno));
    if (!lock_at_once(self->worker_fd))
        return error_set(error, "worker %s, or a process that it left, still runs", name);
    self->trainers_fd = open_own(folder, name, "trainers");
    if (self->trainers_fd < 0)
        return error_set(error, "the lock of worker %s cannot be opened: %s", name,
                         strerror(errno));
    if (!lock_from_predecessor(self->trainers_fd))
        return error_set(error, "a trainer of an earlier worker %s still runs", name);
    self->number = number_of(self->trainers_fd);
    return self->number > 0 ? 0 : error_set(error, "the lock of worker %s cannot be written", name);
}

int node_lock_take(const char *folder, const char *name, struct node_lock *self,
                   struct error *error)
{
    const int workers = run_folder_open(folder, "workers", NULL, true, error);
    int result = -1;

    *self = (struct node_lock){0, -1, -1};
    if (workers < 0)
        return -1;
    result = take(workers, name, self, error);
    (void)close(workers);
    return result;
}

void node_lock_drop(struct node_lock *self)
{
    if (self->trainers_fd >= 0)
        (void)close(self->trainers_fd);
    if (self->worker_fd >= 0)
        (void)close(self->worker_fd);
    *self = (struct node_lock){0, -1, -1};
}
