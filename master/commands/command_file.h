/* clang-format off */
/* command_file.h - a file of commands for the master's debug mode: which parts run where, when they
 * begin and stop, so that each step can be timed by itself.
 *
 * One command a line, words with blanks between them; blank lines and lines that begin with '#' do
 * not count.
 *
 *   WORKERS                     the first line: how many workers there must be
 *   G 1 JOB RANK...             these GPUs of the cluster, counted through all workers, form the
 *                               job's group
 *   G 0 JOB RANK RANK SOURCE    the job's state moves between these two GPUs; SOURCE holds it
 *   R WORKER MODEL GLOBAL_BATCH JOB PROCS_ON_NODE NODES NODE_RANK MASTER_IP MASTER_PORT GPU_MASK
 *     ITERATIONS FROM_SCRATCH RANK...
 *                               runs the job's part on one worker: bit i of GPU_MASK, decimal or 0x
 *                               and hexadecimal, is GPU i; a rank for each GPU, those in the
 *                               cluster or counted from 0
 *   U WORKER ... ITERATIONS RANK...
 *                               as R, for a job that ran before: running parts are stopped, and
 *                               the job goes on from its checkpoint
 *   K WORKER JOB                stops the job, all of it: no part trains without the others
 *   F                           all groups of this round are given
 *   T                           what this round runs begins
 *   W SECONDS                   waits, in seconds of emulated time
 *   RE                          stops everything and restarts all trainers
 *   S                           shuts everything down; the end of the file does, too
 *
 * A round ends with T. A file with any mistake is refused before its first command runs.
 *
 * The overhead traces of the ElasticFlow artifact are such files. Its master hands each R to the
 * worker that the line names, its worker starts a process on each GPU of the mask, and the
 * processes train with those of their G, whatever the other words say. So it is here:
 *
 *   - The mask decides. PROCS_ON_NODE is how many GPUs it may name: a trace of one process on a
 *     node of eight says 8.
 *   - Where each part of a job says that it is the only one (NODES 1, NODE_RANK 0), the job's group
 *     holds them together, and they are numbered as they stand in the file. The first one says how
 *     large the batches of all are: a line of gpt2_profile.txt has a figure too many in its 128,
 *     and the log says so.
 *   - A loopback MASTER_IP of a job on several workers stands for the address of the first of them.
 *
 * A second part of a job on the same worker, or with the same NODE_RANK of several NODES, is a
 * mistake. */
/* clang-format on */
#ifndef MASTER_COMMAND_FILE_H
#define MASTER_COMMAND_FILE_H

#include "common/error.h"
#include "master/commands/command.h"

#include <stddef.h>
#include <stdint.h>

typedef struct command_file command_file_t;

/* NULL, with `error` that names file and line, if the file cannot be read or has a mistake. */
command_file_t *command_file_read(const char *path, struct error *error);
void command_file_destroy(command_file_t **self);

const char *command_file_path(const command_file_t *self);
int32_t command_file_workers(const command_file_t *self);
size_t command_file_count(const command_file_t *self);
const struct debug_command *command_file_at(const command_file_t *self, size_t place);

#endif
