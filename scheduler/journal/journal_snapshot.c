/* journal_snapshot.c - the snapshot of a journal: a document of lines, and an archive as its last
 * line. */
#include "scheduler/journal/journal_internal.h"

#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/version.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ARCHIVE_LINE "\narchive "

/* ---- writing ---- */

static void write_head(journal_t *self, size_t rows)
{
    text_word(&self->text, "snapshot");
    text_key_whole(&self->text, "version", SNAPSHOT_VERSION);
    text_key_quoted(&self->text, "by", version_text);
    text_key_whole(&self->text, "steps", journal_next_sequence(self) - 1);
    text_key_number(&self->text, "rows", rows);
    text_word(&self->text, "\n");
}

/* Writes the lines from a copy of the table of rows: untold jobs may add rows, to which no step may
 * refer. */
static void write_body(journal_t *self, const struct occurrence jobs[], size_t count,
                       const struct archive *archive)
{
    step_text_t *lines;

    journal_know_rows(self);
    lines = step_text_copy(self->occurrences);
    self->text.used = 0;
    write_head(self, step_text_rows(lines));
    step_text_write_rows(lines, &self->text);
    (void)step_text_write(lines, NULL, 0, jobs, count, &self->text);
    step_text_destroy(&lines);
    self->text.used--; /* the newline: ARCHIVE_LINE begins with one */
    text_word(&self->text, ARCHIVE_LINE);
    text_bytes(&self->text, archive->bytes, archive->used + 1);
}

const char *journal_write_snapshot(journal_t *self, const struct occurrence jobs[], size_t count,
                                   const struct archive *archive)
{
    assert(self->settled && self->read == self->steps_at_open);
    assert(self->pending_count == 0 || self->pending[self->pending_count - 1].decided);
    assert(!archive->reads && !archive->broken);
    write_body(self, jobs, count, archive);
    return self->text.bytes;
}

int journal_keep_snapshot(journal_t *self, const struct occurrence jobs[], size_t count,
                          const struct archive *archive, struct error *error)
{
    if (journal_begin(self, error) < 0)
        return -1;
    (void)journal_write_snapshot(self, jobs, count, archive);
    if (journal_put(self, SNAPSHOT_KIND, SNAPSHOT_NAME, self->text.bytes, error) < 0) {
        journal_rollback(self);
        return -1;
    }
    (void)FAILPOINT("snapshot-written");
    return journal_commit(self, error);
}

/* ---- reading ---- */

static void tell_unread(const journal_t *self, const char *cause)
{
    log_event(&LOG_ABOUT_NOTHING, "snapshot-unread", "state=%s then=all-steps-again cause=%s",
              log_text(self->database.path), log_text(cause));
}

static int number_after(struct cursor *cursor, const char *key, int64_t max, int64_t *number,
                        struct error *error)
{
    return cursor_key(cursor, key, error) < 0 ? -1 : cursor_number(cursor, 0, max, number, error);
}

static int read_version(struct cursor *cursor, int64_t *version, struct error *error)
{
    char by[64];

    if (cursor_word(cursor, "snapshot", error) < 0 ||
        number_after(cursor, "version", INT64_MAX, version, error) < 0 ||
        cursor_key(cursor, "by", error) < 0 || cursor_quoted(cursor, by, sizeof(by), error) < 0)
        return -1;
    if (*version >= SNAPSHOT_VERSION_FIRST && *version <= SNAPSHOT_VERSION)
        return 0;
    return error_set(error,
                     "it is of version %" PRId64 ", by Rubato %s; this one reads versions %d to %d",
                     *version, by, SNAPSHOT_VERSION_FIRST, SNAPSHOT_VERSION);
}

