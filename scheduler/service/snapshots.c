/* snapshots.c - where engine and ledger stand, kept now and then in the journal. */
#include "scheduler/service/serving.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "scheduler/snapshot/engine_archive.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A start decides what took so long again at most, or as long as some snapshots took to be kept. */
#define DECIDED_S     0.5
#define DECIDED_TIMES 20

/* ---- keeping ---- */

static int keep(struct serving *self, struct error *error)
{
    const size_t count = ledger_next(self->ledger) - 1;
    struct occurrence *jobs = xcalloc(count + 1, sizeof(*jobs));
    struct archive archive = archive_writing();
    int status;

    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = ledger_find(self->ledger, i + 1);

        jobs[i] = (struct occurrence){
            .kind = OCCURRENCE_SUBMITTED, .job = entry->number, .submission = entry->submission};
    }
    engine_archive(self->engine, &archive, NULL, NULL);
    ledger_archive(self->ledger, &archive, NULL, NULL);
    status = journal_keep_snapshot(self->journal, jobs, count, &archive, error);
    archive_free(&archive);
    free(jobs);
    return status;
}

/* Whether the engine was told all that clients asked. */
static bool is_settled(const struct serving *self)
{
    return !self->stuck && !self->in_transaction && self->told.count == 0 &&
           engine_has_archive(self->engine);
}

void snapshots_keep(struct serving *self)
{
    const double began_s = clock_s();
    struct error error;
    bool kept;

    if (self->decided_s <= 0 || !is_settled(self))
        return;
    self->decided_s = 0;
    kept = keep(self, &error) == 0;
    self->snapshot_s = clock_s() - began_s;
    if (!kept)
        log_event(&LOG_ABOUT_NOTHING, "no-snapshot", "cause=%s", log_text(error.text));
    else
        log_event(&LOG_ABOUT_NOTHING, "snapshot", "steps=%" PRId64 " jobs=%" PRIu32 " ms=%.1f",
                  journal_steps(self->journal), ledger_next(self->ledger) - 1,
                  1000 * self->snapshot_s);
}

void snapshots_keep_due(struct serving *self)
{
    if (self->decided_s >= fmax(DECIDED_S, DECIDED_TIMES * self->snapshot_s))
        snapshots_keep(self);
}

/* ---- after a start ---- */

static bool read_archive(struct serving *self, struct journal_snapshot *snapshot)
{
    engine_archive(self->engine, &snapshot->archive, journal_snapshot_job, snapshot);
    ledger_archive(self->ledger, &snapshot->archive, journal_snapshot_job, snapshot);
    return archive_is_over(&snapshot->archive);
}

/* Engine and ledger as they were before. */
static int begin_anew(struct serving *self, struct error *error)
{
    engine_destroy(&self->engine);
    ledger_destroy(&self->ledger);
    journal_refuse_snapshot(self->journal);
    self->ledger = ledger_new();
    self->engine = engine_new(&self->inputs.setting, error);
    return self->engine ? submitting_recall(self, error) : -1;
}

int snapshots_recall(struct serving *self, struct error *error)
{
    struct journal_snapshot snapshot;
    const int got = engine_has_archive(self->engine)
                        ? journal_read_snapshot(self->journal, &snapshot, error)
                        : 0;

    if (got <= 0)
        return got;
    if (!read_archive(self, &snapshot))
        return begin_anew(self, error);
    engine_stands(self->engine, &self->decision);
    journal_skip(self->journal, &snapshot, &self->decision);
    log_event(&LOG_ABOUT_NOTHING, "recalled", "steps=%" PRId64, snapshot.steps);
    return 0;
}
