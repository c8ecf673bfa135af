/* processes.h - several processes that share one computation: their number, how each begins, and
 * computations on trial. */
#ifndef COMMON_PROCESSES_H
#define COMMON_PROCESSES_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The number of processes to run at a time: `asked`, or one for each processor if `asked` is 0. */
size_t processes_count(int64_t asked);

/* To be called first in a process that `parent` forked. The process ignores signals of the
 * terminal, ends with its parent, and leaves messages about incomplete results and lack of memory
 * to the parent. */
void processes_begin(pid_t parent);

/* Ends this process by memory_out() if a copy of this process, whose status waitpid gave, ended for
 * lack of memory: this process has no more memory than the copy had. */
void processes_share_end(int status);

/* Forks a copy of this process to work for it. Returns 0 in the copy, and the copy's process id in
 * this process; each gets its end of a pipe from the copy in `*end`. -1 with `error`. */
pid_t processes_copy(int *end, struct error *error);

/* Closes all descriptors that a copy of a process inherited, except the three standard streams and
 * `end`, so that no socket stays open when the other process ends. */
void processes_close_others(int end);

/* Writes all of `text`, or ends the process. */
void processes_write(int to, const char *text, size_t length);

/* Has `work` done in a copy of this process, so that no change is left but the `size` bytes that
 * `work` writes to `answer`. -1, with `error`, if the copy ends early. */
int processes_try(void (*work)(void *argument, void *answer), void *argument, void *answer,
                  size_t size, struct error *error);

#endif
