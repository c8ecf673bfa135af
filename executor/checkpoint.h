/* checkpoint.h - the checkpoint of an emulated workload: RUN_DIR/jobs/JOB/checkpoint, one line
 * "step N". No link below RUN_DIR is followed. */
#ifndef EXECUTOR_CHECKPOINT_H
#define EXECUTOR_CHECKPOINT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The folder of a job's checkpoints, made if need be; -1 with `error`. */
int checkpoint_folder(const char *run_dir, uint64_t job, char *path, size_t size,
                      struct error *error);

/* Whether the checkpoint folder of the job is empty, as it is before the first checkpoint. */
bool checkpoint_folder_is_empty(const char *run_dir, uint64_t job);

/* Makes `user` the owner of the existing checkpoint folder; its group stays. -1, with `error`, if
 * another user owns the folder. */
int checkpoint_folder_give(const char *run_dir, uint64_t job, uid_t user, struct error *error);

/* The pause after a checkpoint that took `cost_us`, where a checkpoint each `every_us` is wanted:
 * long enough that checkpoints take at most a twentieth of the time. */
int64_t checkpoint_pause_us(int64_t every_us, int64_t cost_us);

/* Removes temporary files of killed writers. No other process may be writing there. */
void checkpoint_clean(const char *run_dir, uint64_t job);

/* Removes temporary files of the process `writer`, which has ended. */
void checkpoint_clean_after(const char *run_dir, uint64_t job, pid_t writer);

/* Writes the checkpoint aside and then gives it its name: there is always a whole checkpoint. With
 * `durable` the checkpoint is on disk when this returns. -1 with `error`, and the earlier
 * checkpoint stays. */
int checkpoint_write(const char *run_dir, uint64_t job, int64_t step, bool durable,
                     struct error *error);

/* The step of the checkpoint, 0 if there is none; -1 with `error` if the file cannot be read or is
 * malformed. */
int checkpoint_read(const char *run_dir, uint64_t job, int64_t *step, struct error *error);

#endif
