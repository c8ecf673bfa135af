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
#define RESULT_GRANTS       "grants.csv"
#define RESULT_SUMMARY      "summary.json"

/* The mark, and the folder of kept_inputs.h. */
#define RESULT_MARKER ".rubato-results"
#define RESULT_INPUTS "inputs"

/* Help texts of the option that names the folder, and of --force. */
#define RESULTS_HELP                                                                               \
    "write the results into this folder: jobs.csv, outcomes.csv, rounds.csv, timeline.csv, "       \
    "cluster.csv, work.csv and summary.json"
#define RESULTS_FORCE_HELP                                                                         \
    "replace the results of another run, and a record that is there; write results into a folder " \
    "that holds other files too: those stay, but for files with the names of results, which are "  \
    "replaced"

typedef struct result_folder result_folder_t;

/* Marks `folder` as a result folder. -1 with `error`. */
int result_folder_mark(const char *folder, struct error *error);

/* Opens the folder `path`, created if missing, for a run. NULL, with `error` set and nothing
 * changed, if the folder cannot be written, if it is refused, or if a result would overwrite a file
 * that this process has read. */
result_folder_t *result_folder_open(const char *path, bool forced, struct error *error);

/* Starts one of the result files. NULL, with `error`, if the file cannot be written. */
output_t *result_folder_create(result_folder_t *self, const char *name, struct error *error);

/* Replaces the results of an earlier run by the files, all committed. A folder with a summary is
 * whole. -1, with `error`, on failure or if the files would replace files that were added or
 * changed since the folder was opened: the earlier results then stay. */
int result_folder_commit(result_folder_t *self, struct error *error);

/* Leaves the files that are not moved in place, and adds their folder to `error`. */
void result_folder_keep(result_folder_t *self, struct error *error);

/* result_folder_stage: the draft's folder. result_folder_discard: removes that of a killed
 * process. */
const char *result_folder_stage(const result_folder_t *self);
void result_folder_discard(const char *stage);

/* Removes the current run's draft, and folders created for it, for a process that ends at once:
 * async-signal-safe. */
void result_folder_abandon(void);

/* Ends the run's use of the folder; removes files neither moved nor kept, and folders created for
 * them. */
void result_folder_destroy(result_folder_t **self);

#endif
