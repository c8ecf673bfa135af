/* input_files.h - which files a run reads. */
#ifndef RUN_INPUT_FILES_H
#define RUN_INPUT_FILES_H

#include "scheduler/report/files_read.h"
#include "scheduler/run/inputs.h"

/* Reads, for their checksums, the words of the policy's command that are files. */
void input_files_of_policy(struct inputs *inputs);

/* Lists the files of `inputs` that this process has read, and the file of faults. Their paths are
 * lent by both structs. */
struct files_read input_files_list(const struct inputs *inputs,
                                   const struct simulation *simulation);

#endif
