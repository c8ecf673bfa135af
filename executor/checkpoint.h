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

/* Whether nothing is in that folder, as before the first checkpoint of the job. */
bool checkpoint_folder_is_empty(const char *run_dir, uint64_t job);

/* Makes the folder, which is there, that of `user`; the group stays. -1, with `error`, if the
 * folder is a third user's. */
int checkpoint_folder_give(const char *run_dir, uint64_t job, uid_t user, struct error *error);

/* How long it is from a checkpoint that took `cost_us` to the next where `every_us` is wanted: so
 * long that checkpoints take a twentieth of the time at most. */
int64_t checkpoint_pause_us(int64_t every_us, int64_t cost_us);

/* Removes what writers that were killed left aside: no other process may write there by now. */
void checkpoint_clean(const char *run_dir, uint64_t job);

/* Removes what the process `writer`, which is gone, left aside. */
void checkpoint_clean_after(const char *run_dir, uint64_t job, pid_t writer);

/* Writes the checkpoint aside and then gives it its name: there is always a whole checkpoint. With
 * `durable` the checkpoint is on disk when this returns. -1 with `error`, and the checkpoint before
 * is as it was. */
int checkpoint_write(const char *run_dir, uint64_t job, int64_t step, bool durable,
                     struct error *error);

/* The step of the checkpoint, 0 if there is none; -1 with `error` if it cannot be read or says
 * something else. */
int checkpoint_read(const char *run_dir, uint64_t job, int64_t *step, struct error *error);

#endif
