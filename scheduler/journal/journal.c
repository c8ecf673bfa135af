/* journal.c - see journal.h: the names with a value, and the life of a journal. */
#include "scheduler/journal/journal_internal.h"

#include "common/checksum.h"
#include "common/failpoint.h"
#include "common/folder_lock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/option_value.h"
#include "scheduler/journal/index_check.h"
#include "scheduler/journal/loss.h"
#include "scheduler/record/setting_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Digests are of decisions as this version of the record writes them: those in existing journals
 * are. */
#define DIGEST_VERSION 2

#define APART_BYTES 32 /* bytes of the name of a mark */

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

/* ---- how many commits there were ---- */

/* The name of the mark outside of the state's folder. It is made from the path of the state: a
 * state that vanished is missed at its own path only. */
static void name_apart(const journal_t *self, char name[APART_BYTES])
{
    char *path = realpath(self->folder, NULL);
    const char *whole = path ? path : self->folder;

    (void)snprintf(name, APART_BYTES, MARK "-%016" PRIx64,
                   checksum(CHECKSUM_OF_NOTHING, whole, strlen(whole)));
    free(path);
}

/* Checks the state against the mark outside of its folder. A new state at the path of a known one
 * is what the loss left. Commits of this start itself, which sets damaged documents aside, do not
 * count. */
static int check_apart(journal_t *self, struct error *error)
{
    const struct mark *apart = &self->apart.mark;
    char what[256];

    if (self->loss_is_accepted || apart->run == 0 ||
        (apart->run == self->run ? apart->commits <= self->found : self->steps > 0))
        return 0;
    (void)snprintf(what, sizeof(what),
                   "has %" PRIu64 " commits, and %.150s knows of a state with %" PRIu64,
                   self->found, self->apart.path, apart->commits);
    return loss_complain(self->folder, what, error);
}

int journal_keep_apart(journal_t *self, const char *folder, struct error *error)
{
    char name[APART_BYTES];
    struct error why;

    name_apart(self, name);
    if (mark_open(&self->apart, folder, name, &why) < 0) {
        log_event(&LOG_ABOUT_NOTHING, "no-mark-apart", "cause=%s", log_text(why.text));
        return 0;
    }
    if (check_apart(self, error) < 0) {
        mark_close(&self->apart);
        return -1;
    }
    if (self->apart.mark.numbers > self->mark.mark.numbers)
        self->mark.mark.numbers = self->apart.mark.numbers;
    journal_mark_commit(self);
    return 0;
}

bool journal_loss_is_accepted(const journal_t *self)
{
    return self->loss_is_accepted;
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

/* Where the word around `at` begins. A word in double quotes may have blanks. */
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

/* The value of KEY in the line of `text` that begins with `word`, cut off in place; NULL if there
 * is none. */
static const char *cut_value(char *text, const char *word, const char *key)
{
    char wanted[128];
    char *line;
    char *at;

    (void)snprintf(wanted, sizeof(wanted), "\n%s ", word);
    line = strstr(text, wanted);
    if (!line)
        return NULL;
    line[1 + strcspn(line + 1, "\n")] = '\0';
    (void)snprintf(wanted, sizeof(wanted), " %s=", key);
    at = strstr(line, wanted);
    if (!at)
        return NULL;
    at += strlen(wanted);
    at[strcspn(at, " ")] = '\0';
    return at;
}

int journal_option(journal_t *self, const struct policy_options *options,
                   const struct policy_option *option, void *values, struct error *error)
{
    const char *word = options->record_word ? options->record_word : RECORD_OPTIONS_WORD;
    const struct option_spec target = policy_option_at(option, values);
    const struct option_spec usual = policy_option_at(option, options->usual);
    char *then = NULL;
    int status = get_meta(self, "setting", &then, error);
    const char *value = status > 0 ? cut_value(then, word, policy_option_key(option)) : NULL;

    assert(target.kind != OPTION_KIND_TEXT);
    if (value && option_parse_value(&target, value) < 0)
        status = error_set(error, "%s: the setting has no %s \"%s\"", self->database.path,
                           option->spec.name, value);
    else if (status > 0 && !value)
        option_assign(&target, &usual);
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

/* ---- life ---- */

static int find_count(journal_t *self, struct error *error)
{
    char *value = NULL;
    const int status = get_meta(self, "commits", &value, error);

    if (status > 0)
        (void)sscanf(value, "%" SCNu64 " %" SCNx64, &self->commits, &self->digest);
    self->found = self->commits;
    free(value);
    return status < 0 ? -1 : 0;
}

/* The highest number of a job in the database. */
static int64_t last_job(journal_t *self)
{
    char sql[] = "SELECT name FROM document WHERE kind = 'job' "
                 "ORDER BY length(name) DESC, name DESC LIMIT 1";
    struct error ignored;
    sqlite3_stmt *statement = database_prepare(&self->database, sql, &ignored);
    int64_t last = 0;

    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        last = strtoll((const char *)sqlite3_column_text(statement, 0), NULL, 10);
    (void)sqlite3_finalize(statement);
    return last;
}

/* Checks that no acknowledged commit is missing. A database that lacks one is not written to, nor
 * is its copy. */
static int check_loss(journal_t *self, struct error *error)
{
    struct extent found;

    if (find_count(self, error) < 0 || journal_verify_steps(self, error) < 0)
        return -1;
    found = (struct extent){self->run, self->commits, self->digest, self->steps, last_job(self)};
    if (self->loss_is_accepted || loss_check(self->folder, &found, &self->mark.mark, error) == 0)
        return 0;
    self->database.broken = true; /* the log stays untouched */
    self->database.reason = *error;
    return -1;
}

static int open_database(journal_t *self, struct error *error)
{
    if (mark_open(&self->mark, self->folder, MARK, error) < 0)
        return -1;
    self->loss_is_accepted = self->mark.mark.lost;
    if (!self->loss_is_accepted && loss_check_missing(self->folder, &self->mark.mark, error) < 0)
        return -1;
    if (database_open(&self->database, self->folder, error) < 0 ||
        index_check(&self->database, error) < 0 || find_run(self, error) < 0)
        return -1;
    return check_loss(self, error) < 0 ? -1 : journal_open_writer(self, error);
}

static int open_state(journal_t *self, struct error *error)
{
    if (open_database(self, error) < 0 || journal_verify_documents(self, error) < 0)
        return -1;
    self->marks = true;
    journal_mark_commit(self);
    (void)FAILPOINT("journal-opened");
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
    self->folder = xstrdup(folder);
    self->decisions = decision_text_new(DIGEST_VERSION);
    step_lines_open(&self->lines);
    if (open_state(self, error) < 0)
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
        database_give_up_copy(&(*self)->database);
        database_close(&(*self)->database);
    }
    for (size_t i = 0; i < (*self)->pending_count; i++)
        free((*self)->pending[i].told);
    free((*self)->pending);
    mark_close(&(*self)->mark);
    mark_close(&(*self)->apart);
    free((*self)->folder);
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

void journal_back_up(journal_t *self)
{
    struct error error;

    if (self->steps > 0 && database_back_up(&self->database, &error) < 0)
        log_event(&LOG_ABOUT_NOTHING, "no-backup", "cause=%s", log_text(error.text));
}

int journal_copy(journal_t *self, struct error *error)
{
    return database_copy(&self->database, error);
}
