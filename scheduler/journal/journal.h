/* journal.h - the state of a scheduler that outlives its process, in a folder: what its engine was
 * told, step by step, and documents of its jobs. What is to be done or answered is committed first;
 * a scheduler that starts again tells a new engine all steps, or reads one from a snapshot and
 * tells it those that came later, and stands where the other one did.
 *
 *   DIR/state.db     a database of SQLite; state.db-wal beside it is part of it
 *   DIR/backup.db    the state as it was when it was last copied: at the beginning of each use
 *   DIR/mark         what state.db must have at the least, see mark.h
 *   DIR/lock         of the process that uses it
 *
 * What was committed lasts: a commit returns when the disk has it. Whatever else of the folder is
 * damaged is told when it is opened, and nothing is begun on a state with a damaged step, since no
 * later one can be decided without it. */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include "common/archive.h"
#include "common/error.h"
#include "scheduler/engine/engine.h"
#include "scheduler/record/record.h"
#include "scheduler/record/record_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_VERSION 1

/* Version of snapshots: a new one whenever the archived values, or their order, change. A module
 * that archives more since a version asks archive->version first, so that snapshots from
 * SNAPSHOT_VERSION_FIRST on are read. A state whose snapshot is of another version is read from its
 * first step on. */
/* 3: GPUs that a node has; 4: turns of jobs under rubato; 5: how jobs ended; 8: failures of nodes,
 * promises at risk, shares of promises, jobs that wait for others; 9: deadlines in chains; 10:
 * grants in the place of levels; 11: when nodes are known to be there again */
#define SNAPSHOT_VERSION       11
#define SNAPSHOT_VERSION_FIRST 2

#define WRITER_BYTES 64 /* bytes of a version's text */

typedef struct journal journal_t;

/* Opens the state in `folder`, created for its owner alone if missing. NULL, with `error`, if
 * another process uses the state, or if it is damaged or of a newer version. */
journal_t *journal_open(const char *folder, struct error *error);

/* Closes the state. Uncommitted steps are dropped, but not decisions of committed steps. */
void journal_close(journal_t **self);

/* The id of the state's run: drawn once, 1 .. 2^31 - 1. */
uint32_t journal_run(const journal_t *self);

/* How many steps are committed. */
int64_t journal_steps(const journal_t *self);

/* The number of documents found damaged on opening, and set aside in the table "damaged". */
int64_t journal_set_aside(const journal_t *self);

/* The largest number of a job whose document was ever set aside, as that number was given out. 0
 * for none, -1 with `error`. */
int64_t journal_last_aside(journal_t *self, struct error *error);

/* The setting of the run, before its first step is written or read. Stores the setting the first
 * time; later -1, with `error`, if the stored one differs. Outside a transaction. */
int journal_settle(journal_t *self, const struct record_setting *setting, struct error *error);

/* Gives `values`, options of a policy, the value of `option`, which is no text, from the setting of
 * the journal: the default where the setting has none. Returns 0, and changes nothing, if there is
 * no setting yet; else 1, or -1 with `error`. */
int journal_option(journal_t *self, const struct policy_options *options,
                   const struct policy_option *option, void *values, struct error *error);

/* Keeps the mark in `folder` as well, under a name made of the path of the state, so that the mark
 * outlasts the folder of the state; a failure is only logged. -1, with `error`, if that mark has
 * more commits than the state, or is of another state while this one has no steps. To be called
 * before the first number is reserved. */
int journal_keep_apart(journal_t *self, const char *folder, struct error *error);

/* ---- copies ---- */

/* Writes DIR/backup.db anew, right after the state was opened; a state without steps gets no copy.
 * A failure is logged. */
void journal_back_up(journal_t *self);

/* As journal_back_up while the state is in use, a part with each call. 1 once the copy is whole, 0
 * while there is more to copy. -1 with `error`; the earlier copy then stays. */
int journal_copy(journal_t *self, struct error *error);

/* ---- numbers of jobs ---- */

/* Reserves `number`, which is about to be given out. The disk then knows that this number and all
 * before may have been given out, even if the database is lost. -1 with `error`. */
int journal_reserve(journal_t *self, uint64_t number, struct error *error);

/* Whether the state was opened although it lacks acknowledged commits, since an operator accepted
 * the loss. The jobs to come have numbers above journal_numbers_lost, which is 0 if nothing was
 * lost; once that is kept, journal_go_on ends the acceptance. -1 with `error`. */
bool journal_loss_is_accepted(const journal_t *self);
uint64_t journal_numbers_lost(const journal_t *self);
int journal_go_on(journal_t *self, struct error *error);

/* Numbers up to `numbers` are not given again, and the next start begins after them. -1 with
 * `error`. */
int journal_accept_loss(journal_t *self, uint64_t numbers, struct error *error);

/* ---- transactions ---- */

/* Begins a transaction, which lasts until journal_commit, unless one is open. -1 with `error`. */
int journal_begin(journal_t *self, struct error *error);

/* Commits the transaction, an empty one if none is open. 0 when it is on disk. -1, with `error`, on
 * failure: its documents, and a step without a decision, are undone. A step with its decision has
 * happened and is part of the next transaction. */
int journal_commit(journal_t *self, struct error *error);

