/* process_file.h - a file NAME.pid, which finds its process and no later process of the same
 * number. */
#ifndef SERVICE_PROCESS_FILE_H
#define SERVICE_PROCESS_FILE_H

#include "common/error.h"

#include <sys/types.h>

/* Writes NAME.pid in `folder`. -1 with `error`. */
int process_file_write(const char *folder, const char *name, pid_t pid, struct error *error);

/* A descriptor of the process, which the caller closes and which is readable once the process has
 * ended. -1 if the process does not run or there is no such file. */
int process_file_open(const char *folder, const char *name);

void process_file_remove(const char *folder, const char *name);

/* Asks the process of the descriptor to end, and waits at most `timeout_ms`. -1 if the process
 * still runs. */
int process_end(int process, int timeout_ms);

#endif
