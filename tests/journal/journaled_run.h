/* journaled_run.h - repeats the run of a record, this time with a journal. */
#ifndef JOURNAL_JOURNALED_RUN_H
#define JOURNAL_JOURNALED_RUN_H

#include "scheduler/journal/journal.h"
#include "scheduler/record/record_reader.h"
#include "scheduler/record/retelling.h"
#include "scheduler/run/inputs.h"

#define JOURNALED_JOBS_MAX 64

struct journaled_run {
    record_reader_t *reader;
    struct inputs inputs;
    engine_t *engine;
    struct retelling told;
    int64_t steps;
    struct occurrence jobs[JOURNALED_JOBS_MAX]; /* by rising numbers, as the record told them */
    size_t job_count;
    bool wakes_later; /* journals each decision with its next round a second late, though the steps
                         stay the same */
};

void journaled_run_open(struct journaled_run *self, const char *record);
void journaled_run_close(struct journaled_run *self);

/* Runs the next step. Returns false at the end. With `tells_first` the engine is told before the
 * commit. The test fails if a commit fails. */
bool journaled_run_step(struct journaled_run *self, journal_t *journal, bool tells_first);

/* Runs the next step without a commit. */
bool journaled_run_add(struct journaled_run *self, journal_t *journal);

/* Reads the setting of the run and all steps from `journal`. The test fails if they differ from the
 * record. */
void journaled_run_resume(struct journaled_run *self, journal_t *journal);

/* Keeps a whole snapshot, or its first `count` pieces of `bytes` bytes each. If the snapshot has no
 * more pieces, it is kept whole. */
void journaled_run_keep(struct journaled_run *self, journal_t *journal);
void journaled_run_keep_pieces(struct journaled_run *self, journal_t *journal, size_t bytes,
                               int count);

/* Resumes as journaled_run_resume does, but from the snapshot if there is one. Returns the number
 * of steps before the snapshot. */
int64_t journaled_run_recall(struct journaled_run *self, journal_t *journal);

#endif
