/* journal.c - see journal.h: what a state begins with, and its transactions. */
#include "scheduler/journal/journal_internal.h"

#include "common/failpoint.h"
#include "common/log.h"
#include "common/memory.h"
#include "scheduler/journal/folder_lock.h"
#include "scheduler/record/setting_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- names with a value ---- */

/* 1 with a copy of the value, which the caller frees; 0 if there is none. */
static int get_meta(journal_t *self, const char *name, char **value, struct error *error)
{
    sqlite3_stmt *statement =
        database_prepare(&self->database, "SELECT value FROM meta WHERE name = ?", error);
    int code;

    if (!statement)
        return -1;
    (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *value = xstrdup((const char *)sqlite3_column_text(statement, 0));
    else if (code != SQLITE_DONE)
        (void)database_complain(&self->database, code, error);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -1;
}

static int put_meta(journal_t *self, const char *name, const char *value, struct error *error)
{
    sqlite3_stmt *statement;

    if (journal_begin(self, error) < 0)
        return -1;
    statement = database_prepare(&self->database, "INSERT INTO meta VALUES (?, ?)", error);
    if (statement) {
        (void)sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC);
    }
    if (statement && database_finish(&self->database, statement, error) == 0)
        return journal_commit(self, error);
    journal_rollback(self);
    return -1;
}

/* ---- the run ---- */

static uint32_t draw_run(void)
{
    uint32_t run = 0;

    while (run == 0) {
        if (getrandom(&run, sizeof(run), 0) != (ssize_t)sizeof(run))
            continue;
        run &= INT32_MAX;
    }
    return run;
}

static int find_run(journal_t *self, struct error *error)
{
    char *value = NULL;
    char drawn[16];
    int status = get_meta(self, "run", &value, error);

    if (status > 0)
        self->run = (uint32_t)strtoul(value, NULL, 10);
    free(value);
    if (status < 0)
        return -1;
    if (status > 0)
        return self->run > 0 && self->run <= INT32_MAX
                   ? 0
                   : database_complain_damage(&self->database, "it has no run", error);
    self->run = draw_run();
    (void)snprintf(drawn, sizeof(drawn), "%" PRIu32, self->run);
    return put_meta(self, "run", drawn, error);
}

/* ---- the setting ---- */

/* Where the word that `at` is in begins; those in double quotes may have blanks. */
static size_t word_begins(const char *text, size_t at)
{
    size_t begins = 0;
    bool quoted = false;

    for (size_t i = 0; i < at; i++) {
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
            quoted = !quoted;
        else if (!quoted && (text[i] == ' ' || text[i] == '\n'))
            begins = i + 1;
    }
    return begins;
}

static int word_bytes(const char *text)
{
    int bytes = 0;
    bool quoted = false;

    for (; text[bytes] && (quoted || (text[bytes] != ' ' && text[bytes] != '\n')); bytes++)
        if (text[bytes] == '"' && (bytes == 0 || text[bytes - 1] != '\\'))
            quoted = !quoted;
    return bytes;
}

static int complain_other(const journal_t *self, const char *then, const char *now,
                          struct error *error)
{
    size_t same = 0;
    int then_bytes;
    int now_bytes;

    while (then[same] && then[same] == now[same])
        same++;
    same = word_begins(then, same);
    then_bytes = word_bytes(then + same);
    now_bytes = word_bytes(now + same);
    return error_set(error, "%s: is the state of a run with %.*s, not with %.*s",
                     self->database.path, then_bytes > 0 ? then_bytes : 7,
                     then_bytes > 0 ? then + same : "nothing", now_bytes > 0 ? now_bytes : 7,
                     now_bytes > 0 ? now + same : "nothing");
}

static int settle_text(journal_t *self, const char *now, struct error *error)
{
    char *then = NULL;
    int status = get_meta(self, "setting", &then, error);

    if (status == 0)
        status = put_meta(self, "setting", now, error);
    else if (status > 0)
        status = strcmp(then, now) != 0 ? complain_other(self, then, now, error) : 0;
    free(then);
    return status;
}

int journal_settle(journal_t *self, const struct record_setting *setting, struct error *error)
{
    int status;

    self->text.used = 0;
    setting_text_write(setting, &self->text);
    text_bytes(&self->text, "", 1);
    status = settle_text(self, self->text.bytes, error);
    if (status < 0)
        return -1;
    self->settled = true;
    self->lines.known.cluster = setting->cluster;
    step_text_destroy(&self->occurrences);
    self->occurrences = step_text_new(setting->cluster.pool_count);
    return 0;
}

/* ---- transactions ---- */

bool journal_is_broken(const journal_t *self)
{
    return self->database.broken;
}

int journal_begin(journal_t *self, struct error *error)
{
    if (self->database.broken) {
        *error = self->database.reason;
        return -1;
    }
    if (database_is_in_transaction(&self->database))
        return 0;
    if (database_run(&self->database, "BEGIN IMMEDIATE", error) < 0)
        return -1;
    (void)FAILPOINT("journal-begun");
    return 0;
}

void journal_rollback(journal_t *self)
{
    database_roll_back(&self->database);
    journal_pending_failed(self);
}

int journal_commit(journal_t *self, struct error *error)
{
    if ((!database_is_in_transaction(&self->database) && journal_begin(self, error) < 0) ||
        journal_write_pending(self, error) < 0 || database_commit(&self->database, error) < 0) {
        journal_rollback(self);
        return -1;
    }
    journal_pending_committed(self);
    return 0;
}

/* ---- life ---- */

static int open_state(journal_t *self, const char *folder, struct error *error)
{
    struct error trouble;

    if (database_open(&self->database, folder, error) < 0 || find_run(self, error) < 0 ||
        journal_verify_steps(self, error) < 0 || journal_verify_documents(self, error) < 0)
        return -1;
    (void)FAILPOINT("journal-opened");
    if (self->steps > 0 && database_back_up(&self->database, &trouble) < 0)
        log_event(&LOG_ABOUT_NOTHING, "no-backup", "cause=%s", log_text(trouble.text));
    return 0;
}

journal_t *journal_open(const char *folder, struct error *error)
{
    const int lock = folder_lock(folder, error);
    journal_t *self;

    if (lock < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->lock = lock;
    self->decisions = decision_text_new();
    step_lines_open(&self->lines);
    if (open_state(self, folder, error) < 0)
        journal_close(&self);
    return self;
}

static bool is_left_undone(const journal_t *self)
{
    return self->pending_count > 0 && self->pending[0].committed && self->pending[0].decided;
}

void journal_close(journal_t **self)
{
    struct error ignored;

    if (!*self)
        return;
    (void)sqlite3_finalize((*self)->reading);
    if ((*self)->database.sqlite) {
        journal_rollback(*self);
        if (is_left_undone(*self))
            (void)journal_commit(*self, &ignored);
        database_close(&(*self)->database);
    }
    for (size_t i = 0; i < (*self)->pending_count; i++)
        free((*self)->pending[i].told);
    free((*self)->pending);
    (void)close((*self)->lock);
    step_lines_close(&(*self)->lines);
    retelling_free(&(*self)->told);
    step_text_destroy(&(*self)->occurrences);
    decision_text_destroy(&(*self)->decisions);
    text_free(&(*self)->text);
    free((*self)->body);
    free(*self);
    *self = NULL;
}

uint32_t journal_run(const journal_t *self)
{
    return self->run;
}

int64_t journal_steps(const journal_t *self)
{
    return self->steps;
}

int64_t journal_set_aside(const journal_t *self)
{
    return self->set_aside;
}