/* Reads the first line. `rows` is the number of rows that steps have added. */
static int read_head(const journal_t *self, struct cursor *cursor,
                     struct journal_snapshot *snapshot, int64_t *version, int64_t *rows,
                     struct error *error)
{
    if (read_version(cursor, version, error) < 0 ||
        number_after(cursor, "steps", self->steps_at_open, &snapshot->steps, error) < 0 ||
        number_after(cursor, "rows", INT32_MAX, rows, error) < 0)
        return -1;
    return cursor_end(cursor, error);
}

static int read_jobs(journal_t *self, const char *text, size_t length, size_t rows,
                     struct journal_snapshot *snapshot, struct error *error)
{
    struct step_lines *lines = &self->lines;

    if (step_lines_read(lines, SNAPSHOT_KIND, text, length, error) < 0)
        return -1;
    if (lines->known.row_count < rows)
        return error_set(error, "it lacks rows");
    lines->known.row_count = rows;
    snapshot->jobs = lines->items;
    snapshot->count = lines->count;
    return 0;
}

static int read_body(journal_t *self, const char *body, struct journal_snapshot *snapshot,
                     struct error *error)
{
    struct cursor head = {
        .path = SNAPSHOT_KIND, .line = 1, .text = body, .length = strcspn(body, "\n")};
    const char *jobs = body + head.length + (body[head.length] == '\n');
    const char *archive = strstr(body, ARCHIVE_LINE);
    int64_t version;
    int64_t rows;

    if (read_head(self, &head, snapshot, &version, &rows, error) < 0)
        return -1;
    if (!archive)
        return error_set(error, "it breaks off");
    if (archive >= jobs &&
        read_jobs(self, jobs, (size_t)(archive - jobs), (size_t)rows, snapshot, error) < 0)
        return -1;
    archive += strlen(ARCHIVE_LINE);
    snapshot->archive = archive_reading(archive, strlen(archive));
    snapshot->archive.version = (int)version;
    return 1;
}

/* Forgets the lines that were read. */
static void forget_lines(journal_t *self)
{
    const struct known known = self->lines.known;

    step_lines_close(&self->lines);
    step_lines_open(&self->lines);
    self->lines.known.cluster = known.cluster;
}

int journal_read_snapshot(journal_t *self, struct journal_snapshot *snapshot, struct error *error)
{
    const char *body;
    struct error why;
    int got;

    assert(self->settled && self->read == 0 && !self->reading);
    *snapshot = (struct journal_snapshot){.steps = 0};
    got = journal_get(self, SNAPSHOT_KIND, SNAPSHOT_NAME, &body, error);
    if (got <= 0)
        return got;
    if (journal_join_pieces(self, &body, &why) == 0 && read_body(self, body, snapshot, &why) > 0)
        return 1;
    tell_unread(self, why.text);
    forget_lines(self);
    *snapshot = (struct journal_snapshot){.steps = 0};
    return 0;
}

static int compare_number(const void *key, const void *item)
{
    const uint64_t number = *(const uint64_t *)key;
    const struct recorded *job = item;

    return (number > job->occurrence.submission->number) -
           (number < job->occurrence.submission->number);
}

const struct submission *journal_snapshot_job(const void *snapshot, uint64_t number)
{
    const struct journal_snapshot *self = snapshot;
    const struct recorded *job = self->count > 0 ? bsearch(&number, self->jobs, self->count,
                                                           sizeof(*self->jobs), compare_number)
                                                 : NULL;

    return job ? job->occurrence.submission : NULL;
}

/* Goes on behind a snapshot. The text of the next decision depends on `stands`, the decision before
 * it. */
void journal_skip(journal_t *self, const struct journal_snapshot *snapshot,
                  const struct decision *stands)
{
    self->read = snapshot->steps;
    journal_stands(self, stands);
}

void journal_stands(journal_t *self, const struct decision *stands)
{
    self->text.used = 0;
    decision_text_write(self->decisions, stands, &self->text);
}

void journal_refuse_snapshot(journal_t *self)
{
    tell_unread(self, "it does not fit its jobs");
    forget_lines(self);
}
