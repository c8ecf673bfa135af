/* command_check.h - whether commands make sense one after the other. */
#ifndef MASTER_COMMAND_CHECK_H
#define MASTER_COMMAND_CHECK_H

#include "common/error.h"
#include "master/commands/command.h"

/* -1, with `error` that names `path` and line, if the `count` commands of a file for `workers`
 * workers contradict each other: a round that lacks a part of a job or gives a GPU twice, a job
 * that is stopped but does not run, a group of other GPUs than its job's, anything after S ...
 *
 * A job whose parts all say that they are the only one is held together by its group: its parts are
 * numbered as they stand in the file. */
int command_check(struct debug_command commands[], size_t count, int32_t workers, const char *path,
                  struct error *error);

#endif
