/* household_folders.h - the folders of a service of `rubato up`, and their access rights. */
#ifndef SERVICE_HOUSEHOLD_FOLDERS_H
#define SERVICE_HOUSEHOLD_FOLDERS_H

#include "common/error.h"

#include <limits.h>

/* Makes the folder `state`, or this user's state folder if `state` is NULL, with "logs" and "runs"
 * in it. Sets `folder` to its absolute path. Other users can enter the folders of root. -1 with
 * `error`. */
int household_folders_make(const char *state, char folder[PATH_MAX], struct error *error);

/* Lets members of the group `operators` read the logs and checkpoints that the worker makes in
 * `folder` from now on. Does nothing if `operators` is NULL. -1, with `error`, if there is no such
 * group. */
int household_folders_give(const char *folder, const char *operators, struct error *error);

/* If this user is root, makes the folder of `socket`, which every user can enter, and where root
 * alone makes sockets. */
int household_folders_socket(const char *socket, struct error *error);

#endif
