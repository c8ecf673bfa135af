/* command_check.h - whether commands make sense one after the other. */
#ifndef MASTER_COMMAND_CHECK_H
#define MASTER_COMMAND_CHECK_H

#include "master/commands.h"

/* -1, with `error` that names file and line: a round that lacks a part of a job or gives a GPU twice, a job that is stopped
 * but does not run, a group of other GPUs than its job's, anything behind S ... */
int commands_check(const commands_t *commands, struct error *error);

#endif