/* Drops the transaction, as a failed commit does. */
void journal_rollback(journal_t *self);

/* Whether the disk lost data that it had accepted: no commit can succeed before the state is opened
 * anew. A full disk is no such case. */
bool journal_is_broken(const journal_t *self);

/* ---- steps ---- */

/* Adds a step to the transaction, of what `engine` is about to be told at `now_s`. It is to be told
 * the occurrences that this returns, a copy that is lent until the next call. Rows and submissions
 * have to last as long as the journal.
 *
 * The engine may be told before the commit, which then has the decision as well; or after it, so
 * that a commit that fails leaves nothing to take back: the decision is part of the next one. */
const struct occurrence *journal_occurrences(journal_t *self, engine_t *engine, int64_t now_s,
                                             const struct occurrence occurrences[], size_t count);

/* Adds the decision of the step. `by_clock`: the decision may depend on elapsed time. */
void journal_decision(journal_t *self, const struct decision *decision, bool by_clock);

/* A step of the state. */
struct journaled_step {
    int64_t sequence; /* from 1, without gaps */
    int64_t now_s;
    const struct occurrence *occurrences; /* occurrences to tell `engine` */
    size_t count;
    bool by_clock;
    bool decided; /* the decision of the step is known */
    uint64_t decision;
};

/* The next step of those that were there when the state was opened, for `engine`, which was told
 * all before. 1, lent until the next call; rows and submissions until journal_close. 0 after the
 * last one; then new steps may be added. -1 with `error`. */
int journal_next(journal_t *self, engine_t *engine, struct journaled_step *step,
                 struct error *error);

/* Compares `decision` with the decision that was kept of `step`. Each step that was read is to be
 * checked. -1 with `error`. */
int journal_check(journal_t *self, const struct journaled_step *step,
                  const struct decision *decision, struct error *error);

/* ---- snapshots ---- */

/* Where a scheduler stood after a step, so that those up to it need not be decided again: jobs, and
 * what the scheduler archives of its own. A state has one, the last. */
struct journal_snapshot {
    int64_t steps;               /* number of steps before the snapshot */
    const struct recorded *jobs; /* submissions by rising numbers, which last as those of steps */
    size_t count;
    struct archive archive; /* valid until a document is read */
};

/* Keeps where `jobs`, told as submitted by rising numbers, and `archive` stand after all steps that
 * there are, each of them decided; it is a transaction of its own. -1 with `error`. */
int journal_keep_snapshot(journal_t *self, const struct occurrence jobs[], size_t count,
                          const struct archive *archive, struct error *error);

/* The text of such a snapshot, lent; nothing is stored. */
const char *journal_write_snapshot(journal_t *self, const struct occurrence jobs[], size_t count,
                                   const struct archive *archive);

/* The same text kept in pieces, each in a transaction of its own: begun, each piece in turn, and
 * that these were all, until when the snapshot before is in force. -1 with `error`. */
void journal_begin_pieces(journal_t *self);
int journal_keep_piece(journal_t *self, const char *piece, struct error *error);
int journal_keep_pieces(journal_t *self, struct error *error);

/* The snapshot, before any step is read. 1; 0 if there is none that this program reads, which is
 * logged; -1 with `error`. */
int journal_read_snapshot(journal_t *self, struct journal_snapshot *snapshot, struct error *error);

/* The submission with that number, as a submission_find; NULL if `snapshot` has none. */
const struct submission *journal_snapshot_job(const void *snapshot, uint64_t number);

/* Continues with the first step after `snapshot`; the engine read from the snapshot has the
 * standing `stands`. */
void journal_skip(journal_t *self, const struct journal_snapshot *snapshot,
                  const struct decision *stands);

/* The next decision follows on `stands`, which is no step's. */
void journal_stands(journal_t *self, const struct decision *stands);

/* The archive of the snapshot could not be read: all steps will be read instead, and the snapshot's
 * jobs are dropped. Logged. */
void journal_refuse_snapshot(journal_t *self);

/* ---- documents ---- */

/* Texts by kind and key. All three in a transaction; -1 with `error`, and then the transaction can
 * only be given up. */
int journal_put(journal_t *self, const char *kind, const char *key, const char *body,
                struct error *error);
int journal_put_number(journal_t *self, const char *kind, uint64_t key, const char *body,
                       struct error *error);
int journal_forget(journal_t *self, const char *kind, const char *key, struct error *error);

/* 1 with the body, lent until the next journal_get; 0 if there is none; -1 with `error`. */
int journal_get(journal_t *self, const char *kind, const char *key, const char **body,
                struct error *error);

/* All of a kind, in the order in which they were first put. A call that returns other than 0 ends
 * it; nothing may be put or forgotten meanwhile. Returns what the last call did; -1 with `error`.
 */
int journal_each(journal_t *self, const char *kind,
                 int (*call)(void *owner, const char *key, const char *body), void *owner,
                 struct error *error);

/* As journal_each for two kinds, each with a function of its own. */
int journal_each_of(journal_t *self, const char *kind,
                    int (*call)(void *owner, const char *key, const char *body),
                    const char *other_kind,
                    int (*other_call)(void *owner, const char *key, const char *body), void *owner,
                    struct error *error);

#endif
