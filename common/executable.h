/* executable.h - which file a program's name means, and whether it looks as if it could be started.
 *
 * Searches as execvp does, except that a file that the kernel does not know how to run is not
 * handed to a shell. */
#ifndef COMMON_EXECUTABLE_H
#define COMMON_EXECUTABLE_H

#include "common/error.h"

#include <limits.h>

/* Puts the path of the program `name` into `path`: the name itself if it has a slash, else the
 * first of the folders of PATH that has an executable file of that name. -1, with `error` and
 * errno, if there is none. */
int executable_find(const char *name, char path[PATH_MAX], struct error *error);

/* Like executable_find, in `folders`, separated by colons. */
int executable_find_in(const char *folders, const char *name, char path[PATH_MAX],
                       struct error *error);

/* Puts the path of `name` in the folder of the running program into `path`, whether or not such a
 * file exists. -1, with `error`, if the system does not say which folder that is. */
int executable_beside(const char *name, char path[PATH_MAX], struct error *error);

/* -1, with `error`, if `name` means no executable file, or one that is neither a binary nor a
 * script whose interpreter is there. */
int executable_check(const char *name, struct error *error);

#endif
