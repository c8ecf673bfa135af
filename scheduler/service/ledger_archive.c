/* ledger_archive.c - how jobs stand, written and read back; see ledger.h. */
#include "scheduler/service/ledger.h"

#include "common/memory.h"

#include <stdio.h>
#include <string.h>

#define CAUSE_BYTES                   4096
#define SNAPSHOT_VERSION_OF_ENDS      5
#define SNAPSHOT_VERSION_OF_HISTORIES 7
#define SNAPSHOT_VERSION_OF_RISKS     8
#define SNAPSHOT_VERSION_OF_CHAINS    8

static void archive_cause(ledger_t *self, struct archive *archive, struct entry *entry)
{
    bool is_there = entry->cause != NULL;
    char cause[CAUSE_BYTES];

    ARCHIVE(archive, &is_there);
    if (!is_there) {
        entry->cause = NULL;
        return;
    }
    if (!archive->reads)
        (void)snprintf(cause, sizeof(cause), "%s", entry->cause);
    archive_text(archive, cause, sizeof(cause));
    if (archive->reads)
        entry->cause = arena_text(ledger_texts(self), cause, strlen(cause));
}

/* Archives a copy of a share of the submission: a job that is submitted again may have other
 * shares. */
static const struct job_share *archive_limit(ledger_t *self, struct archive *archive,
                                             const struct job_share *share)
{
    struct job_share *kept = arena_alloc(ledger_texts(self), sizeof(*kept));
    char name[SHARE_NAME_MAX + 1] = "";

    *kept = archive->reads ? (struct job_share){.name = NULL} : *share;
    if (!archive->reads)
        (void)snprintf(name, sizeof(name), "%s", share->name);
    archive_text(archive, name, sizeof(name));
    ARCHIVE(archive, &kept->of);
    ARCHIVE(archive, &kept->horizon_s);
    kept->name = arena_text(ledger_texts(self), name, strlen(name));
    return kept;
}

static void archive_share(ledger_t *self, struct archive *archive, struct share_seen *share)
{
    share->of = archive_limit(self, archive, share->of);
    ARCHIVE(archive, &share->may);
    ARCHIVE(archive, &share->is);
    ARCHIVE(archive, &share->more);
    ARCHIVE(archive, &share->free_s);
}

static void archive_verdict(ledger_t *self, struct archive *archive, struct entry *entry)
{
    ARCHIVE(archive, &entry->decided);
    ARCHIVE(archive, &entry->verdict.kind);
    ARCHIVE(archive, &entry->verdict.reason);
    ARCHIVE(archive, &entry->verdict.promised_s);
    ARCHIVE(archive, &entry->verdict.earliest_s);
    if (entry->verdict.reason == REASON_JOBS_TO_COME) {
        ARCHIVE(archive, &entry->verdict.seen.gpus);
        ARCHIVE(archive, &entry->verdict.seen.over_s);
    }
    if (entry->verdict.reason == REASON_PROMISE_SHARE)
        archive_share(self, archive, &entry->verdict.share);
    if (entry->verdict.reason == REASON_NODES_END)
        ARCHIVE(archive, &entry->verdict.known_until_s);
}

static void archive_times(struct archive *archive, struct entry *entry)
{
    ARCHIVE(archive, &entry->submitted_s);
    ARCHIVE(archive, &entry->started_s);
    ARCHIVE(archive, &entry->ended_s);
    ARCHIVE(archive, &entry->gpus);
    ARCHIVE(archive, &entry->iterations_done);
}

static void archive_standing(ledger_t *self, struct archive *archive, struct entry *entry)
{
    enum standing standing = entry->standing;

    standing = (enum standing)archive_count(archive, standing, STANDINGS - 1);
    if (archive->reads)
        ledger_move(self, entry, standing);
    ARCHIVE(archive, &entry->untold);
    ARCHIVE(archive, &entry->changes);
}

/* Earlier snapshots say no more than that a job is done. */
static void archive_end(struct archive *archive, struct entry *entry)
{
    const int causes = archive->version < SNAPSHOT_VERSION_OF_HISTORIES ? 0
                       : archive->version < SNAPSHOT_VERSION_OF_CHAINS  ? WITHDRAWN_FOR_PARENT
                                                                        : WITHDRAWAL_CAUSES;

    if (archive->version < SNAPSHOT_VERSION_OF_ENDS)
        return;
    ARCHIVE(archive, &entry->end);
    ARCHIVE(archive, &entry->reached);
    ARCHIVE(archive, &entry->outcome);
    ARCHIVE(archive, &entry->withdrawn);
    for (int cause = 0; entry->withdrawn && cause < causes; cause++)
        ARCHIVE(archive, &entry->withdrawals[cause]);
    if (archive->version >= SNAPSHOT_VERSION_OF_RISKS)
        ARCHIVE(archive, &entry->was_at_risk);
}

static void archive_entry(ledger_t *self, struct archive *archive, struct entry *entry)
{
    archive_standing(self, archive, entry);
    archive_verdict(self, archive, entry);
    archive_times(archive, entry);
    archive_cause(self, archive, entry);
    archive_end(archive, entry);
}

void ledger_archive(ledger_t *self, struct archive *archive, submission_find *find,
                    const void *owner)
{
    const size_t count = archive_count(archive, ledger_next(self) - 1, ledger_next(self) - 1);

    for (uint64_t row = 1; row <= count && !archive->broken; row++) {
        struct entry *entry = ledger_find(self, row);

        if (entry->left_out)
            continue;
        archive_entry(self, archive, entry);
        if (!archive->reads)
            continue;
        entry->submission = find(owner, entry->number);
        archive->broken = archive->broken || !entry->submission;
    }
    if (archive->reads)
        ledger_count_again(self);
}
