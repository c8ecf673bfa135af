/* journal_documents.c - the documents of a journal. */
#include "scheduler/journal/journal_internal.h"

#include "common/checksum.h"
#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t add(uint64_t before, const char *text)
{
    return checksum(before, text, strlen(text) + 1);
}

int64_t journal_check_of_document(const char *kind, const char *name, const char *body)
{
    return (int64_t)add(add(add(CHECKSUM_OF_NOTHING, kind), name), body);
}

/* ---- writing ---- */

int journal_put(journal_t *self, const char *kind, const char *key, const char *body,
                struct error *error)
{
    sqlite3_stmt *statement = database_keep(
        &self->database, STATEMENT_PUT,
        "INSERT INTO document (kind, name, body, checked) VALUES (?, ?, ?, ?) ON CONFLICT "
        "(kind, name) DO UPDATE SET body = excluded.body, checked = excluded.checked",
        error);

    if (!statement)
        return -1;
    (void)sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 3, body, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 4, journal_check_of_document(kind, key, body));
    return database_finish(&self->database, statement, error);
}

int journal_put_number(journal_t *self, const char *kind, uint64_t key, const char *body,
                       struct error *error)
{
    char name[24];

    (void)snprintf(name, sizeof(name), "%" PRIu64, key);
    return journal_put(self, kind, name, body, error);
}

int journal_forget(journal_t *self, const char *kind, const char *key, struct error *error)
{
    sqlite3_stmt *statement = database_prepare(
        &self->database, "DELETE FROM document WHERE kind = ? AND name = ?", error);

    if (!statement)
        return -1;
    (void)sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
    return database_finish(&self->database, statement, error);
}

/* ---- reading ---- */

static int take_body(journal_t *self, sqlite3_stmt *statement, const char **body,
                     struct error *error)
{
    const int code = sqlite3_step(statement);

    if (code == SQLITE_DONE)
        return 0;
    if (code != SQLITE_ROW)
        return database_complain(&self->database, code, error);
    free(self->body);
    *body = self->body = xstrdup((const char *)sqlite3_column_text(statement, 0));
    return 1;
}

int journal_get(journal_t *self, const char *kind, const char *key, const char **body,
                struct error *error)
{
    sqlite3_stmt *statement =
        database_keep(&self->database, STATEMENT_GET,
                      "SELECT body FROM document WHERE kind = ? AND name = ?", error);
    int status;

    if (!statement)
        return -1;
    (void)sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
    status = take_body(self, statement, body, error);
    database_end(&self->database, statement);
    return status;
}

/* The places are selected first: otherwise SQLite would sort all bodies in a file. */
int journal_each_of(journal_t *self, const char *kind,
                    int (*call)(void *owner, const char *key, const char *body),
                    const char *other_kind,
                    int (*other_call)(void *owner, const char *key, const char *body), void *owner,
                    struct error *error)
{
    sqlite3_stmt *statement = database_prepare(&self->database,
                                               "SELECT kind = ?1, name, body FROM document WHERE "
                                               "place IN (SELECT place FROM document WHERE kind "
                                               "IN (?1, ?2)) ORDER BY place",
                                               error);
    int code = SQLITE_DONE;
    int status = 0;

    if (!statement)
        return -1;
    (void)sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, other_kind, -1, SQLITE_STATIC);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = (sqlite3_column_int(statement, 0) ? call : other_call)(
            owner, (const char *)sqlite3_column_text(statement, 1),
            (const char *)sqlite3_column_text(statement, 2));
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = database_complain(&self->database, code, error);
    (void)sqlite3_finalize(statement);
    return status;
}

int journal_each(journal_t *self, const char *kind,
                 int (*call)(void *owner, const char *key, const char *body), void *owner,
                 struct error *error)
{
    return journal_each_of(self, kind, call, kind, call, owner, error);
}

/* ---- damage ---- */

bool journal_is_good(sqlite3_stmt *row)
{
    const char *texts[3];

    for (int i = 0; i < 3; i++)
        if (!(texts[i] = (const char *)sqlite3_column_text(row, i + 1)) ||
            strlen(texts[i]) != (size_t)sqlite3_column_bytes(row, i + 1))
            return false;
    return journal_check_of_document(texts[0], texts[1], texts[2]) == sqlite3_column_int64(row, 4);
}

static void tell(const journal_t *self, sqlite3_stmt *row)
{
    const char *kind = (const char *)sqlite3_column_text(row, 1);
    const char *name = (const char *)sqlite3_column_text(row, 2);

    log_event(&LOG_ABOUT_NOTHING, "set-aside", "state=%s kind=%s name=%s cause=damaged",
              log_text(self->database.path), log_text(kind ? kind : "-"),
              log_text(name ? name : "-"));
}

static int set_aside(journal_t *self, int64_t place, struct error *error)
{
    char sql[192];

    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO damaged (kind, name, body, checked) SELECT kind, name, body, "
                   "checked FROM document WHERE place = %" PRId64
                   "; DELETE FROM document WHERE place = %" PRId64,
                   place, place);
    return database_run(&self->database, sql, error);
}

/* The place of the first damaged document after `place`; 0 if there is none; -1 with `error`. */
static int64_t find_damaged(journal_t *self, int64_t place, struct error *error)
{
    sqlite3_stmt *statement = database_prepare(
        &self->database,
        "SELECT place, kind, name, body, checked FROM document WHERE place > ? ORDER BY place",
        error);
    int64_t found = 0;
    int code = SQLITE_DONE;

    if (!statement)
        return -1;
    (void)sqlite3_bind_int64(statement, 1, place);
    while (found == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        if (!journal_is_good(statement)) {
            found = sqlite3_column_int64(statement, 0);
            tell(self, statement);
        }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        found = database_complain(&self->database, code, error);
    (void)sqlite3_finalize(statement);
    return found;
}

int journal_verify_documents(journal_t *self, struct error *error)
{
    int64_t place = find_damaged(self, 0, error);

    if (place <= 0)
        return (int)place;
    if (journal_begin(self, error) < 0)
        return -1;
    for (; place > 0; place = find_damaged(self, place, error)) {
        if (set_aside(self, place, error) < 0)
            return -1;
        self->set_aside++;
    }
    return place < 0 ? -1 : journal_commit(self, error);
}

int64_t journal_last_aside(journal_t *self, struct error *error)
{
    sqlite3_stmt *statement =
        database_prepare(&self->database,
                         "SELECT max(CAST(name AS INTEGER)) FROM damaged WHERE kind = 'job' "
                         "AND name NOT GLOB '*[^0-9]*' AND length(name) BETWEEN 1 AND 9",
                         error);
    int64_t last = 0;
    int code;

    if (!statement)
        return -1;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        last = sqlite3_column_int64(statement, 0);
    else
        last = database_complain(&self->database, code, error);
    (void)sqlite3_finalize(statement);
    return last;
}
