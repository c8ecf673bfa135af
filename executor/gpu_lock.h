/* gpu_lock.h - a file lock for as long as a rank of a job is on a GPU, where the environment
 * variable RUBATO_GPU_LOCKS names a folder for locks: two holders of a GPU, or of a rank, become
 * visible.
 *
 * The lock decides nothing: a rank that finds it taken says so in the log and goes on. */
#ifndef EXECUTOR_GPU_LOCK_H
#define EXECUTOR_GPU_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_lock {
    int gpu_fd; /* -1 without a lock */
    int rank_fd;
    bool overlap; /* another process holds one of the locks */
};

/* Takes the locks of GPU and rank in `folder`; does nothing if `folder` is NULL. */
struct gpu_lock gpu_lock_take(const char *folder, int32_t node, int32_t gpu, uint64_t job,
                              int32_t rank);
void gpu_lock_drop(struct gpu_lock *self);

#endif
