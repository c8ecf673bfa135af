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

/* A step that is not yet written, or written without its decision. */
struct pending_step {
    int64_t sequence;
    int64_t now_s;
    char *told;
    size_t told_bytes;
    size_t rows; /* number of rows that had a number before the step */
    bool by_clock;
    bool decided;
    uint64_t decision;
    bool committed; /* committed without its decision */
};

/* State of a snapshot that is written in pieces. */
struct pieces {
    int in_force; /* set of the last snapshot, 0 or 1 */
    int64_t count;
    uint64_t check; /* checksum of their texts */
};

struct journal {
    struct database database;
    int lock;
    char *folder;
    struct mark_file mark;
    struct mark_file apart; /* second mark in another folder, without a path if there is none */
    uint64_t commits;       /* number of commits in the database, and the digest of the last */
    uint64_t digest;
    uint64_t found; /* commits in the database when it was opened */
    bool marks;     /* the database has all commits of the mark: marks are written */
    bool loss_is_accepted;
    bool wrote_last; /* this version wrote the last step, as the database notes */
    uint32_t run;
    int64_t steps;     /* committed */
    int64_t set_aside; /* documents */

    /* ---- what is read ---- */
    bool settled;
    struct step_lines lines;
    size_t known_rows; /* number of rows of `lines` that new steps may refer to */
    struct retelling told;
    int64_t steps_at_open;
    int64_t read; /* steps */
    sqlite3_stmt *reading;
    char *body; /* body of the document that is lent */

    /* ---- what is to be written ---- */
    step_text_t *occurrences;
    decision_text_t *decisions;
    struct text text;
    struct pending_step *pending;
    size_t pending_count;
    size_t pending_room;
    struct pieces pieces;
};

/* The document of a snapshot, or of the list of its pieces. */
#define SNAPSHOT_KIND       "snapshot"
#define SNAPSHOT_NAME       "last"
#define SNAPSHOT_PIECE_NAME 32 /* bytes */

/* If `*body`, which journal_get lent, is a list of pieces, replaces it by the joined text of the
 * snapshot. -1, with `error`, if pieces are missing. */
int journal_join_pieces(journal_t *self, const char **body, struct error *error);

/* The check of a step; the texts of a document and of its kind and name. */
int64_t journal_check_of_step(const struct pending_step *step);
/* Whether the document of `row` (place, kind, name, body, checked) matches its checksum. */
bool journal_is_good(sqlite3_stmt *row);

int64_t journal_check_of_document(const char *kind, const char *name, const char *body);

/* The number of the next new step. New steps may refer to rows of the steps read. */
int64_t journal_next_sequence(const journal_t *self);
void journal_know_rows(journal_t *self);

/* The version of the program that wrote a step; "" for steps before versions were stored. */
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

/* Adds to the sentence the version that wrote the step, and that of this program; returns -1. */
int journal_complain_writer(journal_t *self, int64_t sequence, struct error *error);

/* Checks that all steps are present and match their checksums, and counts them. -1 with `error`. */
int journal_verify_steps(journal_t *self, struct error *error);

/* Writes the last commit into the marks. A mark that cannot be written stays behind, which is
 * harmless. */
void journal_mark_commit(journal_t *self);

/* Sets damaged documents aside. -1 with `error`. */
int journal_verify_documents(journal_t *self, struct error *error);

/* Writes pending steps, in a transaction; its outcome is noted afterwards. */
int journal_write_pending(journal_t *self, struct error *error);
void journal_pending_committed(journal_t *self);
void journal_pending_failed(journal_t *self);

#endif
