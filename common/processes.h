/* processes.h - several processes that work for one: how many they are and how each begins. */
#ifndef COMMON_PROCESSES_H
#define COMMON_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many may work at the same time: as many as were asked for, one on each processor if that is
 * 0.
 */
size_t processes_count(int64_t asked);

/* To be called first in a process that `parent` forked: it leaves signals of the terminal to its
 * parent, which says what is incomplete, and ends with it. */
void processes_begin(pid_t parent);

#endif
