/* files_read.h - the files that a run read, with checksums, by which changed files are detected. */
#ifndef REPORT_FILES_READ_H
#define REPORT_FILES_READ_H

#include "common/checksum.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define FILES_READ_MAX 128

#define FILE_OF_TRACE       "trace"
#define FILE_OF_CLUSTER     "cluster"
#define FILE_OF_THROUGHPUTS "throughputs"
#define FILE_OF_FAULTS      "faults"
#define FILE_OF_POLICY      "policy"

struct file_read {
    const char *kind;
    const char *path; /* lent; of throughputs perhaps a folder of *.csv */
    uint64_t checksum;
};

struct files_read {
    struct file_read items[FILES_READ_MAX];
    size_t count;
};

/* Adds the file or folder at `path`, if this process has read it to its end; NULL is ignored. Files
 * beyond the room of `self` are left out. */
void files_read_add(struct files_read *self, const char *kind, const char *path);

/* The "inputs" of summary.json; the caller owns the array. */
json_t *files_read_summary(const struct files_read *self);

#endif
