/* processes.h - several processes that work for one: how many they are, how each begins, and work
 * on trial. */
#ifndef COMMON_PROCESSES_H
#define COMMON_PROCESSES_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many may work at the same time: as many as were asked for, one on each processor if that is
 * 0.
 */
size_t processes_count(int64_t asked);

/* To be called first in a process that `parent` forked. The process ignores signals of the
 * terminal, ends with its parent, and leaves to the parent to say what is incomplete and that
 * memory ran out. */
void processes_begin(pid_t parent);

/* Ends this process by memory_out() if a copy of it, whose status waitpid gave, ended so: there is
 * no more memory here than there was there. */
void processes_share_end(int status);

/* A copy of this process at work for it: 0 in the copy, with the end of a pipe that it writes to;
 * its id in this process, with the other end; -1 with `error`. */
pid_t processes_copy(int *end, struct error *error);

/* Closes what this process, a copy, was lent open, but the three standard streams and `end`: where
 * the other process ends, no socket of its stays taken. */
void processes_close_others(int end);

/* Writes all of it, or ends the process. */
void processes_write(int to, const char *text, size_t length);

/* Has `work` done in a copy of this process, of which nothing is left but the `size` bytes that it
 * writes to `answer`: whatever else it changes is as before. -1, with `error`, if it does not come
 * to its end. */
int processes_try(void (*work)(void *argument, void *answer), void *argument, void *answer,
                  size_t size, struct error *error);

#endif
