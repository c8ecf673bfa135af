/* result_folder.h - a folder that holds the results of runs and nothing else.
 *
 * It is known by the marker file .rubato-results. A folder is taken if each thing in it is that
 * marker, a result file beside it, or a folder with a marker of its own; so is one of a version
 * that knew no marker, if it holds a summary.json of Rubato. Any other is refused, unless it is
 * forced: then files with the names of results are replaced, and all others stay as they are.
 * Result files are those below, and those that a policy of the catalogue has besides
 * (policies/policy_report.h).
 *
 * A run writes into a draft in there, which takes the place of an earlier run's results as a whole
 * (common/draft.h); if that cannot be, the files stay in unfinished-PID, which is a result folder
 * too. A result file that is a symbolic link, a device or a FIFO is written to where it stands
 * (output.h). */
#ifndef REPORT_RESULT_FOLDER_H
#define REPORT_RESULT_FOLDER_H

#include "common/error.h"
#include "common/output.h"

#include <stdbool.h>

#define RESULT_JOBS         "jobs.csv"
#define RESULT_OUTCOMES     "outcomes.csv"
#define RESULT_ROUNDS       "rounds.csv"
#define RESULT_WORK         "work.csv"
#define RESULT_TIMELINE     "timeline.csv"
#define RESULT_CLUSTER      "cluster.csv"
#define RESULT_DISTURBANCES "disturbances.csv"
#define RESULT_SUMMARY      "summary.json"

/* The mark, and the folder of kept_inputs.h. */
#define RESULT_MARKER ".rubato-results"
#define RESULT_INPUTS "inputs"

/* About the option that names the folder, and about --force, for the help of programs. */
#define RESULTS_HELP                                                                               \
    "write the results into this folder: jobs.csv, outcomes.csv, rounds.csv, timeline.csv, "       \
    "cluster.csv, work.csv and summary.json"
#define RESULTS_FORCE_HELP                                                                         \
    "replace the results of another run, and a record that is there; write results into a folder " \
    "that holds other files too: those stay, but for files with the names of results, which are "  \
    "replaced"

typedef struct result_folder result_folder_t;

/* Marks `folder` as one with results. -1 with `error`. */
int result_folder_mark(const char *folder, struct error *error);

/* Opens the folder `path`, made if it is missing, for a run. NULL, with `error` set and all as it
 * was, if it cannot be written, if it is refused, or if a result would overwrite a file that this
 * process has read. */
result_folder_t *result_folder_open(const char *path, bool forced, struct error *error);

/* Starts one of the result files. NULL, with `error`, if it cannot be written. */
output_t *result_folder_create(result_folder_t *self, const char *name, struct error *error);

/* The files, all committed, take the place of an earlier run's. A folder with a summary is whole.
 * -1, with `error`, if that cannot be or if the files would replace what came or was changed since
 * the folder was opened: the earlier results then stay. */
int result_folder_commit(result_folder_t *self, struct error *error);

/* Leaves the files that are not moved where they are, and adds to `error` where that is. */
void result_folder_keep(result_folder_t *self, struct error *error);

/* The draft's folder; and removes that of a process that was killed. */
const char *result_folder_stage(const result_folder_t *self);
void result_folder_discard(const char *stage);

/* Removes the folder of the run that is under way, and what was made for it, for a process that
 * ends at once: calls nothing that a signal handler may not. */
void result_folder_abandon(void);

/* Removes what was neither moved nor kept, and the folders that were made for it. */
void result_folder_destroy(result_folder_t **self);

#endif
