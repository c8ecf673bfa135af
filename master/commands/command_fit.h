/* command_fit.h - whether the workers in session fit a file of commands. */
#ifndef MASTER_COMMAND_FIT_H
#define MASTER_COMMAND_FIT_H

#include "master/commands/command_file.h"
#include "master/registry.h"

/* Whether as many as the file is for are up. */
bool command_fit_are_there(const command_file_t *commands, const registry_t *registry);

/* To be called when all workers are in session. -1, with `error` that names file and line, if a
 * command names a GPU or a rank that no worker has, a GPU by a wrong rank, or a group of other GPUs
 * than those of its job's parts. */
int command_fit_check(const command_file_t *commands, const registry_t *registry,
                      struct error *error);

#endif
