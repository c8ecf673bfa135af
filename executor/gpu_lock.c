/* gpu_lock.c - see gpu_lock.h. */
#include "executor/gpu_lock.h"

#include "protocol/job_number.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* The descriptor that holds the lock of `path`, -1 if there is none. */
static int take(const char *path, bool *overlap)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    *overlap = true;
    (void)close(fd);
    return -1;
}

struct gpu_lock gpu_lock_take(const char *folder, int32_t node, int32_t gpu, uint64_t job,
                              int32_t rank)
{
    struct gpu_lock self = {-1, -1, false};
    char path[PATH_MAX];

    if (!folder || !*folder)
        return self;
    (void)snprintf(path, sizeof(path), "%s/node-%" PRId32 ".gpu-%" PRId32, folder, node, gpu);
    self.gpu_fd = take(path, &self.overlap);
    (void)snprintf(path, sizeof(path), "%s/job-%s.rank-%" PRId32, folder, job_number_name(job).text,
                   rank);
    self.rank_fd = take(path, &self.overlap);
    return self;
}

void gpu_lock_drop(struct gpu_lock *self)
{
    if (self->gpu_fd >= 0)
        (void)close(self->gpu_fd);
    if (self->rank_fd >= 0)
        (void)close(self->rank_fd);
    *self = (struct gpu_lock){-1, -1, false};
}
