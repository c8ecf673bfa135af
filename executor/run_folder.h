/* run_folder.h - folders and files below the run folder, which nodes and users share: opened name
 * by name, so that no link in between leads elsewhere.
 *
 * The folders in the run folder belong to the worker, and every user may enter them; only the
 * worker lists or changes them. The folder of a job is readable by its owner and its group. A
 * worker that can run programs as other users takes no folder that another user could have made. */
#ifndef EXECUTOR_RUN_FOLDER_H
#define EXECUTOR_RUN_FOLDER_H

#include "common/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Opens the folder `name` in the folder `path`, and in `name` the folder `below`, if that is not
 * NULL. With `make` missing folders are created, regardless of the umask. Returns a descriptor; -1
 * with `error` that names the folder, and errno. The descriptor of a `below` that its owner closed
 * to this process is only good for functions that take a folder to name. */
int run_folder_open(const char *path, const char *name, const char *below, bool make,
                    struct error *error);

/* Takes away the access that earlier versions gave other users to logs and checkpoints below
 * `path`. */
void run_folder_close(const char *path);

/* Gives the folder or the regular file `fd` of this process to `user`; its group stays. A file that
 * has another owner, or a second name, is not given away. -1 with errno. */
int run_folder_give(int fd, uid_t user);

#endif
