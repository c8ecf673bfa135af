/* run_folder.h - folders and files below the run folder, which nodes and users share: opened name
 * by name, so that no link in between leads elsewhere. */
#ifndef EXECUTOR_RUN_FOLDER_H
#define EXECUTOR_RUN_FOLDER_H

#include "common/error.h"

#include <stdbool.h>

/* The folder `name` in the one that `path` names, and in it the folder `below`, if that is not
 * NULL. With `make` what is missing is made. A descriptor; -1 with `error` that names it, and
 * errno. */
int run_folder_open(const char *path, const char *name, const char *below, bool make,
                    struct error *error);

#endif
