/* loss.c - see loss.h. */
#include "scheduler/journal/loss.h"

#include "scheduler/journal/journal_internal.h"

#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what a database has ---- */

/* The first value of `sql` as a text; "" if there is none. */
static void ask(sqlite3 *sqlite, const char *sql, char *answer, size_t size)
{
    sqlite3_stmt *statement = NULL;

    answer[0] = '\0';
    if (sqlite3_prepare_v2(sqlite, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        (void)snprintf(answer, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
}

static struct extent extent_in(sqlite3 *sqlite)
{
    struct extent extent = {0};
    char answer[64];

    ask(sqlite, "SELECT value FROM meta WHERE name = 'run'", answer, sizeof(answer));
    extent.run = strtoull(answer, NULL, 10);
    ask(sqlite, "SELECT value FROM meta WHERE name = 'commits'", answer, sizeof(answer));
    (void)sscanf(answer, "%" SCNu64 " %" SCNx64, &extent.commits, &extent.digest);
    ask(sqlite, "SELECT max(sequence) FROM step", answer, sizeof(answer));
    extent.steps = strtoll(answer, NULL, 10);
    ask(sqlite,
        "SELECT name FROM document WHERE kind = 'job' ORDER BY length(name) DESC, name DESC LIMIT "
        "1",
        answer, sizeof(answer));
    extent.jobs = strtoll(answer, NULL, 10);
    return extent;
}

/* Opens a database that no process writes to, without locks; NULL if it cannot be opened. The
 * caller closes it. */
static sqlite3 *open_still(const char *path)
{
    sqlite3 *sqlite = NULL;
    char *uri = sqlite3_mprintf("file:%s?immutable=1", path);

    if (uri &&
        sqlite3_open_v2(uri, &sqlite, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        (void)sqlite3_close(sqlite);
        sqlite = NULL;
    }
    sqlite3_free(uri);
    return sqlite;
}

struct extent extent_of(const char *path)
{
    sqlite3 *sqlite = open_still(path);
    const struct extent extent = sqlite ? extent_in(sqlite) : (struct extent){0};

    (void)sqlite3_close(sqlite);
    return extent;
}

static bool has_good_documents(sqlite3 *sqlite)
{
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(sqlite, "SELECT place, kind, name, body, checked FROM document",
                                  -1, &rows, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(rows);
        if (code == SQLITE_ROW && !journal_is_good(rows))
            code = SQLITE_CORRUPT;
    }
    (void)sqlite3_finalize(rows);
    return code == SQLITE_DONE;
}

bool extent_is_whole(const char *path)
{
    sqlite3 *sqlite = open_still(path);
    char answer[16] = "";
    bool whole;

    if (sqlite)
        ask(sqlite, "PRAGMA integrity_check(1)", answer, sizeof(answer));
    whole = !strcmp(answer, "ok") && has_good_documents(sqlite);
    (void)sqlite3_close(sqlite);
    return whole;
}

/* ---- sentences ---- */

int loss_complain(const char *folder, const char *what, struct error *error)
{
    return error_set(error,
                     "%s/state.db: %s; `rubato state restore %s` goes back to the copy that is "
                     "there, `rubato state accept-loss %s` goes on without what is missing",
                     folder, what, folder, folder);
}

static int complain_gone(const char *folder, const char *how, const char *who, int64_t steps,
                         uint64_t jobs, struct error *error)
{
    char what[256];

    (void)snprintf(what, sizeof(what),
                   "%s, and %s knows of a state that was here (%" PRId64 " steps, jobs up to "
                   "number %" PRIu64 ")",
                   how, who, steps, jobs);
    return loss_complain(folder, what, error);
}

static int64_t size_of(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat found;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return stat(path, &found) == 0 ? (int64_t)found.st_size : -1;
}

static struct extent copy_of(const char *folder)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/backup.db", folder);
    return size_of(folder, "backup.db") > 0 ? extent_of(path) : (struct extent){0};
}

/* ---- checks ---- */

int loss_check_missing(const char *folder, const struct mark *mark, struct error *error)
{
    const int64_t size = size_of(folder, "state.db");
    const char *how = size < 0 ? "is not there" : "is empty";
    const struct extent copy = size > 0 ? (struct extent){0} : copy_of(folder);

    if (size > 0)
        return 0;
    if (copy.run > 0)
        return complain_gone(folder, how, "backup.db", copy.steps, (uint64_t)copy.jobs, error);
    if (mark->run > 0) {
        char what[256];

        (void)snprintf(what, sizeof(what),
                       "%s, and mark knows of a state that was here (%" PRIu64
                       " commits, numbers up to %" PRIu64 " may be given)",
                       how, mark->commits, mark->numbers);
        return loss_complain(folder, what, error);
    }
    if (size_of(folder, "state.db-wal") > 0)
        return loss_complain(folder,
                             size < 0 ? "is not there, and its log state.db-wal is"
                                      : "is empty, and its log state.db-wal is not",
                             error);
    return 0;
}

static int check_mark(const char *folder, const struct extent *found, const struct mark *mark,
                      struct error *error)
{
    char what[256];

    if (mark->run == 0)
        return 0;
    if (mark->run != found->run)
        return loss_complain(folder, "is another state than that of which mark knows", error);
    if (mark->commits > found->commits) {
        (void)snprintf(what, sizeof(what),
                       "lacks the last %" PRIu64 " commits that were acknowledged, as after a log "
                       "that was cut or an older copy",
                       mark->commits - found->commits);
        return loss_complain(folder, what, error);
    }
    if (mark->commits == found->commits && mark->digest != found->digest)
        return loss_complain(folder, "has other commits than those that were acknowledged", error);
    return 0;
}

static int check_copy(const char *folder, const struct extent *found, struct error *error)
{
    const struct extent copy = copy_of(folder);
    char what[256];

    if (copy.run == 0)
        return 0;
    if (copy.run != found->run)
        return loss_complain(folder, "is another state than its copy backup.db", error);
    if (copy.steps <= found->steps && copy.jobs <= found->jobs && copy.commits <= found->commits)
        return 0;
    (void)snprintf(what, sizeof(what),
                   "is older than its copy backup.db: it has %" PRId64 " steps and jobs up to "
                   "number %" PRId64 ", the copy %" PRId64 " and %" PRId64,
                   found->steps, found->jobs, copy.steps, copy.jobs);
    return loss_complain(folder, what, error);
}

int loss_check(const char *folder, const struct extent *found, const struct mark *mark,
               struct error *error)
{
    if (check_mark(folder, found, mark, error) < 0)
        return -1;
    return check_copy(folder, found, error);
}
