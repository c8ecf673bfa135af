/* journaled_run.h - the run of a record once more, this time with a journal. */
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
    struct occurrence jobs[JOURNALED_JOBS_MAX]; /* as they were told, by rising numbers */
    size_t job_count;
    bool wakes_later; /* its decisions are others: what follows from them is as usual */
};

void journaled_run_open(struct journaled_run *self, const char *record);
void journaled_run_close(struct journaled_run *self);

/* The next step; false at the end. With `tells_first` the engine is told before the commit. Fails
 * the test if a commit fails. */
bool journaled_run_step(struct journaled_run *self, journal_t *journal, bool tells_first);

/* The same without the commit. */
bool journaled_run_add(struct journaled_run *self, journal_t *journal);

/* The setting of the run, and all steps that `journal` has, which are to be as in the record. */
void journaled_run_resume(struct journaled_run *self, journal_t *journal);

/* Keeps a snapshot; or the first `count` pieces of one, each of so many bytes, and all of it if it
 * has no more. */
void journaled_run_keep(struct journaled_run *self, journal_t *journal);
void journaled_run_keep_pieces(struct journaled_run *self, journal_t *journal, size_t bytes,
                               int count);

/* As journaled_run_resume, from the snapshot on if there is one. Returns how many steps came before
 * it. */
int64_t journaled_run_recall(struct journaled_run *self, journal_t *journal);

#endif
