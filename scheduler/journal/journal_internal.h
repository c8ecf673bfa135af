/* journal_internal.h - the insides of a journal, shared by its files only. */
#ifndef JOURNAL_JOURNAL_INTERNAL_H
#define JOURNAL_JOURNAL_INTERNAL_H

#include "scheduler/journal/database.h"
#include "scheduler/journal/journal.h"
#include "scheduler/journal/mark.h"
#include "scheduler/record/decision_text.h"
#include "scheduler/record/retelling.h"
#include "scheduler/record/step_lines.h"
#include "scheduler/record/step_text.h"

/* A step that is not written, or without its decision. */
struct pending_step {
    int64_t sequence;
    int64_t now_s;
    char *told;
    size_t told_bytes;
    size_t rows; /* that had a number before it */
    bool by_clock;
    bool decided;
    uint64_t decision;
    bool committed; /* without its decision */
};

/* Of a snapshot that is written piece by piece. */
struct pieces {
    int in_force; /* the set that the last one is in, 0 or 1 */
    int64_t count;
    uint64_t check; /* of their texts */
};

struct journal {
    struct database database;
    int lock;
    char *folder;
    struct mark_file mark;
    struct mark_file apart; /* the same in another folder, without a path if there is none */
    uint64_t commits;       /* that the database has, and the digest of the last */
    uint64_t digest;
    uint64_t found; /* commits that the database had when it was opened */
    bool marks;     /* the database has all that the mark says: it goes on with it */
    bool loss_is_accepted;
    bool wrote_last; /* this version wrote the last step, and the database says so */
    uint32_t run;
    int64_t steps;     /* committed */
    int64_t set_aside; /* documents */

    /* ---- what is read ---- */
    bool settled;
    struct step_lines lines;
    size_t known_rows; /* of `lines`, to which new steps may refer */
    struct retelling told;
    int64_t steps_at_open;
    int64_t read; /* steps */
    sqlite3_stmt *reading;
    char *body; /* of the document that is lent */

    /* ---- what is to be written ---- */
    step_text_t *occurrences;
    decision_text_t *decisions;
    struct text text;
    struct pending_step *pending;
    size_t pending_count;
    size_t pending_room;
    struct pieces pieces;
};

/* The document of the snapshot, or of where its pieces are. */
#define SNAPSHOT_KIND       "snapshot"
#define SNAPSHOT_NAME       "last"
#define SNAPSHOT_PIECE_NAME 32 /* bytes */

/* Where `*body`, which journal_get lent, says that the snapshot is in pieces, it is the whole from
 * then on. -1, with `error`, if they do not make one. */
int journal_join_pieces(journal_t *self, const char **body, struct error *error);

/* The check of a step; the texts of a document and of its kind and name. */
int64_t journal_check_of_step(const struct pending_step *step);
/* Whether the document of `row` (place, kind, name, body, checked) is as it was written. */
bool journal_is_good(sqlite3_stmt *row);

int64_t journal_check_of_document(const char *kind, const char *name, const char *body);

/* The number of the next step that is added. New steps may refer to rows that those read have
 * given. */
int64_t journal_next_sequence(const journal_t *self);
void journal_know_rows(journal_t *self);

/* Which version of the program wrote a step; "" for one before versions were kept. */
struct journal_writer {
    char text[WRITER_BYTES];
};

/* The version that wrote the step, or the last one before it. -1 with `error`. */
int journal_find_writer(journal_t *self, int64_t sequence, struct journal_writer *writer,
                        struct error *error);

/* Whether this version wrote the last step. -1 with `error`. */
int journal_open_writer(journal_t *self, struct error *error);

/* In a transaction: this version writes the steps from `sequence` on. -1 with `error`. */
int journal_sign(journal_t *self, int64_t sequence, struct error *error);

/* Adds to the sentence which version wrote the step, and which this is; returns -1. */
int journal_complain_writer(journal_t *self, int64_t sequence, struct error *error);

/* Looks at each step, which must be there as it was written, and counts them. -1 with `error`. */
int journal_verify_steps(journal_t *self, struct error *error);

/* Writes what the last commit is into the marks. A mark that cannot be written stays behind, and
 * asks for less than there is. */
void journal_mark_commit(journal_t *self);

/* Sets damaged documents aside. -1 with `error`. */
int journal_verify_documents(journal_t *self, struct error *error);

/* Writes those that are pending, in a transaction; what that comes to is said afterwards. */
int journal_write_pending(journal_t *self, struct error *error);
void journal_pending_committed(journal_t *self);
void journal_pending_failed(journal_t *self);

#endif
