/* process_file.h - which process a file NAME.pid is about, told from a later one that has its
 * number. */
#ifndef SERVICE_PROCESS_FILE_H
#define SERVICE_PROCESS_FILE_H

#include "common/error.h"

#include <sys/types.h>

/* Writes NAME.pid in `folder`. -1 with `error`. */
int process_file_write(const char *folder, const char *name, pid_t pid, struct error *error);

/* A descriptor of the process, which the caller closes: it can be read from once that has ended. -1
 * if it does not run, or there is no such file. */
int process_file_open(const char *folder, const char *name);

void process_file_remove(const char *folder, const char *name);

/* Asks the process of that descriptor to end, and waits so long at most. -1 if it is still
 * there. */
int process_end(int process, int timeout_ms);

#endif
