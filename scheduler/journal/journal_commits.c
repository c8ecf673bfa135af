/* journal_commits.c - see journal.h: transactions, and the marks that count them. */
#include "scheduler/journal/journal_internal.h"

#include "common/checksum.h"
#include "common/failpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define NUMBERS_RESERVED 100 /* at a time, so that many submissions share one write to the disk */

/* Adds to the transaction its number, and a digest over all transactions so far. */
static int put_count(journal_t *self, uint64_t *digest, struct error *error)
{
    sqlite3_stmt *statement =
        database_keep(&self->database, STATEMENT_COUNT,
                      "INSERT OR REPLACE INTO meta VALUES ('commits', ?)", error);
    struct timespec now;
    char value[64];
    int length;

    if (!statement)
        return -1;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    length = snprintf(value, sizeof(value), "%" PRIx64 " %lld %ld", self->digest,
                      (long long)now.tv_sec, now.tv_nsec);
    *digest = checksum(CHECKSUM_OF_NOTHING, value, (size_t)length);
    (void)snprintf(value, sizeof(value), "%" PRIu64 " %016" PRIx64, self->commits + 1, *digest);
    (void)sqlite3_bind_text(statement, 1, value, -1, SQLITE_TRANSIENT);
    return database_finish(&self->database, statement, error);
}

static struct mark mark_now(const journal_t *self)
{
    struct mark mark = self->mark.mark;

    mark.run = self->run;
    mark.commits = self->commits;
    mark.digest = self->digest;
    return mark;
}

/* Writes the mark in the folder of the state, and the one outside. */
static int mark_all(journal_t *self, const struct mark *mark, bool durable, struct error *error)
{
    struct error ignored;

    if (self->apart.path)
        (void)mark_write(&self->apart, mark, durable, &ignored);
    return mark_write(&self->mark, mark, durable, error);
}

void journal_mark_commit(journal_t *self)
{
    const struct mark mark = mark_now(self);
    struct error ignored;

    if (self->marks)
        (void)mark_all(self, &mark, false, &ignored);
}

int journal_reserve(journal_t *self, uint64_t number, struct error *error)
{
    struct mark mark = mark_now(self);

    if (number <= mark.numbers)
        return 0;
    mark.numbers = number + NUMBERS_RESERVED - 1;
    return mark_all(self, &mark, true, error);
}

uint64_t journal_numbers_lost(const journal_t *self)
{
    return self->mark.mark.lost ? self->mark.mark.numbers : 0;
}

int journal_accept_loss(journal_t *self, uint64_t numbers, struct error *error)
{
    struct mark mark = mark_now(self);

    if (numbers > mark.numbers)
        mark.numbers = numbers;
    mark.lost = true;
    return mark_all(self, &mark, true, error);
}

int journal_go_on(journal_t *self, struct error *error)
{
    struct mark mark = mark_now(self);

    mark.lost = false;
    return mark_all(self, &mark, true, error);
}

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
    uint64_t digest;

    if ((!database_is_in_transaction(&self->database) && journal_begin(self, error) < 0) ||
        journal_write_pending(self, error) < 0 || put_count(self, &digest, error) < 0 ||
        database_commit(&self->database, error) < 0) {
        journal_rollback(self);
        return -1;
    }
    self->commits++;
    self->digest = digest;
    journal_mark_commit(self);
    journal_pending_committed(self);
    return 0;
}
