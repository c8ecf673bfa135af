/* journal_steps.c - the steps of a journal: how they are written, checked and read back. */
#include "scheduler/journal/journal_internal.h"

#include "common/checksum.h"
#include "common/failpoint.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows of the table ---- */

int64_t journal_check_of_step(const struct pending_step *step)
{
    char head[128];
    const int bytes = snprintf(head, sizeof(head), "%" PRId64 " %" PRId64 " %d %d %016" PRIx64 "\n",
                               step->sequence, step->now_s, step->by_clock, step->decided,
                               step->decided ? step->decision : 0);

    return (int64_t)checksum(checksum(CHECKSUM_OF_NOTHING, head, (size_t)bytes), step->told,
                             step->told_bytes);
}

/* The current row. Its text is lent. */
static struct pending_step row_of(sqlite3_stmt *statement)
{
    return (struct pending_step){.sequence = sqlite3_column_int64(statement, 0),
                                 .now_s = sqlite3_column_int64(statement, 1),
                                 .told = (char *)sqlite3_column_text(statement, 2),
                                 .told_bytes = (size_t)sqlite3_column_bytes(statement, 2),
                                 .decided = sqlite3_column_type(statement, 3) != SQLITE_NULL,
                                 .decision = (uint64_t)sqlite3_column_int64(statement, 3),
                                 .by_clock = sqlite3_column_int64(statement, 4) != 0};
}

static sqlite3_stmt *select_steps(journal_t *self, const char *where, struct error *error)
{
    char sql[192];

    (void)snprintf(sql, sizeof(sql),
                   "SELECT sequence, at, told, decision, by_clock, checked FROM step %s "
                   "ORDER BY sequence",
                   where);
    return database_prepare(&self->database, sql, error);
}

static int complain_step(const journal_t *self, int64_t sequence, struct error *error)
{
    char what[128];

    (void)snprintf(what, sizeof(what),
                   "step %" PRId64 " is not as it was written, and no later one can be decided "
                   "without it",
                   sequence);
    return database_complain_damage(&self->database, what, error);
}

int journal_verify_steps(journal_t *self, struct error *error)
{
    sqlite3_stmt *statement = select_steps(self, "", error);
    int code;
    int status = 0;

    if (!statement)
        return -1;
    while (status == 0 && (code = sqlite3_step(statement)) != SQLITE_DONE) {
        const struct pending_step row =
            code == SQLITE_ROW ? row_of(statement) : (struct pending_step){0};

        if (code != SQLITE_ROW)
            status = database_complain(&self->database, code, error);
        else if (row.sequence != self->steps + 1 || !row.told ||
                 journal_check_of_step(&row) != sqlite3_column_int64(statement, 5))
            status = complain_step(self, self->steps + 1, error);
        else
            self->steps = row.sequence;
    }
    (void)sqlite3_finalize(statement);
    self->steps_at_open = self->steps;
    return status;
}

/* ---- writing ---- */

static int write_row(journal_t *self, const struct pending_step *row, struct error *error)
{
    sqlite3_stmt *statement =
        database_keep(&self->database, STATEMENT_STEP,
                      "INSERT OR REPLACE INTO step VALUES (?, ?, ?, ?, ?, ?)", error);

    if (!statement)
        return -1;
    (void)sqlite3_bind_int64(statement, 1, row->sequence);
    (void)sqlite3_bind_int64(statement, 2, row->now_s);
    (void)sqlite3_bind_text64(statement, 3, row->told, row->told_bytes, SQLITE_STATIC, SQLITE_UTF8);
    if (row->decided)
        (void)sqlite3_bind_int64(statement, 4, (int64_t)row->decision);
    (void)sqlite3_bind_int(statement, 5, row->by_clock);
    (void)sqlite3_bind_int64(statement, 6, journal_check_of_step(row));
    return database_finish(&self->database, statement, error);
}

int journal_write_pending(journal_t *self, struct error *error)
{
    if (self->pending_count > 0 && journal_sign(self, self->pending[0].sequence, error) < 0)
        return -1;
    for (size_t i = 0; i < self->pending_count; i++)
        if ((self->pending[i].decided || !self->pending[i].committed) &&
            write_row(self, &self->pending[i], error) < 0)
            return -1;
    (void)FAILPOINT("journal-written");
    return 0;
}

/* Forgets the committed steps, except for one that is not decided yet. */
void journal_pending_committed(journal_t *self)
{
    size_t kept = 0;

    self->wrote_last = self->wrote_last || self->pending_count > 0;
    for (size_t i = 0; i < self->pending_count; i++) {
        struct pending_step *step = &self->pending[i];

        if (step->sequence > self->steps)
            self->steps = step->sequence;
        step->committed = true;
        if (step->decided)
            free(step->told);
        else
            self->pending[kept++] = *step;
    }
    self->pending_count = kept;
}

/* Forgets the steps that were neither decided nor committed: they have not happened. */
void journal_pending_failed(journal_t *self)
{
    while (self->pending_count > 0) {
        const struct pending_step *last = &self->pending[self->pending_count - 1];

        if (last->decided || last->committed)
            return;
        step_text_forget(self->occurrences, last->rows);
        free(last->told);
        self->pending_count--;
    }
}

