/* faulty_disk.h - a disk that is full, or that loses what was written. A call installs it, and
 * SQLite uses it from then on. */
#ifndef JOURNAL_FAULTY_DISK_H
#define JOURNAL_FAULTY_DISK_H

#include <stdbool.h>
#include <stdint.h>

void faulty_disk_install(void);

/* Lets `writes_left` more writes succeed, or all writes if it is negative. */
void faulty_disk_fill(int64_t writes_left);

/* Makes fsync fail, or succeed again. */
void faulty_disk_lose(bool loses);

/* The number of fsyncs so far. */
int64_t faulty_disk_syncs(void);

#endif
