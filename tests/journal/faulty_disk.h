/* faulty_disk.h - a disk that is full, or that loses what it took: what SQLite uses from the call
 * on that installs it. */
#ifndef JOURNAL_FAULTY_DISK_H
#define JOURNAL_FAULTY_DISK_H

#include <stdbool.h>
#include <stdint.h>

void faulty_disk_install(void);

/* Lets `writes_left` more writes succeed; a negative number: all. */
void faulty_disk_fill(int64_t writes_left);

/* Whether fsync fails. */
void faulty_disk_lose(bool loses);

/* How many fsyncs there were. */
int64_t faulty_disk_syncs(void);

#endif