int64_t journal_next_sequence(const journal_t *self)
{
    return self->pending_count > 0 ? self->pending[self->pending_count - 1].sequence + 1
                                   : self->steps + 1;
}

static struct pending_step *add_pending(journal_t *self)
{
    self->pending =
        grow_array(self->pending, self->pending_count, &self->pending_room, sizeof(*self->pending));
    return &self->pending[self->pending_count++];
}

void journal_know_rows(journal_t *self)
{
    const struct known *known = &self->lines.known;

    while (self->known_rows < known->row_count)
        step_text_know(self->occurrences, known->rows[self->known_rows++]);
}

const struct occurrence *journal_occurrences(journal_t *self, engine_t *engine, int64_t now_s,
                                             const struct occurrence occurrences[], size_t count)
{
    struct pending_step step = {.sequence = journal_next_sequence(self), .now_s = now_s};
    const struct occurrence *heard;

    assert(self->settled && self->read == self->steps_at_open);
    assert(self->pending_count == 0 || self->pending[self->pending_count - 1].decided);
    journal_know_rows(self);
    step.rows = step_text_rows(self->occurrences);
    self->text.used = 0;
    heard = step_text_write(self->occurrences, engine, now_s, occurrences, count, &self->text);
    step.told_bytes = self->text.used;
    step.told = xmalloc(step.told_bytes + 1);
    if (step.told_bytes > 0)
        memcpy(step.told, self->text.bytes, step.told_bytes);
    *add_pending(self) = step;
    return heard;
}

static uint64_t digest(journal_t *self, const struct decision *decision)
{
    self->text.used = 0;
    decision_text_write(self->decisions, decision, &self->text);
    return checksum(CHECKSUM_OF_NOTHING, self->text.bytes, self->text.used);
}

void journal_decision(journal_t *self, const struct decision *decision, bool by_clock)
{
    struct pending_step *step = &self->pending[self->pending_count - 1];

    assert(self->pending_count > 0 && !step->decided);
    step->decision = digest(self, decision);
    step->by_clock = by_clock;
    step->decided = true;
}

/* ---- reading ---- */

static int take_row(journal_t *self, engine_t *engine, const struct pending_step *row,
                    struct journaled_step *step, struct error *error)
{
    char place[PATH_MAX + 64];

    (void)snprintf(place, sizeof(place), "%s: step %" PRId64, self->database.path, row->sequence);
    *step = (struct journaled_step){.sequence = row->sequence,
                                    .now_s = row->now_s,
                                    .by_clock = row->by_clock,
                                    .decided = row->decided,
                                    .decision = row->decision};
    if (step_lines_read(&self->lines, place, row->told, row->told_bytes, error) < 0)
        return -1;
    if (retelling_gather(&self->told, engine, row->now_s, self->lines.items, self->lines.count,
                         error) < 0)
        return error_prefix(error, place);
    step->occurrences = self->told.items;
    step->count = self->told.count;
    self->read = row->sequence;
    return 1;
}

static int begin_reading(journal_t *self, struct error *error)
{
    self->reading = select_steps(self, "WHERE sequence > ?", error);
    if (!self->reading)
        return -1;
    (void)sqlite3_bind_int64(self->reading, 1, self->read);
    return 0;
}

int journal_next(journal_t *self, engine_t *engine, struct journaled_step *step,
                 struct error *error)
{
    struct pending_step row;
    int code;

    assert(self->settled);
    if (self->read == self->steps_at_open)
        return 0;
    if (!self->reading && begin_reading(self, error) < 0)
        return -1;
    code = sqlite3_step(self->reading);
    if (code != SQLITE_ROW)
        return database_complain(&self->database, code, error);
    row = row_of(self->reading);
    code = take_row(self, engine, &row, step, error);
    if (self->read == self->steps_at_open) {
        (void)sqlite3_finalize(self->reading);
        self->reading = NULL;
    }
    return code;
}

/* Notes the decision of a replayed step that has none in the table. The next transaction writes
 * it. */
static int note_undecided(journal_t *self, const struct journaled_step *step, uint64_t decision,
                          struct error *error)
{
    sqlite3_stmt *statement = select_steps(self, "WHERE sequence = ?", error);
    struct pending_step row;

    if (!statement)
        return -1;
    (void)sqlite3_bind_int64(statement, 1, step->sequence);
    if (sqlite3_step(statement) != SQLITE_ROW) {
        (void)sqlite3_finalize(statement);
        return complain_step(self, step->sequence, error);
    }
    row = row_of(statement);
    row.told = memcpy(xmalloc(row.told_bytes + 1), row.told, row.told_bytes);
    (void)sqlite3_finalize(statement);
    row.decision = decision;
    row.decided = row.committed = true;
    *add_pending(self) = row;
    return 0;
}

int journal_check(journal_t *self, const struct journaled_step *step,
                  const struct decision *decision, struct error *error)
{
    const uint64_t now = digest(self, decision);

    if (!step->decided)
        return note_undecided(self, step, now, error);
    if (now == step->decision)
        return 0;
    error_set(error, "%s: step %" PRId64 " at %" PRId64 " s is decided otherwise than it was%s",
              self->database.path, step->sequence, step->now_s,
              step->by_clock ? "; that may hang on the time that the solver had" : "");
    return journal_complain_writer(self, step->sequence, error);
}
