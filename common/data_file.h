/* data_file.h - the data files that come with the programs: in folders beside the programs, or in
 * share/rubato of the installation. */
#ifndef COMMON_DATA_FILE_H
#define COMMON_DATA_FILE_H

#include "common/error.h"

#include <stdbool.h>

#define DATA_CLUSTERS    "cluster_specs"
#define DATA_THROUGHPUTS "throughputs"
#define DATA_TRACES      "traces"

/* The folder of this name next to the running program; the caller frees it. NULL if there is none.
 */
char *data_folder(const char *name);

/* The file that a user means by `name`: the one at that path; or else, if `name` has no slash,
 * NAME or NAME.csv in the data folder. `name` itself where neither exists, and NULL of NULL. The
 * path stays for the whole process. */
const char *data_file(const char *folder, const char *name);

/* Adds to the sentence of `error` which file of the data folder may be meant, where there is no
 * file at `name` and it has no slash. */
void data_file_suggest(const char *folder, const char *name, struct error *error);

/* Whether the file at `path` lies in the data folder. */
bool data_file_is_from(const char *folder, const char *path);

#endif
