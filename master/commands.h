/* commands.h - a file of commands for the master's debug mode: which parts run where, when they begin and stop, so
 * that each step can be timed by itself.
 *
 * One command a line, words with blanks between them; blank lines and lines that begin with '#' do not count.
 *
 *   WORKERS                     the first line: how many workers there must be
 *   G 1 JOB RANK...             these GPUs of the cluster, counted through all workers, form the job's group
 *   G 0 JOB RANK RANK SOURCE    the job's state moves between these two; SOURCE is the one that has it
 *   R WORKER MODEL GLOBAL_BATCH JOB PROCS_ON_NODE NODES NODE_RANK MASTER_IP MASTER_PORT GPU_MASK ITERATIONS
 *     FROM_SCRATCH RANK...      runs the job's part on one worker: bit i of GPU_MASK, decimal or 0x and hexadecimal, is
 *                               GPU i; the ranks are those of its GPUs in the cluster
 *   U WORKER ... ITERATIONS RANK...   the same for a job that was there: it goes on from its checkpoint, and what still
 *                               runs of it is stopped
 *   K WORKER JOB                stops the job, all of it: no part trains without the others
 *   F                           all groups of this round are given
 *   T                           what this round runs begins
 *   W SECONDS                   waits, in seconds of emulated time
 *   RE                          stops everything and restarts all trainers
 *   S                           shuts everything down; the end of the file does, too
 *
 * A round ends with T. Nothing of a file runs that has a mistake anywhere. */
#ifndef MASTER_COMMANDS_H
#define MASTER_COMMANDS_H

#include "common/error.h"
#include "master/command.h"

#include <stddef.h>
#include <stdint.h>

typedef struct commands commands_t;

/* NULL, with `error` that names file and line, if it cannot be read or makes no sense. */
commands_t *commands_read(const char *path, struct error *error);
void commands_destroy(commands_t **self);

const char *commands_path(const commands_t *self);
int32_t commands_workers(const commands_t *self);
size_t commands_count(const commands_t *self);
const struct command *commands_at(const commands_t *self, size_t place);

#endif
