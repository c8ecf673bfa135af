/* journal_writer.c - which versions of the program wrote the steps of a state. A name "writer N" in
 * the table meta has the version that wrote step N and those after it, up to the next such name. */
#include "scheduler/journal/journal_internal.h"

#include "common/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME "writer "

int journal_find_writer(journal_t *self, int64_t sequence, struct journal_writer *writer,
                        struct error *error)
{
    sqlite3_stmt *statement = database_prepare(
        &self->database,
        "SELECT value FROM meta WHERE name LIKE '" NAME "%' AND CAST(substr(name, 8) AS INTEGER) "
        "<= ? ORDER BY CAST(substr(name, 8) AS INTEGER) DESC LIMIT 1",
        error);
    int code;

    *writer = (struct journal_writer){.text = ""};
    if (!statement)
        return -1;
    (void)sqlite3_bind_int64(statement, 1, sequence);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        (void)snprintf(writer->text, sizeof(writer->text), "%s",
                       (const char *)sqlite3_column_text(statement, 0));
    else if (code != SQLITE_DONE)
        (void)database_complain(&self->database, code, error);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : -1;
}

int journal_open_writer(journal_t *self, struct error *error)
{
    struct journal_writer last;

    if (journal_find_writer(self, INT64_MAX, &last, error) < 0)
        return -1;
    self->wrote_last = !strcmp(last.text, version_text);
    return 0;
}

int journal_sign(journal_t *self, int64_t sequence, struct error *error)
{
    sqlite3_stmt *statement;
    char name[32];

    if (self->wrote_last)
        return 0;
    statement =
        database_prepare(&self->database, "INSERT OR REPLACE INTO meta VALUES (?, ?)", error);
    if (!statement)
        return -1;
    (void)snprintf(name, sizeof(name), NAME "%" PRId64, sequence);
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, version_text, -1, SQLITE_STATIC);
    return database_finish(&self->database, statement, error);
}

/* Adds to an error which version wrote the step. The same version on another build decides
 * otherwise only if its libraries differ. */
int journal_complain_writer(journal_t *self, int64_t sequence, struct error *error)
{
    struct journal_writer writer;
    struct error ignored;

    if (journal_find_writer(self, sequence, &writer, &ignored) < 0 || !*writer.text)
        return error_append(error, "; the version that wrote the step is not known, this is %s",
                            version_text);
    if (!strcmp(writer.text, version_text))
        return error_append(error, "; the version that wrote the step is %s, as this is",
                            version_text);
    return error_append(error, "; the version that wrote the step is %s, this is %s", writer.text,
                        version_text);
}
